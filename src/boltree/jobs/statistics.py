"""Means over repeats and their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# the 97.5 % points of Student's t by degrees of freedom; beyond them its expansion about the normal's
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)  # fmt: skip
_NORMAL = 1.959964


class Interval(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {(self.high - self.low) / 2:.4f}"


def student(freedom: int) -> float:
    """The 97.5 % point of Student's t.

    >>> round(student(4), 3), round(student(24), 3), round(student(99), 3)
    (2.776, 2.064, 1.984)
    """
    if freedom <= len(_T):
        return _T[freedom - 1]
    z = _NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def interval(values: Any) -> Interval:
    """The mean of some numbers and its interval; a single number has no width to go by."""
    numbers = np.asarray(values, dtype=float)
    mean = float(numbers.mean())
    if numbers.size < 2:
        return Interval(mean, mean, mean)
    half = student(numbers.size - 1) * float(numbers.std(ddof=1)) / math.sqrt(numbers.size)
    return Interval(mean, mean - half, mean + half)


def intervals(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The mean, low and high of every column of (repeats, points)."""
    repeats = values.shape[0]
    mean = values.mean(axis=0)
    if repeats < 2:
        return mean, mean, mean
    half = student(repeats - 1) * values.std(axis=0, ddof=1) / math.sqrt(repeats)
    return mean, mean - half, mean + half


def mean_result(pairs: Sequence[float]) -> Interval:
    """The mean of pairs' results, each from 0 to 1, with its 95 % interval: Student's.

    Where all pairs ended alike there is no spread to go by; then it is Wilson's interval for a proportion, with one
    observation for each pair.

    >>> [round(number, 2) for number in mean_result([1.0, 0.5, 0.5, 1.0])]
    [0.75, 0.29, 1.0]
    """
    mean, low, high = interval(pairs)
    if low == high:
        low, high = _wilson(mean, len(pairs))
    return Interval(mean, max(low, 0.0), min(high, 1.0))


def _wilson(share: float, count: int) -> tuple[float, float]:
    centre = (share + _NORMAL**2 / (2 * count)) / (1 + _NORMAL**2 / count)
    half = _NORMAL * math.sqrt(share * (1 - share) / count + _NORMAL**2 / (4 * count**2)) / (1 + _NORMAL**2 / count)
    return round(centre - half, 12), round(centre + half, 12)  # exactly 0 or 1 where a side won everything
