"""TENTS' sparse maximum in O(log A): a node's edges in the order of q, in a search tree that sums up what it holds.

The support is the first k edges in that order, where the sum over those of the difference to the k-th is below alpha.
So one way down the tree finds it, at any temperature, by sums over all that comes before. A changed edge is taken out
and put in again. The tree is a treap: no edge has a higher rank, a fixed random number, than the one above it, which
keeps the tree O(log A) deep and makes it the same whatever happened before. Sums are of differences to the highest q
below, so that none is ever subtracted from another: no digit is lost, and nothing has to be summed anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..memory.blocks import order_at
from ..memory.layout import NOBODY
from ..memory.views import edge_at, ranked_at, stack_of

BUILT_FROM = 16
"""Visits of a node from which its tree is kept: building takes as long as looking at all edges a dozen times."""


@inlined
def is_ranked(tree: Any, node: Any) -> bool:
    """Whether the node's edges are in order, or are to be."""
    n = np.int64(node.actions)
    if n < tree.ranked_from:
        return False
    return node.visits >= BUILT_FROM or ranked_at(tree, order_at(tree, node.block, n), n).left != NOBODY


@inlined
def sparse_maximum_ranked(tree: Any, node: Any, slot: int, old_q: float, alpha: float) -> float:
    """`sparse_maximum` after the edge `slot` changed from `old_q` to its present q."""
    n = np.int64(node.actions)
    order = order_at(tree, node.block, n)
    if ranked_at(tree, order, n).left == NOBODY:
        for i in range(n):
            put_in(tree, node, order, i)
    elif edge_at(tree, node.block + slot).q != old_q:
        take_out(tree, node, order, slot, old_q)
        put_in(tree, node, order, slot)
    at = np.int64(ranked_at(tree, order, n).left)
    highest = ranked_at(tree, order, at).highest
    count, gaps, squares = np.int64(0), 0.0, 0.0  # of the support so far: differences to the highest, and their squares
    while at != NOBODY:
        row = ranked_at(tree, order, at)
        k, first, second = count, gaps, squares
        if row.left != NOBODY:
            left = ranked_at(tree, order, np.int64(row.left))
            gap = highest - left.highest
            k += np.int64(left.count)
            first += left.gaps + left.count * gap
            second += left.squares + gap * (2.0 * left.gaps + left.count * gap)
        gap = highest - edge_at(tree, node.block + at).q
        if alpha + first > k * gap:
            count, gaps, squares = k + 1, first + gap, second + gap * gap
            at = np.int64(row.right)
        else:
            at = np.int64(row.left)
    threshold = (alpha + gaps) / count
    return highest + 0.5 * (alpha + (squares - count * threshold * threshold) / alpha)  # type: ignore[no-any-return]


@inlined
def put_in(tree: Any, node: Any, order: int, slot: int) -> None:
    """Put an edge where its q and its rank belong; what was there is split in what comes before it and after it."""
    n = np.int64(node.actions)
    stack, depth = stack_of(tree), np.int64(0)
    q, rank = edge_at(tree, node.block + slot).q, rank_of(slot)
    above, left = n, True
    at = np.int64(ranked_at(tree, order, n).left)
    while at != NOBODY and rank_of(at) > rank:
        stack[depth] = at
        depth += 1
        above, left = at, comes_before(tree, node, slot, q, at)
        at = child_of(tree, order, at, left)
    set_child(tree, order, above, left, slot)
    stack[depth] = slot
    depth += 1
    before, before_left = slot, True  # where the next part that comes before the edge goes
    after, after_left = slot, False
    while at != NOBODY:
        stack[depth] = at
        depth += 1
        left = comes_before(tree, node, slot, q, at)
        below = child_of(tree, order, at, left)
        if left:
            set_child(tree, order, after, after_left, at)
            after, after_left = at, True
        else:
            set_child(tree, order, before, before_left, at)
            before, before_left = at, False
        at = below
    set_child(tree, order, before, before_left, NOBODY)
    set_child(tree, order, after, after_left, NOBODY)
    sum_up(tree, node, order, depth)


@inlined
def take_out(tree: Any, node: Any, order: int, slot: int, old_q: float) -> None:
    """Take an edge out of where it is by its old q, and join what is below it."""
    n = np.int64(node.actions)
    stack, depth = stack_of(tree), np.int64(0)
    above, left = n, True
    at = np.int64(ranked_at(tree, order, n).left)
    while at != slot:
        stack[depth] = at
        depth += 1
        above, left = at, comes_before(tree, node, slot, old_q, at)
        at = child_of(tree, order, at, left)
    one, other = child_of(tree, order, slot, True), child_of(tree, order, slot, False)
    while one != NOBODY and other != NOBODY:
        first = rank_of(one) > rank_of(other)
        at = one if first else other
        set_child(tree, order, above, left, at)
        stack[depth] = at
        depth += 1
        above, left = at, not first
        if first:
            one = child_of(tree, order, at, False)
        else:
            other = child_of(tree, order, at, True)
    set_child(tree, order, above, left, other if one == NOBODY else one)
    sum_up(tree, node, order, depth)


@inlined
def comes_before(tree: Any, node: Any, slot: int, q: float, other: int) -> bool:
    """Whether an edge with this q comes before another: the highest q first, then the lowest slot."""
    second = edge_at(tree, node.block + other).q
    return q > second or (q == second and slot < other)  # type: ignore[no-any-return]


@inlined
def rank_of(slot: int) -> int:
    """A fixed random number of an edge, other for each."""
    x = ((slot + 1) * 0x2545F491) & 0x7FFFFFFF
    x = ((x ^ (x >> 15)) * 0x2C1B3C6D) & 0x7FFFFFFF
    x = ((x ^ (x >> 12)) * 0x297A2D39) & 0x7FFFFFFF
    return ((x ^ (x >> 15)) << 16) | slot


@inlined
def child_of(tree: Any, order: int, at: int, left: bool) -> int:
    """The edge below another on one side, or NOBODY."""
    row = ranked_at(tree, order, at)
    return np.int64(row.left) if left else np.int64(row.right)


@inlined
def set_child(tree: Any, order: int, at: int, left: bool, child: int) -> None:
    """Set the edge below another on one side."""
    row = ranked_at(tree, order, at)
    if left:
        row.left = child
    else:
        row.right = child


@inlined
def sum_up(tree: Any, node: Any, order: int, depth: int) -> None:
    """Sum up anew below the edges on the stack, the last first."""
    for k in range(depth - 1, -1, -1):
        at = np.int64(stack_of(tree)[k])
        row = ranked_at(tree, order, at)
        q = edge_at(tree, node.block + at).q
        count, highest, gaps, squares = np.int64(1), q, 0.0, 0.0
        if row.left != NOBODY:
            left = ranked_at(tree, order, np.int64(row.left))
            highest = left.highest
            gap = highest - q
            count, gaps, squares = left.count + 1, left.gaps + gap, left.squares + gap * gap
        if row.right != NOBODY:
            right = ranked_at(tree, order, np.int64(row.right))
            gap = highest - right.highest
            count += right.count
            gaps += right.gaps + right.count * gap
            squares += right.squares + gap * (2.0 * right.gaps + right.count * gap)
        row.highest, row.gaps, row.squares, row.count = highest, gaps, squares, count
