"""Bounds of exact values, and proofs: what a node can be worth at least and at most, whatever trials have seen so far.

    lower(s,a) = sum over all outcomes of p (r + discount lower(s')),   lower(s) = max over a of lower(s,a)
    upper(s,a) = sum over all outcomes of p (r + discount upper(s')),   upper(s) = max over a of upper(s,a)

with the minimum over actions where player 1 moves. They start from states where trials end, which are worth 0, from the
least and greatest reward of the problem, and from its own ``bounds``. A node whose bounds meet is *proven*: its value
is exact. An edge is *open* while its bounds are apart and it may still be better than the best of the others surely is;
trials take open edges only. A node that is not proven has one: the edge whose upper bound is the node's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from ..memory.blocks import bounds_at, state_at
from ..memory.layout import BAD_BOUNDS, BOUNDS_FAILED, DONE, NONE, PROVEN, TERMINAL
from ..memory.views import bound_at, edge_at, link_at, node_at, out_of
from ..native import FAILED, call
from .elementary import exp, log

SLACK = 1.0 + 1e-12
"""The factor by which a sum of discounted rewards is widened, because it is rounded."""


@inlined
def is_settled(tree: Any, node: Any) -> bool:
    """Whether a node's value is exact: trials end there, or it is proven."""
    return node.marks & (TERMINAL | PROVEN) != 0 or node.depth >= tree.horizon


@inlined
def span_of(tree: Any, node: Any) -> tuple[float, float]:
    """The least and the most that can be paid from a node on, by the rewards of single steps."""
    steps = float(tree.horizon - node.depth)
    if tree.discount < 1.0:
        steps = SLACK * (1.0 - exp(steps * log(tree.discount))) / (1.0 - tree.discount)
    return min(0.0, tree.lowest_reward * steps), max(0.0, tree.highest_reward * steps)


@inlined
def ask_bounds(tree: Any, index: int) -> int:
    """Write the bounds of a node's state to ``out_of(tree)``: the problem's own, within those by its rewards.

    DONE, or an error; then the bounds are those by rewards.
    """
    lower, upper = span_of(tree, node_at(tree, index))
    status = DONE
    if tree.bounds != 0:
        if call(tree.bounds, (tree.params_at, state_at(tree, index), tree.out_at)) == FAILED:
            status = BOUNDS_FAILED
        elif not out_of(tree)[0] <= out_of(tree)[1]:
            status = BAD_BOUNDS
        else:
            lower, upper = max(lower, out_of(tree)[0]), min(upper, out_of(tree)[1])
    out_of(tree)[0], out_of(tree)[1] = lower, upper
    return status


@inlined
def enter_first_bounds(tree: Any, index: int) -> int:
    """Set the first bounds of a new block's edges, from those of the node's state; DONE or an error.

    An edge is not worth more than its node to the player who moves, but may be worth as little as rewards allow.
    """
    node = node_at(tree, index)
    n = np.int64(node.actions)
    first = bounds_at(tree, node.block, n)
    status = ask_bounds(tree, index)
    lower, upper = out_of(tree)[0], out_of(tree)[1]
    least, most = span_of(tree, node)
    for i in range(n + 1):  # the edges, and the node
        row = bound_at(tree, first, i)
        row.lower = lower if node.player == 1 else least
        row.upper = most if node.player == 1 else upper
    return status


@inlined
def is_open(tree: Any, node: Any, slot: int) -> bool:
    """Whether an edge may be taken: always where nothing is proven."""
    if tree.proofs == 0 or node.marks & PROVEN:
        return True
    n = np.int64(node.actions)
    first = bounds_at(tree, node.block, n)
    row, whole = bound_at(tree, first, slot), bound_at(tree, first, n)
    if row.lower >= row.upper:
        return False
    return row.lower < whole.upper if node.player == 1 else row.upper > whole.lower  # type: ignore[no-any-return]


@inlined
def bound_edge(tree: Any, node: Any, slot: int) -> None:
    """Compute the bounds of an edge whose outcomes are known, and keep its estimate within them."""
    n = np.int64(node.actions)
    row = bound_at(tree, bounds_at(tree, node.block, n), slot)
    edge = edge_at(tree, node.block + slot)
    lower, upper, settled = 0.0, 0.0, True
    link = np.int64(edge.child)
    while link != NONE:
        outcome = link_at(tree, link)
        index = np.int64(outcome.child)
        below = node_at(tree, index)
        if is_settled(tree, below):
            low = high = below.value
        else:
            settled = False
            if below.block == NONE:
                ask_bounds(tree, index)
                low, high = out_of(tree)[0], out_of(tree)[1]
            else:
                count = np.int64(below.actions)
                whole = bound_at(tree, bounds_at(tree, below.block, count), count)
                low, high = whole.lower, whole.upper
        lower += outcome.rewards * (outcome.reward + tree.discount * low)
        upper += outcome.rewards * (outcome.reward + tree.discount * high)
        link = np.int64(outcome.next)
    if settled:
        row.lower = row.upper = lower
    else:
        row.lower, row.upper = max(row.lower, lower), min(row.upper, upper)
    sign = -1.0 if node.player == 1 else 1.0
    edge.q = sign * min(max(sign * edge.q, row.lower), row.upper)


@inlined
def bound_node(tree: Any, index: int) -> None:
    """Compute a node's bounds from its edges; where they meet, the node is proven."""
    node = node_at(tree, index)
    n = np.int64(node.actions)
    first = bounds_at(tree, node.block, n)
    row, whole = bound_at(tree, first, 0), bound_at(tree, first, n)
    lower, upper = row.lower, row.upper
    for i in range(1, n):
        row = bound_at(tree, first, i)
        if node.player == 1:
            lower, upper = min(lower, row.lower), min(upper, row.upper)
        else:
            lower, upper = max(lower, row.lower), max(upper, row.upper)
    whole.lower, whole.upper = lower, upper
    if lower >= upper:
        node.marks |= PROVEN
        node.value = lower
    else:
        node.value = min(max(node.value, lower), upper)


@kernel
def forget_bounds(handle: Any) -> None:
    """Begin all bounds anew, because the horizon has moved: what was proven to the old one is not to the new one."""
    tree = handle[0]
    for index in range(tree.node_count):
        node = node_at(tree, index)
        node.marks &= 255 ^ PROVEN
        if node.block != NONE:
            enter_first_bounds(tree, index)
