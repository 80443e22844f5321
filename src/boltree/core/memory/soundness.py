"""Whether the memory of a tree is one that trials can have made: what is read from a file is checked.

A kernel follows the numbers in a tree without looking where they lead. So before the first trial on a tree that was
loaded, every number that leads somewhere is checked, and every count against the counts it is the sum of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.space import HALVING, NO_ENTROPY, SWITCHING
from ..jit import inlined, kernel
from .blocks import (
    bounds_at,
    draws_ahead,
    extra_at,
    forget_order,
    is_tabled,
    prior_at,
    references_at,
    table_at,
    units_of,
)
from .layout import BY_STATE, LEAF, NONE, ORIGIN, PROVEN, RECYCLED, SINGLE, TABLED, TERMINAL, UNFINISHED, WINDOWED
from .links import depth_below
from .outcomes import CHAIN, INDEXED
from .views import (
    ahead_at,
    bound_at,
    edge_at,
    entropy_at,
    header_at,
    link_at,
    node_at,
    quota_at,
    row_at,
    schedule_at,
    window_of,
    words_of,
)

SOUND = 0
FAULTS = ("", "record", "block", "action", "outcome", "count", "bounds", "prior", "table", "schedule", "path")
_FIELD, _BLOCK, _ACTION, _OUTCOME, _COUNT, _BOUNDS, _PRIOR, _TABLE, _SCHEDULE, _PATH = range(1, 11)
MOST = 2**53
"""Of visits: counts beyond this are not exact as real numbers."""


@kernel
def find_fault(handle: Any, met: Any, used: Any) -> int:
    """The first thing that is wrong (``tree.error_node`` says where), or SOUND.

    Args:
        handle: the tree.
        met: zeros, one for each node.
        used: zeros, one for each unit.
    """
    tree = handle[0]
    for index in range(tree.node_count):
        tree.error_node = index
        if not is_node_sound(tree, index):
            return _FIELD
    for index in range(tree.node_count):
        tree.error_node = index
        fault = fault_below(tree, index, met, used)
        if fault != SOUND:
            return fault
    for index in range(tree.node_count):
        tree.error_node = index
        if met[index] != (0 if index == tree.root else 1) and not (
            tree.transpositions == BY_STATE and index == tree.root
        ):
            return _PATH
    for k in range(tree.window_count):
        tree.error_node = index = np.int64(window_of(tree)[k])
        if index < 0 or index >= tree.node_count:
            return _PATH
        node = node_at(tree, index)
        if node.block == NONE or node.marks & SINGLE or node.marks & WINDOWED == 0:
            return _FIELD
    return SOUND


@kernel
def forget_orders(handle: Any) -> None:
    """Drop the orders that nodes keep of their edges: they follow from the values, and are made again."""
    tree = handle[0]
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.block != NONE and not node.marks & SINGLE:
            forget_order(tree, node)


@inlined
def is_finite(x: float) -> bool:
    """Neither NaN nor infinite."""
    return x > -np.inf and x < np.inf


@inlined
def is_node_sound(tree: Any, index: int) -> bool:
    """Whether a node's own numbers are within bounds."""
    node = node_at(tree, index)
    allowed = TERMINAL | SINGLE | TABLED | ORIGIN | UNFINISHED | (WINDOWED if tree.adaptive else 0)
    if tree.proofs:
        allowed |= PROVEN
    return (
        node.visits >= 0
        and node.visits < MOST
        and is_finite(node.value)
        and is_finite(node.entropy)
        and is_finite(node.reward)
        and node.depth >= 0
        and np.int64(node.actions) <= tree.actions
        and node.best >= (RECYCLED if tree.recyclings else NONE)
        and node.best < max(np.int64(node.actions), 1)
        and node.marks & (255 ^ allowed) == 0
        and node.player <= 1
        and node.flights == 0
    )


@inlined
def fault_below(tree: Any, index: int, met: Any, used: Any) -> int:
    """What is wrong with a node's block, its edges and their outcomes."""
    node = node_at(tree, index)
    ends = node.marks & TERMINAL != 0 or node.depth >= tree.horizon
    first = np.int64(0 if tree.growth != LEAF or node.marks & ORIGIN else 1)
    tried = np.int64(0)
    if node.block == NONE:
        if node.marks & (SINGLE | TABLED):
            return _BLOCK
    elif ends:
        return _BLOCK
    elif node.marks & SINGLE:
        if tree.compact == 0 or node.marks & TABLED:
            return _BLOCK
        tried = meet(tree, index, np.int64(node.block), NONE, met)
        if tried < 0:
            return _OUTCOME
    else:
        n = np.int64(node.actions)
        start = np.int64(node.block) - tree.has_header
        if n == 0 or start < 0 or start > tree.unit_count - units_of(tree, n):
            return _BLOCK
        for unit in range(start, start + units_of(tree, n)):
            if used[unit]:
                return _BLOCK
            used[unit] = 1
        action = np.int64(-1)
        for i in range(n):
            edge = edge_at(tree, node.block + i)
            if np.int64(edge.action) <= action or np.int64(edge.action) >= tree.actions:
                return _ACTION
            action = np.int64(edge.action)
            indexed = (edge.outcomes == INDEXED and tree.index_wanted) or tree.transpositions
            if not is_finite(edge.w) or np.isnan(edge.q) or not (edge.outcomes <= CHAIN or indexed):
                return _ACTION
            if tree.transpositions:
                visits = visits_of_links(tree, index, np.int64(edge.child), met, used)
            else:
                visits = visits_of_outcomes(tree, index, np.int64(edge.child), action, met)
            if visits < 0:
                return _OUTCOME
            if edge.visits != visits and (tree.distribution != SWITCHING or edge.visits < 0 or edge.visits > visits):
                return _COUNT
            tried += edge.visits
        fault = fault_in_parts(tree, node, n)
        if fault != SOUND:
            return fault
    if ends or tree.distribution == SWITCHING or node.marks & UNFINISHED or tree.recyclings:
        return SOUND if tried <= node.visits else _COUNT
    return SOUND if tried == max(np.int64(node.visits) - first, 0) else _COUNT


