"""Ladders: whether a chain with one or two liberties can be captured by nothing but ataris.

The search that KataGo's networks were trained with, rule by rule; where it guesses (ko, its limits), so does this one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .board import EDGE, EMPTY
from .both import compiled_apart
from .sketch import DEEPEST, OTHER, POINTS, PREY, empty_around, take_back, try_move, walk

NODES = 25_000
"""Moves that are tried for one chain; after that it counts as safe."""
_MOVES = 4 * POINTS
_OPEN, _SAFE, _CAPTURED = 0, 1, 2

LADDER = np.dtype(
    [  # by depth
        ("first", "i4", (DEEPEST + 1,)),  # place of its first move among all moves
        ("end", "i4", (DEEPEST + 1,)),  # place after its last
        ("next", "i4", (DEEPEST + 1,)),  # place of the move to try next
        ("gone", "i4", (DEEPEST + 1,)),  # stones taken before its move
        ("ko", "i4", (DEEPEST + 1,)),  # ko before its move
        ("move", "u2", (_MOVES,)),
    ],
    align=True,
)


@compiled_apart
def is_captured(near: Any, sketch: Any, ladder: Any, prey: int) -> bool:
    """Whether a chain with one liberty is captured although its owner, the defender, moves first."""
    defender, limit = np.int64(sketch.colour[prey]), 3 * (near.size // 8 - 1) // 2
    depth, nodes, fresh, verdict = 0, 0, True, _OPEN
    sketch.ko = near.size // 8 - 1  # at the root, any ko is taken to work for the defender
    ladder.first[0] = 0
    while True:
        if fresh:
            full = depth >= limit or ladder.first[depth] + POINTS > _MOVES
            verdict = _CAPTURED if full else enter(near, sketch, ladder, prey, depth)
            fresh = False
        if verdict == _OPEN and ladder.next[depth] == ladder.end[depth]:
            verdict = _CAPTURED if depth % 2 == 0 else _SAFE  # no move has helped
        if verdict == _OPEN:
            p = np.int64(ladder.move[ladder.next[depth]])
            ladder.next[depth] += 1
            ladder.gone[depth] = sketch.gone
            ladder.ko[depth] = sketch.ko
            if try_move(near, sketch, p, mover_at(depth, defender)):
                depth += 1
                nodes += 1
                ladder.first[depth] = ladder.end[depth - 1]
                fresh = True
            if nodes >= NODES:
                while depth > 0:
                    depth -= 1
                    leave(sketch, ladder, depth, defender)
                return False
        elif depth == 0:
            return verdict == _CAPTURED
        else:
            depth -= 1
            leave(sketch, ladder, depth, defender)
            if (verdict == _SAFE) == (depth % 2 == 1):  # not what the mover wants: another move may be better
                verdict = _OPEN


@compiled_apart
def mover_at(depth: int, defender: int) -> int:
    """Whose move it is: the defender's at even depths."""
    return defender if depth % 2 == 0 else 3 - defender


@compiled_apart
def leave(sketch: Any, ladder: Any, depth: int, defender: int) -> None:
    """Take back the move that was tried last at a depth."""
    p = np.int64(ladder.move[ladder.next[depth] - 1])
    take_back(sketch, p, mover_at(depth, defender), np.int64(ladder.gone[depth]), np.int64(ladder.ko[depth]))


@compiled_apart
def enter(near: Any, sketch: Any, ladder: Any, prey: int, depth: int) -> int:
    """Safe or captured where that can be seen; else open, with the moves to try listed."""
    count = walk(near, sketch, prey, 3, PREY)
    one, other = np.int64(sketch.liberty[0]), np.int64(sketch.liberty[1])
    first = np.int64(ladder.first[depth])
    end = first
    if depth % 2 == 0:
        if count >= 2 or sketch.ko < near.size // 8 - 1 or empty_around(near, sketch, one) >= 3:
            return _SAFE  # a capture that needs a ko does not count
        end = list_captures(near, sketch, ladder, first)
        ladder.move[end] = one
        end += 1
    else:
        if count != 2:
            return _CAPTURED if count < 2 else _SAFE
        room_one, room_other = empty_around(near, sketch, one), empty_around(near, sketch, other)
        if room_one == 0 and room_other == 0 and is_double_ko(near, sketch, ladder, one, other, first):
            return _CAPTURED
        if room_other > room_one:
            one, other, room_one, room_other = other, one, room_other, room_one
        apart = not is_beside(near, one, other)
        if apart and room_other >= 3:  # whichever is left to the defender gains three liberties
            return _SAFE
        ladder.move[end] = one
        end += 1
        if not (apart and room_one >= 3):
            ladder.move[end] = other
            end += 1
    ladder.next[depth] = first
    ladder.end[depth] = end
    return _OPEN


@compiled_apart
def list_captures(near: Any, sketch: Any, ladder: Any, first: int) -> int:
    """List the moves that capture a chain next to the prey, which was walked last; the place after them."""
    end, length, attacker = first, np.int64(sketch.length), 3 - np.int64(sketch.colour[sketch.chain[PREY]])
    before = np.int64(sketch.stamp)
    for i in range(length):
        s = np.int64(sketch.chain[PREY + i])
        for k in range(4):
            q = np.int64(near[8 * s + k])
            new = sketch.colour[q] == attacker and sketch.mark[q] <= before  # no stone of a chain that was walked here
            if new and walk(near, sketch, q, 2, OTHER) == 1:
                listed = False
                for j in range(first, end):
                    listed = listed or ladder.move[j] == sketch.liberty[0]
                if not listed:
                    ladder.move[end] = sketch.liberty[0]
                    end += 1
    return end


@compiled_apart
def is_beside(near: Any, p: int, q: int) -> bool:
    """Whether two points are neighbours."""
    found = False
    for k in range(4):
        found = found or near[8 * p + k] == q
    return found


@compiled_apart
def is_double_ko(near: Any, sketch: Any, ladder: Any, one: int, other: int, first: int) -> bool:
    """Whether both liberties of the prey, which was walked last, are kos that it cannot win at the same time."""
    defender = np.int64(sketch.colour[sketch.chain[PREY]])
    if list_captures(near, sketch, ladder, first) > first:
        return False
    for p in (one, other):
        if not is_ko_mouth(near, sketch, p, defender):
            return False
    for p in (one, other):
        sketch.colour[p] = defender
        count = walk(near, sketch, p, 3, OTHER)
        sketch.colour[p] = EMPTY
        if count > 2:
            return False
    return True


@compiled_apart
def is_ko_mouth(near: Any, sketch: Any, p: int, defender: int) -> bool:
    """Whether a stone of the attacker here would take just one stone, amid the defender's."""
    in_atari, stones = 0, 0
    for k in range(4):
        q = np.int64(near[8 * p + k])
        if sketch.colour[q] == EDGE:
            continue
        if sketch.colour[q] != defender:
            return False
        if walk(near, sketch, q, 2, OTHER) == 1:
            in_atari += 1
            stones += sketch.length
    return in_atari == 1 and stones == 1
