"""Small random games that list their outcomes, and their exact values by plain loops."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import boltree as bt
from plain.games import END, STATES, Game, make


@numba.njit(_nrt=False)
def chance_of(params, state, action, to):  # type: ignore[no-untyped-def]
    """The probability of a successor."""
    before = params.sums[state, action, to - 1] if to > 0 else 0.0
    return params.sums[state, action, to] - before


class KnownGame(Game):
    """A random game that lists its outcomes: the states that an action leads to with positive probability."""

    @staticmethod
    def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
        n = 0
        for to in range(params.ends.size):
            if chance_of(params, state.s, action, to) > 0.0:
                n += 1
        return n

    @staticmethod
    def outcomes(params, state, action, k):  # type: ignore[no-untyped-def]
        to = 0
        while True:
            if chance_of(params, state.s, action, to) > 0.0:
                if k == 0:
                    break
                k -= 1
            to += 1
        chance = chance_of(params, state.s, action, to)
        reward = params.rewards[state.s, action, to]
        state.s = to
        return chance, reward, params.ends[to] != 0


class BoundedGame(KnownGame):
    """The same with bounds of its own, which hold at every depth."""

    params = bt.record(
        sums="f8[:,:,:]",
        rewards="f8[:,:,:]",
        allowed="u1[:,:]",
        ends="u1[:]",
        owner="u1[:]",
        guess="f8[:,:]",
        hint="f8[:]",
        low="f8[:]",
        high="f8[:]",
    )

    @staticmethod
    def bounds(params, state):  # type: ignore[no-untyped-def]
        return params.low[state.s], params.high[state.s]


class Exact:
    """A random problem and its exact values, worked out by plain loops over its arrays.

    Args:
        seed: of everything random.
        horizon: steps to the end.
        two: whether states belong to two players.
        bounded: ``"rewards"`` gives what a step can pay, ``"bounds"`` each state's own bounds, ``""`` nothing.
    """

    def __init__(
        self, seed: int, *, horizon: int = 5, discount: float = 0.9, two: bool = True, bounded: str = ""
    ) -> None:
        source = make("game two" if two else "game", seed, horizon=horizon, discount=discount)
        p = source.plain_params
        self.sums, self.rewards = np.array(p.sums), np.array(p.rewards)
        self.allowed, self.owner = np.array(p.allowed), np.array(p.owner)
        self.horizon, self.discount = horizon, discount
        given = {
            name: np.array(getattr(p, name))
            for name in ("sums", "rewards", "allowed", "ends", "owner", "guess", "hint")
        }
        self.values = self._values(horizon + 2)
        sizes = {"actions": source.actions, "horizon": horizon, "discount": discount}
        if bounded == "bounds":
            rng = np.random.default_rng([seed, 1])
            wide = [rng.exponential(0.3, STATES) for _ in range(2)]
            low, high = self.values.min(axis=0) - wide[0], self.values.max(axis=0) + wide[1]
            self.problem: Any = BoundedGame(**given, low=low, high=high, **sizes)
        else:
            self.problem = KnownGame(**given, **sizes)
        if bounded == "rewards":
            self.problem.rewards = float(self.rewards.min()), float(self.rewards.max())

    def _values(self, longest: int) -> Any:
        """V[steps left, state]."""
        values = np.zeros((longest + 1, STATES))
        for left in range(1, longest + 1):
            for s in range(STATES):
                if s != END:
                    qs = [self._q(values[left - 1], s, a) for a in np.flatnonzero(self.allowed[s])]
                    values[left, s] = min(qs) if self.owner[s] else max(qs)
        return values

    def _q(self, below: Any, s: int, a: int) -> float:
        total, before = 0.0, 0.0
        for to in range(STATES):
            chance = self.sums[s, a, to] - before
            before = self.sums[s, a, to]
            total += chance * (self.rewards[s, a, to] + self.discount * (0.0 if to == END else below[to]))
        return float(total)

    def value(self, state: int, left: int) -> float:
        """The value of a state with some steps left."""
        return float(self.values[left, state])

    def q(self, state: int, action: int, left: int) -> float:
        """The value of an action with some steps left."""
        return self._q(self.values[left - 1], state, action)
