"""Chains and empty regions of a board in plain Python, for what is asked once a game and not once a trial."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .board import BLACK, EMPTY, WHITE, neighbours_of


class Region(NamedTuple):
    """Connected points of one colour, and the points around them."""

    colour: int
    points: tuple[int, ...]
    border: frozenset[int]


def regions_of(colours: Any, size: int) -> list[Region]:
    """The chains and the empty regions of a board, given by its points' colours.

    >>> [(one.colour, one.points) for one in regions_of([0, 1, 0, 0], 2)]
    [(0, (0, 2, 3)), (1, (1,))]
    """
    near = neighbours_of(size).reshape(-1, 8)[:, :4].tolist()
    total, seen, found = size * size, set[int](), []
    for start in range(total):
        if start in seen:
            continue
        colour, inside, border = int(colours[start]), {start}, set[int]()
        waiting = [start]
        while waiting:
            for q in near[waiting.pop()]:
                if q == total or q in inside:
                    continue
                if colours[q] == colour:
                    inside.add(q)
                    waiting.append(q)
                else:
                    border.add(q)
        seen |= inside
        found.append(Region(colour, tuple(sorted(inside)), frozenset(border)))
    return found


def owner_of(region: Region, colours: Any) -> int:
    """Whose a region is by area scoring: a chain its own colour's, an empty region who alone borders it, or EMPTY."""
    if region.colour != EMPTY:
        return region.colour
    around = {int(colours[q]) for q in region.border}
    return around.pop() if len(around) == 1 else EMPTY


def area_of(colours: Any, size: int) -> NDArray[np.float64]:
    """By point, 1 where it is Black's area, −1 where it is White's, 0 where it is neither's."""
    worth = {BLACK: 1.0, WHITE: -1.0, EMPTY: 0.0}
    area = np.zeros(size * size)
    for region in regions_of(colours, size):
        area[list(region.points)] = worth[owner_of(region, colours)]
    return area
