"""The rollout policy: any move but suicide and filling one's own eye, uniformly; a pass when there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.random import integer
from .board import EDGE, EMPTY
from .both import both
from .rules import is_suicide, is_superko

TRIES = 8
"""Points that are drawn before all of them are looked through: either way every sensible move is equally likely."""


@both
def is_eye(rules: Any, board: Any, p: int, colour: int) -> bool:
    """Whether an empty point is surrounded by stones of a colour, and by that colour's diagonals well enough."""
    near = rules.neighbours
    for k in range(4):
        there = board.colour[near[8 * p + k]]
        if there != colour and there != EDGE:
            return False
    opposite, at_edge = 0, 0
    for k in range(4, 8):
        there = board.colour[near[8 * p + k]]
        opposite += 1 if there == 3 - colour else 0
        at_edge |= 1 if there == EDGE else 0
    return opposite + at_edge < 2


@both
def is_sensible(rules: Any, board: Any, p: int, colour: int) -> bool:
    """Whether a rollout may play on an empty point."""
    free = False
    for k in range(4):
        free |= board.colour[rules.neighbours[8 * p + k]] == EMPTY
    if not free and (is_eye(rules, board, p, colour) or is_suicide(rules, board, p, colour)):
        return False
    return not is_superko(rules, board, p, colour, False)


@both
def random_move(rules: Any, board: Any, rng: Any) -> int:
    """A move of the rollout policy."""
    colour = 1 + np.int64(board.player)
    vacant = np.int64(board.vacant)
    if vacant > 0:
        for _ in range(TRIES):
            p = np.int64(board.empties[integer(rng, vacant)])
            if is_sensible(rules, board, p, colour):
                return p
    chosen, found = rules.points, 0
    for i in range(vacant):
        p = np.int64(board.empties[i])
        if is_sensible(rules, board, p, colour):
            found += 1
            if integer(rng, found) == 0:
                chosen = p
    return chosen
