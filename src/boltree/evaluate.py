"""What a search's recommendation is worth: exactly where the problem is finite, else by sampled episodes.

The recommendation policy follows the search's recommended action at every node of the tree and acts uniformly at
random outside it, as in the paper's experiments.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .core.evaluation import follow_exactly, follow_sampled
from .core.random import new_generator
from .core.records import DONE, NO_ACTION
from .errors import ParameterError, ProblemError
from .search import Search
from .solve import Solution, solve


class Estimate(NamedTuple):
    """A sampled value with its standard error."""

    value: float
    error: float


def _solutions(search: Search) -> tuple[Solution, Solution]:
    """The optimal and the random values from the search's root, kept with the search."""
    root = search.root
    key = (root._state_record.tobytes(), search.horizon - root.depth)
    if search._exact is None or search._exact[0] != key:
        best = solve(search.problem, state=root._state_record, horizon=key[1])
        search._exact = (key, best, Solution(best.model, "uniform", 1.0))
    return search._exact[1], search._exact[2]


def value_of(search: Search) -> float:
    """The exact value of the recommended policy: the recommended actions in the tree, uniformly random ones outside it.

    With two players it is the game's value after the recommended move, both sides playing on perfectly.

    >>> import boltree as bt
    >>> search = bt.Search(bt.problems.DChain(10), bt.MENTS(alpha=1.0), seed=0, growth="trial")
    >>> _ = search.run(trials=20_000)
    >>> bt.value_of(search)
    1.0
    """
    best, random = _solutions(search)
    if search.problem.has("player"):
        return float(best.q()[list(best.actions()).index(search.recommend())])
    model = best.model
    layer_at = np.cumsum([0, *(layer.size for layer in model.layers)])
    layers, values = np.concatenate(model.layers), np.concatenate(random.values)
    levels = model.horizon
    return float(
        follow_exactly(
            search._handle, 0, levels, model.states, model.rows, model.action, model.first, model.probability,
            model.reward, model.successor, layers, layer_at, values, np.zeros((levels + 2, 4), np.int64),
            np.zeros(levels + 2),
        )
    )  # fmt: skip


def simple_regret(search: Search) -> float:
    """The optimal value minus the value of the recommended policy, for the player who moves at the root."""
    best, _ = _solutions(search)
    loss = best.root_value - value_of(search)
    return -loss if search.root.player == 1 else loss


def sample_value(search: Search, episodes: int = 250, seed: int | None = 0) -> Estimate:
    """The value of the recommended policy by simulating episodes, with its standard error.

    For problems too large to solve, and to check the exact value against.
    """
    if isinstance(episodes, bool) or not isinstance(episodes, (int, np.integer)) or episodes < 2:
        raise ParameterError(f"episodes={episodes!r}: must be an integer of at least 2")
    t, problem = search._tree, search.problem
    scratch = np.zeros((1, int(t.words)), np.uint64)
    rng, mask = new_generator(seed), np.zeros(problem.actions, np.uint8)
    out, returns = np.zeros(int(t.words) + 8), np.zeros(episodes)
    code = follow_sampled(
        search._handle, episodes, scratch, scratch.ctypes.data, rng, rng.ctypes.data, mask, mask.ctypes.data, out,
        out.ctypes.data, returns,
    )  # fmt: skip
    if code == NO_ACTION:
        raise ProblemError(f"{type(problem).__name__}: a state that is not terminal has no legal action")
    if code != DONE:
        problem.reraise()
        raise ProblemError(f"{type(problem).__name__}: step or legal raised during an episode; run bt.check(problem)")
    return Estimate(float(returns.mean()), float(returns.std(ddof=1) / math.sqrt(episodes)))
