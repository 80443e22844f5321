"""The errors that a user can cause; their messages name the field, its value and what is allowed."""

from __future__ import annotations


class ProblemError(ValueError):
    """A problem is wrong: a missing or inconsistent function, a bad map, probabilities that do not sum to 1."""


class ParameterError(ValueError):
    """A parameter of an algorithm, a search or a run is not allowed."""


def note(error: BaseException, where: str) -> None:
    """Add to an exception of a user's function where it was raised; it stays what it is otherwise."""
    if hasattr(error, "add_note"):
        error.add_note(where)
    elif error.args and isinstance(error.args[0], str):  # before Python 3.11
        error.args = (f"{error.args[0]} ({where})", *error.args[1:])


class LabError(RuntimeError):
    """A run of experiments could not finish; what was finished is kept."""
