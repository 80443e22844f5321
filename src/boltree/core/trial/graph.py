"""Edges in a graph, where nodes have several parents: computed from what lies below, so a change reaches every parent.

A tree adds to an edge what a trial changed. A shared node changes by trials that come through other parents, so here
an edge is computed anew from its links, and a node from its edges (recompute.py):

    W(s,a)   = sum over s' of [rewards + discount n(s,a,s') V(s')],          Q = W / N(s,a)
    V(s)     = the algorithm's state value of the Qs (values.py); for means (V_init + sum of W) / (1 + sum of N)
    H_Q(s,a) = discount * sum over s' of n(s,a,s') H_V(s') / N(s,a),         H_V(s) = H(pi) + sum of pi H_Q

Where no two paths meet this is what a tree computes. Computing is idempotent: nothing is counted twice, however
often it is done. A visit computes the edge that it took, and every n-th visit of a node with n actions all its edges.
That leaves nodes that are not visited any more; so now and then, and before a user looks at the search, `sweep`
(sweep.py) computes every node from the deepest up. All this is a constant cost a visit. To an edge with many outcomes
(a long one), most visits add only what the trial itself changed, as in a tree.

With nodes shared by state there may be circles. Before a user looks, the graph is then swept until nothing changes,
which the discount ensures, of values and of entropies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import enter_bounds
from ..jit import inlined
from ..memory.layout import NONE
from ..memory.links import is_long
from ..memory.views import edge_at, link_at, node_at, path_links_of, step_at
from .edges import add_to_sums, enter_sums, growth_of
from .known import weigh_outcomes


@inlined
def enter_trial(tree: Any, node: Any, level: int, child: Any) -> None:
    """Enter a trial in the link and the edge that it took at a node."""
    at = step_at(tree, level)
    link, edge = link_at(tree, path_links_of(tree)[level]), edge_at(tree, node.block + at.slot)
    link.visits += 1
    edge.visits += 1
    if not tree.known:
        link.rewards += at.reward
    if tree.known or not is_long(tree, edge) or is_due(edge):
        compute_edge(tree, node, np.int64(at.slot))
    else:
        gain = at.reward + tree.discount * growth_of(link.visits, child.value_before, child.value)
        entropy_gain = tree.discount * growth_of(link.visits, child.entropy_before, child.entropy)
        add_to_sums(tree, node, np.int64(at.slot), gain, entropy_gain)


@inlined
def is_due(edge: Any) -> bool:
    """Whether a long edge is to be computed now: once in as many visits as it has outcomes, if those repeat at all."""
    return edge.visits >= 2 * edge.outcomes and edge.visits % edge.outcomes == 0  # type: ignore[no-any-return]


@inlined
def compute_edge(tree: Any, node: Any, slot: int) -> None:
    """Compute W, Q and H_Q of a tried edge from its links; and its bounds, where they are kept."""
    edge = edge_at(tree, node.block + slot)
    if tree.known:
        value, entropy, lower, upper, settled = weigh_outcomes(tree, node, slot)
        enter_sums(tree, node, slot, value * edge.visits, tree.discount * entropy * edge.visits)
        if tree.proofs:
            enter_bounds(tree, node, slot, lower, upper, settled)
            edge.w = -edge.q * edge.visits if node.player == 1 else edge.q * edge.visits
        return
    total, entropies = 0.0, 0.0
    link = np.int64(edge.child)
    while link != NONE:
        outcome = link_at(tree, link)
        below = node_at(tree, outcome.child)
        total += outcome.rewards + tree.discount * (outcome.visits * below.value)
        entropies += outcome.visits * below.entropy
        link = np.int64(outcome.next)
    enter_sums(tree, node, slot, total, tree.discount * entropies)


@inlined
def bound_untried_edge(tree: Any, node: Any, slot: int) -> None:
    """Compute the bounds of an edge whose outcomes are listed, but which no trial has taken."""
    _, _, lower, upper, settled = weigh_outcomes(tree, node, slot)
    enter_bounds(tree, node, slot, lower, upper, settled)
