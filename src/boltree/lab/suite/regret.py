"""The regret of decisions: how much worse than the best action a planner's choices are, at positions fixed in advance.

A planner is asked at K positions of a problem: the start, and states at their depths along episodes that mix optimal
with random actions. At each it plans for what is left of the horizon. The normalised regret is

    sum over positions of (V* - Q*(chosen)) / sum over positions of (V* - the mean of Q* over the actions),

so 0 is perfect and 1 is what choosing at random loses. A position where much is at stake counts for more, as it does
for the return, and one where all actions are equal counts for nothing. In games Q* is that of perfect play, seen by the
player who moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ParameterError
from ...exact.solution import Solution
from ...exact.solve import solve
from ...problem.problem import Problem
from .horizons import with_horizon

WANDERING = 0.3
"""The share of random actions in the episodes that positions are taken from."""

EPISODES = 40
"""Episodes that positions are taken from, at most."""


@dataclass(frozen=True)
class Position:
    """A state at a depth, with what each of its actions is worth to the player who moves.

    Args:
        problem: the problem, whose horizon is what is left from here.
        state: the state, as a planner is given it.
        q: the exact value of each legal action for the player who moves.
        value: the exact value for player 0.
    """

    problem: Problem
    state: Any
    q: dict[int, float]
    value: float

    @property
    def stake(self) -> float:
        """What an action drawn at random loses, on average."""
        return max(self.q.values()) - sum(self.q.values()) / len(self.q)

    def loss(self, action: int) -> float:
        """What an action loses against the best one."""
        if action not in self.q:
            raise ParameterError(f"action={action!r}: must be a legal action: {', '.join(map(str, self.q))}")
        return max(self.q.values()) - self.q[action]


@dataclass(frozen=True)
class Examination:
    """The positions at which planners are asked on a problem; the first is the start.

    Args:
        problem: the problem, with the outcomes of its actions.
        count: how many positions; fewer where there are not as many in which actions differ.
        seed: of the episodes that positions are taken from.
        max_states: as for `bt.solve`.
    """

    problem: Problem
    count: int
    seed: int = 0
    max_states: int | None = None

    @cached_property
    def positions(self) -> list[Position]:
        """The positions."""
        solution = solve(self.problem, max_states=self.max_states)
        rng = np.random.default_rng([self.seed, self.count])
        start = _position(self.problem, solution, 0, 0)
        found: dict[tuple[int, int], Position] = {}
        for _ in range(EPISODES):
            for place in _episode(solution, rng):
                if place not in found and place != (0, 0):
                    position = _position(self.problem, solution, *place)
                    if position.stake > 1e-9 * max(1.0, abs(position.value)):
                        found[place] = position
            if len(found) >= 4 * self.count:
                break
        places = sorted(found)
        chosen = rng.permutation(len(places))[: self.count - 1]
        return [start, *(found[places[i]] for i in chosen)]

    def regret(self, actions: Sequence[int]) -> float:
        """The normalised regret of an action chosen at each position; 0 if nothing is at stake anywhere."""
        lost = sum(position.loss(action) for position, action in zip(self.positions, actions, strict=True))
        stake = sum(position.stake for position in self.positions)
        return lost / stake if stake > 0.0 else 0.0


def _position(problem: Problem, solution: Solution, number: int, depth: int) -> Position:
    model = solution.model
    record = model.states[number].copy().view(problem.state_layout())[0]
    q, sign = solution.q(record, depth), -1.0 if model.player[number] == 1 else 1.0
    worth = {int(a): sign * float(v) for a, v in zip(solution.actions(record, depth), q, strict=True)}
    left = with_horizon(problem, model.horizon - depth)
    return Position(left, problem.present(record), worth, solution.value(record, depth))


def _episode(solution: Solution, rng: np.random.Generator) -> list[tuple[int, int]]:
    """The (state's number, depth) pairs of one episode of optimal and random actions."""
    model, number, path = solution.model, 0, []
    for depth in range(model.horizon):
        path.append((number, depth))
        record = model.states[number].view(model.problem.state_layout())[0]
        q, sign = solution.q(record, depth), -1.0 if model.player[number] == 1 else 1.0
        wander = rng.random() < WANDERING
        best = rng.permutation(q.size) if wander else np.flatnonzero(sign * q >= (sign * q).max() - 1e-12)
        row = int(model.rows[number]) + int(rng.choice(best))
        first, last = int(model.first[row]), int(model.first[row + 1])
        chances = model.probability[first:last]
        number = int(model.successor[first + rng.choice(last - first, p=chances / chances.sum())])
        if number < 0:
            break
    return path
