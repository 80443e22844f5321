"""Bounds and proofs in words, the same in texts, tables, graphs and pages."""

from __future__ import annotations

import math
from typing import Any, Protocol

PROVEN = "proven"

WITHIN = "surely within"
"""What stands before bounds, and above a column of them."""


class Bounded(Protocol):
    """What a node's bounds are told by; `Node` says what each means."""

    @property
    def actions(self) -> Any:
        """The legal actions; none where trials end."""

    @property
    def lower(self) -> float:
        """What the node is worth at least."""

    @property
    def upper(self) -> float:
        """What the node is worth at most."""


def bounds_text(lower: float, upper: float) -> str:
    """Bounds for people: "proven" where they meet, an interval, or nothing where nothing is known.

    >>> bounds_text(1.0, 1.0), bounds_text(-math.inf, 0.5), bounds_text(-math.inf, math.inf)
    ('proven', '-∞ to 0.5', '')
    >>> bounds_text(0.83451, 0.83452)
    '0.83451 to 0.83452'
    """
    if lower >= upper:
        return PROVEN
    if math.isinf(lower) and math.isinf(upper):
        return ""
    digits = 4
    while _number(lower, digits) == _number(upper, digits):
        digits += 1  # at 17 all numbers differ
    return f"{_number(lower, digits)} to {_number(upper, digits)}"


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}g}".replace("inf", "∞")


def bounds_text_of(node: Bounded) -> str:
    """A node's bounds; nothing where trials end, which is told by itself."""
    if len(node.actions) == 0:
        return ""
    return bounds_text(node.lower, node.upper)


def after_value(bounds: str) -> str:
    """Bounds as they follow a value in a sentence.

    >>> after_value("proven"), after_value("0 to 1"), after_value("")
    (', proven', ' (surely within 0 to 1)', '')
    """
    if bounds == PROVEN:
        return f", {PROVEN}"
    return f" ({WITHIN} {bounds})" if bounds else ""
