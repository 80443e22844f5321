"""What KataGo's networks are told of a position: 22 planes of the board and 19 numbers, from the side to move.

One more number follows them, for the evaluator: what a win of the side to move is worth to Black.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .area import AREA, find_area
from .board import EMPTY, RECENT
from .both import both, shared
from .ladders import LADDER, is_captured
from .room import room
from .rules import is_banned
from .sketch import FOUND, POINTS, SKETCH, draw, empty_around, take_back, try_move, walk

PLANES, NUMBERS = 22, 19

# planes
_ON_BOARD, _OWN, _OPPONENT, _LIBERTIES, _BANNED, _MOVES = 0, 1, 2, 3, 6, 9
_LADDERED, _LADDER_MOVES, _OWN_AREA, _OPPONENT_AREA = 14, 17, 18, 19
# numbers
_PASSES, _KOMI, _SUPERKO, _SUPERKO_KIND, _SUICIDE, _PASS_ENDS, _PARITY = 0, 5, 6, 7, 8, 14, 18

PAST = np.dtype(
    [  # by board: this one, one move ago, two ago
        ("changes", "i4", (3,)),  # points that were of another colour than on the board that is read
        ("change", "u2", (3 * POINTS,)),
        ("told", "u1", (3 * POINTS,)),  # stones of chains whose ladder is known
    ],
    align=True,
)


def features_size(size: int) -> int:
    """How many numbers `fill_features` writes for a board."""
    return PLANES * size * size + NUMBERS + 1


@both
def fill_features(rules: Any, board: Any, out: Any) -> None:
    """Write the planes one after the other, each row by row from the top, then the numbers."""
    points = rules.points
    for i in range(out.size):
        out[i] = 0.0
    me = 1 + np.int64(board.player)
    for p in range(points):
        out[_ON_BOARD * points + p] = 1.0
        if board.colour[p] == me:
            out[_OWN * points + p] = 1.0
        elif board.colour[p] != EMPTY:
            out[_OPPONENT * points + p] = 1.0
        elif is_banned(rules, board, p, me):
            out[_BANNED * points + p] = 1.0
    known = fill_past(rules, board, out)
    fill_ladders(rules, board, out, me, known)
    area = room(AREA)
    find_area(rules, board, area)
    for p in range(points):
        if area.owner[p] != EMPTY:
            out[(_OWN_AREA if area.owner[p] == me else _OPPONENT_AREA) * points + p] = 1.0
    fill_rules(rules, board, out, me)


@both
def fill_past(rules: Any, board: Any, out: Any) -> int:
    """Write the last moves; how many of them are shown. A network is not told how a finished game ended."""
    points, numbers = rules.points, PLANES * rules.points
    if board.passes >= 2:
        return 0
    for k in range(RECENT):
        if board.recent[k] == 0:
            return k
        p = np.int64(board.recent[k]) - 1
        if p == points:
            out[numbers + _PASSES + k] = 1.0
        else:
            out[(_MOVES + k) * points + p] = 1.0
    return RECENT


@both
def fill_rules(rules: Any, board: Any, out: Any, me: int) -> None:
    """Write komi, the rules, and the worth of a win."""
    first, points = PLANES * rules.points, rules.points
    most = points + 20.0
    komi = min(max(rules.komi if me == 2 else -rules.komi, -most), most)
    out[first + _KOMI] = komi / 20.0
    out[first + _SUPERKO] = 1.0
    out[first + _SUPERKO_KIND] = 0.5  # positional
    out[first + _SUICIDE] = 1.0 if rules.suicide != 0 else 0.0
    out[first + _PASS_ENDS] = 1.0 if board.passes == 1 else 0.0
    # A draw needs a komi of the board's parity: a wave tells how far komi is from one.
    parity = points % 2
    above = komi - (math.floor((komi - parity) / 2.0) * 2.0 + parity)
    out[first + _PARITY] = above if above < 0.5 else (1.0 - above if above < 1.5 else above - 2.0)
    out[first + NUMBERS] = rules.scale if me == 1 else -rules.scale


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


@shared
def list_changes(points: int, past: Any, sketch: Any, colours: Any, ago: int) -> None:
    """List the points that are of another colour on a sketch than they were on a past board."""
    count = 0
    for p in range(points):
        past.change[ago * POINTS + count] = p
        count += 1 if sketch.colour[p] != colours[p] else 0
    past.changes[ago] = count


@shared
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


@shared
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


@shared
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
