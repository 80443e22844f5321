"""Whether states that come from a file are boards: the functions of ``board.py`` follow their numbers unchecked."""

from __future__ import annotations

from typing import Any

import numpy as np

from .board import BLACK, EDGE, EMPTY, WHITE, neighbours_of

_AT_ONCE = 4096


def are_boards(states: Any, size: int, limit: int) -> bool:
    """Whether all states can be games on a board of a size, within a limit of moves."""
    return all(_are_boards(states[k : k + _AT_ONCE], size, limit) for k in range(0, len(states), _AT_ONCE))


def _are_boards(states: Any, size: int, limit: int) -> bool:
    points = size * size
    colour, head, following = (states[name][:, : points + 1].astype(np.int64) for name in ("colour", "head", "next"))
    within = (
        (states["width"] == size).all()
        and (states["player"] <= 1).all()
        and (states["passes"] <= 2).all()
        and (states["moves"] <= limit).all()
        and (states["seen"] >= 1).all()
        and (states["seen"] <= states["moves"].astype(np.int64) + 1).all()
        and (states["recent"] <= points + 1).all()
        and (colour[:, points] == EDGE).all()
        and (colour[:, :points] <= WHITE).all()
        and all((states[name] <= EDGE).all() for name in ("one_ago", "two_ago", "stood"))
    )
    if not within:
        return False
    stone = (colour == BLACK) | (colour == WHITE)
    if (head[~stone] != points).any() or (head[stone] >= points).any() or (following[stone] >= points).any():
        return False
    if (_at(colour, head)[stone] != colour[stone]).any() or (_at(head, head)[stone] != head[stone]).any():
        return False
    # a ring: every stone is followed by one of its chain, and no two by the same
    told_apart = np.sort(np.where(stone, following, points + 1 + np.arange(points + 1)), axis=1)
    if (_at(head, following)[stone] != head[stone]).any() or (np.diff(told_apart, axis=1) == 0).any():
        return False
    return _are_empties_sound(states, colour, points) and _are_adjacencies_sound(states, stone, colour, head, size)


def _at(values: Any, places: Any) -> Any:
    return np.take_along_axis(values, np.minimum(places, values.shape[1] - 1), axis=1)


def _are_empties_sound(states: Any, colour: Any, points: int) -> bool:
    """Whether the list of empty points and their places in it name each other."""
    empty = colour == EMPTY
    vacant = states["vacant"].astype(np.int64)
    if (vacant != empty.sum(axis=1)).any():
        return False
    empties, place = (states[name][:, : points + 1].astype(np.int64) for name in ("empties", "place"))
    if (place >= vacant[:, None])[empty].any():
        return False
    return bool((_at(empties, place) == np.arange(points + 1))[empty].all())


def _are_adjacencies_sound(states: Any, stone: Any, colour: Any, head: Any, size: int) -> bool:
    """Whether every chain's count of adjacencies is what a look at the board gives."""
    points = size * size
    around = neighbours_of(size).reshape(points + 1, 8)[:, :4]
    free = (colour[:, around] == EMPTY).sum(axis=2) * stone
    expected = np.zeros_like(colour)
    rows = np.broadcast_to(np.arange(len(colour))[:, None], colour.shape)
    np.add.at(expected, (rows[stone], head[stone]), free[stone])
    counted = states["adjacencies"][:, : points + 1]
    is_head = stone & (head == np.arange(points + 1))
    return bool((counted == expected)[is_head].all())
