"""Tiger: behind one of two doors; listening tells which, not surely (Kaelbling, Littman and Cassandra 1998)."""

from __future__ import annotations

from typing import Any

from ..core.random import integer, uniform
from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.record import record

RIGHT = 0.85
"""How probably listening hears the tiger where it is."""


class Tiger(Problem):
    """A tiger is hidden behind the left or the right door, each with probability 1/2.

    Action 0 listens, for -1: observation 0 (heard left) or 1 (heard right), right with probability 0.85. Actions 1 and
    2 open the left and the right door: -100 where the tiger is, 10 where it is not. Then it is placed anew, and the
    observation is noise.

    The state's tiger is 0 (left) or 1 (right).

    Args:
        horizon: steps until a trial is cut off.
        discount: weight of a reward one step later.
        ends: opening a door is the end.

    >>> import boltree as bt
    >>> round(bt.solve(bt.problems.Tiger(horizon=4, discount=1.0)).root_value, 5)
    2.42125
    """

    state = record(tiger="u1")
    params = record(ends="u1")
    observation = 2
    actions = 3
    rewards = (-100.0, 10.0)
    action_names = ("listen", "open left", "open right")

    def __init__(self, horizon: int = 20, discount: float = 0.95, ends: bool = False) -> None:
        if not isinstance(ends, bool):
            raise ProblemError(f"Tiger: ends={ends!r}, must be True or False")
        super().__init__(ends=ends, horizon=horizon, discount=discount)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.tiger = integer(rng, 2)

    def start_states(self) -> list[tuple[float, Any]]:
        return [(0.5, (0,)), (0.5, (1,))]

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        if action == 0:
            return -1.0, False
        reward = -100.0 if action - 1 == state.tiger else 10.0
        if params.ends == 0:
            state.tiger = integer(rng, 2)
        return reward, params.ends != 0

    @staticmethod
    def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
        return 1 if action == 0 or params.ends != 0 else 2

    @staticmethod
    def outcomes(params, state, action, k):  # type: ignore[no-untyped-def]
        if action == 0:
            return 1.0, -1.0, False
        reward = -100.0 if action - 1 == state.tiger else 10.0
        if params.ends != 0:
            return 1.0, reward, True
        state.tiger = k
        return 0.5, reward, False

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        if action != 0:
            return integer(rng, 2)
        there = next_state.tiger == 1
        return int(there == (uniform(rng) < RIGHT))

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        if action != 0:
            return 0.5
        return RIGHT if observation == next_state.tiger else 1.0 - RIGHT

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        return "[tiger] [     ]" if state.tiger == 0 else "[     ] [tiger]"

    def recipe(self) -> dict[str, Any]:
        return {"horizon": self.horizon, "discount": self.discount, "ends": bool(self.plain_params.ends)}
