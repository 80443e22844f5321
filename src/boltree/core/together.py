"""Many searches at once: each backs up what was on its way, and selects the next leaves for one common evaluation.

A group is one search's part in that. Every thread is given some groups, and a search belongs to one group only, so
nothing is locked. The leaves of one thread's groups lie one after the other in the rows that it is given.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .batch import send_off, settle
from .jit import inlined, kernel
from .native import FAILED, array_at, call, record_at
from .records import DONE, FEATURES_FAILED, TREE
from .run import room_for_trials
from .views import flight_at

_WORD, _FEATURE = np.dtype(np.uint64), np.dtype(np.float32)


@kernel
def advance_groups(
    groups: Any, first: int, last: int, values: Any, priors: Any, rows_at: int, row_bytes: int, row_items: int
) -> int:
    """Back up and select in the groups from `first` to `last`; how many rows were written, from `rows_at` on.

    A group whose status is not DONE waits until it has been seen to; one that has its trials selects no more.
    """
    written = 0
    for g in range(first, last):
        group = groups[g]
        if group.status != DONE:
            continue
        tree = record_at(group.tree, TREE)
        if group.count:
            group.status = settle(tree, 0, group.count, values, priors, group.row)
            if group.status != DONE:
                continue
        group.count = group.waits = 0
        group.trials = tree.trials
        wanted = min(group.size, group.end - tree.trials)
        if wanted <= 0:
            continue
        group.status = room_for_trials(tree, wanted)
        if group.status != DONE:
            continue
        count = send_off(tree, 0, wanted)
        if count < 0:
            group.status = -count
            continue
        group.count = count
        for k in range(count):
            flight = flight_at(tree, k)
            if flight.waits:
                state_at = tree.states_at + 8 * tree.words * np.int64(flight.leaf)
                if not write_row(group, tree, state_at, rows_at + written * row_bytes, row_items):
                    group.status = FEATURES_FAILED
                    tree.error_node = flight.leaf
                group.waits += 1
                written += 1
    return written


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
