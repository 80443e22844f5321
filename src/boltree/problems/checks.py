"""Checks of constructor arguments; every message names the problem, the field, its value and what is allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import checks
from ..errors import ProblemError


def whole(name: str, field: str, value: Any, least: int, most: int | None = None) -> int:
    """An integer from `least` to `most` (True is not one)."""
    return int(checks.whole(field, value, least, most, of=name, error=ProblemError))


def finite(name: str, field: str, value: Any) -> float:
    """A real number that is neither NaN nor infinite."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # an integer beyond the largest real number
            number = math.inf
        if math.isfinite(number):
            return number
    raise ProblemError(f"{name}: {field}={value!r}, must be a finite number")


def rollout_code(name: str, rollout: Any) -> bool:
    """Whether rollouts play preferred actions: "preferred", or "legal" for any legal ones."""
    if rollout not in ("legal", "preferred"):
        raise ProblemError(f"{name}: rollout={rollout!r}, must be 'legal' or 'preferred'")
    return bool(rollout == "preferred")
