"""The interface of an evaluator object, and how the waiting leaf of a search is given its answer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..core.native import _call_plain
from ..errors import ParameterError

if TYPE_CHECKING:
    from ..search import Search


class Evaluator(Protocol):
    """Values leaves, and may give a prior over their actions.

    ``evaluate(batch)`` gets K positions: the problem's ``features`` if it has them (an array of shape
    ``(K, *features_shape)``), else the states themselves (a record array of K). It returns ``(priors, values)``:
    priors of shape ``(K, actions)`` or None, and K values, player 0's. Set ``gives_prior = False`` when they are None.
    """

    gives_prior: bool

    def evaluate(self, batch: Any) -> tuple[Any, Any]:
        """Priors (or None) and values of K positions."""
        ...


def evaluate_waiting(search: Search) -> None:
    """Ask the evaluator about the leaf that waits, and leave the answer for the kernel."""
    t, storage, problem = search._tree, search._storage, search.problem
    words = storage.states[int(t.leaf)].copy()
    batch: Any = words.view(problem.state_layout())
    if problem.has("features"):
        features = np.zeros((1, *problem.features_shape), np.float32)
        _call_plain(
            problem.address("features"), (problem.params_at, words.ctypes.data, features.ctypes.data, features.size)
        )
        batch = features
    evaluator: Any = search.evaluator
    priors, values = evaluator.evaluate(batch)
    value = float(np.asarray(values).reshape(-1)[0])
    if not math.isfinite(value):
        raise ParameterError(f"evaluator: value={value!r}, must be finite")
    if t.prior_external:
        if priors is None:
            raise ParameterError("evaluator: priors are None; set gives_prior = False on the evaluator")
        row = np.asarray(priors, np.float64).reshape(1, -1)[0]
        if row.size != problem.actions:
            raise ParameterError(
                f"evaluator: a prior of {row.size} entries, must be {problem.actions} (one per action)"
            )
        storage.scratch["prior_in"][:] = row
    t.leaf_value = value
