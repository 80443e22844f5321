"""LQR: a mass is pushed to the origin at a quadratic cost, whose exact solution is a linear control."""

from __future__ import annotations

from typing import Any

from ..problem.boxes import box
from ..problem.problem import Problem
from ..problem.record import record
from .normal import normal

POSITION_COST, SPEED_COST, PUSH_COST = 1.0, 0.1, 0.1


class LQR(Problem):
    """A mass is pushed to the origin: the double integrator with quadratic costs.

    The action u, from -5 to 5, is the acceleration for a step of 0.5. A step costs x^2 + 0.1 v^2 + 0.1 u^2 in the state
    before it. The best control is linear in the state, and its value is known exactly (docs: continuous actions).

    Args:
        noise: the standard deviation of normal noise on position and speed after every step.
        horizon: steps until it ends.
        discount: weight of a reward one step later.
        start: position and speed at first.

    >>> import boltree as bt
    >>> bt.problems.LQR().step((2.0, 0.0), -3.0)
    (State(x=1.625, v=-1.5), -4.9, False)
    """

    state = record(x="f8", v="f8")
    params = record(time="f8", noise="f8", x="f8", v="f8")
    actions = box(-5.0, 5.0)

    def __init__(
        self,
        noise: float = 0.0,
        *,
        horizon: int = 10,
        discount: float = 0.95,
        start: tuple[float, float] = (2.0, 0.0),
    ) -> None:
        self.deterministic = noise == 0.0
        x, v = start
        super().__init__(time=0.5, noise=noise, x=x, v=v, horizon=horizon, discount=discount)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.x = params.x
        state.v = params.v

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        x, v, time = state.x, state.v, params.time
        cost = POSITION_COST * x * x + SPEED_COST * v * v + PUSH_COST * action * action
        state.x = x + time * v + 0.5 * time * time * action
        state.v = v + time * action
        if params.noise > 0.0:
            state.x += params.noise * normal(rng)
            state.v += params.noise * normal(rng)
        return -cost, False

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {"noise": p.noise, "horizon": self.horizon, "discount": self.discount, "start": [p.x, p.v]}
