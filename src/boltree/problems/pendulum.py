"""Pendulum: swing a pendulum up and hold it there, with a motor that is too weak to lift it at once."""

from __future__ import annotations

import math
from typing import Any

from ..core.random import uniform
from ..problem.boxes import box
from ..problem.problem import Problem
from ..problem.record import record

GRAVITY, TIME, FASTEST = 10.0, 0.05, 8.0


class Pendulum(Problem):
    """A pendulum is swung up and held upright by a motor that is too weak to lift it at once: Gymnasium's Pendulum-v1.

    The action is a torque from -2 to 2. The state is the angle, 0 upright, and its speed. A step pays
    -(angle^2 + 0.1 speed^2 + 0.001 torque^2), with the angle between -pi and pi. It starts at any angle, with a speed
    between -1 and 1.

    Args:
        horizon: steps until it ends.
        discount: weight of a reward one step later.
    """

    state = record(angle="f8", speed="f8")
    actions = box(-2.0, 2.0)
    deterministic = True

    def __init__(self, *, horizon: int = 200, discount: float = 1.0) -> None:
        super().__init__(horizon=horizon, discount=discount)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.angle = math.pi * (2.0 * uniform(rng) - 1.0)
        state.speed = 2.0 * uniform(rng) - 1.0

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        angle, speed = state.angle, state.speed
        away = (angle + math.pi) % (2.0 * math.pi) - math.pi
        cost = away * away + 0.1 * speed * speed + 0.001 * action * action
        speed += (1.5 * GRAVITY * math.sin(angle) + 3.0 * action) * TIME
        speed = min(max(speed, -FASTEST), FASTEST)
        state.angle = angle + TIME * speed
        state.speed = speed
        return -cost, False

    def recipe(self) -> dict[str, Any]:
        return {"horizon": self.horizon, "discount": self.discount}
