"""Checks of what users give: whole numbers within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ParameterError


def is_whole(value: Any) -> bool:
    """Whether a value is an integer, Python's or NumPy's; True and False are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole(
    name: str,
    value: Any,
    least: int,
    most: int | None = None,
    *,
    none: bool = False,
    of: str = "",
    error: type[Exception] = ParameterError,
) -> Any:
    """A whole number from `least` to `most` as a Python integer (or None); anything else is refused.

    Args:
        name: of the parameter, for the message.
        value: what was given for it.
        least, most: the bounds; None for no upper bound.
        none: whether None is allowed.
        of: whose parameter it is, for the message.
        error: what is raised.

    >>> whole("trials", 5, 1)
    5
    >>> whole("trials", 0, 1)
    Traceback (most recent call last):
    boltree.errors.ParameterError: trials=0: must be an integer of at least 1
    >>> whole("entries", 2.5, 1, 9, none=True, of="Cached")
    Traceback (most recent call last):
    boltree.errors.ParameterError: Cached: entries=2.5, must be an integer from 1 to 9, or None
    """
    if none and value is None:
        return None
    if is_whole(value) and value >= least and (most is None or value <= most):
        return int(value)
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    given = f"{of}: {name}={value!r}," if of else f"{name}={value!r}:"
    raise error(f"{given} must be an integer {bounds}{', or None' if none else ''}")
