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
from ..memory.layout import BAD_BOUNDS, BOUNDS_FAILED, CLOSED, DONE, NONE, PROVEN, TERMINAL
from ..memory.views import bound_at, edge_at, node_at, out_of, spans_of
from ..native import FAILED, call

TOLERANCE = 1e-6
"""By how much, absolutely or relatively, bounds may contradict each other: they are rounded."""


@inlined
def is_settled(tree: Any, node: Any) -> bool:
    """Whether a node's value is exact: trials end there, or it is proven."""
    return node.marks & (TERMINAL | PROVEN) != 0 or node.depth >= tree.horizon


@inlined
def span_of(tree: Any, node: Any) -> tuple[float, float]:
    """The least and the most that can be paid from a node on, by the rewards of single steps."""
    worth = spans_of(tree)[tree.horizon - node.depth]
    return min(0.0, tree.lowest_reward * worth), max(0.0, tree.highest_reward * worth)


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
    node.marks &= 255 ^ CLOSED
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
    if tree.proofs == 0 or node.marks & (CLOSED | PROVEN) != CLOSED:
        return True
    n = np.int64(node.actions)
    first = bounds_at(tree, node.block, n)
    row, whole = bound_at(tree, first, slot), bound_at(tree, first, n)
    if row.lower >= row.upper:
        return False
    return row.lower < whole.upper if node.player == 1 else row.upper > whole.lower  # type: ignore[no-any-return]


@inlined
def count_open(tree: Any, node: Any) -> int:
    """How many edges of a node are open."""
    count = np.int64(0)
    for i in range(np.int64(node.actions)):
        count += 1 if is_open(tree, node, i) else 0
    return count


@inlined
def bounds_of_outcome(tree: Any, index: int) -> tuple[float, float]:
    """What an outcome that is not settled is worth at least and at most."""
    node = node_at(tree, index)
    if node.block == NONE:
        ask_bounds(tree, index)
        return out_of(tree)[0], out_of(tree)[1]
    n = np.int64(node.actions)
    row = bound_at(tree, bounds_at(tree, node.block, n), n)
    return row.lower, row.upper


@inlined
def enter_bounds(tree: Any, node: Any, slot: int, lower: float, upper: float, settled: bool) -> None:
    """Enter an edge's bounds by its outcomes, and keep its estimate within them; if all are settled, it is exact."""
    row = bound_at(tree, bounds_at(tree, node.block, np.int64(node.actions)), slot)
    if settled:
        upper = lower
    else:
        lower, upper = max(row.lower, lower), min(row.upper, upper)
    if lower > row.upper + TOLERANCE * (1.0 + abs(row.upper)) or upper < row.lower - TOLERANCE * (1.0 + abs(row.lower)):
        tree.contradiction = 1
        tree.error_value, tree.error_action = lower, edge_at(tree, node.block + slot).action
    if lower != row.lower or upper != row.upper:
        row.lower, row.upper = lower, upper
        tree.narrowed = 1
    edge = edge_at(tree, node.block + slot)
    if node.player == 1:
        edge.q = min(max(edge.q, -upper), -lower)
    else:
        edge.q = min(max(edge.q, lower), upper)


@inlined
def bound_node(tree: Any, index: int) -> None:
    """Compute a node's bounds from its edges, if one of these has changed; where they meet, the node is proven."""
    node = node_at(tree, index)
    n = np.int64(node.actions)
    first = bounds_at(tree, node.block, n)
    whole = bound_at(tree, first, n)
    if tree.narrowed:
        tree.narrowed = 0
        compute_bounds(tree, node, first)
    if whole.lower >= whole.upper:
        node.marks |= PROVEN
        node.value = whole.lower
    else:
        node.value = min(max(node.value, whole.lower), whole.upper)


@inlined
def compute_bounds(tree: Any, node: Any, first: int) -> None:
    """A node's bounds, and whether some of its edges is not to be taken any more."""
    n = np.int64(node.actions)
    row = bound_at(tree, first, 0)
    lower, upper = row.lower, row.upper
    for i in range(1, n):
        row = bound_at(tree, first, i)
        if node.player == 1:
            lower, upper = min(lower, row.lower), min(upper, row.upper)
        else:
            lower, upper = max(lower, row.lower), max(upper, row.upper)
    whole = bound_at(tree, first, n)
    whole.lower, whole.upper = lower, upper
    node.marks |= CLOSED
    closed = False
    for i in range(n):
        if not is_open(tree, node, i):
            closed = True
    if not closed:
        node.marks &= 255 ^ CLOSED


@kernel
def forget_bounds(handle: Any) -> None:
    """Begin all bounds anew, because the horizon has moved: what was proven to the old one is not to the new one."""
    tree = handle[0]
    for index in range(tree.node_count):
        node = node_at(tree, index)
        node.marks &= 255 ^ PROVEN
        if node.block != NONE:
            enter_first_bounds(tree, index)
