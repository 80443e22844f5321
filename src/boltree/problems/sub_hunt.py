"""SubHunt: one submarine looks for another by sonar (Sunberg and Kochenderfer 2018)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..core.random import integer, uniform
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Grid
from .normal import beam, density, normal

SIZE, SPEED = 20, 3
KILL, KILL_AWARE, HEAR = 2, 0.6, 3
PING, ENGAGE = 4, 5
SHARP, BLURRED = 0.5, 5.0
DX, DY = (0, 1, 0, -1), (1, 0, -1, 0)


@register_jitable  # type: ignore[untyped-decorator]
def _square(state: Any) -> Any:
    """The square of the distance of the two submarines."""
    dx, dy = np.int64(state.target_x) - np.int64(state.x), np.int64(state.target_y) - np.int64(state.y)
    return dx * dx + dy * dy


@register_jitable  # type: ignore[untyped-decorator]
def _strikes(state: Any, action: Any) -> Any:
    """How probably an action sinks the target."""
    if action != ENGAGE or _square(state) > KILL * KILL:
        return 0.0
    return KILL_AWARE if state.aware != 0 else 1.0


@register_jitable  # type: ignore[untyped-decorator]
def _sail(state: Any, action: Any, k: Any) -> Any:
    """Both move, the target in its k-th way (2 ahead, or 1 ahead and 1 to a side); whether it gets through."""
    if action < PING:
        state.x = min(max(np.int64(state.x) + SPEED * DX[action], 1), SIZE)
        state.y = min(max(np.int64(state.y) + SPEED * DY[action], 1), SIZE)
    elif action == PING:
        state.aware = 1
    goal = np.int64(state.goal)
    aside = goal if k == 0 else (goal + 3) % 4 if k == 1 else (goal + 1) % 4
    x: Any = min(max(np.int64(state.target_x) + DX[goal] + DX[aside], 1), SIZE)
    y: Any = min(max(np.int64(state.target_y) + DY[goal] + DY[aside], 1), SIZE)
    state.target_x, state.target_y = x, y
    ahead = DX[goal] * x + DY[goal] * y
    return ahead == SIZE or ahead == -1


@register_jitable  # type: ignore[untyped-decorator]
def _expected(state: Any, action: Any, i: Any) -> Any:
    """The mean and the deviation of what beam i reads."""
    square = _square(state)
    if action == PING or square <= HEAR * HEAR:
        dx, dy = np.int64(state.target_x) - np.int64(state.x), np.int64(state.target_y) - np.int64(state.y)
        if i == beam(float(dx), float(dy)):
            return math.sqrt(square), SHARP
    return (float(SIZE), SHARP) if action == PING else (float(HEAR), BLURRED)


class SubHunt(Problem):
    """A submarine hunts another that crosses 20 x 20 cells, from an edge to the opposite one, both unknown.

    Actions: 0 to 3 go 3 cells north, east, south or west, 4 pings, which the target notices, 5 engages: within a
    distance of 2 it sinks the target, with probability 0.6 if that is aware: 100, and the end. All else pays 0. Then
    the target goes 2 ahead with 1/2, or 1 ahead and 1 to a side; at its edge it is gone, and that is the end.

    An observation is what eight beams of 45 degrees read, counterclockwise from the east, all with normal noise: after
    a ping the distance in the target's beam and 20 in the others, of deviation 0.5; else 3 with deviation 5, but in the
    target's beam, if it is within 3, the distance with deviation 0.5. x goes east, y north, from 1 to 20.

    The state is both places, where the target goes (0 north, 1 east, 2 south, 3 west), and whether it is aware.

    Args:
        horizon: steps until a trial is cut off.
        discount: weight of a reward one step later.
    """

    state = record(x="u1", y="u1", target_x="u1", target_y="u1", goal="u1", aware="u1")
    observation = record(beams="f8[8]")
    actions = 6
    rewards = (0.0, 100.0)
    action_names = ("north", "east", "south", "west", "ping", "engage")

    def __init__(self, horizon: int = 100, discount: float = 0.99) -> None:
        super().__init__(horizon=horizon, discount=discount)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.x = SIZE // 2
        state.y = SIZE // 2
        goal = integer(rng, 4)
        along = 1 + integer(rng, SIZE)
        state.goal = goal
        state.target_x = along if DX[goal] == 0 else (1 if DX[goal] > 0 else SIZE)
        state.target_y = along if DY[goal] == 0 else (1 if DY[goal] > 0 else SIZE)
        state.aware = 0

    def start_states(self) -> list[tuple[float, Any]]:
        found = []
        for goal in range(4):
            for along in range(1, SIZE + 1):
                x, y = (along if d == 0 else 1 if d > 0 else SIZE for d in (DX[goal], DY[goal]))
                found.append((0.25 / SIZE, (SIZE // 2, SIZE // 2, x, y, goal, 0)))
        return found

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        strikes = _strikes(state, action)
        u = uniform(rng)
        if u < strikes:
            return 100.0, True
        u = (u - strikes) / (1.0 - strikes)
        return 0.0, _sail(state, action, 0 if u < 0.5 else 1 if u < 0.75 else 2)

    @staticmethod
    def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
        strikes = _strikes(state, action)
        return 3 if strikes == 0.0 else 1 if strikes == 1.0 else 4

    @staticmethod
    def outcomes(params, state, action, k):  # type: ignore[no-untyped-def]
        strikes = _strikes(state, action)
        if strikes == 1.0 or k == 3:
            return strikes, 100.0, True
        chance = (1.0 - strikes) * (0.5 if k == 0 else 0.25)
        return chance, 0.0, _sail(state, action, k)

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        for i in range(8):
            mean, deviation = _expected(next_state, action, i)
            out.beams[i] = mean + deviation * normal(rng)

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        chance = 1.0
        for i in range(8):
            mean, deviation = _expected(next_state, action, i)
            chance *= density(observation.beams[i], mean, deviation)
        return chance

    @staticmethod
    def perturb(params, state, rng):  # type: ignore[no-untyped-def]
        x = np.int64(state.target_x) + integer(rng, 3) - 1
        y = np.int64(state.target_y) + integer(rng, 3) - 1
        ahead = DX[state.goal] * x + DY[state.goal] * y
        if 1 <= x <= SIZE and 1 <= y <= SIZE and ahead != SIZE and ahead != -1:
            state.target_x = x
            state.target_y = y

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        rows = [["."] * SIZE for _ in range(SIZE)]
        rows[state.target_y - 1][state.target_x - 1] = "^>v<"[state.goal]
        rows[state.y - 1][state.x - 1] = "S"
        return "\n".join(["".join(row) for row in reversed(rows)] + ["the target is aware"] * int(state.aware))

    def scene(self) -> Grid:
        return Grid(
            rows=SIZE,
            columns=SIZE,
            cell=lambda state: (SIZE - state.y, state.x - 1),
            moves={a: (-SPEED * DY[a], SPEED * DX[a]) for a in range(4)},
            hidden=lambda state: [(SIZE - state.target_y, state.target_x - 1)],
        )

    def recipe(self) -> dict[str, Any]:
        return {"horizon": self.horizon, "discount": self.discount}
