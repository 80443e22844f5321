"""Copies of a graph's estimates: kept while computed ones are shown to the user, and restored for the trials."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.space import HALVING, NO_ENTROPY
from ..jit import inlined, kernel
from ..memory.blocks import bounds_at, extra_at, forget_order
from ..memory.layout import NONE
from ..memory.views import bound_at, edge_at, entropy_at, header_at, node_at


@kernel
def keep_estimates(handle: Any, kept: Any) -> None:
    """Copy all estimates that a sweep may change into an array of `size_of_estimates` numbers."""
    exchange(handle[0], kept, True)


@kernel
def restore_estimates(handle: Any, kept: Any) -> None:
    """Copy them back."""
    exchange(handle[0], kept, False)


@kernel
def size_of_estimates(handle: Any) -> int:
    """How many numbers `keep_estimates` writes, at most."""
    tree = handle[0]
    size = np.int64(0)
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.block != NONE:
            size += 9
            for i in range(np.int64(node.actions)):
                size += 6 if edge_at(tree, node.block + i).child != NONE else 0
    return size


@inlined
def exchange(tree: Any, kept: Any, keep: bool) -> None:
    """Copy every estimate into the array, or back if not `keep`, which is a constant; always in the same order."""
    at = np.int64(0)
    headers = tree.has_header != 0 and tree.distribution != HALVING
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.block == NONE:
            continue
        n = np.int64(node.actions)
        if keep:
            kept[at], kept[at + 1], kept[at + 2], kept[at + 3] = node.value, node.entropy, node.best, node.marks
        else:
            forget_order(tree, node)
            node.value, node.entropy = kept[at], kept[at + 1]
            node.best, node.marks = np.int64(kept[at + 2]), np.int64(kept[at + 3])
        at += 4
        if headers:
            header = header_at(tree, node.block - 1)
            if keep:
                kept[at], kept[at + 1], kept[at + 2] = header.shift, header.total, header.peak
            else:
                header.shift, header.total, header.peak = kept[at], kept[at + 1], kept[at + 2]
            at += 3
        if tree.proofs:
            at = exchange_bounds(tree, node, n, kept, at, keep)
        for i in range(n):
            edge = edge_at(tree, node.block + i)
            if edge.child == NONE:
                continue
            if keep:
                kept[at], kept[at + 1] = edge.w, edge.q
            else:
                edge.w, edge.q = kept[at], kept[at + 1]
            at += 2
            if tree.entropy_bonus != NO_ENTROPY:
                row = entropy_at(tree, extra_at(tree, node.block, n), i)
                if keep:
                    kept[at], kept[at + 1] = row.w, row.h
                else:
                    row.w, row.h = kept[at], kept[at + 1]
                at += 2
            if tree.proofs:
                at = exchange_bounds(tree, node, i, kept, at, keep)


@inlined
def exchange_bounds(tree: Any, node: Any, slot: int, kept: Any, at: int, keep: bool) -> int:
    """`exchange` for the bounds of an edge, or after the last those of the node; returns where the next number lies."""
    row = bound_at(tree, bounds_at(tree, node.block, np.int64(node.actions)), slot)
    if keep:
        kept[at], kept[at + 1] = row.lower, row.upper
    else:
        row.lower, row.upper = kept[at], kept[at + 1]
    return at + 2
