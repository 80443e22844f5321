"""Random small MDPs, and their exact values by a plain NumPy backward induction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import boltree as bt


@dataclass
class Mdp:
    transitions: Any  # [s, a, s']
    rewards: Any  # [s, a, s']
    horizon: int
    terminal: tuple[int, ...]
    legal: Any  # [s, a]
    discount: float

    def problem(self, scale: float = 1.0) -> bt.problems.Tabular:
        return bt.problems.Tabular(
            self.transitions,
            self.rewards * scale,
            horizon=self.horizon,
            terminal=self.terminal,
            legal=self.legal,
            discount=self.discount,
        )

    def values(self, alpha: float | None = None, uniform: bool = False) -> tuple[Any, Any]:
        """(V[d, s], Q[d, s, a]); illegal actions have Q = -inf."""
        states, actions = self.legal.shape
        v = np.zeros((self.horizon + 1, states))
        q = np.full((self.horizon, states, actions), -np.inf)
        alive = np.ones(states)
        alive[list(self.terminal)] = 0.0
        for d in range(self.horizon - 1, -1, -1):
            for s in range(states):
                if not alive[s]:
                    continue
                for a in range(actions):
                    if self.legal[s, a]:
                        following = self.rewards[s, a] + self.discount * alive * v[d + 1]
                        q[d, s, a] = float(self.transitions[s, a] @ following)
                good = q[d, s][self.legal[s]]
                if uniform:
                    v[d, s] = good.mean()
                elif alpha is None:
                    v[d, s] = good.max()
                else:
                    v[d, s] = good.max() + alpha * np.log(np.exp((good - good.max()) / alpha).sum())
        return v, q


def random_mdp(
    seed: int,
    *,
    states: int = 6,
    actions: int = 3,
    horizon: int = 4,
    deterministic: bool = False,
    discount: float = 1.0,
    legal_share: float = 0.8,
    successors: int = 3,
) -> Mdp:
    rng = np.random.default_rng(seed)
    transitions = np.zeros((states, actions, states))
    for s in range(states):
        for a in range(actions):
            k = 1 if deterministic else int(rng.integers(1, successors + 1))
            chosen = rng.choice(states, size=min(k, states), replace=False)
            transitions[s, a, chosen] = rng.dirichlet(np.ones(chosen.size))
    rewards = rng.uniform(-1.0, 1.0, (states, actions, states))
    legal = rng.random((states, actions)) < legal_share
    legal[np.arange(states), rng.integers(0, actions, states)] = True
    terminal = (states - 1,) if states > 2 else ()
    return Mdp(transitions, rewards, horizon, terminal, legal, discount)
