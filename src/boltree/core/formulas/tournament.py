"""A tournament among a node's edges: the highest q in O(log A) when it falls, as Appendix C.1 of the paper counts.

The n edges are the leaves n .. 2n-1 of a binary tree; each inner node 1 .. n-1 holds the winner of the two below it,
and 1 that of all. An edge that has changed plays its matches again from below, up to the first that it neither wins
nor won before. While no best edge has fallen there is no tournament, and in the place of 0 stands 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..memory.blocks import order_at
from ..memory.views import edge_at, winner_at


@inlined
def best_by_tournament(tree: Any, node: Any, slot: int) -> int:
    """The tried edge with the highest q, the first of equals, after that of `slot` has changed."""
    n = np.int64(node.actions)
    order = order_at(tree, node.block, n)
    if winner_at(tree, order, 0).slot != 0:
        play_again(tree, node, slot)
    else:
        winner_at(tree, order, 0).slot = 1
        for match in range(n - 1, 0, -1):
            winner_at(tree, order, match).slot = play(tree, node, order, match)
    return np.int64(winner_at(tree, order, 1).slot)


@inlined
def play_again(tree: Any, node: Any, slot: int) -> None:
    """Play the matches of an edge again, if there is a tournament."""
    n = np.int64(node.actions)
    order = order_at(tree, node.block, n)
    if winner_at(tree, order, 0).slot == 0:
        return
    match = (n + slot) >> 1
    while match > 0:
        won = play(tree, node, order, match)
        row = winner_at(tree, order, match)
        if won != slot and np.int64(row.slot) == won:
            return
        row.slot = won
        match >>= 1


@inlined
def play(tree: Any, node: Any, order: int, match: int) -> int:
    """The winner of a match: the edge with the higher q, an untried one last, and the first of equals."""
    n = np.int64(node.actions)
    a, b = 2 * match - n, 2 * match + 1 - n
    if a < 0:
        a = np.int64(winner_at(tree, order, 2 * match).slot)
    if b < 0:
        b = np.int64(winner_at(tree, order, 2 * match + 1).slot)
    one, other = edge_at(tree, node.block + a), edge_at(tree, node.block + b)
    p = one.q if one.visits > 0 else -np.inf
    q = other.q if other.visits > 0 else -np.inf
    return a if p > q or (p == q and a < b) else b
