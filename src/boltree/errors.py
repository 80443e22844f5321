"""The errors that a user can cause; their messages name the field, its value and what is allowed."""

from __future__ import annotations


class ProblemError(ValueError):
    """A problem is wrong: a missing or inconsistent function, a bad map, probabilities that do not sum to 1."""


class ParameterError(ValueError):
    """A parameter of an algorithm, a search or a run is not allowed."""


class LabError(RuntimeError):
    """A run of experiments could not finish; what was finished is kept."""
