"""How much there is to decide in a problem up to its horizon, and the same problem with another horizon."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from ...exact.solve import solve
from ...problem.problem import Problem
from ...tree.model import Model

LIMIT = 100_000
"""Triples (state, depth, action) up to which a problem counts as provable."""


def triples_by_depth(model: Model) -> NDArray[np.int64]:
    """How many (state, action) pairs can occur at each depth below the horizon."""
    counts = [int((model.rows[layer + 1] - model.rows[layer]).sum()) for layer in model.layers[: model.horizon]]
    return np.array(counts, np.int64)


def triples(problem: Problem) -> int:
    """How many (state, depth, action) triples can be reached from the start.

    >>> import boltree as bt
    >>> triples(bt.problems.DChain(10))
    20
    """
    return int(triples_by_depth(solve(problem).model).sum())


def with_horizon(problem: Problem, horizon: int) -> Problem:
    """The same problem, cut off after another number of steps."""
    if horizon == problem.horizon:
        return problem
    other = copy.copy(problem)
    other.horizon = horizon
    return other


def within(problem: Problem, limit: int = LIMIT) -> Problem:
    """The problem with the longest horizon, up to its own, whose triples are at most a limit.

    >>> import boltree as bt
    >>> within(bt.problems.DChain(10), limit=9).horizon
    4
    """
    total = np.cumsum(triples_by_depth(solve(problem).model))
    longest = int(np.searchsorted(total, limit, "right"))
    return problem if longest >= total.size else with_horizon(problem, max(longest, 1))
