"""The owner of each point as networks are told: pass-alive chains and what they enclose (Benson), then what looks so.

A chain is pass-alive if it cannot be captured even if its owner always passes: it has two *vital* regions, all of whose
points (all of whose empty points, where suicide is illegal) are its liberties, bordered by pass-alive chains only.
A region is a connected set of points without the owner's stones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .board import EMPTY, WHITE
from .both import both, compiled_apart
from .sketch import POINTS

_REGIONS = POINTS // 2 + 2
_VITAL = 4
"""The most chains that a region is vital to: those around one of its points."""

AREA = np.dtype(
    [
        ("owner", "u1", (POINTS,)),
        ("regions", "i4"),
        ("begin", "u2", (_REGIONS,)),  # by region: place of its first point among `point`
        ("interior", "u1", (_REGIONS,)),  # points without the owner's neighbour, up to 2
        ("foreign", "u1", (_REGIONS,)),  # whether it holds the opponent's stones
        ("unsafe", "u1", (_REGIONS,)),  # whether it borders a chain that is not pass-alive
        ("vitals", "u1", (_REGIONS,)),  # how many chains it is vital to
        ("vital", "u2", (_VITAL * _REGIONS,)),  # their heads
        ("point", "u2", (POINTS,)),
        ("region", "u2", (POINTS,)),  # by point
        ("eyes", "u2", (POINTS,)),  # by head: vital regions
        ("dead", "u1", (POINTS,)),  # by head: not pass-alive
    ],
    align=True,
)
_NONE = 2 * POINTS  # no region


@both
def find_area(rules: Any, board: Any, area: Any) -> None:
    """Fill `owner` with the colour that owns each point, 0 for neither."""
    for p in range(rules.points):
        area.owner[p] = EMPTY
    for colour in range(1, WHITE + 1):
        claim(rules.neighbours, board, area, colour, rules.suicide != 0)
    for p in range(rules.points):
        if area.owner[p] == EMPTY:
            area.owner[p] = board.colour[p]


@compiled_apart
def claim(near: Any, board: Any, area: Any, colour: int, suicide: bool) -> None:
    """Give a colour its pass-alive chains and territories."""
    points, stones = near.size // 8 - 1, 0
    for p in range(points):
        stones += 1 if board.colour[p] == colour else 0
        area.region[p] = _NONE
        area.dead[p] = 0
    if stones == 0:
        return
    find_regions(near, board, area, colour, suicide)
    while kill(near, board, area, colour):
        pass
    for p in range(points):
        if board.colour[p] == colour and area.dead[board.head[p]] == 0:
            area.owner[p] = colour
    for r in range(area.regions):
        foreign = area.foreign[r] != 0
        certain = area.unsafe[r] == 0 and (area.interior[r] <= 1 or not foreign)
        if certain or not foreign:
            for i in range(area.begin[r], area.begin[r + 1]):
                p = np.int64(area.point[i])
                if certain or area.owner[p] == EMPTY:
                    area.owner[p] = colour


@compiled_apart
def find_regions(near: Any, board: Any, area: Any, colour: int, suicide: bool) -> None:
    """Find the regions of a colour; each has an empty point, because the opponent's chains have liberties."""
    points, regions, end = near.size // 8 - 1, 0, 0
    for start in range(points):
        if board.colour[start] != EMPTY or area.region[start] != _NONE:
            continue
        r = regions
        regions += 1
        area.begin[r] = end
        area.interior[r] = 0
        area.foreign[r] = 0
        area.unsafe[r] = 0
        area.region[start] = r
        area.point[end] = start
        i = end
        end += 1
        vitals = list_heads(near, board, area, colour, start, _VITAL * r)
        while i < end:
            p = np.int64(area.point[i])
            i += 1
            if suicide or board.colour[p] == EMPTY:
                vitals = keep_heads(near, board, area, p, _VITAL * r, vitals)
            area.foreign[r] |= 1 if board.colour[p] == 3 - colour else 0
            inside = 1
            for k in range(4):
                q = np.int64(near[8 * p + k])
                if board.colour[q] == colour:
                    inside = 0
                elif q < points and area.region[q] == _NONE:
                    area.region[q] = r
                    area.point[end] = q
                    end += 1
            if area.interior[r] < 2:
                area.interior[r] += inside
        area.vitals[r] = vitals
    area.begin[regions] = end
    area.regions = regions


@compiled_apart
def list_heads(near: Any, board: Any, area: Any, colour: int, p: int, first: int) -> int:
    """List the chains of a colour around a point; how many."""
    count = 0
    for k in range(4):
        q = np.int64(near[8 * p + k])
        listed = board.colour[q] != colour
        for j in range(count):
            listed = listed or area.vital[first + j] == board.head[q]
        if not listed:
            area.vital[first + count] = board.head[q]
            count += 1
    return count


@compiled_apart
def keep_heads(near: Any, board: Any, area: Any, p: int, first: int, count: int) -> int:
    """Keep of the listed chains those around a point; how many."""
    kept = 0
    for j in range(count):
        head = area.vital[first + j]
        touches = False
        for k in range(4):
            touches = touches or board.head[near[8 * p + k]] == head
        if touches:
            area.vital[first + kept] = head
            kept += 1
    return kept


@compiled_apart
def kill(near: Any, board: Any, area: Any, colour: int) -> bool:
    """Find chains without two vital regions; whether there were any. Their regions are unsafe from now on."""
    points, found = near.size // 8 - 1, False
    for p in range(points):
        area.eyes[p] = 0
    for r in range(area.regions):
        if area.unsafe[r] == 0:
            for j in range(area.vitals[r]):
                area.eyes[area.vital[_VITAL * r + j]] += 1
    for p in range(points):
        if board.colour[p] != colour:
            continue
        head = board.head[p]
        if area.eyes[head] < 2:
            if area.dead[head] == 0:
                area.dead[head] = 1
                found = True
            for k in range(4):
                q = np.int64(near[8 * p + k])
                if q < points and board.colour[q] != colour:
                    area.unsafe[area.region[q]] = 1
    return found
