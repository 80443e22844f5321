"""Area scoring (Tromp-Taylor): a colour's stones, and the empty points from which only that colour is reached."""

from __future__ import annotations

from typing import Any

import numpy as np

from .board import BLACK, EMPTY, WHITE
from .both import both


@both
def area_balance(rules: Any, board: Any) -> int:
    """Black's area minus White's, without komi.

    Empty regions are filled along a stack that lies in the empty points' own `next`, with marks in `adjacencies`; both
    are 0 there before and after.
    """
    points = rules.points
    balance = 0
    for p in range(points):
        colour = board.colour[p]
        balance += 1 if colour == BLACK else 0
        balance -= 1 if colour == WHITE else 0
    for i in range(board.vacant):
        p = np.int64(board.empties[i])
        if board.adjacencies[p] == 0:
            balance += fill_region(rules, board, p)
    for i in range(board.vacant):
        board.next[board.empties[i]] = 0
        board.adjacencies[board.empties[i]] = 0
    return balance


@both
def fill_region(rules: Any, board: Any, start: int) -> int:
    """Mark the empty region around a point; its size if only Black borders it, minus that if only White does, or 0."""
    bottom = rules.points
    borders, count = 0, 0
    board.adjacencies[start] = 1
    board.next[start] = bottom
    top = start
    while top != bottom:
        p = top
        top = np.int64(board.next[p])
        count += 1
        for k in range(4):
            q = np.int64(rules.neighbours[8 * p + k])
            colour = np.int64(board.colour[q])
            if colour == EMPTY:
                if board.adjacencies[q] == 0:
                    board.adjacencies[q] = 1
                    board.next[q] = top
                    top = q
            elif colour <= WHITE:
                borders |= colour
    if borders == BLACK:
        return count
    return -count if borders == WHITE else 0
