"""What KataGo's networks are told of a position: 22 planes of the board and 19 numbers, from the side to move.

One more number follows them, for the evaluator: what a win of the side to move is worth to Black.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .area import AREA, find_area
from .board import EMPTY, RECENT
from .both import both
from .ladder_planes import fill_ladders
from .rules import is_banned
from .stack_memory import room

PLANES, NUMBERS = 22, 19

# planes
_ON_BOARD, _OWN, _OPPONENT, _BANNED, _MOVES, _OWN_AREA, _OPPONENT_AREA = 0, 1, 2, 6, 9, 18, 19
# numbers
_PASSES, _KOMI, _SUPERKO, _SUPERKO_KIND, _SUICIDE, _PASS_ENDS, _PARITY = 0, 5, 6, 7, 8, 14, 18


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
