"""Merges two graphs of the same search, which two threads grew apart: one is added to the other, node by node.

"Ours" stays, "theirs" is added. Nodes are the same where state and depth are. What was counted adds up, on nodes, edges
and links; bounds hold in both, so the narrower ones do. Everything else follows from what lies below a node (graph.py),
and a sweep computes it afterwards. A leaf that both have valued is worth the mean of the two, and was visited once to
be valued, as in a graph that one thread grew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import bound_node
from ..formulas.units import note_return
from ..jit import inlined, kernel
from ..memory.blocks import bounds_at, forget_draws, units_of
from ..memory.layout import DONE, LEAF, NONE, ORIGIN, PROVEN, TERMINAL, UNFINISHED
from ..memory.links import place_of, take_link
from ..memory.room import room_for
from ..memory.subtree import copy_record
from ..memory.views import bound_at, edge_at, index_of, link_at, node_at, words_of

PLACED, ADDED = 0, 1
"""The counters of a merge: how many of their nodes have a place among ours, and how many are added there."""


@kernel
def merge_graphs(target: Any, source: Any, places: Any, so_far: Any) -> int:
    """Add their graph (`source`) to ours (`target`): DONE, or FULL or INDEX, after which it is to be called again.

    `places` is scratch, with room for all their nodes; `so_far` has the counters, 0 at first.
    """
    mine, theirs = target[0], source[0]
    while so_far[PLACED] < theirs.node_count:
        status = room_for(mine, 1, 0)
        if status != DONE:
            return status
        places[so_far[PLACED]] = place(mine, theirs, np.int64(so_far[PLACED]), places)
        so_far[PLACED] += 1
    while so_far[ADDED] < theirs.node_count:
        index = np.int64(so_far[ADDED])
        status = room_for(mine, 0, units_below(theirs, index))
        if status != DONE:
            return status
        add_node(mine, theirs, index, np.int64(places[index]), places)
        so_far[ADDED] += 1
    mine.trials += theirs.trials
    mine.visits_made += theirs.visits_made
    mine.listed += theirs.listed
    if (mine.automatic or mine.shifted) and theirs.lowest <= theirs.highest:
        note_return(mine, theirs.lowest)
        note_return(mine, theirs.highest)
    return DONE


@inlined
def place(mine: Any, theirs: Any, index: int, places: Any) -> int:
    """Our node that is the same as one of theirs; a new one, at which nothing was counted yet, if we have none."""
    node, fresh = node_at(theirs, index), np.int64(mine.node_count)
    copy_record(theirs, mine, index, fresh)
    slot = place_of(mine, fresh, np.int64(node.depth), node.marks & TERMINAL != 0)
    if index_of(mine)[slot] != NONE:
        return np.int64(index_of(mine)[slot])
    new = node_at(mine, fresh)
    new.visits, new.flights, new.block, new.best = 0, 0, NONE, NONE
    new.parent, new.marks = places[node.parent], node.marks & TERMINAL
    index_of(mine)[slot] = fresh
    mine.index_count += 1
    mine.node_count += 1
    return fresh


@inlined
def units_below(tree: Any, index: int) -> int:
    """Units of a node's block and of the links of its edges."""
    node = node_at(tree, index)
    if node.block == NONE:
        return 0
    units = units_of(tree, np.int64(node.actions))
    for i in range(np.int64(node.actions)):
        link = np.int64(edge_at(tree, node.block + i).child)
        while link != NONE:
            units += 1
            link = np.int64(link_at(tree, link).next)
    return units


@inlined
def add_node(mine: Any, theirs: Any, index: int, ours: int, places: Any) -> None:
    """Add what was counted at their node to ours, with its edges and their links."""
    other, node = node_at(theirs, index), node_at(mine, ours)
    add_visits(mine, theirs, other, node)
    if other.block == NONE or (node.block == NONE and node.marks & PROVEN):
        return
    if node.block == NONE:
        copy_block(mine, theirs, other, node)
    for i in range(np.int64(other.actions)):
        there = edge_at(theirs, other.block + i)
        edge_at(mine, node.block + i).visits += there.visits
        link = np.int64(there.child)
        while link != NONE:
            add_link(mine, node.block + i, link_at(theirs, link), np.int64(places[link_at(theirs, link).child]))
            link = np.int64(link_at(theirs, link).next)
    if mine.has_header:
        forget_draws(mine, node)
    if mine.proofs and not node.marks & PROVEN:
        narrow_bounds(mine, theirs, other, node)
        bound_node(mine, ours)


@inlined
def add_visits(mine: Any, theirs: Any, other: Any, node: Any) -> None:
    """Add the visits of their node to ours; what the leaf was worth is the mean where both have valued it."""
    if node.visits == 0 and not node.marks & PROVEN:
        node.value, node.entropy, node.reward = other.value, other.entropy, other.reward
        node.marks |= other.marks & UNFINISHED
    elif was_valued(mine, node) and was_valued(theirs, other):
        node.visits -= 1
        node.reward = (node.reward + other.reward) / 2.0
        if node.block == NONE and not node.marks & PROVEN:
            node.value = node.reward
    node.visits += other.visits


@inlined
def was_valued(tree: Any, node: Any) -> bool:
    """Whether the first visit of a node was that of a leaf, which was valued."""
    if tree.growth != LEAF or node.visits == 0 or node.depth >= tree.horizon:
        return False
    return node.marks & (ORIGIN | UNFINISHED | TERMINAL) == 0  # type: ignore[no-any-return]


@inlined
def copy_block(mine: Any, theirs: Any, other: Any, node: Any) -> None:
    """Copy the block of their node, as if none of its edges had been taken."""
    size = units_of(mine, np.int64(other.actions))
    node.block, node.actions, node.best = mine.unit_count + mine.has_header, other.actions, other.best
    for w in range(4 * size):
        words_of(mine)[4 * mine.unit_count + w] = words_of(theirs)[4 * (other.block - theirs.has_header) + w]
    mine.unit_count += size
    for i in range(np.int64(node.actions)):
        edge = edge_at(mine, node.block + i)
        edge.visits, edge.child, edge.outcomes = 0, NONE, 0


@inlined
def add_link(mine: Any, edge: int, theirs: Any, child: int) -> None:
    """Add a link of theirs to one of our edges; the link leads to our node `child`."""
    link = link_at(mine, take_link(mine, edge, child, theirs.reward, False))
    link.visits += theirs.visits
    if mine.known:
        link.rewards = theirs.rewards  # the probability
    else:
        link.rewards += theirs.rewards


@inlined
def narrow_bounds(mine: Any, theirs: Any, other: Any, node: Any) -> None:
    """Take the narrower bounds of each edge; those of the node are computed from them next."""
    n = np.int64(node.actions)
    first, second = bounds_at(mine, node.block, n), bounds_at(theirs, other.block, n)
    for i in range(n):
        here, there = bound_at(mine, first, i), bound_at(theirs, second, i)
        here.lower, here.upper = max(here.lower, there.lower), min(here.upper, there.upper)
    mine.narrowed = 1
