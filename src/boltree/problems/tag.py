"""Tag: a robot chases an opponent that it sees only when it is on it (Pineau, Gordon and Thrun 2003)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numba.extending import register_jitable

from ..core.random import integer, uniform
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Grid
from .checks import rollout_code

NORTH, EAST, SOUTH, WEST, TAG = range(5)
NO_ACTION = 5
DX, DY = (0, 1, 0, -1), (1, 0, -1, 0)
"""Where the moves lead, x to the east and y to the north."""

CELLS = [(x, y) for y in range(2) for x in range(10)] + [(x, y) for y in range(2, 5) for x in range(5, 8)]


def moves_between(cells: Sequence[tuple[int, int]]) -> Any:
    """``[cell, move]``: the cell that a move leads to; where there is none, it stays."""
    number = {cell: i for i, cell in enumerate(cells)}
    return np.array([[number.get((x + DX[a], y + DY[a]), i) for a in range(4)] for i, (x, y) in enumerate(cells)])


@register_jitable  # type: ignore[untyped-decorator]
def away(params: Any, robot: Any, opponent: Any, k: Any) -> Any:
    """The k-th way in which an opponent may go from a robot's cell: its probability and where it leads.

    0 and 1 are along x, 2 and 3 along y, each but one where the two are not in line; 4 is to stay.
    """
    if k == 4:
        return 0.2, opponent
    if k < 2:
        apart = np.int64(params.x[opponent]) - np.int64(params.x[robot])
        ahead, behind = EAST, WEST
    else:
        apart = np.int64(params.y[opponent]) - np.int64(params.y[robot])
        ahead, behind = NORTH, SOUTH
    first = k % 2 == 0
    chance = 0.2 if apart == 0 else (0.4 if (apart > 0) == first else 0.0)
    return chance, np.int64(params.moves[opponent, ahead if first else behind])


@register_jitable  # type: ignore[untyped-decorator]
def act(params: Any, state: Any, action: Any) -> Any:
    """What an action does before the opponent goes: the robot's cell before it, the reward, and whether that is all."""
    robot = np.int64(state.robot)
    state.last = action
    state.met = 0
    if action == TAG:
        caught = state.robot == state.opponent
        return robot, (10.0 if caught else -10.0), caught
    state.robot = params.moves[robot, action]
    return robot, -1.0, False


