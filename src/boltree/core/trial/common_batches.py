"""Many searches share an evaluator: each backs up the trials it has in flight, then selects leaves for the next batch.

A group is one search's part in that. Helper threads stay inside `help_queues` and take pieces of work from queues, one
for each thread that leads. First, each piece is a group, which backs up and selects; a search belongs to one group
only, so nothing is locked. Then, when it is known how many leaves there are, a piece is a few of them, which are
written as rows of the common batch. No thread needs the Python interpreter meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from ..memory.layout import DONE, FEATURES_FAILED, GROUP, TREE
from ..memory.room import room_for_trials
from ..memory.views import flight_at
from ..native import FAILED, array_at, call, record_at
from .batch import back_up_flights, select_leaves
from .work_queue import COUNTERS, SIGNAL, await_end, await_job, begin_job, draw_from_any, draw_piece, end_piece

_WORD, _FEATURE, _INDEX, _REAL = (np.dtype(kind) for kind in (np.uint64, np.float32, np.int64, np.float64))

PLAN = np.dtype(
    [
        ("groups_at", "i8"),
        ("count", "i8"),
        ("size", "i8"),  # leaves of a group, at most
        ("values_at", "i8"),
        ("priors_at", "i8"),
        ("answers", "i8"),  # how many there are
        ("prior_items", "i8"),  # of one
        ("leaves_at", "i8"),  # nodes that wait, `size` places for each group
        ("places_at", "i8"),  # of each row, its place among these
        ("rows", "i8"),  # how many there are
        ("rows_at", "i8"),
        ("row_bytes", "i8"),
        ("row_items", "i8"),
    ]
)
"""Groups that are advanced together, and the memory for that."""

QUEUE = np.dtype(
    [
        *COUNTERS,
        ("writing", "i8"),  # what this job is: to advance groups, or to write their leaves
        ("plan_at", "i8"),
    ]
)
"""A leader's queue of work."""

POOL = np.dtype([*SIGNAL, ("queues_at", "i8"), ("queues", "i8")])
"""What helper threads watch."""

ROWS_A_PIECE = 4
GROUP_BYTES, QUEUE_BYTES = GROUP.itemsize, QUEUE.itemsize


@kernel
def help_queues(pool_at: int) -> None:
    """Take pieces of every job, from any queue, until the pool is closed."""
    pool = record_at(pool_at, POOL)
    seen = np.int64(0)
    while True:
        job = await_job(pool_at, seen)
        if job == seen:
            return
        seen = job
        while True:
            queue_at, piece = draw_from_any(pool.queues_at, pool.queues, QUEUE_BYTES)
            if piece < 0:
                break
            do_piece(record_at(queue_at, QUEUE), queue_at, piece)


@kernel
def advance_groups(queue_at: int, plan_at: int, values: Any, priors: Any) -> tuple[int, bool]:
    """Advance all groups of a plan, with the help of other threads; then write their leaves as rows.

    Returns the number of rows, and whether a group has ended or has an event to be handled.
    """
    queue, plan = record_at(queue_at, QUEUE), record_at(plan_at, PLAN)
    queue.plan_at = plan_at
    plan.values_at, plan.priors_at = values.ctypes.data, priors.ctypes.data
    plan.answers, plan.prior_items = values.size, priors.shape[1]
    do_job(queue, queue_at, 0, plan.count)
    number_rows(plan)
    do_job(queue, queue_at, 1, (plan.rows + ROWS_A_PIECE - 1) // ROWS_A_PIECE)
    special = False
    for g in range(plan.count):
        group = record_at(plan.groups_at + g * GROUP_BYTES, GROUP)
        special = special or group.status != DONE or (group.count == 0 and group.trials >= group.end)
    return plan.rows, special


@inlined
def do_job(queue: Any, queue_at: int, writing: int, pieces: int) -> None:
    """Advance all groups, or write all rows."""
    queue.writing = writing
    begin_job(queue_at, pieces)
    while True:
        piece = draw_piece(queue_at)
        if piece < 0:
            break
        do_piece(queue, queue_at, piece)
    await_end(queue_at)


@inlined
def number_rows(plan: Any) -> None:
    """Give every leaf its row."""
    places = array_at(plan.places_at, plan.count * plan.size, _INDEX)
    row = np.int64(0)
    for g in range(plan.count):
        group = record_at(plan.groups_at + g * GROUP_BYTES, GROUP)
        group.row = row
        for k in range(group.waits):
            places[row + k] = g * plan.size + k
        row += group.waits
    plan.rows = row


@inlined
def do_piece(queue: Any, queue_at: int, piece: int) -> None:
    """Do a piece that was drawn of the queue's present job."""
    plan = record_at(queue.plan_at, PLAN)
    if queue.writing:
        for row in range(piece * ROWS_A_PIECE, min((piece + 1) * ROWS_A_PIECE, plan.rows)):
            write(plan, row)
    else:
        group = record_at(plan.groups_at + piece * GROUP_BYTES, GROUP)
        advance(plan, group, plan.leaves_at + 8 * piece * plan.size)
    end_piece(queue_at)


@inlined
def write(plan: Any, row: int) -> None:
    """Write a leaf's row."""
    place = array_at(plan.places_at, plan.rows, _INDEX)[row]
    leaf = array_at(plan.leaves_at, plan.count * plan.size, _INDEX)[place]
    group = record_at(plan.groups_at + place // plan.size * GROUP_BYTES, GROUP)
    tree = record_at(group.tree, TREE)
    if not write_row(group, tree, leaf, plan.rows_at + row * plan.row_bytes, plan.row_items):
        group.status = FEATURES_FAILED
        tree.error_node = leaf


@inlined
def advance(plan: Any, group: Any, leaves_at: int) -> None:
    """Back up and select in one group, and list the leaves that wait for the evaluator.

    A group whose status is not DONE does nothing until Python has handled that event; one that has run all its trials
    selects no more.
    """
    if group.status != DONE:
        group.waits = 0
        return
    tree = record_at(group.tree, TREE)
    if group.count:
        values = array_at(plan.values_at, plan.answers, _REAL)
        priors = array_at(plan.priors_at, plan.answers * plan.prior_items, _REAL)
        group.status = back_up_flights(tree, 0, group.count, values, priors, group.row, False)
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
    count = select_leaves(tree, 0, wanted, False)
    if count < 0:
        group.status = -count
        return
    group.count = count
    leaves = array_at(leaves_at, plan.size, _INDEX)
    for k in range(count):
        flight = flight_at(tree, k)
        if flight.waits:
            leaves[group.waits] = flight.leaf
            group.waits += 1


@inlined
def write_row(group: Any, tree: Any, leaf: int, row_at: int, items: int) -> bool:
    """Write a leaf's features, or its state where the problem has none; False if the features raised."""
    state_at = tree.states_at + 8 * tree.words * leaf
    if group.features:
        features = array_at(row_at, items, _FEATURE)
        for i in range(items):
            features[i] = 0.0
        return call(group.features, (group.params, state_at, row_at, items)) != FAILED
    state, row = array_at(state_at, tree.words, _WORD), array_at(row_at, tree.words, _WORD)
    for i in range(tree.words):
        row[i] = state[i]
    return True