@inlined
def visits_of_outcomes(tree: Any, index: int, child: int, action: int, met: Any) -> int:
    """The sum of visits of an edge's outcomes; -1 if one of them cannot be."""
    visits = np.int64(0)
    while child != NONE:
        count = meet(tree, index, child, action, met)
        if count < 0:
            return np.int64(-1)
        visits += count
        child = np.int64(node_at(tree, child).sibling)
    return visits


@inlined
def visits_of_links(tree: Any, index: int, link: int, met: Any, used: Any) -> int:
    """The sum of visits of an edge's links; -1 if one of them, or the node that it leads to, cannot be."""
    visits = np.int64(0)
    while link != NONE:
        if link < 0 or link >= tree.unit_count or used[link]:
            return np.int64(-1)
        used[link] = 1
        record = link_at(tree, link)
        child = np.int64(record.child)
        if child < 0 or child >= tree.node_count or record.visits < 0 or record.visits >= MOST:
            return np.int64(-1)
        if not (is_finite(record.reward) and is_finite(record.rewards)):
            return np.int64(-1)
        if node_at(tree, child).depth != depth_below(tree, index):
            return np.int64(-1)
        met[child] = 1
        visits += record.visits
        link = np.int64(record.next)
    return visits


@inlined
def meet(tree: Any, index: int, child: int, action: int, met: Any) -> int:
    """The visits of an outcome of an action (of any, if NONE) of a node; -1 if it cannot be one."""
    if child < 0 or child >= tree.node_count or met[child]:
        return np.int64(-1)
    met[child] = 1
    below = node_at(tree, child)
    right = below.parent == index and below.depth == node_at(tree, index).depth + 1
    if action == NONE:
        right = right and below.sibling == NONE and np.int64(below.action) < tree.actions
    else:
        right = right and np.int64(below.action) == action
    return np.int64(below.visits) if right else np.int64(-1)


@inlined
def fault_in_parts(tree: Any, node: Any, n: int) -> int:
    """What is wrong with the parts of a block that some algorithms add."""
    extra = extra_at(tree, node.block, n)
    if tree.entropy_bonus != NO_ENTROPY:
        for i in range(n):
            row = entropy_at(tree, extra, i)
            if not (is_finite(row.w) and is_finite(row.h) and row.policy >= 0.0 and row.policy <= 1.0 + 1e-9):
                return _ACTION
    if tree.distribution == HALVING:
        schedule = schedule_at(tree, node.block - 1)
        if schedule.budget < 0 or schedule.used < 0 or schedule.quota < 0:
            return _SCHEDULE
        alive = 0
        for i in range(n):
            quota = quota_at(tree, extra, i)
            if quota.done < 0 or quota.alive < 0 or quota.alive > 1:
                return _SCHEDULE
            alive += quota.alive
        if alive == 0:
            return _SCHEDULE
    elif tree.has_header:
        header = header_at(tree, node.block - 1)
        if np.isnan(header.shift) or np.isnan(header.total) or np.isnan(header.peak):
            return _TABLE
        word = ahead_at(tree, node.block - 1).drawn if draws_ahead(tree, n) else np.int64(0)
        while word > 1:
            if word & 15 >= n:
                return _TABLE
            word >>= 4
    for i in range(n + 1 if tree.proofs else 0):
        row = bound_at(tree, bounds_at(tree, node.block, n), i)
        if not row.lower <= row.upper + 1e-9 * (1.0 + abs(row.upper)):
            return _BOUNDS
    if tree.has_prior:
        for i in range(n):
            prior = words_of(tree)[prior_at(tree, node.block, n) + i]
            if not (prior >= 0.0 and prior <= 1.0 + 1e-9):
                return _PRIOR
    tabled = is_tabled(tree, n)
    if node.marks & TABLED and not tree.proofs:
        if not (tabled and is_table_sound(tree, table_at(tree, node.block, n), n)):
            return _TABLE
    if tree.relative and node.marks & TABLED:
        first = references_at(tree, node.block, n)
        for i in range(2 * n):
            if not (words_of(tree)[first + i] >= 0.0 and words_of(tree)[first + i] <= 1.0 + 1e-9):
                return _TABLE
    if tabled and tree.has_prior and not is_table_sound(tree, table_at(tree, node.block, n) + n, n):
        return _TABLE
    return SOUND


@inlined
def is_table_sound(tree: Any, first: int, n: int) -> bool:
    """Whether every row of an alias table leads to a row."""
    for i in range(n):
        row = row_at(tree, first + i)
        if np.isnan(row.threshold) or np.int64(row.alias) >= n:
            return False
    return True
