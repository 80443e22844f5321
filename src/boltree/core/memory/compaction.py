"""Compacts a tree after threads have worked on it: no node that no trial reached, no unused number between nodes.

Threads leave the rest of their ranges unused, a trial that failed leaves nodes without a visit, and trees that were
merged their nodes that both had. Between runs nodes are numbered without gaps, as every other kernel counts on: nodes
from the end are moved into the gaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from .blocks import slot_of
from .layout import NONE, SINGLE, TERMINAL, UNFINISHED, WAITING
from .outcomes import INDEXED, index_slot
from .prefetch import prefetch
from .subtree import copy_record
from .views import edge_at, index_of, node_at

AHEAD = 8
"""How many nodes ahead memory is prefetched: about as many as are moved while memory answers."""


@kernel
def drop_unvisited(handle: Any) -> None:
    """Take nodes that no trial has been backed up through out of the tree; their visits become -1."""
    tree = handle[0]
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.visits == 0 and index != tree.root:
            replace(tree, index, np.int64(node.sibling), True)
            tree.index_stale = tree.index_size > 0
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.visits == 0 and index != tree.root:
            node.visits = NONE
        elif node.visits > 0 and node.marks & WAITING:  # its evaluation failed, others went through
            node.marks = (node.marks & (255 ^ WAITING)) | UNFINISHED


@inlined
def replace(tree: Any, index: int, by: int, patient: bool) -> bool:
    """Make what points to a node, its parent's edge or the sibling before it, point to another.

    False where that sibling is one of very many and was not searched for, which is done only if `patient`.
    """
    node = node_at(tree, index)
    parent = node_at(tree, np.int64(node.parent))
    if parent.marks & SINGLE:
        parent.block = by
        return True
    edge = edge_at(tree, parent.block + slot_of(tree, parent, np.int64(node.action)))
    if edge.child == index:
        edge.child = by
        return True
    if edge.outcomes == INDEXED and not patient:
        return False
    child = np.int64(edge.child)
    while child != NONE:
        other = node_at(tree, child)
        if other.sibling == index:
            other.sibling = by
            return True
        child = np.int64(other.sibling)
    return True


@kernel
def move_nodes(handle: Any, free: Any, spans: Any) -> None:
    """Move the nodes of some spans to free numbers, of which there are as many, all of them before the first span.

    Nodes whose visits are NONE are gone. In the old record of a moved node, the visits become its new number.
    """
    tree = handle[0]
    found = True
    k = 0
    for s in range(spans.shape[0]):
        for index in range(spans[s, 0], spans[s, 1]):
            if index + 2 * AHEAD < spans[s, 1]:
                look_ahead(tree, index)
            if node_at(tree, index).visits != NONE:
                found = move(tree, index, free[k], spans[0, 0]) and found
                k += 1
    if not found:
        for index in range(spans[0, 0]):
            node = node_at(tree, index)
            if node.sibling >= spans[0, 0]:
                node.sibling = node_at(tree, np.int64(node.sibling)).visits


@inlined
def look_ahead(tree: Any, index: int) -> None:
    """Prefetch what is needed to move later nodes: their parents and blocks, and the parents' edges."""
    node = node_at(tree, index + 2 * AHEAD)
    if node.visits != NONE:
        prefetch(node_at(tree, np.int64(node.parent)))
        if node.block != NONE and not node.marks & SINGLE:
            prefetch(edge_at(tree, node.block))
    node = node_at(tree, index + AHEAD)
    if node.visits != NONE:
        above = node_at(tree, np.int64(node.parent))
        if not above.marks & SINGLE:
            prefetch(edge_at(tree, above.block + min(np.int64(node.action), np.int64(above.actions) - 1)))


@inlined
def move(tree: Any, index: int, to: int, moving: int) -> bool:
    """Give a node another number; all nodes from `moving` up to it have theirs already. Returns what `replace` does."""
    old = node_at(tree, index)
    if tree.index_size > 0:
        parent = node_at(tree, np.int64(old.parent))
        edge = parent.block + slot_of(tree, parent, np.int64(old.action))
        if not parent.marks & SINGLE and edge_at(tree, edge).outcomes == INDEXED:
            index_of(tree)[index_slot(tree, edge, index, old.marks & TERMINAL != 0)] = to
    found = replace(tree, index, to, False)
    copy_record(tree, tree, index, to)
    if old.marks & SINGLE:
        node_at(tree, np.int64(old.block)).parent = to
    elif old.block != NONE:
        for i in range(np.int64(old.actions)):
            child = np.int64(edge_at(tree, old.block + i).child)
            while child != NONE:
                if child >= moving and child < index:  # it has moved, and its sibling still points to its old number
                    child = np.int64(node_at(tree, child).visits)
                node_at(tree, child).parent = to
                child = np.int64(node_at(tree, child).sibling)
    old.visits = to
    return found
