"""A sketch of a board: colours only, on which moves are tried and taken back.

The board of ``board.py`` keeps its chains up to date, which makes taking a move back costly. A sketch keeps nothing:
chains are walked when they are asked for, and a move is taken back by writing colours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .board import EDGE, EMPTY, LARGEST
from .both import compiled_apart

POINTS = LARGEST * LARGEST + 1
KEPT = 3
"""How many liberties of a chain are kept when it is walked."""
PREY, OTHER, FOUND = 0, POINTS, 2 * POINTS
"""Where the stones of a walked chain go, so that up to three chains can be held at a time."""
DEEPEST = 3 * LARGEST * LARGEST // 2
"""Moves that are ever tried one after the other."""

SKETCH = np.dtype(
    [
        ("stamp", "i4"),  # of the last walk; a mark with another stamp is an old one
        ("ko", "i4"),  # the point where ko forbids the next move; the edge for none
        ("length", "i4"),  # of the chain that was walked last
        ("gone", "i4"),  # how many stones the moves so far have taken
        ("liberty", "i4", (KEPT,)),  # of the chain that was walked last
        ("mark", "i4", (POINTS,)),
        ("chain", "u2", (3 * POINTS,)),
        ("taken", "u2", (DEEPEST + POINTS,)),  # a stone that is taken was there before, or was put there by a move
        ("colour", "u1", (POINTS,)),
    ],
    align=True,
)


@compiled_apart
def draw(near: Any, sketch: Any, colours: Any) -> None:
    """Make a sketch of a board's colours; `near` is the board's neighbours."""
    points = near.size // 8 - 1
    sketch.stamp = 0
    sketch.ko = points
    sketch.gone = 0
    for p in range(points + 1):
        sketch.mark[p] = 0
        sketch.colour[p] = colours[p]
    sketch.colour[points] = EDGE  # a past board has no edge before the first move


@compiled_apart
def walk(near: Any, sketch: Any, start: int, most: int, where: int) -> int:
    """How many liberties the chain at a stone has, counted up to `most`; the walk ends there.

    The first liberties are left in `liberty`, the stones in `chain` from `where` on.
    """
    mark, colour, chain = sketch.mark, sketch.colour, sketch.chain
    stamp = sketch.stamp + 1
    sketch.stamp = stamp
    own = colour[start]
    mark[start] = stamp
    chain[where] = start
    length, found, i = 1, 0, 0
    while i < length:
        s = np.int64(chain[where + i])
        i += 1
        for k in range(4):
            q = np.int64(near[8 * s + k])
            if mark[q] == stamp:
                continue
            if colour[q] == EMPTY:
                mark[q] = stamp
                if found < KEPT:
                    sketch.liberty[found] = q
                found += 1
                if found >= most:
                    sketch.length = length
                    return found
            elif colour[q] == own:
                mark[q] = stamp
                chain[where + length] = q
                length += 1
    sketch.length = length
    return found


@compiled_apart
def empty_around(near: Any, sketch: Any, p: int) -> int:
    """How many neighbours of a point are empty."""
    count = 0
    for k in range(4):
        count += 1 if sketch.colour[near[8 * p + k]] == EMPTY else 0
    return count


@compiled_apart
def try_move(near: Any, sketch: Any, p: int, colour: int) -> bool:
    """Play on an empty point; whether ko and suicide allow it. If not, nothing has changed."""
    points = near.size // 8 - 1
    if p == sketch.ko:
        return False
    colours, before = sketch.colour, np.int64(sketch.gone)
    gone = before
    colours[p] = colour
    free = False
    for k in range(4):
        q = np.int64(near[8 * p + k])
        free = free or colours[q] == EMPTY
        if colours[q] == 3 - colour and walk(near, sketch, q, 1, OTHER) == 0:
            for i in range(sketch.length):
                s = np.int64(sketch.chain[OTHER + i])
                colours[s] = EMPTY
                sketch.taken[gone] = s
                gone += 1
    if not free and gone == before and walk(near, sketch, p, 1, OTHER) == 0:
        colours[p] = EMPTY
        return False
    sketch.gone = gone
    sketch.ko = points
    if gone - before == 1 and walk(near, sketch, p, 2, OTHER) == 1 and sketch.length == 1:
        sketch.ko = sketch.taken[before]
    return True


@compiled_apart
def take_back(sketch: Any, p: int, colour: int, gone: int, ko: int) -> None:
    """Take a move back, with what was taken and the ko before it."""
    sketch.colour[p] = EMPTY
    for i in range(gone, sketch.gone):
        sketch.colour[sketch.taken[i]] = 3 - colour
    sketch.gone = gone
    sketch.ko = ko
