"""Normal noise: numbers drawn with it, its density, and which of eight beams a direction lies in."""

from __future__ import annotations

import math
from typing import Any

import numba

from ..core.formulas.elementary import exp, log
from ..core.random import uniform

_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def normal(rng: Any) -> Any:
    """A number drawn from the standard normal distribution, by Marsaglia's polar method.

    It needs no sine, so it is the same number on every machine.
    """
    while True:
        x = 2.0 * uniform(rng) - 1.0
        y = 2.0 * uniform(rng) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            return x * math.sqrt(-2.0 * log(square) / square)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def density(x: Any, mean: Any, deviation: Any) -> Any:
    """The normal distribution's density at x."""
    away = (x - mean) / deviation
    return exp(-0.5 * away * away) / (deviation * _ROOT_TWO_PI)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def beam(dx: Any, dy: Any) -> Any:
    """Which of the beams 0..7 a direction lies in: beam i has the angles above 45 i and up to 45 (i + 1) degrees."""
    if dy > 0.0:
        if dx >= 0.0:
            return 0 if dy <= dx else 1
        return 2 if -dx <= dy else 3
    if dy < 0.0:
        if dx <= 0.0:
            return 4 if dx < 0.0 and dy >= dx else 5
        return 6 if dx <= -dy else 7
    return 3 if dx < 0.0 else 7
