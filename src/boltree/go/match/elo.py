"""Elo differences from the results of paired games, with 95 % intervals.

Two games of a pair share their opening, so a pair is one observation: the mean of its two results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...jobs.statistics import mean_result


class Elo(NamedTuple):
    """A difference with its 95 % interval; infinite where a side won everything."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        if math.isinf(self.mean):
            return f"{'>' if self.mean > 0 else '<'} {_signed(self.low if self.mean > 0 else self.high)}"
        return f"{_signed(self.mean)} [{_signed(self.low)}, {_signed(self.high)}]"


def elo_of(score: float) -> float:
    """The difference at which a mean result is expected.

    >>> elo_of(0.5), round(elo_of(0.75), 2)
    (0.0, 190.85)
    """
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score)) + 0.0


def elo_difference(pairs: Sequence[float]) -> Elo:
    """The difference that the results of pairs show, each the mean of its games.

    >>> print(elo_difference([1.0, 0.5, 0.5, 1.0]))
    +191 [-155, +∞]
    >>> print(elo_difference([1.0] * 10))
    > +166
    """
    mean, low, high = mean_result(pairs)
    return Elo(elo_of(mean), elo_of(low), elo_of(high))


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else '-'}∞" if math.isinf(value) else f"{value:+.0f}"