class Tag(Problem):
    """A robot chases an opponent on 29 cells: a room of 3 x 3 above a corridor of 10 x 2.

    Actions 0 to 3 move north, east, south and west (-1; into a wall it stays), 4 tags: 10 and the end in the opponent's
    cell, -10 elsewhere. Then the opponent goes, away from the cell where the robot was before: with 0.4 along x, with
    0.4 along y, else it stays; where both have the same x (or y), it goes either way along it; at a wall it stays.
    Observations: 0 to 28 the robot's own cell, 29 that both are in one cell. Both start anywhere, unseen.

    The state is the cells of the robot and the opponent, the last action (5 before the first), and whether the robot
    has seen that they have met.

    Args:
        rollout: "legal", or "preferred": tag where they have met in a corner, else move on, neither back nor into a
            wall (the preferred actions of Silver and Veness 2010).
        horizon: steps until a trial is cut off.
        discount: weight of a reward one step later.
    """

    state = record(robot="u1", opponent="u1", last="u1", met="u1")
    params = record(x="u1[:]", y="u1[:]", moves="u1[:,:]", corner="u1[:]", preferred="u1")
    observation = len(CELLS) + 1
    actions = 5
    rewards = (-10.0, 10.0)
    action_names = ("north", "east", "south", "west", "tag")

    def __init__(
        self, *, rollout: Literal["legal", "preferred"] = "legal", horizon: int = 90, discount: float = 0.95
    ) -> None:
        dead_ends = {(0, 0), (0, 1), (9, 0), (9, 1), (5, 4), (7, 4)}
        super().__init__(
            x=[x for x, _ in CELLS],
            y=[y for _, y in CELLS],
            moves=moves_between(CELLS),
            corner=[cell in dead_ends for cell in CELLS],
            preferred=rollout_code("Tag", rollout),
            horizon=horizon,
            discount=discount,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.robot = integer(rng, len(params.x))
        state.opponent = integer(rng, len(params.x))
        state.last = NO_ACTION
        state.met = 0

    def start_states(self) -> list[tuple[float, Any]]:
        cells = len(self.plain_params.x)
        return [(1.0 / cells**2, (i, j, NO_ACTION, 0)) for i in range(cells) for j in range(cells)]

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        if params.preferred == 0:
            return integer(rng, 5)
        if state.last == NO_ACTION:  # it does not know where it is
            return integer(rng, 4)
        if state.met != 0 and params.corner[state.robot] != 0:
            return TAG
        back = (np.int64(state.last) + 2) % 4 if state.last < TAG else -1
        count = 0
        for a in range(4):
            count += int(a != back and params.moves[state.robot, a] != state.robot)
        k = integer(rng, count)
        for a in range(4):
            if a != back and params.moves[state.robot, a] != state.robot:
                if k == 0:
                    return a
                k -= 1
        return integer(rng, 5)  # there is no way on

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        robot, reward, done = act(params, state, action)
        if not done:
            opponent, u = np.int64(state.opponent), uniform(rng)
            if u < 0.8:
                along_x = u < 0.4
                places = params.x if along_x else params.y
                apart = np.int64(places[opponent]) - np.int64(places[robot])
                ahead = apart > 0 or (apart == 0 and u < (0.2 if along_x else 0.6))
                way = (EAST if ahead else WEST) if along_x else (NORTH if ahead else SOUTH)
                state.opponent = params.moves[opponent, way]
            state.met = state.robot == state.opponent
        return reward, done

    @staticmethod
    def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
        return 1 if action == TAG and state.robot == state.opponent else 5

    @staticmethod
    def outcomes(params, state, action, k):  # type: ignore[no-untyped-def]
        robot, reward, done = act(params, state, action)
        if done:
            return 1.0, reward, True
        chance, to = away(params, robot, np.int64(state.opponent), k)
        state.opponent = to
        state.met = state.robot == state.opponent
        return chance, reward, False

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        if next_state.robot == next_state.opponent:
            return len(params.x)
        return np.int64(next_state.robot)

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        if next_state.robot == next_state.opponent:
            return 1.0 if observation == len(params.x) else 0.0
        return 1.0 if observation == next_state.robot else 0.0

    @staticmethod
    def perturb(params, state, rng):  # type: ignore[no-untyped-def]
        state.opponent = integer(rng, len(params.x))
        state.met = state.robot == state.opponent

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        width, height = int(np.max(params.x)) + 1, int(np.max(params.y)) + 1
        rows = [["#"] * width for _ in range(height)]
        for x, y in zip(params.x, params.y, strict=True):
            rows[y][x] = "."
        for cell, letter in ((state.opponent, "o"), (state.robot, "R")):
            rows[params.y[cell]][params.x[cell]] = letter
        if state.robot == state.opponent:
            rows[params.y[state.robot]][params.x[state.robot]] = "*"
        return "\n".join(" ".join(row) for row in reversed(rows))

    def scene(self) -> Grid:
        p = self.plain_params
        width, height = int(p.x.max()) + 1, int(p.y.max()) + 1
        free = {(int(x), int(y)) for x, y in zip(p.x, p.y, strict=True)}
        return Grid(
            rows=height,
            columns=width,
            cell=lambda state: (height - 1 - int(p.y[state.robot]), int(p.x[state.robot])),
            letters=["".join("." if (x, y) in free else "#" for x in range(width)) for y in reversed(range(height))],
            moves={a: (-DY[a], DX[a]) for a in range(4)},
            hidden=lambda state: [(height - 1 - int(p.y[state.opponent]), int(p.x[state.opponent]))],
        )

    def are_sound(self, states: Any) -> bool:
        """Whether states from a file are in cells: helpers look those up, and Numba checks no bounds there."""
        cells = len(self.plain_params.x)
        return bool((states["robot"] < cells).all() and (states["opponent"] < cells).all())

    def recipe(self) -> dict[str, Any]:
        rollout = "preferred" if self.plain_params.preferred else "legal"
        return {"rollout": rollout, "horizon": self.horizon, "discount": self.discount}
