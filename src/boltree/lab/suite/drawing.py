"""What the generators of random problems share: sizes that differ by orders of magnitude, outcomes, and redrawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ProblemError
from ...exact.solution import Solution
from ...exact.solve import solve
from ...problem.problem import Problem
from .horizons import LIMIT, triples, within

Outcome = tuple[float, int, float, bool]
"""A probability, the next state, the reward, and whether it ends."""

Rows = list[list[list[Outcome]]]
"""``rows[state][action]`` lists outcomes; a state without actions is an end."""

Draw = Callable[[np.random.Generator], Problem]
"""Makes a problem from random numbers."""

ATTEMPTS = 100
"""How often a problem is drawn anew that leaves nothing to decide."""


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from `low` to `high`, small ones more often: its logarithm is uniform."""
    return int(np.exp(rng.uniform(np.log(low), np.log(high + 1))))


def some_discount(rng: np.random.Generator) -> float:
    """1 in half of the problems, else from 0.9 to 0.99."""
    return 1.0 if rng.random() < 0.5 else float(rng.uniform(0.9, 0.99))


def spread(
    rng: np.random.Generator, states: Sequence[int], rewards: Sequence[float], ends: Sequence[bool]
) -> list[Outcome]:
    """Outcomes with random probabilities."""
    chances = rng.dirichlet(np.ones(len(states)))
    return [(float(p), int(s), float(r), bool(e)) for p, s, r, e in zip(chances, states, rewards, ends, strict=True)]


def shuffled(rng: np.random.Generator, actions: list[list[Outcome]]) -> list[list[Outcome]]:
    """The actions in a random order, so that no number means the same everywhere."""
    return [actions[i] for i in rng.permutation(len(actions))]


def worth_deciding(problem: Problem) -> bool:
    """Whether acting at random loses at least a hundredth of what is at stake."""
    best = solve(problem)
    random = Solution(best.model, "uniform", 1.0).root_value
    return abs(best.root_value - random) > 0.01 * max(abs(best.root_value), abs(random))


def drawn(draw: Draw, rng: np.random.Generator, limit: int = LIMIT, least: int = 0) -> Problem:
    """A problem in which decisions matter, whose (state, depth, action) triples are within bounds.

    Args:
        draw: makes a problem.
        rng: random numbers.
        limit: where a problem has more triples, its horizon is shortened.
        least: a problem with fewer triples is drawn again.
    """
    for _ in range(ATTEMPTS):
        problem = within(draw(rng), limit)
        if triples(problem) >= least and worth_deciding(problem):
            return problem
    raise ProblemError(
        f"{draw.__name__}: none of {ATTEMPTS} problems has at least {least} triples and something to decide"
    )


def steps_from(start: int, to: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps from a state to every other one, where ``to[s]`` lists what s may lead to; -1 where there is no way."""
    distance = np.full(len(to), -1)
    distance[start] = 0
    wave = [start]
    while wave:
        following = []
        for s in wave:
            for t in to[s]:
                if distance[t] < 0:
                    distance[t] = distance[s] + 1
                    following.append(int(t))
        wave = following
    return distance
