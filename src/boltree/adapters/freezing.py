"""A hashable form of whatever an environment calls a state or an observation."""

from __future__ import annotations

import pickle
from collections.abc import Hashable
from typing import Any

import numpy as np


def frozen(value: Any) -> Hashable:
    """The same for equal values, however they are nested.

    >>> frozen([1, {"a": np.zeros(2)}]) == frozen((1, {"a": np.zeros(2)}))
    True
    """
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, (tuple, list)):
        return tuple([frozen(item) for item in value])
    if isinstance(value, dict):
        return tuple(sorted(((str(key), frozen(item)) for key, item in value.items()), key=lambda pair: pair[0]))
    own: Any = type(value).__hash__
    if own is None or own is object.__hash__:  # not hashable, or only equal to itself
        return pickle.dumps(value)
    return value  # type: ignore[no-any-return]
