"""The interface of an evaluator object, and asking one about positions."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..checks import whole
from ..errors import ParameterError
from ..problem.problem import Problem
from .facts import answer_about

MAX_BATCH = 8192


class Evaluator(Protocol):
    """Values leaves, and may give a prior over their actions.

    ``evaluate(batch)`` gets K positions: the problem's ``features`` if it has them (an array of shape
    ``(K, *features_shape)``), else the states themselves (a record array of K). It returns ``(priors, values)``:
    priors of shape ``(K, actions)`` or None, and K values, player 0's. Set ``gives_prior = False`` when they are None.

    Two attributes may be added. With ``values = "mover"`` the values are those of the player to move. With ``wants =
    ("player", "legal")``, or one of them, it is called as ``evaluate(batch, player=..., legal=...)``: who moves, K
    numbers, and which actions are legal, True or False of shape ``(K, actions)``.

    The batch's memory is used again for the next one: copy what is to be kept.

    An evaluator with an attribute ``batch`` above 1 is given up to that many leaves at a time, from another thread,
    while the search selects the next ones. `Together` and `search_many` ask from several threads at the same time.
    """

    gives_prior: bool

    def evaluate(self, batch: Any) -> tuple[Any, Any]:
        """Priors (or None) and values of K positions."""
        ...


Answers = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Values (K) and priors (K, actions; one row of zeros where none is wanted)."""

NOTHING: Answers = (np.zeros(1), np.zeros((1, 1)))
"""The answer where nothing was asked."""


def ask(evaluator: Any, problem: Problem, words: NDArray[np.uint64], prior_wanted: bool) -> Answers:
    """What an evaluator says of states, given as rows of words."""
    count = len(words)
    states: Any = words.view(problem.state_layout()).reshape(count)
    if getattr(evaluator, "takes_states", False):  # and tells another one what that wants
        answer = evaluator.evaluate(states)
    else:
        answer = answer_about(evaluator, problem, states)
    return checked(answer, count, problem.actions, prior_wanted)


def checked(answer: Any, count: int, actions: int, prior_wanted: bool) -> Answers:
    """An evaluator's answer about `count` positions, in the form that kernels read; or what is wrong with it."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise ParameterError(f"evaluator: evaluate(batch) returned {answer!r}, must be (priors or None, values)")
    values = np.ascontiguousarray(answer[1], np.float64).reshape(-1)
    if values.size != count:
        raise ParameterError(f"evaluator: {values.size} values for a batch of {count}")
    if not np.isfinite(values).all():
        value = float(values[~np.isfinite(values)][0])
        raise ParameterError(f"evaluator: value={value!r}, must be finite")
    if not prior_wanted:
        return values, np.zeros((1, 1))
    if answer[0] is None:
        raise ParameterError("evaluator: priors are None; set gives_prior = False on the evaluator")
    priors = np.ascontiguousarray(answer[0], np.float64)
    if priors.size != count * actions:
        raise ParameterError(
            f"evaluator: a prior of {priors.size // count} entries, must be {actions} (one per action)"
        )
    return values, priors.reshape(count, actions)


def batch_size(evaluator: Any) -> int:
    """How many leaves an evaluator wants to be given at a time."""
    size = getattr(evaluator, "batch", 1)
    whole("batch", size, 1, MAX_BATCH, of="evaluator")
    return int(size)
