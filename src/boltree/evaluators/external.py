"""The interface of an evaluator object, and how the waiting leaf of a search is given its answer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..core.native import FAILED, plain_call
from ..errors import ParameterError, ProblemError

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
    batch: Any = problem.batch_of(words.view(problem.state_layout()))
    if problem.has("features"):
        features = np.zeros((1, *problem.features_shape), np.float32)
        arguments = (problem.params_at, words.ctypes.data, features.ctypes.data, features.size)
        if plain_call(problem.address("features"), arguments) == FAILED:
            problem.reraise()
            problem.plain_features(words.view(problem.state_layout()))
            raise ProblemError(f"{type(problem).__name__}.features raised when compiled; run bt.check(problem)")
        batch = features
    evaluator: Any = search.evaluator
    answer = evaluator.evaluate(batch)
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise ParameterError(f"evaluator: evaluate(batch) returned {answer!r}, must be (priors or None, values)")
    priors, values = answer
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
