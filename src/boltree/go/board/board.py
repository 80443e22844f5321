"""The board: stones, chains and their liberties in one block of bytes, changed in place.

A point is its action: row * size + column, from the top. The number after the last point is both the pass and
everything off the board, so that a neighbour is looked up without asking whether there is one.

A chain is a ring of stones through ``next``; every stone knows its ``head``, and the head holds the chain's count of
*adjacencies*: pairs of one of its stones and an empty neighbour. It is 0 exactly when the chain has no liberty, and
unlike a count of liberties it is kept by additions only. Empty points and the edge have the head ``points``, where what
is added does not count.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...problem.record import Record, record
from .both import both

EMPTY, BLACK, WHITE, EDGE = 0, 1, 2, 3
RECENT = 5
"""How many of the last moves a state holds: as many as networks ask for."""
SMALLEST, LARGEST = 2, 19
CAPACITIES = (9, 13, 19)
"""Board sizes that a state's record is laid out for; a board between two of them uses the larger one's."""


def capacity_for(size: int) -> int:
    """The smallest layout that a board fits."""
    return next(capacity for capacity in CAPACITIES if size <= capacity)


def longest_game(size: int) -> int:
    """Moves after which a game is scored as it stands, so that the past boards of any game fit its state."""
    return max(3 * size * size, 50)


def stones_fields(capacity: int) -> dict[str, str]:
    """The fields that the functions of this file use, for boards up to a size; the unused parts are 0."""
    points = capacity * capacity + 1  # with the edge
    point = "u1" if points < 256 else "u2"
    return {
        "hash": "u8",  # of the stones
        "vacant": "u2",  # how many points are empty
        "adjacencies": f"i2[{points}]",
        "head": f"{point}[{points}]",
        "next": f"{point}[{points}]",
        "empties": f"{point}[{points}]",  # the empty points, in no order
        "place": f"{point}[{points}]",  # where an empty point stands among them
        "colour": f"u1[{points}]",
        "stood": f"u1[{points}]",  # the colours that have stood here, as bits
    }


def state_record(capacity: int) -> Record:
    """The fields of a game's state, for boards up to a size: the stones, and what rules and networks ask of the past.

    The past boards' hashes are most of it (2.0 of 2.8 KB up to 9x9, 8.7 of 13.8 KB up to 19x19). They belong to the
    state, because positional superko makes a move's legality depend on them.
    """
    points = capacity * capacity + 1
    return record(
        history=f"u8[{longest_game(capacity) + 1}]",  # the hash of every board so far
        **stones_fields(capacity),
        seen="u2",  # how many hashes there are
        moves="u2",  # passes included
        recent=f"u2[{RECENT}]",  # action + 1 of the last moves, the latest first; 0 before the first
        width="u1",  # the board's size
        player="u1",  # who moves: 0 is Black
        passes="u1",  # at the end of the moves so far
        one_ago=f"u1[{points}]",  # colours before the last move
        two_ago=f"u1[{points}]",  # colours before the last two
    )


@cache
def neighbours_of(size: int) -> Any:
    """Eight points around each: up, left, right, down, then the diagonals; size * size stands for the edge."""
    around = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
    table = np.full((size * size + 1, 8), size * size, np.uint16)
    for row in range(size):
        for column in range(size):
            for k, (down, right) in enumerate(around):
                r, c = row + down, column + right
                if 0 <= r < size and 0 <= c < size:
                    table[row * size + column, k] = r * size + c
    return table.ravel()


@cache
def zobrist_of(size: int) -> Any:
    """Random numbers for stones: entry 2 * point + colour (1 or 2). A board's hash is the XOR of its stones'."""
    return np.random.SeedSequence([size, 0x60]).generate_state(2 * size * size + 3, np.uint64)


@both
def sweep(rules: Any, board: Any) -> None:
    """Make zeroed stones the empty board."""
    points = rules.points
    board.vacant = points
    board.colour[points] = EDGE
    board.head[points] = points
    for p in range(points):
        board.head[p] = points
        board.empties[p] = p
        board.place[p] = p


@both
def put_stone(rules: Any, board: Any, p: int, colour: int) -> int:
    """Put a stone down and take off what has no liberty then: the opponent's chains, else its own. How many went."""
    near = rules.neighbours
    add_stone(rules, board, p, colour)
    gone = 0
    for k in range(4):
        q = near[8 * p + k]
        if board.colour[q] == 3 - colour and board.adjacencies[board.head[q]] == 0:
            gone += take_off(rules, board, np.int64(board.head[q]))
    if board.adjacencies[board.head[p]] == 0:
        gone += take_off(rules, board, np.int64(board.head[p]))
    return gone


