"""First preferences of untried actions that are anchored at the value of their node."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..errors import ParameterError


@dataclass(frozen=True)
class Anchored:
    """Preferences of untried actions: the node's value, less `slope` times log(highest prior / an action's prior)."""

    slope: float

    def __post_init__(self) -> None:
        given = self.slope
        if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not 0 <= given < math.inf:
            raise ParameterError(f"anchored(slope={given!r}): must be a finite number of at least 0")

    def __repr__(self) -> str:
        return f"anchored({self.slope:g})"


def anchored(slope: float) -> Anchored:
    """First preferences for ``q_init``: the best action by the prior counts as its node's value, others less.

    An action counts ``slope * log(highest prior / its prior)`` less, in units of values. Without an anchor the side
    that is behind prefers every untried action to those that were tried.

    >>> anchored(5.0)
    anchored(5)
    """
    return Anchored(slope)
