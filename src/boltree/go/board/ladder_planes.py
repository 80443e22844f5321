"""What networks are told of chains: their liberties, and the ladders on this board and on the two before."""

from __future__ import annotations

from typing import Any

import numpy as np

from .board import EMPTY
from .both import both, compiled_apart
from .ladders import LADDER, is_captured
from .sketch import FOUND, POINTS, SKETCH, draw, empty_around, take_back, try_move, walk
from .stack_memory import room

# planes of the features
_LIBERTIES, _LADDERED, _LADDER_MOVES = 3, 14, 17

PAST = np.dtype(
    [  # by board: this one, one move ago, two ago
        ("changes", "i4", (3,)),  # points that were of another colour than on the board that is read
        ("change", "u2", (3 * POINTS,)),
        ("told", "u1", (3 * POINTS,)),  # stones of chains whose ladder is known
    ],
    align=True,
)


@both
def fill_ladders(rules: Any, board: Any, out: Any, me: int, known: int) -> None:
    """Write liberties, and ladders on this board and on the two before; unknown ones are taken to be the next.

    Most of a board was the same a move ago, and so was most of what was read on it.
    """
    near, points = rules.neighbours, rules.points
    sketch, ladder, past = room(SKETCH), room(LADDER), room(PAST)
    last = min(known, 2)
    for p in range(points):
        past.told[p] = past.told[POINTS + p] = past.told[2 * POINTS + p] = 0
    for ago in range(last + 1):
        draw(near, sketch, board.colour if ago == 0 else (board.one_ago if ago == 1 else board.two_ago))
        for then in range(ago + 1, last + 1):
            list_changes(points, past, sketch, board.one_ago if then == 1 else board.two_ago, then)
        ko = ko_point(near, board, sketch) if ago == 0 else points
        for p in range(points):
            if sketch.colour[p] != EMPTY and past.told[ago * POINTS + p] == 0:
                fill_chain(near, sketch, ladder, past, out, p, ko, ago, last, me)
    for ago in range(last + 1, 3):
        plane = (_LADDERED + ago) * points
        for p in range(points):
            out[plane + p] = out[plane - points + p]


@compiled_apart
def list_changes(points: int, past: Any, sketch: Any, colours: Any, ago: int) -> None:
    """List the points that are of another colour on a sketch than they were on a past board."""
    count = 0
    for p in range(points):
        past.change[ago * POINTS + count] = p
        count += 1 if sketch.colour[p] != colours[p] else 0
    past.changes[ago] = count


@compiled_apart
def fill_chain(
    near: Any, sketch: Any, ladder: Any, past: Any, out: Any, p: int, ko: int, ago: int, last: int, me: int
) -> None:
    """Write the liberties of the chain at a stone, and whether a ladder captures it and where it begins.

    What is read here also holds for past boards up to the `last`, where they are the same as far as it was read.
    """
    points, before = near.size // 8 - 1, np.int64(sketch.stamp)
    count = walk(near, sketch, p, POINTS, FOUND)
    length, one, other = np.int64(sketch.length), np.int64(sketch.liberty[0]), np.int64(sketch.liberty[1])
    captured, free = False, True
    if count == 1:
        captured = is_captured(near, sketch, ladder, p)
    elif count == 2:
        attacker = 3 - np.int64(sketch.colour[p])
        free = one != ko and other != ko
        for move in (one, other):
            sketch.ko = ko
            if try_move(near, sketch, move, attacker):
                works = is_captured(near, sketch, ladder, p)
                take_back(sketch, move, attacker, 0, ko)
                captured = captured or works
                if works and ago == 0 and attacker == me:
                    out[_LADDER_MOVES * points + move] = 1.0
    for then in range(ago, last + 1):
        if then > ago and not (free and was_so(near, sketch, past, then, before)):
            continue
        for i in range(length):
            s = np.int64(sketch.chain[FOUND + i])
            past.told[then * POINTS + s] = 1
            if captured:
                out[(_LADDERED + then) * points + s] = 1.0
    if ago == 0 and count <= 3:
        for i in range(length):
            out[(_LIBERTIES + count - 1) * points + sketch.chain[FOUND + i]] = 1.0


@compiled_apart
def was_so(near: Any, sketch: Any, past: Any, ago: int, before: int) -> bool:
    """Whether nothing that was looked at since the stamp `before` was different on a past board.

    Whatever a walk or a move looks at is marked, or lies next to a point that is.
    """
    for i in range(past.changes[ago]):
        p = np.int64(past.change[ago * POINTS + i])
        if sketch.mark[p] > before:
            return False
        for k in range(4):
            if sketch.mark[near[8 * p + k]] > before:
                return False
    return True


@compiled_apart
def ko_point(near: Any, board: Any, sketch: Any) -> int:
    """Where the last move left a ko: the point whose one stone it took; the edge for none.

    Only the first move of a ladder depends on it, and whether there is a ladder does not, since the defender takes the
    ko back; so past boards do without.
    """
    points = near.size // 8 - 1
    p = np.int64(board.recent[0]) - 1
    if p < 0 or p == points or sketch.colour[p] == EMPTY:
        return points
    if walk(near, sketch, p, 2, FOUND) != 1 or sketch.length != 1:
        return points
    q = np.int64(sketch.liberty[0])
    return q if board.one_ago[q] == 3 - sketch.colour[p] and empty_around(near, sketch, q) == 0 else points
