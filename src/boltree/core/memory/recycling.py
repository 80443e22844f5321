"""Recycling: the least visited subtrees are freed, in place, so that a search whose memory is full goes on.

A node that is cut becomes a leaf again: its block and all below it go, it keeps N, V and H_V. So nothing changes for
its parents, whose sums W = sum r + discount * sum N V stay exact. When it is visited again it gets a fresh block. From
then on its value is worked out from the new edges, as that of any node, and its entropy too; only means of returns go
on, since a mean needs no edges.

Nodes are cut up to the number of visits at which half of the tree stays. A child has at most as many visits as its
parent, so what stays is connected: a node stays if its parent was not cut. Then nodes, states and blocks slide
together, in their old order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.recommend import best_slot
from ..jit import inlined, kernel
from .blocks import units_of
from .layout import NODE, NONE, RECYCLED, SINGLE, TABLED, UNFINISHED, UNIT, WINDOWED
from .subtree import copy_record
from .views import edge_at, node_at, window_of, words_of

BINS = 960
PROTECTED = 1
IMPOSSIBLE = -2
NODE_BYTES = NODE.itemsize


@kernel
def recycle(handle: Any, numbers: Any, starts: Any, sums: Any, most_nodes: int, most_bytes: int) -> bool:
    """Free subtrees until at most `most_nodes` and `most_bytes` are left; False, with nothing changed, if it cannot be.

    The rest is scratch, zeroed: a number for each node, a bit for each unit, two sums for each bin.
    """
    tree = handle[0]
    protect(tree, numbers, most_nodes // 2, most_bytes // 2)
    last = last_bin(tree, numbers, sums, most_nodes, most_bytes)
    if last == IMPOSSIBLE:
        return False
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.block != NONE and numbers[index] != PROTECTED and bin_of(node.visits) <= last:
            cut(node)
    slide(tree, numbers, starts)
    tree.recyclings += 1
    return True


@kernel
def slide_together(handle: Any, numbers: Any, starts: Any) -> None:
    """Move all blocks together where units between them are of no use; scratch as above."""
    slide(handle[0], numbers, starts)


@inlined
def slide(tree: Any, numbers: Any, starts: Any) -> None:
    """Move what stays together, in its old order."""
    number_kept(tree, numbers)
    keep_window(tree, numbers)
    slide_nodes(tree, numbers, starts)
    slide_blocks(tree, starts)


@inlined
def protect(tree: Any, numbers: Any, nodes: int, size: int) -> None:
    """Mark the nodes of the recommended path, as far down as they and their outcomes are within these limits."""
    index: Any = np.int64(tree.root)
    while index != NONE:
        node = node_at(tree, index)
        numbers[index] = PROTECTED
        child: Any = np.int64(NONE)
        if node.marks & SINGLE:
            child = np.int64(node.block)
            nodes -= 1
            size -= NODE_BYTES + 8 * tree.words
        elif node.block != NONE:
            n: Any = np.int64(node.actions)
            size -= units_of(tree, n) * UNIT
            for i in range(n):
                outcome = np.int64(edge_at(tree, node.block + i).child)
                while outcome != NONE:
                    nodes -= 1
                    size -= NODE_BYTES + 8 * tree.words
                    outcome = np.int64(node_at(tree, outcome).sibling)
            slot = best_slot(tree, index)
            if slot >= 0:
                child = most_visited(tree, edge_at(tree, node.block + slot).child)
        index = child if nodes > 0 and size > 0 else np.int64(NONE)


@inlined
def most_visited(tree: Any, first: Any) -> Any:
    """Of a chain of outcomes, the one that trials came to most often."""
    found = child = np.int64(first)
    while child != NONE:
        if node_at(tree, child).visits > node_at(tree, found).visits:
            found = child
        child = np.int64(node_at(tree, child).sibling)
    return found


@inlined
def bin_of(visits: int) -> int:
    """Which bin a count falls into: its own below 32, then 16 for each doubling."""
    if visits < 32:
        return visits
    power = 5
    while visits >> (power + 1) > 0:
        power += 1
    return 32 + (power - 5) * 16 + ((visits >> (power - 4)) & 15)


@inlined
def last_bin(tree: Any, numbers: Any, sums: Any, most_nodes: int, most_bytes: int) -> int:
    """The highest bin whose nodes must be cut; NONE if no node must; or IMPOSSIBLE.

    A node falls with its parent, a block with its own node.
    """
    nodes, units = 1, 0
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if index != tree.root:
            parent = np.int64(node.parent)
            if numbers[parent] == PROTECTED:
                nodes += 1
            else:
                sums[bin_of(node_at(tree, parent).visits)] += 1
        if node.block != NONE and not node.marks & SINGLE:
            size = units_of(tree, node.actions)
            if numbers[index] == PROTECTED:
                units += size
            else:
                sums[BINS + bin_of(node.visits)] += size
    node_bytes = NODE_BYTES + 8 * tree.words
    if nodes > most_nodes or nodes * node_bytes + units * UNIT > most_bytes:
        return IMPOSSIBLE
    for k in range(BINS - 1, -1, -1):
        nodes += sums[k]
        units += sums[BINS + k]
        if nodes > most_nodes or nodes * node_bytes + units * UNIT > most_bytes:
            return k
    return NONE


@inlined
def cut(node: Any) -> None:
    """Make a node a leaf again."""
    node.block = NONE
    node.actions = 0
    node.best = RECYCLED
    node.marks &= 255 ^ (SINGLE | TABLED | WINDOWED | UNFINISHED)


@inlined
def number_kept(tree: Any, numbers: Any) -> None:
    """Number the nodes that stay in their old order; the others get NONE."""
    count = 0
    for index in range(tree.node_count):
        if index == tree.root or node_at(tree, np.int64(node_at(tree, index).parent)).block != NONE:
            numbers[index] = count
            count += 1
        else:
            numbers[index] = NONE


@inlined
def keep_window(tree: Any, numbers: Any) -> None:
    """Leave nodes that are no more, or have no edges, out of those that a temperature is solved for."""
    count = 0
    for k in range(tree.window_count):
        index = np.int64(window_of(tree)[k])
        if numbers[index] != NONE and node_at(tree, index).block != NONE:
            window_of(tree)[count] = numbers[index]
            count += 1
    tree.window_count = count


@inlined
def slide_nodes(tree: Any, numbers: Any, starts: Any) -> None:
    """Move the nodes that stay to their new numbers, everywhere.

    `slide_blocks` then goes through the blocks in their order. For it, a block's place is marked in `starts`, and the
    visits of its first edge change places with the ``block`` of its node: there stands the node's number now.
    """
    count = 0
    for index in range(tree.node_count):
        if numbers[index] == NONE:
            continue
        node = node_at(tree, index)
        if node.parent != NONE:
            node.parent = numbers[node.parent]
        if node.sibling != NONE:
            node.sibling = numbers[node.sibling]
        if node.marks & SINGLE:
            node.block = numbers[node.block]
        elif node.block != NONE:
            for i in range(np.int64(node.actions)):
                edge = edge_at(tree, node.block + i)
                if edge.child != NONE:
                    edge.child = numbers[edge.child]
            start = node.block - tree.has_header
            starts[start >> 3] |= 1 << (start & 7)
            first = edge_at(tree, start)
            node.block = first.visits
            first.visits = count
        copy_record(tree, tree, index, count)
        count += 1
    tree.root = numbers[tree.root]
    tree.node_count = count


@inlined
def slide_blocks(tree: Any, starts: Any) -> None:
    """Move the blocks together, and enter their places into their nodes."""
    words = words_of(tree)
    units = np.int64(0)
    for k in range(starts.size):
        if starts[k] == 0:
            continue
        for bit in range(8):
            if not starts[k] & (1 << bit):
                continue
            start = 8 * k + bit
            first = edge_at(tree, start)
            node = node_at(tree, first.visits)
            first.visits = node.block
            node.block = units + tree.has_header
            size = units_of(tree, node.actions)
            if units < start:
                for w in range(4 * size):
                    words[4 * units + w] = words[4 * start + w]
            units += size
    tree.unit_count = units
