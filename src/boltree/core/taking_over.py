"""Subtrees that only the other tree has, when two are merged: taken over as they are, by several threads.

Most of what another thread has found is of this kind. The nodes have their numbers already (merge.py), and each part of
them its first unit; so the parts can be copied in any order. Who copies also touches the new memory for the first time,
which on many machines costs more than the copying. Nodes are matched by one thread alone; what it will need is touched
by all of them before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .allocation import take_units
from .atomics import add_to, write_to
from .blocks import units_of
from .jit import inlined, kernel
from .outcomes import INDEXED
from .records import NODE, NONE, SINGLE
from .subtree import copy_record
from .views import edge_at, node_at, words_of

PART = 4096
"""Nodes that are copied, or touched, at a time."""

NODE_BYTES = NODE.itemsize
PAGE = 4096
"""Bytes of the system's pages, or less."""


@inlined
def units_wanted(tree: Any, node: Any) -> int:
    """Units of a node's block."""
    if node.block == NONE or node.marks & SINGLE:
        return np.int64(0)
    return units_of(tree, np.int64(node.actions))


@inlined
def hand_out_units(tree: Any, parts: Any) -> None:
    """Give every part its first unit, in place of how many it wants."""
    for p in range(parts.size):
        parts[p] = take_units(tree, parts[p])


@kernel
def touch_parts(target: Any, nodes: int, drawn_at: int) -> None:
    """Touch the memory of so many nodes to come, and of their states; `drawn_at` as below."""
    mine = target[0]
    first, last = mine.node_count + 1, mine.node_count + nodes
    while True:
        begin = first + add_to(drawn_at, 1) * PART
        if begin >= last:
            return
        end = min(begin + PART, last)
        touch(mine.nodes_at + begin * NODE_BYTES, mine.nodes_at + end * NODE_BYTES)
        touch(mine.states_at + begin * mine.words * 8, mine.states_at + end * mine.words * 8)


@inlined
def touch(first: int, last: int) -> None:
    """Write to every page that begins between two addresses, where nothing stands yet."""
    for page in range((first + PAGE - 1) // PAGE * PAGE, last, PAGE):
        write_to(page, 0)


@kernel
def take_over_parts(target: Any, source: Any, ours: Any, parts: Any, drawn_at: int) -> None:
    """Copy parts until there are none left; `drawn_at` is where it is counted how many were drawn."""
    mine, other = target[0], source[0]
    while True:
        part = add_to(drawn_at, 1)
        if part >= parts.size:
            return
        unit = parts[part]
        for a in range(part * PART, min((part + 1) * PART, other.node_count)):
            if ours[a] < 0:
                take_over(mine, other, a, ours, unit)
                unit += units_wanted(mine, node_at(other, a))


@inlined
def take_over(mine: Any, other: Any, a: int, ours: Any, first: int) -> None:
    """Copy a node, with its block to the units from `first` on; what it points to has its number already."""
    old, copy = node_at(other, a), -1 - np.int64(ours[a])
    new = node_at(mine, copy)
    parent = np.int64(ours[old.parent])
    if parent < 0:  # else it is linked to our own node already
        copy_record(other, mine, a, copy)
        new.parent = -1 - parent
        new.sibling = NONE if old.sibling == NONE else -1 - np.int64(ours[old.sibling])
    if old.block == NONE:
        new.block = NONE
    elif old.marks & SINGLE:
        new.block = -1 - np.int64(ours[old.block])
    else:
        n = np.int64(old.actions)
        new.block = first + mine.has_header
        start, words, theirs = (old.block - mine.has_header) * 4, words_of(mine), words_of(other)
        for w in range(units_of(mine, n) * 4):
            words[first * 4 + w] = theirs[start + w]
        for i in range(n):
            edge = edge_at(mine, new.block + i)
            if edge.child != NONE:
                edge.child = -1 - np.int64(ours[edge.child])
            if edge.outcomes == INDEXED:
                mine.index_stale = mine.index_wanted = 1
