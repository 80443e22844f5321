"""RockSample: a robot samples rocks that are good or bad, and looks at them from afar (Smith and Simmons 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numba.extending import register_jitable

from ..core.random import integer, uniform
from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Grid
from .checks import finite, rollout_code, whole

MOST_ROCKS = 32

USUAL = {
    (7, 8): "20 01 31 63 24 34 55 16",
    (11, 11): "03 07 18 24 33 38 43 58 61 93 99",
    (15, 15): "1d ac a8 c1 19 72 45 18 60 17 8b 9c 52 d2 a7",
}
"""The rocks of the sizes that others publish results for: each is its x and its y, in base 16.

(7, 8) and (11, 11) are the same everywhere. (15, 15) was first drawn by a C library's generator, so it differs from
machine to machine; these are glibc's.
"""

NORTH, EAST, SOUTH, WEST, SAMPLE, CHECK = range(6)
OFF, OUT = -1, -2
NOTHING, GOOD, BAD = range(3)
_MOST_CHECKS, _SURE = 5, 2


class RockSample(Problem):
    """A robot among rocks, each good or bad with probability 1/2; it knows where they are, not how they are.

    Actions: 0 to 3 go north, east, south and west (0), 4 samples the rock it stands on (10 if it is good, -10 if bad;
    the rock is then collected), 5 + i checks rock i (0). Going east from the last column is the way out: 10, and the
    end. Other ways off the grid, sampling nothing and checking a collected rock are illegal. Observations: 0 nothing,
    and after a check 1 good or 2 bad, which is right with probability (1 + 2^(-d / distance)) / 2 from a distance of d.
    x goes east, y goes north, both from 0.

    The state is the robot's cell, size y + x, and a bit a rock in good and in collected. With rollout="preferred" the
    result of a check is drawn by the step and kept in `seen`, and `tally` and `checks` count, a rock, good minus bad
    results and checks.

    Args:
        size: the grid has size x size cells.
        rocks: the (x, y) of each rock, up to 32; or how many, which are the usual ones of RockSample(7, 8), (11, 11)
            and (15, 15), else drawn.
        start: the (x, y) of the robot at first; (0, size // 2) if None.
        layout: draw the places of rocks with this seed, also where there are usual ones.
        distance: at which a check is right with probability 0.75.
        rollout: "legal", or "preferred": sample what looks good, go to what does not look bad, check what is open
            (the preferred actions of Silver and Veness 2010).
        horizon: steps until a trial is cut off.
        discount: weight of a reward one step later.
    """

    state = record(good="u4", collected="u4", cell="u2", seen="u1", tally="i1[32]", checks="u1[32]")
    params = record(
        size="i4",
        start="i4",
        rocks="i4[:]",  # the cells where they lie
        moves="i4[:,:]",  # [cell, action]: where moves lead, -1 off the grid, -2 out
        rock_at="i1[:]",  # [cell]: the rock that lies there, or -1
        right="f8[:,:]",  # [rock, cell]: how probably a check is right
        preferred="u1",
    )
    observation = 3
    rewards = (-10.0, 10.0)

    def __init__(
        self,
        size: int = 7,
        rocks: int | Sequence[tuple[int, int]] = 8,
        *,
        start: tuple[int, int] | None = None,
        layout: int | None = None,
        distance: float = 20.0,
        rollout: Literal["legal", "preferred"] = "legal",
        horizon: int = 90,
        discount: float = 0.95,
    ) -> None:
        size = whole("RockSample", "size", size, 2, 255)
        places = _places(size, rocks, layout)
        begin_x, begin_y = _cell("start", (0, size // 2) if start is None else start, size)
        distance = finite("RockSample", "distance", distance)
        if distance <= 0.0:
            raise ProblemError(f"RockSample: distance={distance!r}, must be greater than 0")
        at = np.full(size * size, -1)
        for i, (x, y) in enumerate(places):
            there = at[size * y + x]
            if there >= 0:
                raise ProblemError(f"RockSample: rocks[{i}]={(x, y)}, must lie alone, and rocks[{there}] lies there")
            at[size * y + x] = i
        rock_x, rock_y = (np.array([place[axis] for place in places]) for axis in (0, 1))
        cells = np.arange(size * size)
        row, column = np.divmod(cells, size)
        moves = np.stack([cells + size, cells + 1, cells - size, cells - 1], axis=1)
        moves[row == size - 1, NORTH] = moves[row == 0, SOUTH] = moves[column == 0, WEST] = OFF
        moves[column == size - 1, EAST] = OUT
        away = np.hypot(rock_x[:, None] - column, rock_y[:, None] - row)
        self.action_names = ("north", "east", "south", "west", "sample", *(f"check {i}" for i in range(len(places))))
        super().__init__(
            size=size,
            start=size * begin_y + begin_x,
            rocks=size * rock_y + rock_x,
            moves=moves,
            rock_at=at,
            right=0.5 * (1.0 + 2.0 ** (-away / distance)),
            preferred=rollout_code("RockSample", rollout),
            actions=CHECK + len(places),
            horizon=horizon,
            discount=discount,
        )
        self._distance = distance

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.cell = params.start
        state.good = int(uniform(rng) * 2.0 ** len(params.rocks))
        state.collected = 0
        state.seen = NOTHING
        for i in range(MOST_ROCKS):
            state.tally[i] = 0
            state.checks[i] = 0

    def start_states(self) -> list[tuple[float, Any]] | None:
        p, rocks = self.plain_params, self.actions - CHECK
        if rocks > 16:
            return None
        chance, none = 0.5**rocks, np.zeros(MOST_ROCKS, np.int8)
        return [(chance, (good, 0, p.start, NOTHING, none, none)) for good in range(2**rocks)]

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        for a in range(4):
            mask[a] = params.moves[state.cell, a] != OFF
        here = params.rock_at[state.cell]
        mask[SAMPLE] = here >= 0 and (np.int64(state.collected) >> here) & 1 == 0
        for i in range(len(params.rocks)):
            mask[CHECK + i] = (np.int64(state.collected) >> i) & 1 == 0

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        cell, collected = np.int64(state.cell), np.int64(state.collected)
        here = np.int64(params.rock_at[cell])
        rocks = len(params.rocks)
        if params.preferred != 0:
            if here >= 0 and (collected >> here) & 1 == 0 and state.tally[here] > 0:
                return SAMPLE
            x, y = cell % params.size, cell // params.size
            wanted, good = False, 0  # bits of actions
            for i in range(rocks):
                if (collected >> i) & 1 == 0:
                    tally = np.int64(state.tally[i])
                    if tally >= 0:
                        wanted = True
                        dx, dy = params.rocks[i] % params.size - x, params.rocks[i] // params.size - y
                        good |= 1 << EAST if dx > 0 else 1 << WEST if dx < 0 else 0
                        good |= 1 << NORTH if dy > 0 else 1 << SOUTH if dy < 0 else 0
                    if state.checks[i] < _MOST_CHECKS and -_SURE < tally < _SURE:
                        good |= 1 << (CHECK + i)
            if not wanted:
                return EAST
            count = 0
            for a in range(CHECK + rocks):
                count += (good >> a) & 1
            if count > 0:
                k = integer(rng, count)
                for a in range(CHECK + rocks):
                    if (good >> a) & 1 != 0:
                        if k == 0:
                            return a
                        k -= 1
        while True:  # of all actions until one is legal, which is quicker than to count those; east always is
            a = integer(rng, CHECK + rocks)
            if a >= CHECK:
                if (collected >> (a - CHECK)) & 1 == 0:
                    return a
            elif a == SAMPLE:
                if here >= 0 and (collected >> here) & 1 == 0:
                    return a
            elif params.moves[cell, a] != OFF:
                return a

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        right = True
        if action >= CHECK and params.preferred != 0:
            right = uniform(rng) < params.right[action - CHECK, state.cell]
        return _act(params, state, action, right)

    @staticmethod
    def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
        unsure = action >= CHECK and params.preferred != 0 and params.right[action - CHECK, state.cell] < 1.0
        return 2 if unsure else 1

    @staticmethod
    def outcomes(params, state, action, k):  # type: ignore[no-untyped-def]
        chance = 1.0
        if action >= CHECK and params.preferred != 0:
            right = params.right[action - CHECK, state.cell]
            chance = right if k == 0 else 1.0 - right
        reward, done = _act(params, state, action, k == 0)
        return chance, reward, done

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        if action < CHECK:
            return NOTHING
        if params.preferred != 0:
            return np.int64(next_state.seen)
        rock = action - CHECK
        good = (np.int64(next_state.good) >> rock) & 1 != 0
        return GOOD if good == (uniform(rng) < params.right[rock, next_state.cell]) else BAD

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        if action < CHECK:
            return 1.0 if observation == NOTHING else 0.0
        if params.preferred != 0:
            return 1.0 if observation == next_state.seen else 0.0
        if observation == NOTHING:
            return 0.0
        rock = action - CHECK
        right = params.right[rock, next_state.cell]
        good = (np.int64(next_state.good) >> rock) & 1 != 0
        return right if good == (observation == GOOD) else 1.0 - right

    @staticmethod
    def perturb(params, state, rng):  # type: ignore[no-untyped-def]
        rock = integer(rng, len(params.rocks))
        if (np.int64(state.collected) >> rock) & 1 == 0:
            state.good = np.int64(state.good) ^ (1 << rock)

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        letters = ["."] * params.size**2
        for i, cell in enumerate(params.rocks):
            if not state.collected >> i & 1:
                letters[cell] = "o" if state.good >> i & 1 else "x"
        letters[state.cell] = "R"
        rows = [letters[i : i + params.size] for i in range(0, len(letters), params.size)]
        return "\n".join(" ".join(row) for row in reversed(rows))

    def scene(self) -> Grid:
        p = self.plain_params
        size = int(p.size)
        letters = ["".join("." if rock < 0 else "o" for rock in row) for row in p.rock_at.reshape(size, size)]
        return Grid(
            rows=size,
            columns=size,
            cell=lambda state: (size - 1 - state.cell // size, state.cell % size),
            letters=letters[::-1],
            moves={NORTH: (-1, 0), EAST: (0, 1), SOUTH: (1, 0), WEST: (0, -1)},
            legend={"o": "a rock"},
            hidden=lambda state: [
                (size - 1 - int(cell) // size, int(cell) % size)
                for i, cell in enumerate(p.rocks)
                if (state.good & ~state.collected) >> i & 1
            ],
        )

    def are_sound(self, states: Any) -> bool:
        """Whether states from a file are in cells: helpers look those up, and Numba checks no bounds there."""
        return bool((states["cell"] < int(self.plain_params.size) ** 2).all())

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {
            "size": p.size,
            "rocks": [[int(cell) % p.size, int(cell) // p.size] for cell in p.rocks],
            "start": [p.start % p.size, p.start // p.size],
            "distance": self._distance,
            "rollout": "preferred" if p.preferred else "legal",
            "horizon": self.horizon,
            "discount": self.discount,
        }


@register_jitable  # type: ignore[untyped-decorator]
def _act(params: Any, state: Any, action: Any, right: Any) -> Any:
    """Take an action; whether a check that the step draws is right is given."""
    state.seen = NOTHING
    if action >= CHECK:
        rock = action - CHECK
        if (np.int64(state.collected) >> rock) & 1 != 0:
            raise ValueError("a collected rock cannot be checked")
        if params.preferred != 0:
            good = ((np.int64(state.good) >> rock) & 1 != 0) == right
            state.seen = GOOD if good else BAD
            tally, checks = np.int64(state.tally[rock]) + (1 if good else -1), np.int64(state.checks[rock]) + 1
            if params.right[rock, state.cell] == 1.0:  # nothing is open any more
                checks += _MOST_CHECKS
            state.tally[rock] = min(max(tally, -100), 100)
            state.checks[rock] = min(checks, 100)
        return 0.0, False
    if action == SAMPLE:
        rock = np.int64(params.rock_at[state.cell])
        if rock < 0 or (np.int64(state.collected) >> rock) & 1 != 0:
            raise ValueError("there is no rock to sample here")
        state.collected = np.int64(state.collected) | (1 << rock)
        return (10.0 if (np.int64(state.good) >> rock) & 1 != 0 else -10.0), False
    to = params.moves[state.cell, action]
    if to == OUT:
        return 10.0, True
    if to == OFF:
        raise ValueError("this move leaves the grid")
    state.cell = to
    return 0.0, False


def _cell(field: str, given: Any, size: int) -> tuple[int, int]:
    try:
        x, y = given
    except (TypeError, ValueError):
        raise ProblemError(f"RockSample: {field}={given!r}, must be (x, y)") from None
    return whole("RockSample", f"{field}[0]", x, 0, size - 1), whole("RockSample", f"{field}[1]", y, 0, size - 1)


def _places(size: int, rocks: Any, layout: Any) -> list[tuple[int, int]]:
    """Where the rocks lie."""
    if isinstance(rocks, (Sequence, np.ndarray)) and not isinstance(rocks, str):
        if layout is not None:
            raise ProblemError(f"RockSample: layout={layout!r}, must be None where rocks says where they lie")
        if not 1 <= len(rocks) <= MOST_ROCKS:
            raise ProblemError(f"RockSample: rocks has {len(rocks)}, must have from 1 to {MOST_ROCKS}")
        return [_cell(f"rocks[{i}]", rock, size) for i, rock in enumerate(rocks)]
    count = whole("RockSample", "rocks", rocks, 1, min(MOST_ROCKS, size * size))
    if layout is None and (size, count) in USUAL:
        return [(int(rock[0], 16), int(rock[1], 16)) for rock in USUAL[size, count].split()]
    source = np.random.default_rng(0 if layout is None else whole("RockSample", "layout", layout, 0))
    drawn = source.choice(size * size, count, replace=False)
    return [(int(cell) % size, int(cell) // size) for cell in drawn]
