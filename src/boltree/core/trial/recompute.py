"""A node computed anew from all its edges: now and then in a graph, and where two trees were merged."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import bound_node, is_open
from ..formulas.entropies import entropy_of
from ..formulas.space import MAX, MEAN, NO_ENTROPY, RELATIVE_SOFT, SWITCHING
from ..formulas.values import enter_best, enter_value, scan_best
from ..jit import inlined
from ..lanes import LANES, all_lanes
from ..memory.blocks import extra_at, forget_order
from ..memory.layout import CLOSED, LEAF, NONE, ORIGIN, PROVEN, UNFINISHED
from ..memory.links import is_long
from ..memory.views import edge_at, entropy_at, header_at, mixture_of, node_at, put_mixture_lanes
from .edges import enter_sums, entropies_of
from .graph import bound_untried_edge, compute_edge


@inlined
def compute_node(tree: Any, index: int, graph: bool, whole: bool) -> None:
    """Compute the means of every tried edge, and V(s) from all of them.

    In a graph (`graph` is a constant, as in `back_up`) also the sums, from the edges' links, and H_V(s) and the bounds;
    unless the node is to be computed as a `whole`, edges with many outcomes are left as they are. In a tree H_V(s) is
    computed at the next visit, with the node's policy.
    """
    node = node_at(tree, index)
    if graph and tree.proofs and node.marks & PROVEN:
        return
    total, tried = 0.0, np.int64(0)
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0:
            if not graph:
                enter_sums(tree, node, i, edge.w, entropies_of(tree, node, i))
            elif whole or tree.known or not is_long(tree, edge):
                compute_edge(tree, node, i)
            total += edge.w
            tried += edge.visits
        elif graph and tree.proofs and edge.child != NONE:
            bound_untried_edge(tree, node, i)
    if graph and tree.proofs:
        bound_node(tree, index)
    if graph and tree.proofs and tree.state_value == MEAN and node.marks & CLOSED:
        enter_open_mean(tree, node)
    elif tried > 0:
        compute_value(tree, node, total, tried, graph)
    if graph and tried > 0 and tree.entropy_bonus != NO_ENTROPY:
        compute_entropy(tree, node)
    if graph and tree.proofs:
        bound_node(tree, index)  # the value is within the bounds


@inlined
def enter_open_mean(tree: Any, node: Any) -> None:
    """Set V(s) to the mean over the edges that may still be taken: what is surely worse would not be chosen."""
    total, tried = 0.0, np.int64(0)
    if tree.growth == LEAF and not node.marks & (ORIGIN | UNFINISHED):
        total, tried = node.reward, np.int64(1)  # V_init
    for i in range(np.int64(node.actions)):
        if is_open(tree, node, i):
            edge = edge_at(tree, node.block + i)
            total += edge.w
            tried += edge.visits
    if tried > 0:
        node.value = total / tried


@inlined
def compute_value(tree: Any, node: Any, total: float, tried: int, graph: bool) -> None:
    """Compute V(s) from the node's edges, of which W and N are summed up in `total` and `tried`.

    The relative soft maximum needs the policy of the parent, which is not at hand: that value stays as it is.
    """
    forget_order(tree, node)
    if tree.state_value == MAX or node.best < 0:
        scan_best(tree, node)
    if tree.state_value == MEAN and tree.distribution == SWITCHING:
        enter_best(tree, node)
    elif tree.state_value == MEAN:
        if graph and tree.growth == LEAF and not node.marks & (ORIGIN | UNFINISHED):
            total += node.reward  # V_init: a visit of its own
            tried += 1
        node.value = total / tried
    elif tree.state_value != RELATIVE_SOFT:
        if tree.incremental:
            header_at(tree, node.block - 1).total = -1.0  # the soft maximum is summed anew
        slot = np.int64(node.best)
        enter_value(tree, node, slot, edge_at(tree, node.block + slot).q, 0)


@inlined
def compute_entropy(tree: Any, node: Any) -> None:
    """Compute H_V(s) for the policy that the last visit drew from."""
    n, below = np.int64(node.actions), 0.0
    extra = extra_at(tree, node.block, n)
    put_mixture_lanes(tree, LANES * ((n - 1) // LANES), all_lanes(0.0))
    for i in range(n):
        row = entropy_at(tree, extra, i)
        mixture_of(tree)[i] = row.policy
        below += row.policy * row.h
    own = entropy_of(tree.entropy_bonus, tree, 0, n)
    node.entropy = below - own if node.player == 1 else below + own
