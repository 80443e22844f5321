"""The decorators of the board's functions, which run inside compiled code and in plain Python alike.

A problem's functions are checked in plain Python, where a state is a `PlainState`; a helper that is always compiled
could not take one. So these are Python functions that Numba also knows, with the options of `core/jit.py`: no run-time,
inlined, and indices unchecked, because every point comes from the board's own tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])


def _known(function: F, *, inlined: bool) -> F:
    options = {"_nrt": False, "forceinline": inlined, "boundscheck": False, "error_model": "numpy"}
    return register_jitable(**options)(function)  # type: ignore[no-any-return]


def both(function: F) -> F:
    """Let compiled code call a function that stays a Python function."""
    return _known(function, inlined=True)


def compiled_apart(function: F) -> F:
    """Like `both`, but not inlined by force: for larger functions with several callers, which compile faster so.

    That is said outright, because a function takes over what its caller is compiled with.
    """
    return _known(function, inlined=False)
