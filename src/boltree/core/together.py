"""Many searches at once: each backs up what was on its way, and selects the next leaves for one common evaluation.

A group is one search's part in that. A crowd of threads stays inside `help_out`: it takes groups one by one from a
board, as the thread that leads has written them there. A search belongs to one group only, so nothing is locked, and no
thread needs the interpreter. A group's leaves are written to rows of its own; then all rows are packed together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .atomics import SPINS, add_to, read_from, sleep, write_to
from .batch import send_off, settle
from .jit import inlined, kernel
from .native import FAILED, array_at, call, record_at
from .records import DONE, FEATURES_FAILED, GROUP, TREE
from .run import room_for_trials
from .views import flight_at

_WORD, _FEATURE, _BYTE, _REAL = (np.dtype(kind) for kind in (np.uint64, np.float32, np.uint8, np.float64))

BOARD = np.dtype(
    [
        ("jobs", "i8"),  # begun so far
        ("next", "i8"),  # the group that is taken next, or beyond the last
        ("left", "i8"),  # groups of this job that are not done
        ("closed", "i8"),
        ("packing", "i8"),  # what this job is: to advance groups, or to pack their rows
        ("groups_at", "i8"),
        ("count", "i8"),
        ("size", "i8"),  # rows of a group
        ("values_at", "i8"),
        ("priors_at", "i8"),
        ("answers", "i8"),  # how many there are
        ("prior_items", "i8"),  # of one
        ("rows_at", "i8"),
        ("packed_at", "i8"),
        ("row_bytes", "i8"),
        ("row_items", "i8"),
        ("sleep", "i8"),  # the system's function to sleep for microseconds; 0 where there is none
    ]
)
"""What the threads of a crowd read to know what to do."""

assert BOARD.fields is not None
JOBS, NEXT, LEFT, CLOSED = (BOARD.fields[name][1] for name in ("jobs", "next", "left", "closed"))
PAUSE = 50
"""Microseconds that a thread without work sleeps."""
BEYOND = 1 << 40
GROUP_BYTES = GROUP.itemsize


@kernel
def help_out(board_at: int) -> None:
    """Take part in every job until the board is closed."""
    board = record_at(board_at, BOARD)
    seen = np.int64(0)
    while True:
        spins = 0
        while read_from(board_at + JOBS) == seen:
            if read_from(board_at + CLOSED):
                return
            spins += 1
            if spins > SPINS:
                rest(board)
        seen = read_from(board_at + JOBS)
        take_groups(board, board_at)


@inlined
def rest(board: Any) -> None:
    """Sleep a little, where the system has a call for that."""
    if board.sleep != 0:
        sleep(board.sleep, PAUSE)


@kernel
def lead(board_at: int) -> int:
    """Advance all groups that the board names, with whoever helps; then pack their rows. How many rows there are."""
    board = record_at(board_at, BOARD)
    do_job(board, board_at, 0)
    row = np.int64(0)
    for g in range(board.count):
        group = record_at(board.groups_at + g * GROUP_BYTES, GROUP)
        group.row = row
        row += group.waits
    do_job(board, board_at, 1)
    return row


@inlined
def do_job(board: Any, board_at: int, packing: int) -> None:
    """Do one thing with all groups."""
    board.packing = packing
    write_to(board_at + LEFT, board.count)
    write_to(board_at + NEXT, 0)
    add_to(board_at + JOBS, 1)
    take_groups(board, board_at)
    spins = 0
    while read_from(board_at + LEFT) > 0:
        spins += 1
        if spins > SPINS:
            rest(board)
    write_to(board_at + NEXT, BEYOND)  # who comes late finds nothing


@inlined
def take_groups(board: Any, board_at: int) -> None:
    """Do groups until there are none left."""
    while True:
        g = add_to(board_at + NEXT, 1)
        if g >= board.count:
            return
        group = record_at(board.groups_at + g * GROUP_BYTES, GROUP)
        if board.packing:
            pack(board, group, g)
        else:
            advance(board, group, board.rows_at + g * board.size * board.row_bytes)
        add_to(board_at + LEFT, -1)


@inlined
def pack(board: Any, group: Any, g: int) -> None:
    """Move a group's rows to where all of them stand together."""
    size = group.waits * board.row_bytes
    source = array_at(board.rows_at + g * board.size * board.row_bytes, size, _BYTE)
    target = array_at(board.packed_at + group.row * board.row_bytes, size, _BYTE)
    for i in range(size):
        target[i] = source[i]


@inlined
def advance(board: Any, group: Any, row_at: int) -> None:
    """Back up and select in one group, and write its leaves from `row_at` on.

    A group whose status is not DONE waits until it has been seen to; one that has its trials selects no more.
    """
    if group.status != DONE:
        group.waits = 0
        return
    tree = record_at(group.tree, TREE)
    if group.count:
        values = array_at(board.values_at, board.answers, _REAL)
        priors = array_at(board.priors_at, board.answers * board.prior_items, _REAL)
        group.status = settle(tree, 0, group.count, values, priors, group.row)
        if group.status != DONE:
            group.waits = 0
            return
    group.count = group.waits = 0
    group.trials = tree.trials
    wanted = min(group.size, group.end - tree.trials)
    if wanted <= 0:
        return
    group.status = room_for_trials(tree, wanted)
    if group.status != DONE:
        return
    count = send_off(tree, 0, wanted)
    if count < 0:
        group.status = -count
        return
    group.count = count
    for k in range(count):
        flight = flight_at(tree, k)
        if flight.waits:
            state_at = tree.states_at + 8 * tree.words * np.int64(flight.leaf)
            if not write_row(group, tree, state_at, row_at + group.waits * board.row_bytes, board.row_items):
                group.status = FEATURES_FAILED
                tree.error_node = flight.leaf
            group.waits += 1


@inlined
def write_row(group: Any, tree: Any, state_at: int, row_at: int, items: int) -> bool:
    """Write a leaf's features, or its state where the problem has none; False if the features raised."""
    if group.features:
        features = array_at(row_at, items, _FEATURE)
        for i in range(items):
            features[i] = 0.0
        return call(group.features, (group.params, state_at, row_at, items)) != FAILED
    state, row = array_at(state_at, tree.words, _WORD), array_at(row_at, tree.words, _WORD)
    for i in range(tree.words):
        row[i] = state[i]
    return True
