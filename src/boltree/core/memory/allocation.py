"""Taking nodes and units from the tree's arenas.

A tree of one thread counts up. Threads that share a tree take ranges from its counters, so that they seldom contend for
them; before each trial a thread has made sure that what all of them may take is there (trial/locked.py).
"""

from __future__ import annotations

from typing import Any

from ..atomics import add_to
from ..jit import inlined
from .layout import TREE

assert TREE.fields is not None
NODE_COUNT, UNIT_COUNT = TREE.fields["node_count"][1], TREE.fields["unit_count"][1]
NODE_RANGE = 64


@inlined
def take_node(tree: Any) -> int:
    """The number of a new node. The next one's state is scratch memory, so a thread always has one more."""
    index = tree.node_count
    tree.node_count += 1
    if tree.node_count == tree.node_end:
        take_node_range(tree)
    return index  # type: ignore[no-any-return]


@inlined
def take_node_range(tree: Any) -> None:
    """Take a new range of node numbers for this thread."""
    tree.node_count = add_to(tree.owner + NODE_COUNT, NODE_RANGE)
    tree.node_end = tree.node_count + NODE_RANGE


@inlined
def take_units(tree: Any, size: int) -> int:
    """The first of `size` new units."""
    if tree.owner and tree.unit_count + size > tree.unit_end:  # what is left of the old range is lost
        tree.unit_count = add_to(tree.owner + UNIT_COUNT, unit_range(size))
        tree.unit_end = tree.unit_count + unit_range(size)
    first = tree.unit_count
    tree.unit_count += size
    return first  # type: ignore[no-any-return]


@inlined
def unit_range(size: int) -> int:
    """Units that a thread takes at a time, when it needs `size`."""
    return 32 * size
