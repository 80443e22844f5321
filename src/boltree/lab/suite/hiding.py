"""A problem as a simulator: its outcomes are hidden, so that a planner can only sample them."""

from __future__ import annotations

import copy

from ...problem.problem import Problem

_hiding: dict[type[Problem], type[Problem]] = {}
"""For each class the same one without outcomes, whose functions are compiled once."""


def simulator_of(problem: Problem) -> Problem:
    """The same problem without the list of its outcomes; a deterministic one does not say that it is.

    >>> import boltree as bt
    >>> simulator_of(bt.problems.DChain(10)).has("outcomes")
    False
    """
    shown = type(problem)
    if shown not in _hiding:
        nothing = {"outcomes": None, "count_outcomes": None}
        _hiding[shown] = type(shown.__name__, (shown,), {"__module__": shown.__module__, **nothing})
    hidden = copy.copy(problem)
    hidden.__class__ = _hiding[shown]
    hidden.deterministic = False
    return hidden
