"""Mountain car: a car too weak for the hill must first drive the other way, to gather speed."""

from __future__ import annotations

import math
from typing import Any

from ..core.random import uniform
from ..problem.boxes import box
from ..problem.problem import Problem
from ..problem.record import record

LEFTMOST, RIGHTMOST, GOAL, FASTEST = -1.2, 0.6, 0.45, 0.07
POWER = 0.0015


class MountainCarContinuous(Problem):
    """A car too weak for the hill drives back and forth to gather speed: Gymnasium's MountainCarContinuous-v0.

    The action is a force from -1 to 1, and costs 0.1 force^2 a step; the goal on the right pays 100 and ends. So doing
    nothing is worth 0, and driving at random less.

    Args:
        horizon: steps until it ends.
        discount: weight of a reward one step later.
    """

    state = record(x="f8", speed="f8")
    actions = box(-1.0, 1.0)
    deterministic = True

    def __init__(self, *, horizon: int = 999, discount: float = 1.0) -> None:
        super().__init__(horizon=horizon, discount=discount)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.x = -0.6 + 0.2 * uniform(rng)
        state.speed = 0.0

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        speed = state.speed + action * POWER - 0.0025 * math.cos(3.0 * state.x)
        speed = min(max(speed, -FASTEST), FASTEST)
        x = min(max(state.x + speed, LEFTMOST), RIGHTMOST)
        if x == LEFTMOST and speed < 0.0:
            speed = 0.0
        state.x = x
        state.speed = speed
        done = x >= GOAL and speed >= 0.0
        return (100.0 if done else 0.0) - 0.1 * action * action, done

    def recipe(self) -> dict[str, Any]:
        return {"horizon": self.horizon, "discount": self.discount}
