"""Shared nodes: an edge's outcomes are links, and a node is found by its state (and depth) from any edge.

In a tree the outcomes of an edge are nodes of its own. With transpositions the same state at the same depth is one
node, whichever path leads there; so what belongs to the path lies in a *link* from the edge to the node: how often
it was taken, n(s,a,s'), and the rewards paid. ``edge.child`` is the first link, the newest. A link is as large as one
unit of the memory for blocks and lies there. ``edge.outcomes`` counts the links as far as it can.

The index holds every node by state, depth and whether the problem ended there. With nodes shared by the state alone
every depth is the root's, 0: a trial then ends where it comes to a node for the second time, or after as many steps as
the horizon has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from ..random import hashed
from .layout import BY_STATE, NONE, PASSED, TERMINAL
from .outcomes import CHAIN, has_state
from .views import edge_at, index_of, link_at, node_at, states_of

MOST_COUNTED = 65535


@inlined
def is_long(tree: Any, edge: Any) -> bool:
    """Whether an edge has more outcomes than `CHAIN`, so that not all of them are looked at on every visit."""
    return edge.outcomes > CHAIN  # type: ignore[no-any-return]


@inlined
def depth_below(tree: Any, parent: int) -> int:
    """The depth of a node's outcomes."""
    depth = np.int64(node_at(tree, parent).depth)
    return depth if tree.transpositions == BY_STATE else depth + 1


@inlined
def place_of(tree: Any, node: int, depth: int, terminal: bool) -> int:
    """Where the index holds the node with the state in place `node`, or the free slot where it belongs."""
    states, index = states_of(tree), index_of(tree)
    h = hashed(depth, 1 if terminal else 0, 0)
    for w in range(tree.words):
        h = hashed(h, states[node * tree.words + w], w)
    mask = np.int64(tree.index_size - 1)
    slot = np.int64(h >> np.uint64(1)) & mask
    while index[slot] != NONE:
        other = np.int64(index[slot])
        if node_at(tree, other).depth == depth and has_state(tree, other, node, terminal):
            break
        slot = (slot + 1) & mask
    return slot


@inlined
def find_in_graph(tree: Any, parent: int, edge: int, terminal: bool) -> int:
    """The node with the state just sampled (which lies where the next node's will) below an edge of `parent`, or NONE.

    Known outcomes of the edge are looked at first, which spares the index where they are few.
    """
    fresh = tree.node_count
    if not is_long(tree, edge_at(tree, edge)):
        link = np.int64(edge_at(tree, edge).child)
        while link != NONE:
            child = np.int64(link_at(tree, link).child)
            if has_state(tree, child, fresh, terminal):
                return child
            link = np.int64(link_at(tree, link).next)
    return np.int64(index_of(tree)[place_of(tree, fresh, depth_below(tree, parent), terminal)])


@inlined
def enter_in_graph(tree: Any, parent: int, child: int) -> None:
    """Enter a new node into the index."""
    node = node_at(tree, child)
    node.depth = depth_below(tree, parent)
    index_of(tree)[place_of(tree, child, node.depth, node.marks & TERMINAL != 0)] = child
    tree.index_count += 1


@inlined
def take_link(tree: Any, edge: int, child: int, reward: float, fresh: bool) -> int:
    """The link from an edge to a node; a new one if the edge has none, as to a fresh node."""
    record = edge_at(tree, edge)
    link = np.int64(NONE)
    if not fresh:
        link = np.int64(record.child)
        while link != NONE and link_at(tree, link).child != child:
            link = np.int64(link_at(tree, link).next)
    if link == NONE:
        link = tree.unit_count
        tree.unit_count += 1
        new = link_at(tree, link)
        new.rewards = 0.0
        new.reward = reward
        new.visits = 0
        new.child = child
        new.next = record.child
        record.child = link
        if record.outcomes < MOST_COUNTED:
            record.outcomes += 1
    return link


@inlined
def is_cut(tree: Any, node: Any, level: int, fresh: bool) -> bool:
    """Whether a trial ends at a node, with the node's value, because it was here before or is as long as may be.

    Such an arrival is not a visit: N(s) counts the actions taken at s, and the evaluation when it was new.
    """
    if tree.transpositions != BY_STATE or fresh or node.marks & TERMINAL:
        return False
    if node.marks & PASSED or level >= tree.horizon:
        return True
    node.marks |= PASSED
    return False


@kernel
def rebuild_graph_index(handle: Any) -> None:
    """Enter every node into an empty index."""
    tree = handle[0]
    tree.index_count = 0
    for i in range(tree.node_count):
        node = node_at(tree, i)
        index_of(tree)[place_of(tree, i, np.int64(node.depth), node.marks & TERMINAL != 0)] = i
        tree.index_count += 1