@both
def add_stone(rules: Any, board: Any, p: int, colour: int) -> None:
    """Put a stone on an empty point and into its chain; nothing is taken off."""
    near = rules.neighbours
    last = board.vacant - 1
    moved, hole = np.int64(board.empties[last]), np.int64(board.place[p])
    board.empties[hole] = moved
    board.place[moved] = hole
    board.empties[last] = 0
    board.place[p] = 0
    board.vacant = last
    board.colour[p] = colour
    board.stood[p] |= colour
    board.hash = np.uint64(board.hash) ^ rules.zobrist[2 * p + colour]
    board.head[p] = p
    board.next[p] = p
    free = 0
    for k in range(4):
        q = near[8 * p + k]
        free += 1 if board.colour[q] == EMPTY else 0
        board.adjacencies[board.head[q]] -= 1
    board.adjacencies[rules.points] = 0
    board.adjacencies[p] = free
    for k in range(4):
        q = near[8 * p + k]
        if board.colour[q] == colour and board.head[q] != board.head[p]:
            if board.next[p] == p:  # the new stone into the chain it touches, then further chains into that one
                join(board, p, np.int64(board.head[q]))
            else:
                join(board, np.int64(board.head[q]), np.int64(board.head[p]))


@both
def set_stones(rules: Any, board: Any, colours: Any) -> bool:
    """Make zeroed stones the board with these colours; whether every chain has a liberty."""
    sweep(rules, board)
    for p in range(rules.points):
        if colours[p] != EMPTY:
            add_stone(rules, board, p, np.int64(colours[p]))
    alive = True
    for p in range(rules.points):
        alive = alive and (colours[p] == EMPTY or board.adjacencies[board.head[p]] > 0)
    return alive


@both
def join(board: Any, one: int, other: int) -> None:
    """Make the chain with the head `one` a part of the chain with the head `other`."""
    s = one
    while True:
        board.head[s] = other
        s = np.int64(board.next[s])
        if s == one:
            break
    after = board.next[one]
    board.next[one] = board.next[other]
    board.next[other] = after
    board.adjacencies[other] += board.adjacencies[one]
    board.adjacencies[one] = 0


@both
def take_off(rules: Any, board: Any, head: int) -> int:
    """Take a chain off the board; how many stones it had."""
    near, colour = rules.neighbours, np.int64(board.colour[head])
    first = np.int64(board.vacant)
    count = first
    s = head
    while True:
        after = np.int64(board.next[s])
        board.colour[s] = EMPTY
        board.head[s] = rules.points
        board.next[s] = 0
        board.hash = np.uint64(board.hash) ^ rules.zobrist[2 * s + colour]
        board.empties[count] = s
        board.place[s] = count
        count += 1
        for k in range(4):
            board.adjacencies[board.head[near[8 * s + k]]] += 1
        s = after
        if s == head:
            break
    board.vacant = count
    board.adjacencies[head] = 0
    board.adjacencies[rules.points] = 0
    return count - first


@both
def count_liberties(rules: Any, board: Any, stone: int, most: int) -> int:
    """The liberties of the chain at a stone, counted up to `most`."""
    near = rules.neighbours
    head = np.int64(board.head[stone])
    count = 0
    s = head
    while True:
        for k in range(4):
            q = np.int64(near[8 * s + k])
            if board.colour[q] == EMPTY and is_first_touch(rules, board, s, q, head):
                count += 1
                if count >= most:
                    return count
        s = np.int64(board.next[s])
        if s == head:
            return count


@both
def is_first_touch(rules: Any, board: Any, stone: int, q: int, head: int) -> bool:
    """Whether a stone is the lowest-numbered of its chain next to an empty point: so that each is counted once."""
    for k in range(4):
        other = np.int64(rules.neighbours[8 * q + k])
        if other < stone and board.head[other] == head:
            return False
    return True
