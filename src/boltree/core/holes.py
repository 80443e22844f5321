"""Making a tree whole after threads have worked on it: no node that no trial reached, no gaps between nodes.

Threads leave the rest of their ranges unused, and a trial that failed leaves nodes without a visit. Between runs nodes
are numbered without gaps, as every other kernel counts on: nodes from the end are moved into the gaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import inlined, kernel
from .outcomes import INDEXED, index_slot
from .records import NONE, TERMINAL, UNFINISHED, WAITING
from .subtree import copy_record
from .views import edge_at, index_of, node_at


@kernel
def drop_unvisited(handle: Any) -> None:
    """Take nodes that no trial has been backed up through out of the tree; their visits become -1."""
    tree = handle[0]
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.visits == 0 and index != tree.root:
            replace(tree, index, np.int64(node.sibling))
            tree.index_stale = tree.index_size > 0
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.visits == 0 and index != tree.root:
            node.visits = NONE
        elif node.visits > 0 and node.marks & WAITING:  # its evaluation failed, others went through
            node.marks = (node.marks & (255 ^ WAITING)) | UNFINISHED


@inlined
def replace(tree: Any, index: int, by: int) -> None:
    """Let whatever points to a node from above or from its side point to another."""
    parent = node_at(tree, np.int64(node_at(tree, index).parent))
    for i in range(np.int64(parent.actions)):
        edge = edge_at(tree, parent.block + i)
        if edge.action == node_at(tree, index).action:
            if edge.child == index:
                edge.child = by
                return
            child = np.int64(edge.child)
            while child != NONE:
                other = node_at(tree, child)
                if other.sibling == index:
                    other.sibling = by
                    return
                child = np.int64(other.sibling)


@kernel
def close_gaps(handle: Any, gaps: Any) -> None:
    """Move nodes from the end into the gaps, which are given in ascending order, and count the nodes again."""
    tree = handle[0]
    end, last = tree.node_count, gaps.size - 1
    for k in range(gaps.size):
        while last >= k and gaps[last] == end - 1:
            last -= 1
            end -= 1
        if gaps[k] >= end:
            break
        move(tree, end - 1, gaps[k])
        end -= 1
    tree.node_count = end


@inlined
def move(tree: Any, index: int, to: int) -> None:
    """Give a node another number."""
    old = node_at(tree, index)
    parent = node_at(tree, np.int64(old.parent))
    for i in range(np.int64(parent.actions)):
        edge = parent.block + i
        if edge_at(tree, edge).action == old.action and edge_at(tree, edge).outcomes == INDEXED:
            index_of(tree)[index_slot(tree, edge, index, old.marks & TERMINAL != 0)] = to
    replace(tree, index, to)
    copy_record(tree, tree, index, to)
    if old.block != NONE:
        for i in range(np.int64(old.actions)):
            child = np.int64(edge_at(tree, old.block + i).child)
            while child != NONE:
                node_at(tree, child).parent = to
                child = np.int64(node_at(tree, child).sibling)
