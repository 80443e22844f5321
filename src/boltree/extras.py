"""Optional packages: imported when they are first used, with a message that says how to install a missing one."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import ParameterError


def needs(module: str, extra: str = "lab") -> ModuleType:
    """A module of an optional extra, or an error that says how to get it.

    >>> needs("no_such_module")
    Traceback (most recent call last):
    ...
    boltree.errors.ParameterError: no_such_module: No module named 'no_such_module'; run pip install 'boltree[lab]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ParameterError(f"{module}: {error}; run pip install 'boltree[{extra}]'") from error
