"""Undoing a trial that failed on its way down, so that the tree is as it was before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..memory.layout import NONE, PASSED, SINGLE
from ..memory.views import edge_at, link_at, node_at, path_links_of, step_at


@inlined
def undo(tree: Any, graph: bool) -> None:
    """Take back a failed trial's visits, and the nodes and links that it made.

    `graph` says that nodes may have several parents, as in `descend`; a constant.
    """
    if tree.pending == 2:
        return  # it was the root's own evaluation that failed
    for level in range(tree.length + 1):
        at = step_at(tree, level)
        index = np.int64(at.node)
        if index >= tree.nodes_before and not graph:
            if level > 0:
                cut_off(tree, index, np.int64(step_at(tree, level - 1).slot))
            break  # all below a new node is new
        if index >= tree.nodes_before and not tree.known:
            continue  # it goes, and its links with it; but the path may lead back to older nodes
        node = node_at(tree, index)
        node.visits -= 1
        node.entropy = at.entropy
        if graph:
            node.marks &= 255 ^ PASSED
            if level < tree.length and not tree.known:
                drop_new_link(tree, level)
    if tree.known:
        return  # nodes and links that the problem listed stay: they are right whatever failed
    tree.node_count = tree.nodes_before
    tree.index_stale = tree.index_size > 0


@inlined
def cut_off(tree: Any, index: int, slot: int) -> None:
    """Take a node out of its parent's outcomes, where it is the newest."""
    node = node_at(tree, index)
    parent = node_at(tree, node.parent)
    if slot == NONE:
        parent.block = NONE
        parent.marks &= 255 ^ SINGLE
    else:
        edge_at(tree, parent.block + slot).child = node.sibling


@inlined
def drop_new_link(tree: Any, level: int) -> None:
    """Take the link that the trial took out of its edge, if it is new."""
    link = link_at(tree, path_links_of(tree)[level])
    if link.visits == 0:
        at = step_at(tree, level)
        edge = edge_at(tree, node_at(tree, np.int64(at.node)).block + at.slot)
        edge.child = link.next
        edge.outcomes -= 1
