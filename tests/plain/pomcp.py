"""POMCP in plain Python: UCB1 over histories of actions and observations (Silver and Veness 2010).

States are drawn from a belief. Slow and simple, by the problem's own functions; nothing of the kernel's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from boltree.core.random import new_generator
from boltree.problem.state import PlainState


class PlainPOMCP:
    """A search from a belief: `draw` draws a state, the problem's start if None."""

    def __init__(self, problem: Any, c: float, seed: int, draw: Callable[[], Any] | None = None) -> None:
        self.problem, self.c, self.rng = problem, c, new_generator(seed)
        self.draw = draw or (lambda: problem.plain_start(self.rng))
        self.choose = np.random.default_rng(seed)
        self.visits: dict[Any, int] = {}
        self.count: dict[Any, int] = {}
        self.mean: dict[Any, float] = {}

    def run(self, trials: int) -> None:
        for _ in range(trials):
            self.simulate(np.asarray(self.draw()).reshape(1).copy(), (), 0)

    def simulate(self, state: Any, history: tuple[Any, ...], depth: int) -> float:
        """One trial from a history on; its discounted return."""
        if depth == self.problem.horizon:
            return 0.0
        if history not in self.visits:
            self.visits[history] = 0
            return self.rollout(state, depth) if depth else self.simulate(state, history, depth)
        self.visits[history] += 1
        action = self.best(history, self.problem.legal_actions(state[0]), self.c)
        before = state.copy()
        reward, done = self.problem.plain_step(PlainState(state), action, self.rng)
        total = reward
        if not done:
            seen = self.problem.plain_observe(before, action, state, self.rng).tobytes()
            total += self.problem.discount * self.simulate(state, (*history, action, seen), depth + 1)
        edge = (history, action)
        self.count[edge] = self.count.get(edge, 0) + 1
        self.mean[edge] = self.mean.get(edge, 0.0) + (total - self.mean.get(edge, 0.0)) / self.count[edge]
        return total

    def best(self, history: tuple[Any, ...], legal: list[int], c: float) -> int:
        """The action of the highest upper bound; those never taken first, ties at random."""
        bound = {
            a: self.mean[history, a] + c * math.sqrt(math.log(self.visits[history]) / self.count[history, a])
            if (history, a) in self.count
            else math.inf
            for a in legal
        }
        most = max(bound.values())
        return int(self.choose.choice([a for a in legal if bound[a] == most]))

    def rollout(self, state: Any, depth: int) -> float:
        """What the rollout policy gets from a state on."""
        total, weight = 0.0, 1.0
        for _ in range(self.problem.horizon - depth):
            action = self.problem.plain_random_action(PlainState(state), self.rng)
            reward, done = self.problem.plain_step(PlainState(state), action, self.rng)
            total += weight * reward
            weight *= self.problem.discount
            if done:
                break
        return total

    @property
    def value(self) -> float:
        """The mean return of all trials."""
        edges = [edge for edge in self.count if edge[0] == ()]
        return sum(self.count[edge] * self.mean[edge] for edge in edges) / sum(self.count[edge] for edge in edges)
