"""LightDark: stop at zero on a line, one place of which is light enough to see (Sunberg and Kochenderfer 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..core.random import integer
from ..problem.problem import Problem
from ..problem.record import record
from .normal import density, normal

EDGE, WIDEST, LIGHT = 60, 30, 10
STEPS = (-10, -1, 0, 1, 10)
STOP = 2


@register_jitable  # type: ignore[untyped-decorator]
def _act(params: Any, state: Any, action: Any) -> Any:
    if action == STOP:
        return (100.0 if state.x == 0 else -100.0), True
    state.x = min(max(np.int64(state.x) + np.int64(params.steps[action]), -EDGE), EDGE)
    return -1.0, False


class LightDark(Problem):
    """A robot on the whole numbers from -60 to 60 that must stop at 0; it sees where it is only near 10.

    Actions 0, 1, 3 and 4 move by -10, -1, 1 and 10 (-1; it stays on the line), 2 stops: 100 at 0, -100 elsewhere, and
    the end. An observation is y, a normal number around the place with deviation abs(place - 10) + 0.0001. It starts
    anywhere from -30 to 30, unseen.

    The state's x is the place.

    Args:
        horizon: steps until a trial is cut off.
        discount: weight of a reward one step later.
    """

    state = record(x="i1")
    params = record(steps="i1[:]")
    observation = record(y="f8")
    actions = 5
    rewards = (-100.0, 100.0)
    action_names = ("-10", "-1", "stop", "+1", "+10")

    def __init__(self, horizon: int = 100, discount: float = 0.95) -> None:
        super().__init__(steps=STEPS, horizon=horizon, discount=discount)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.x = integer(rng, 2 * WIDEST + 1) - WIDEST

    def start_states(self) -> list[tuple[float, Any]]:
        return [(1.0 / (2 * WIDEST + 1), (x,)) for x in range(-WIDEST, WIDEST + 1)]

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        return _act(params, state, action)

    @staticmethod
    def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
        return 1

    @staticmethod
    def outcomes(params, state, action, k):  # type: ignore[no-untyped-def]
        reward, done = _act(params, state, action)
        return 1.0, reward, done

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        x = np.int64(next_state.x)
        out.y = x + (abs(x - LIGHT) + 1e-4) * normal(rng)

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        x = np.int64(next_state.x)
        return density(observation.y, x, abs(x - LIGHT) + 1e-4)

    @staticmethod
    def perturb(params, state, rng):  # type: ignore[no-untyped-def]
        state.x = min(max(np.int64(state.x) + integer(rng, 3) - 1, -EDGE), EDGE)

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        line = ["."] * (2 * EDGE + 1)
        line[EDGE], line[EDGE + LIGHT] = "0", "*"
        line[EDGE + int(state.x)] = "R"
        return "".join(line)

    def recipe(self) -> dict[str, Any]:
        return {"horizon": self.horizon, "discount": self.discount}
