"""Pocman: a maze with food and four ghosts, of which little is seen (Silver and Veness 2010)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numba.extending import register_jitable

from ..core.random import integer, uniform
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Grid
from .bits import count
from .checks import rollout_code

MAZE = (
    ".................",
    ".##.###.#.###.##.",
    "P...............P",
    ".##.#.#####.#.##.",
    "....#...#...#....",
    "###.###.#.###.###",
    "###.#-------#.###",
    "###.#-#---#-#.###",
    "---.#-#---#-#.---",
    "###.#-#####-#.###",
    "###.#-------#.###",
    "###.#.#####.#.###",
    ".................",
    ".##.###.#.###.##.",
    "P.#...........#.P",
    "#.#.#.#####.#.#.#",
    "....#...#...#....",
    ".######.#.######.",
    ".................",
)
"""From the north: # a wall, . perhaps food, P a power pill, - free."""

WIDTH, HEIGHT = len(MAZE[0]), len(MAZE)
CELLS = WIDTH * HEIGHT
WORDS = -(-CELLS // 64)
TUNNEL, HOME = 10, (8, 10)
NORTH, EAST, SOUTH, WEST = range(4)
DX, DY = (0, 1, 0, -1), (1, 0, -1, 0)
NEAR, HEARD, POWERED = 6, 2, 15
NOWHERE = -1
_ONE, _LOW = np.uint64(1), np.uint64(63)


def _number(x: int, y: int) -> int:
    return y * WIDTH + x


def _letter(x: int, y: int) -> str:
    return MAZE[HEIGHT - 1 - y][x] if 0 <= x < WIDTH and 0 <= y < HEIGHT else "#"


def _tables() -> dict[str, Any]:
    following, sight = np.full((CELLS, 4), -1), np.zeros((CELLS, CELLS))
    around = np.zeros((CELLS, WORDS), np.uint64)
    for cell in range(CELLS):
        x, y = cell % WIDTH, cell // WIDTH
        if _letter(x, y) == "#":
            continue
        for a in range(4):
            to_x, to_y = x + DX[a], y + DY[a]
            while _letter(to_x, to_y) != "#":
                sight[cell, _number(to_x, to_y)] = 1 << a
                to_x, to_y = to_x + DX[a], to_y + DY[a]
            to_x, to_y = (x + DX[a]) % WIDTH if y == TUNNEL else x + DX[a], y + DY[a]
            if _letter(to_x, to_y) != "#":
                following[cell, a] = _number(to_x, to_y)
        for to_x in range(x - 1, x + 2):
            for to_y in range(y - 1, y + 2):
                if 0 <= to_x < WIDTH and 0 <= to_y < HEIGHT:
                    near = _number(to_x, to_y)
                    around[cell, near // 64] |= _ONE << np.uint64(near % 64)
    ways = np.zeros((CELLS, 5, 5))
    for cell in range(CELLS):
        for back in range(5):
            free = [a for a in range(4) if a != back and following[cell, a] >= 0]
            ways[cell, back, : len(free)], ways[cell, back, 4] = free, len(free)
    dots = np.zeros(WORDS, np.uint64)
    for cell in range(CELLS):
        if _letter(cell % WIDTH, cell // WIDTH) == ".":
            dots[cell // 64] |= _ONE << np.uint64(cell % 64)
    letters = [_letter(cell % WIDTH, cell // WIDTH) for cell in range(CELLS)]
    return {
        "x": np.arange(CELLS) % WIDTH,
        "y": np.arange(CELLS) // WIDTH,
        "following": following,
        "ways": ways,
        "sight": sight,
        "around": around,
        "food": [cell for cell in range(CELLS) if letters[cell] == "."],
        "dots": dots,
        "pills": [cell for cell in range(CELLS) if letters[cell] == "P"],
        "free": [cell for cell in range(CELLS) if letters[cell] != "#"],
    }


@register_jitable  # type: ignore[untyped-decorator]
def _has(bits: Any, cell: Any) -> Any:
    """Whether a cell is in a set."""
    return (np.uint64(bits[cell >> 6]) >> (np.uint64(cell) & _LOW)) & _ONE != np.uint64(0)


@register_jitable  # type: ignore[untyped-decorator]
def _flip(bits: Any, cell: Any) -> None:
    """Put a cell into a set, or take it out."""
    bits[cell >> 6] = np.uint64(bits[cell >> 6]) ^ (_ONE << (np.uint64(cell) & _LOW))


@register_jitable  # type: ignore[untyped-decorator]
def _move_ghost(params: Any, state: Any, g: Any, rng: Any) -> None:
    """Move a ghost. Only a random move sets its direction; chase and flight clear it, as in the first program."""
    at, poc, going = np.int64(state.ghosts[g]), np.int64(state.pocman), np.int64(state.going[g])
    back = (going + 2) & 3 if going >= 0 else 4
    dx, dy = np.int64(params.x[at]) - np.int64(params.x[poc]), np.int64(params.y[at]) - np.int64(params.y[poc])
    wish = 0
    if abs(dx) + abs(dy) < NEAR:
        if state.power == 0:
            wish = 0 if uniform(rng) < 0.25 else -1
        elif uniform(rng) < 0.25 and going >= 0:
            state.going[g] = NOWHERE
            return
        else:
            wish = 1
    if wish == 0:
        a = np.int64(params.ways[at, back, integer(rng, params.ways[at, back, 4])])
        state.ghosts[g] = params.following[at, a]
        state.going[g] = a
        return
    to: Any = at
    best: Any = -WIDTH - HEIGHT if wish < 0 else 0
    for k in range(params.ways[at, back, 4]):
        a = np.int64(params.ways[at, back, k])
        ahead = dx if a % 2 == 1 else dy  # of Pocman, in this direction
        ahead = wish * (-ahead if a >= 2 else ahead)
        if ahead >= best:
            best, to = ahead, np.int64(params.following[at, a])
    state.ghosts[g] = to
    state.going[g] = NOWHERE


@register_jitable  # type: ignore[untyped-decorator]
def _perceived(params: Any, state: Any) -> Any:
    """The ten bits that Pocman perceives, before he eats."""
    poc = np.int64(state.pocman)
    seen = np.int64(0)
    for g in range(4):
        seen |= np.int64(params.sight[poc, state.ghosts[g]])
        ghost = np.int64(state.ghosts[g])
        dx, dy = (
            np.int64(params.x[ghost]) - np.int64(params.x[poc]),
            np.int64(params.y[ghost]) - np.int64(params.y[poc]),
        )
        if abs(dx) + abs(dy) <= HEARD:
            seen |= 512
    for a in range(4):
        if params.following[poc, a] >= 0:
            seen |= 16 << a
    smelled = state.ate != 0
    for word in range(WORDS):
        smelled |= (np.uint64(state.food[word]) & np.uint64(params.around[poc, word])) != np.uint64(0)
    return seen | 256 if smelled else seen


class Pocman(Problem):
    """Pocman eats what lies in a maze of 17 x 19 cells and is hunted by four ghosts, of which he perceives ten bits.

    Actions: north, east, south and west (-1; walls are illegal). Each `.` of `MAZE` has food with probability 1/2,
    which he does not see: 10; the last food brings 1000 and the end. A power pill is food, and for 15 steps he eats
    ghosts that he meets (25; they return home); else a ghost is the end (-100). Ghosts nearer than 6 moves chase him,
    or flee while he has power; others walk at random.

    An observation is a number of ten bits: 0 to 3 a ghost in sight to the north, east, south, west, 4 to 7 no wall
    there, 8 food within one cell, 9 a ghost within 2 moves. x goes east, y north, both from 0; cells count 17 y + x.

    The state is the cells of Pocman and the ghosts, where each goes (-1 nowhere), the power that is left, the last
    action (-1 before the first), whether it ate, and the food as bits, and how many.

    Args:
        rollout: "legal", or "preferred": with power towards ghosts in sight, else away from them and not back (the
            preferred actions of Silver and Veness 2010).
        horizon: steps until a trial is cut off.
        discount: weight of a reward one step later.
    """  # fmt: skip

    state = record(
        food=f"u8[{WORDS}]", pocman="u2", ghosts="u2[4]", left="u2", going="i1[4]", power="u1", last="i1", ate="u1"
    )  # fmt: skip
    params = record(
        x="u1[:]",
        y="u1[:]",
        following="i2[:,:]",  # [cell, move]: the next cell, or -1 at a wall
        ways="u1[:,:,:]",  # [cell, back, k]: the moves that are free and not back (4: none is), and at 4 how many
        sight="u1[:,:]",  # [cell, other]: the bit of the direction in which the other one is seen, or 0
        around="u8[:,:]",  # [cell, word]: the cells within one of it, as bits
        food="i2[:]",  # cells that may have food
        dots="u8[:]",  # the same as bits
        pills="i2[:]",
        free="i2[:]",  # cells that are no walls
        preferred="u1",
    )
    observation = 1024
    actions = 4
    rewards = (-101.0, 1024.0)
    action_names = ("north", "east", "south", "west")

    def __init__(
        self, *, rollout: Literal["legal", "preferred"] = "legal", horizon: int = 90, discount: float = 0.95
    ) -> None:
        super().__init__(
            **_tables(), preferred=rollout_code("Pocman", rollout), horizon=horizon, discount=discount
        )  # fmt: skip

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.pocman = 6 * WIDTH + 8
        for g in range(4):
            state.ghosts[g] = (10 + g // 2) * WIDTH + 8 + g % 2
            state.going[g] = NOWHERE
        state.power = 0
        state.last = NOWHERE
        state.ate = 0
        left = np.int64(0)
        for word in range(WORDS):  # each bit of a random word is set with probability 1/2
            drawn = (np.uint64(integer(rng, 2**32)) << np.uint64(32)) | np.uint64(integer(rng, 2**32))
            state.food[word] = drawn & params.dots[word]
            left += count(state.food[word])
        for i in range(len(params.pills)):
            _flip(state.food, np.int64(params.pills[i]))
            left += 1
        state.left = left

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        for a in range(4):
            mask[a] = params.following[state.pocman, a] >= 0

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        poc = np.int64(state.pocman)
        if params.preferred != 0 and state.last >= 0:
            seen = np.int64(0)
            for g in range(4):
                seen |= np.int64(params.sight[poc, state.ghosts[g]])
            hunts = state.power > 0 and seen != 0
            wanted = seen if hunts else 15 ^ seen
            back = 4 if hunts else (np.int64(state.last) + 2) & 3
            open_ways = np.int64(0)
            for k in range(params.ways[poc, back, 4]):
                open_ways += (wanted >> np.int64(params.ways[poc, back, k])) & 1
            if open_ways > 0:
                left = integer(rng, open_ways)
                for k in range(params.ways[poc, back, 4]):
                    a = np.int64(params.ways[poc, back, k])
                    if (wanted >> a) & 1 != 0:
                        if left == 0:
                            return a
                        left -= 1
        return np.int64(params.ways[poc, 4, integer(rng, params.ways[poc, 4, 4])])

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        to = np.int64(params.following[state.pocman, action])
        if to < 0:
            raise ValueError("a wall is there")
        state.pocman = to
        state.last = action
        state.ate = 0
        if state.power > 0:
            state.power = np.int64(state.power) - 1
        hit = -1
        for g in range(4):
            if state.ghosts[g] == state.pocman:
                hit = g
            _move_ghost(params, state, g, rng)
            if state.ghosts[g] == state.pocman:
                hit = g
        reward = -1.0
        if hit >= 0:
            if state.power == 0:
                return reward - 100.0, True
            reward += 25.0
            state.ghosts[hit] = HOME[1] * WIDTH + HOME[0]
            state.going[hit] = NOWHERE
        if _has(state.food, to):
            _flip(state.food, to)
            state.ate = 1
            state.left = np.int64(state.left) - 1
            if state.left == 0:
                return reward + 1000.0, True
            for i in range(len(params.pills)):
                if params.pills[i] == to:
                    state.power = POWERED
            reward += 10.0
        return reward, False

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        return _perceived(params, next_state)

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        return 1.0 if observation == _perceived(params, next_state) else 0.0

    @staticmethod
    def perturb(params, state, rng):  # type: ignore[no-untyped-def]
        poc = np.int64(state.pocman)
        for _ in range(1 + integer(rng, 2)):
            to = np.int64(params.free[integer(rng, len(params.free))])
            if to != poc:
                g = integer(rng, 4)
                state.ghosts[g] = to
                state.going[g] = NOWHERE
        for i in range(len(params.food)):
            cell = np.int64(params.food[i])
            near = (np.uint64(params.around[poc, cell >> 6]) >> (np.uint64(cell) & _LOW)) & _ONE
            if cell == poc:
                if uniform(rng) < 0.25:
                    state.ate = 1 - np.int64(state.ate)
            elif near != np.uint64(0) and uniform(rng) < 0.25:
                change = -1 if _has(state.food, cell) else 1
                if np.int64(state.left) + change > 0:
                    _flip(state.food, cell)
                    state.left = np.int64(state.left) + change

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        rows = [["#" if letter == "#" else " " for letter in row] for row in reversed(MAZE)]
        for cell in range(CELLS):
            if int(state.food[cell // 64]) >> cell % 64 & 1:
                rows[cell // WIDTH][cell % WIDTH] = "P" if cell in params.pills else "."
        for ghost in state.ghosts:
            rows[ghost // WIDTH][ghost % WIDTH] = "g" if state.power else "G"
        rows[state.pocman // WIDTH][state.pocman % WIDTH] = "C"
        return "\n".join("".join(row) for row in reversed(rows))

    def scene(self) -> Grid:
        return Grid(
            rows=HEIGHT,
            columns=WIDTH,
            cell=lambda state: (HEIGHT - 1 - state.pocman // WIDTH, state.pocman % WIDTH),
            letters=[row.replace("-", ".") for row in MAZE],
            moves={a: (-DY[a], DX[a]) for a in range(4)},
            legend={"P": "a power pill"},
            hidden=lambda state: [(HEIGHT - 1 - int(cell) // WIDTH, int(cell) % WIDTH) for cell in {*state.ghosts}],
        )

    def are_sound(self, states: Any) -> bool:
        """Whether all are in free cells in states from a file: helpers look those up, where Numba checks no bounds."""
        return all(np.isin(states[name], self.plain_params.free).all() for name in ("pocman", "ghosts"))

    def recipe(self) -> dict[str, Any]:
        rollout = "preferred" if self.plain_params.preferred else "legal"
        return {"rollout": rollout, "horizon": self.horizon, "discount": self.discount}
