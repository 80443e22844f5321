"""The decorator of the board's functions, which run inside compiled code and in plain Python alike.

A problem's functions are checked in plain Python, where a state is a `PlainState`; a helper that is always compiled
could not take one. So these are Python functions that Numba also knows, with the options of `core/jit.py`: no run-time,
inlined, and indices unchecked, because every point comes from the board's own tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])


def both(function: F) -> F:
    """Let compiled code call a function that stays a Python function."""
    options = {"_nrt": False, "forceinline": True, "boundscheck": False, "error_model": "numpy"}
    return register_jitable(**options)(function)  # type: ignore[no-any-return]
