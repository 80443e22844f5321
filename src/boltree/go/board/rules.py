"""What may be played: occupied points, suicide, and positional superko; and how a turn changes the state."""

from __future__ import annotations

from typing import Any

import numpy as np

from .board import EMPTY, RECENT, put_stone, sweep
from .both import both


@both
def begin(rules: Any, board: Any) -> None:
    """Make a zeroed state the start of a game on the empty board."""
    sweep(rules, board)
    board.width = rules.size
    board.history[0] = board.hash
    board.seen = 1


@both
def is_last_liberty(rules: Any, board: Any, p: int, q: int) -> bool:
    """Whether the empty point p is the only liberty of the chain at its neighbour q."""
    head = board.head[q]
    left = np.int64(board.adjacencies[head])
    if left > 4:
        return False
    for k in range(4):
        left -= 1 if board.head[rules.neighbours[8 * p + k]] == head else 0
    return left == 0


@both
def is_suicide(rules: Any, board: Any, p: int, colour: int) -> bool:
    """Whether a stone on an empty point would have no liberty, and capture nothing."""
    near = rules.neighbours
    for k in range(4):
        if board.colour[near[8 * p + k]] == EMPTY:
            return False
    for k in range(4):
        q = np.int64(near[8 * p + k])
        there = board.colour[q]
        if there == colour and not is_last_liberty(rules, board, p, q):
            return False
        if there == 3 - colour and is_last_liberty(rules, board, p, q):
            return False
    return True


@both
def may_suicide(rules: Any, board: Any, p: int, colour: int) -> bool:
    """Whether suicide here is allowed: of two stones or more, because one alone would not change the board."""
    friends = False
    for k in range(4):
        friends |= board.colour[rules.neighbours[8 * p + k]] == colour
    return friends and rules.suicide != 0


@both
def chain_hash(rules: Any, board: Any, head: int) -> Any:
    """The XOR of a chain's stones."""
    colour = np.int64(board.colour[head])
    total = rules.zobrist[2 * head + colour]
    s = np.int64(board.next[head])
    while s != head:
        total ^= rules.zobrist[2 * s + colour]
        s = np.int64(board.next[s])
    return total


@both
def hash_after(rules: Any, board: Any, p: int, colour: int) -> Any:
    """The hash of the board that a move leads to.

    Chains that go are walked, not hashed in advance: a chain with one liberty can go by a move at one point only, so
    the walks of a whole board's moves take at most as many steps as there are stones, and states stay small.
    """
    near = rules.neighbours
    total = np.uint64(board.hash) ^ rules.zobrist[2 * p + colour]
    goes = 3 - colour
    if is_suicide(rules, board, p, colour):
        goes = colour
        total ^= rules.zobrist[2 * p + colour]
    for k in range(4):
        q = np.int64(near[8 * p + k])
        if board.colour[q] == goes and is_last_liberty(rules, board, p, q):
            fresh = True
            for j in range(k):
                fresh = fresh and board.head[near[8 * p + j]] != board.head[q]
            if fresh:
                total ^= chain_hash(rules, board, np.int64(board.head[q]))
    return total


@both
def repeats(board: Any, position: Any) -> bool:
    """Whether a board with this hash was there before."""
    found = False
    for i in range(board.seen):
        found |= board.history[i] == position
    return found


@both
def is_superko(rules: Any, board: Any, p: int, colour: int, suicide: bool) -> bool:
    """Whether a move on an empty point would repeat an earlier board (positional superko).

    Unless it is suicide, it can only repeat a board on which a stone of this colour stood here: most moves are the
    first of their colour at their point, and need not be looked up.
    """
    if not suicide and board.stood[p] & colour == 0:
        return False
    return repeats(board, hash_after(rules, board, p, colour))


@both
def is_legal(rules: Any, board: Any, p: int, colour: int) -> bool:
    """Whether a stone may be put on a point."""
    if board.colour[p] != EMPTY:
        return False
    suicide = is_suicide(rules, board, p, colour)
    if suicide and not may_suicide(rules, board, p, colour):
        return False
    return not is_superko(rules, board, p, colour, suicide)


@both
def is_banned(rules: Any, board: Any, p: int, colour: int) -> bool:
    """Whether superko alone forbids a stone on a point."""
    if board.colour[p] != EMPTY:
        return False
    suicide = is_suicide(rules, board, p, colour)
    if suicide and not may_suicide(rules, board, p, colour):
        return False
    return is_superko(rules, board, p, colour, suicide)


@both
def is_over(rules: Any, board: Any) -> bool:
    """Whether two passes in a row, or the longest game's last move, have ended the game."""
    return board.passes >= 2 or board.moves >= rules.limit


@both
def take_turn(rules: Any, board: Any, action: int) -> None:
    """Play a move, or pass; superko is not looked at."""
    points = rules.points
    colour = 1 + np.int64(board.player)
    now, one_ago, two_ago = board.colour, board.one_ago, board.two_ago
    for p in range(now.size):  # all of the layout's points: their number is known to the compiler
        two_ago[p] = one_ago[p]
    for p in range(now.size):
        one_ago[p] = now[p]
    for k in range(RECENT - 1, 0, -1):
        board.recent[k] = board.recent[k - 1]
    board.recent[0] = action + 1
    if action == points:
        board.passes += 1
    else:
        if board.colour[action] != EMPTY:
            raise ValueError("this point is occupied")
        put_stone(rules, board, action, colour)
        if board.colour[action] == EMPTY and not rules.suicide:
            raise ValueError("suicide is not allowed by these rules")
        board.passes = 0
        board.history[board.seen] = board.hash
        board.seen += 1
    board.moves += 1
    board.player = 2 - colour
