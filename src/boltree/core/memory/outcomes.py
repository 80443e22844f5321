"""The outcomes of an edge: finding the node of a sampled state, and linking a new one.

Few outcomes are a chain that is looked through. An edge with more than `CHAIN` of them (a simulator with continuous
noise never repeats a state) is entered into a hash table by edge and state, so that a visit stays O(1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..atomics import add_to, claim
from ..jit import inlined, kernel
from ..native import record_at
from ..random import hashed
from .layout import NONE, SINGLE, TERMINAL, TREE
from .views import edge_at, index_of, node_at, states_of

assert TREE.fields is not None
INDEX_COUNT = TREE.fields["index_count"][1]
CHAIN = 16
INDEXED = 65535
"""``edge.outcomes`` counts up to `CHAIN`; beyond, it is this."""


@inlined
def index_slot(tree: Any, edge: int, node: int, terminal: bool) -> int:
    """Where the index holds an outcome of an edge with the state in place `node`, or the free slot where it belongs."""
    states, index = states_of(tree), index_of(tree)
    h = np.uint64(edge)
    for w in range(tree.words):
        h = hashed(h, states[node * tree.words + w], w)
    mask = np.int64(tree.index_size - 1)
    slot = np.int64(h >> np.uint64(1)) & mask
    while index[slot] != NONE:
        other = np.int64(index[slot])
        if is_outcome(tree, other, edge, node, terminal):
            break
        slot = (slot + 1) & mask
    return slot


@inlined
def has_state(tree: Any, other: int, node: int, terminal: bool) -> bool:
    """Whether a node has the state in place `node`, and is terminal or not as asked for."""
    states = states_of(tree)
    same = (node_at(tree, other).marks & TERMINAL != 0) == terminal
    for w in range(tree.words):
        same = same and states[other * tree.words + w] == states[node * tree.words + w]
    return same  # type: ignore[no-any-return]


@inlined
def is_outcome(tree: Any, other: int, edge: int, node: int, terminal: bool) -> bool:
    """Whether a node is the outcome of this edge with the state in place `node`."""
    if not has_state(tree, other, node, terminal):
        return False
    found = node_at(tree, other)
    parent = node_at(tree, found.parent)
    place = edge - parent.block
    return place >= 0 and place < parent.actions and edge_at(tree, edge).action == found.action


@inlined
def find_outcome(tree: Any, edge: int, first: int, fresh: int, terminal: bool) -> int:
    """The outcome of an edge that equals the state in place `fresh` (just sampled, where the next node's will lie).

    NONE if there is none. `edge` is NONE for a node that has none yet; `first` is the first of the chain.
    """
    if edge != NONE and edge_at(tree, edge).outcomes == INDEXED:
        return np.int64(index_of(tree)[index_slot(tree, edge, fresh, terminal)])
    child = np.int64(first)
    while child != NONE:
        if has_state(tree, child, fresh, terminal):
            return child
        child = np.int64(node_at(tree, child).sibling)
    return child


@inlined
def link_outcome(tree: Any, edge: int, child: int) -> None:
    """Make a node the first outcome of an edge; its sibling is set already."""
    record = edge_at(tree, edge)
    record.child = child
    if record.outcomes < CHAIN:
        record.outcomes += 1
    else:
        tree.index_wanted = 1
        if tree.owner:
            record_at(tree.owner, TREE).index_wanted = 1
        if tree.index_size > 0:
            enter_index(tree, edge)


@inlined
def enter_index(tree: Any, edge: int) -> None:
    """Enter an edge's outcomes into the index; only the first, when the others are there already."""
    record = edge_at(tree, edge)
    only_first = record.outcomes == INDEXED
    record.outcomes = INDEXED
    child = np.int64(record.child)
    while child != NONE:
        terminal = node_at(tree, child).marks & TERMINAL != 0
        if tree.owner:  # another thread may take the free slot first
            while not claim(tree.index_at + 4 * index_slot(tree, edge, child, terminal), NONE, child):
                pass
            add_to(tree.owner + INDEX_COUNT, 1)
        else:
            index_of(tree)[index_slot(tree, edge, child, terminal)] = child
            tree.index_count += 1
        child = np.int64(NONE) if only_first else np.int64(node_at(tree, child).sibling)


@inlined
def index_is_short(tree: Any, new_nodes: int) -> bool:
    """Whether a trial that makes `new_nodes` might fill the index beyond a half, or needs one where there is none."""
    if tree.transpositions:  # it holds every node, once
        return 2 * (tree.index_count + new_nodes) > tree.index_size  # type: ignore[no-any-return]
    if tree.index_wanted == 0:
        return False
    return 2 * most_indexed(tree.index_count, tree.node_count, new_nodes) > tree.index_size


@inlined
def most_indexed(indexed: int, nodes: int, new_nodes: int) -> int:
    """Outcomes that the index may hold after `new_nodes` more: each may add its edge's chain; none counts twice."""
    return min(indexed + new_nodes * (CHAIN + 1), nodes + new_nodes)


@inlined
def has_edges(node: Any) -> bool:
    """Whether a node was not dropped (`drop_unvisited`) and has a block."""
    return node.visits != NONE and node.block != NONE and not node.marks & SINGLE


@kernel
def count_indexed(handle: Any, spans: Any, new_nodes: int) -> int:
    """Outcomes that may belong into the index after `new_nodes` more, where a tree's nodes are in these spans."""
    tree = handle[0]
    count, nodes = 0, 0
    for s in range(spans.shape[0]):
        nodes += spans[s, 1] - spans[s, 0]
        for i in range(spans[s, 0], spans[s, 1]):
            node = node_at(tree, i)
            for k in range(np.int64(node.actions) if has_edges(node) else 0):
                record = edge_at(tree, node.block + k)
                if record.outcomes >= CHAIN:
                    child = np.int64(record.child)
                    while child != NONE:
                        count += 1
                        child = np.int64(node_at(tree, child).sibling)
    return most_indexed(count, nodes, new_nodes)


@kernel
def rebuild_index(handle: Any, spans: Any) -> None:
    """Enter every long chain of the tree into an empty index."""
    tree = handle[0]
    tree.index_count = 0
    for s in range(spans.shape[0]):
        for i in range(spans[s, 0], spans[s, 1]):
            node = node_at(tree, i)
            for k in range(np.int64(node.actions) if has_edges(node) else 0):
                record = edge_at(tree, node.block + k)
                if record.outcomes >= CHAIN:
                    record.outcomes = CHAIN  # none of them is there yet
                    enter_index(tree, node.block + k)


@inlined
def first_outcome(tree: Any, index: int, action: int) -> int:
    """The first known outcome of an action at a node, or NONE."""
    node = node_at(tree, index)
    if node.marks & SINGLE:
        return np.int64(node.block)
    for i in range(np.int64(node.actions)):
        if edge_at(tree, node.block + i).action == action:
            return np.int64(edge_at(tree, node.block + i).child)
    return np.int64(NONE)
