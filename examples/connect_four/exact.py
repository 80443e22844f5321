"""Exact values of late positions, by alpha-beta over bitboards: who wins when nobody errs.

Stones are bits as in the state of `bt.problems.ConnectFour`: bit 7 * column + row, a seventh bit above each column.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from boltree.problems.connect_four import FULL, winning_cells

BOTTOM = np.uint64(sum(1 << 7 * c for c in range(7)))
COLUMNS = np.array([0b1111111 << 7 * c for c in (3, 2, 4, 1, 5, 0, 6)], np.uint64)  # the middle is in most lines
_NOTHING, _ONE = np.uint64(0), np.uint64(1)
_EXACT, _AT_LEAST, _AT_MOST = 0, 3, 6  # what is remembered of a value in -1, 0, 1: its kind plus value plus one


class Solver:
    """Values of positions, with a memory of those met.

    Args:
        entries: how many positions are remembered, 9 bytes each.

    Example:
        >>> import boltree as bt
        >>> problem = bt.problems.ConnectFour("33445")
        >>> Solver().values(problem.start_state())      # X threatens to win at both ends of its three
        array([-1., -1., -1., -1., -1., -1., -1.])
    """

    def __init__(self, entries: int = 4_000_037) -> None:
        self._keys, self._known = np.zeros(entries, np.uint64), np.zeros(entries, np.int8)

    def values(self, state: Any) -> NDArray[np.float64]:
        """What each column is worth to the player to move: 1 a win, 0 a draw, -1 a loss, NaN where it is full."""
        mover, other = int(state["mover"]), int(state["other"])
        stones = mover | other
        wins = int(winning_cells(np.uint64(mover), np.uint64(stones)))
        values = np.full(7, np.nan)
        for column in range(7):
            stone = (stones + (1 << 7 * column)) & ~stones & int(FULL)
            if stone & wins:
                values[column] = 1.0
            elif stone:
                values[column] = -_value(np.uint64(other), np.uint64(mover | stone), -1, 1, self._keys, self._known)
        return values


@numba.njit  # type: ignore[untyped-decorator]
def _value(mover: Any, other: Any, low: int, high: int, keys: Any, known: Any) -> int:
    """The value for the player to move, where it matters: between two bounds."""
    stones = mover | other
    drops = (stones + BOTTOM) & FULL  # adding to a column's lowest bit carries to its first free one
    if drops == _NOTHING:
        return 0
    if winning_cells(mover, stones) & drops != _NOTHING:
        return 1
    threats = winning_cells(other, stones)
    forced = threats & drops
    if forced != _NOTHING:
        if forced & (forced - _ONE) != _NOTHING:
            return -1  # two at once cannot be stopped
        drops = forced
    drops &= ~(threats >> _ONE)  # below a cell where the other one wins
    if drops == _NOTHING:
        return -1
    key = mover + stones + BOTTOM
    slot = np.int64(key % np.uint64(keys.size))
    if keys[slot] == key:
        kind, value = known[slot] // 3 * 3, known[slot] % 3 - 1
        if kind == _EXACT or (kind == _AT_LEAST and value >= high) or (kind == _AT_MOST and value <= low):
            return int(value)
    best = -1
    for column in COLUMNS:
        stone = drops & column
        if stone != _NOTHING:
            best = max(best, -_value(other, mover | stone, -high, -max(low, best), keys, known))
            if best >= high:
                break
    kind = _AT_MOST if best <= low else _AT_LEAST if best >= high else _EXACT
    keys[slot], known[slot] = key, kind + best + 1
    return best
