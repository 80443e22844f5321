"""Handicap stones on their usual points."""

from __future__ import annotations

from ...errors import ParameterError
from .points import LETTERS


def fixed_handicap(size: int, stones: int) -> list[str]:
    """The points of 2 to 9 handicap stones, as GTP fixes them.

    >>> fixed_handicap(19, 3)
    ['D4', 'Q16', 'D16']
    >>> fixed_handicap(9, 5)
    ['C3', 'G7', 'C7', 'G3', 'E5']
    """
    most = 0 if size < 7 else 4 if size % 2 == 0 or size == 7 else 9
    if not 2 <= stones <= most:
        if most == 0:
            raise ParameterError(f"handicap {stones}: boards smaller than 7x7 have none")
        raise ParameterError(f"handicap {stones}: must be 2 to {most} stones on {size}x{size}")
    low = 3 if size < 13 else 4
    high, middle = size + 1 - low, (size + 1) // 2
    corners = [(low, low), (high, high), (low, high), (high, low)]
    left, right, lower, upper = (low, middle), (high, middle), (middle, low), (middle, high)
    sides = {6: [left, right], 7: [left, right], 8: [left, right, lower, upper], 9: [left, right, lower, upper]}
    chosen = corners[:stones] + sides.get(stones, [])
    if stones in (5, 7, 9):
        chosen.append((middle, middle))
    return [f"{LETTERS[column - 1]}{row}" for column, row in chosen]
