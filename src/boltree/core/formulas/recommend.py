"""The recommended action of a node: of highest value, or most visited."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import brief, inlined, kernel
from ..memory.blocks import bounds_at
from ..memory.layout import NONE, PROVEN, SINGLE
from ..memory.views import bound_at, edge_at, node_at
from ..random import hashed


@inlined
def best_slot(tree: Any, index: int) -> int:
    """The recommended edge of a node with a block: highest q, or most visits, among the tried; NONE if none is."""
    node = node_at(tree, index)
    highest, ties = -np.inf, np.int64(0)
    for i in range(np.int64(node.actions)):
        score = score_of(tree, node, i)
        if score > highest:
            highest, ties = score, np.int64(1)
        elif score == highest:
            ties += 1
    if highest == -np.inf:
        return np.int64(NONE)
    pick = np.int64(hashed(tree.seed, index, node.visits) % np.uint64(ties))
    for i in range(np.int64(node.actions)):
        if score_of(tree, node, i) == highest:
            if pick == 0:
                return i
            pick -= 1
    return np.int64(NONE)


@inlined
def score_of(tree: Any, node: Any, slot: int) -> float:
    """The score by which edges are recommended, the highest first; minus infinity where an edge was not tried.

    At a proven node it is the least that the edge is worth to the player who moves; else its q or its visits.
    """
    edge = edge_at(tree, node.block + slot)
    exact = False
    if tree.proofs:
        row = bound_at(tree, bounds_at(tree, node.block, np.int64(node.actions)), slot)
        if node.marks & PROVEN:
            return -row.upper if node.player == 1 else row.lower  # type: ignore[no-any-return]
        exact = row.lower >= row.upper and not tree.recommend_visits
    if edge.visits == 0 and not exact:
        return -np.inf
    return float(edge.visits) if tree.recommend_visits else edge.q  # type: ignore[no-any-return]


@inlined
def recommended(tree: Any, index: int) -> int:
    """The recommended action of a node, or NONE when none was tried there."""
    node = node_at(tree, index)
    if node.block == NONE:
        return np.int64(NONE)
    if node.marks & SINGLE:
        return np.int64(node_at(tree, node.block).action)
    slot = best_slot(tree, index)
    return slot if slot < 0 else np.int64(edge_at(tree, node.block + slot).action)


@brief
def recommend_action(handle: Any, index: int) -> int:
    """`recommended`, for Python."""
    return recommended(handle[0], index)


@kernel
def recommend_everywhere(handle: Any, out: Any) -> None:
    """`recommended` of every node, in the order in which nodes were made."""
    for index in range(out.size):
        out[index] = recommended(handle[0], index)
