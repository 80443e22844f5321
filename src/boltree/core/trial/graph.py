"""Values of shared nodes: computed from what lies below, so that a change reaches every parent.

A tree adds to an edge what a trial brought. A shared node changes by trials that came from elsewhere, so here an edge
is computed anew from its links, and a node from its edges:

    W(s,a)   = sum over s' of [rewards + discount n(s,a,s') V(s')],          Q = W / N(s,a)
    V(s)     = the algorithm's state value of the Qs (values.py); for means (V_init + sum of W) / (1 + sum of N)
    H_Q(s,a) = sum over s' of n(s,a,s') H_V(s') / N(s,a),                    H_V(s) = H(pi) + sum of pi H_Q

Where no two paths meet this is what a tree computes. Computing is idempotent: nothing is counted twice, however
often it is done. A visit computes the edge that it took, and every n-th visit of a node with n actions all its edges.
That leaves nodes that are not visited any more; so now and then, and before a user looks at the search, `sweep`
computes every node from the deepest up. All this is a constant cost a visit. Edges with many outcomes are told, on most
visits, only of the change that the trial itself made.

With nodes shared by state there may be circles. Then what is looked at is swept until nothing changes, which the
discount ensures, and entropies are discounted as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import bound_node, enter_bounds
from ..formulas.entropies import entropy_of
from ..formulas.space import MAX, MEAN, NO_ENTROPY
from ..formulas.temperature import enter_window
from ..formulas.units import note_shift, note_trial
from ..formulas.values import enter_value, scan_best
from ..jit import inlined, kernel
from ..memory.blocks import extra_at
from ..memory.layout import BY_STATE, LEAF, NONE, ORIGIN, PASSED, PROVEN, UNFINISHED
from ..memory.links import is_long
from ..memory.views import (
    edge_at,
    entropy_at,
    header_at,
    link_at,
    mixture_of,
    node_at,
    path_links_of,
    references_of,
    step_at,
)
from .known import weigh_outcomes
from .trial import count_tried, is_end

SETTLED = 1e-12
"""Repeated sweeps end when no value changes by more than this, relative to the largest."""

MOST_SWEEPS = 10_000

SWEEP_EVERY = 8
"""Visits for every node between two sweeps: a sweep takes a node about as long as a visit."""


@inlined
def entropy_discount(tree: Any) -> float:
    """The weight of entropies one step below: that of rewards where the future has no end."""
    return tree.discount if tree.transpositions == BY_STATE else 1.0  # type: ignore[no-any-return]


@inlined
def compute_edge(tree: Any, node: Any, slot: int) -> None:
    """W, Q and H_Q of a tried edge, from its links; and its bounds, where they are kept."""
    edge = edge_at(tree, node.block + slot)
    if tree.known:
        value, below_entropy, lower, upper, settled = weigh_outcomes(tree, node, slot)
        enter_sums(tree, node, slot, value * edge.visits, entropy_discount(tree) * below_entropy * edge.visits)
        if tree.proofs:
            enter_bounds(tree, node, slot, lower, upper, settled)
            edge.w = -edge.q * edge.visits if node.player == 1 else edge.q * edge.visits
        return
    total, entropy = 0.0, 0.0
    link = np.int64(edge.child)
    while link != NONE:
        outcome = link_at(tree, link)
        below = node_at(tree, outcome.child)
        total += outcome.rewards + tree.discount * (outcome.visits * below.value)
        entropy += outcome.visits * below.entropy
        link = np.int64(outcome.next)
    enter_sums(tree, node, slot, total, entropy_discount(tree) * entropy)


@inlined
def enter_sums(tree: Any, node: Any, slot: int, total: float, entropy: float) -> None:
    """Set W and Q of an edge, and its sum of entropies where the algorithm has them."""
    edge = edge_at(tree, node.block + slot)
    edge.w = total
    edge.q = (-total if node.player == 1 else total) / edge.visits
    if tree.entropy_bonus != NO_ENTROPY:
        extra = entropy_at(tree, extra_at(tree, node.block, np.int64(node.actions)), slot)
        extra.w = entropy
        extra.h = entropy / edge.visits


@inlined
def add_change(tree: Any, node: Any, level: int, change: float, entropy_change: float) -> None:
    """Tell the edge that a trial took of the trial's own reward and outcome alone."""
    at = step_at(tree, level)
    edge = edge_at(tree, node.block + at.slot)
    entropy = 0.0
    if tree.entropy_bonus != NO_ENTROPY:
        entropy = entropy_at(tree, extra_at(tree, node.block, np.int64(node.actions)), at.slot).w
    total = edge.w + at.reward + tree.discount * change
    enter_sums(tree, node, np.int64(at.slot), total, entropy + entropy_discount(tree) * entropy_change)


@inlined
def is_due(edge: Any) -> bool:
    """Whether a long edge shall be computed: once in as many visits as it has outcomes, if those come again at all."""
    return edge.visits >= 2 * edge.outcomes and edge.visits % edge.outcomes == 0  # type: ignore[no-any-return]


@inlined
def compute_node(tree: Any, index: int, whole: bool) -> None:
    """All of a node from its links: every tried edge (the long ones if `whole`), V(s) and H_V(s)."""
    node = node_at(tree, index)
    n = np.int64(node.actions)
    if tree.proofs and node.marks & PROVEN:
        return
    total, tried = 0.0, np.int64(0)
    last = np.int64(NONE)
    for i in range(n):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0:
            if whole or tree.known or not is_long(tree, edge):
                compute_edge(tree, node, i)
            total += edge.w
            tried += edge.visits
            last = i
        elif tree.proofs and edge.child != NONE:
            _, _, lower, upper, settled = weigh_outcomes(tree, node, i)
            enter_bounds(tree, node, i, lower, upper, settled)
    if tried == 0:
        if tree.proofs:
            bound_node(tree, index)
        return
    if tree.state_value == MEAN:
        if tree.growth == LEAF and not node.marks & (ORIGIN | UNFINISHED):
            total += node.reward  # V_init: a visit of its own
            tried += 1
        node.value = total / tried
    else:
        if tree.incremental:
            header_at(tree, node.block - 1).total = -1.0  # the soft maximum is summed anew
        if tree.state_value == MAX:
            scan_best(tree, node)
        edge = edge_at(tree, node.block + last)
        enter_value(tree, node, last, edge.q, 0)
    if tree.proofs:
        bound_node(tree, index)
    if tree.entropy_bonus != NO_ENTROPY:
        compute_entropy(tree, node)


@inlined
def compute_entropy(tree: Any, node: Any) -> None:
    """H_V(s) of the policy that was drawn from last."""
    n, below = np.int64(node.actions), 0.0
    extra = extra_at(tree, node.block, n)
    for i in range(n):
        row = entropy_at(tree, extra, i)
        mixture_of(tree)[i] = row.policy
        below += row.policy * row.h
    own = entropy_of(tree.entropy_bonus, mixture_of(tree), references_of(tree), 0, n)
    node.entropy = below - own if node.player == 1 else below + own


@inlined
def back_up_graph(tree: Any) -> None:
    """Update every link, edge and node of the path, deepest first."""
    leaf = node_at(tree, tree.leaf)
    ended = is_end(tree, leaf)
    if tree.growth == LEAF and leaf.visits == 1 and not ended:
        leaf.reward = tree.leaf_value
    ret = 0.0 if ended else tree.leaf_value
    note_trial(tree, ret)
    before, after = leaf.value, leaf.value
    entropy_before, entropy_after = leaf.entropy, leaf.entropy
    for level in range(tree.length - 1, -1, -1):
        at = step_at(tree, level)
        index = np.int64(at.node)
        node = node_at(tree, index)
        node.marks &= 255 ^ PASSED
        ret = at.reward + tree.discount * ret
        note_shift(tree, ret)
        outcome, edge = link_at(tree, path_links_of(tree)[level]), edge_at(tree, node.block + at.slot)
        old_w, old_q, old_value = edge.w, edge.q, node.value
        outcome.visits += 1
        edge.visits += 1
        if not tree.known:
            outcome.rewards += at.reward
        if is_long(tree, edge) and not (is_due(edge) or tree.known):
            change = outcome.visits * after - (outcome.visits - 1) * before
            add_change(
                tree, node, level, change, outcome.visits * entropy_after - (outcome.visits - 1) * entropy_before
            )
        else:
            compute_edge(tree, node, np.int64(at.slot))
        if node.visits % node.actions == 0:
            compute_node(tree, index, False)
        else:
            if tree.state_value == MEAN:
                visits = count_tried(tree, node) if node.marks & UNFINISHED else node.visits
                node.value += (edge.w - old_w - node.value) / visits
            else:
                enter_value(tree, node, np.int64(at.slot), old_q, level)
            if tree.entropy_bonus != NO_ENTROPY:
                extra = entropy_at(tree, extra_at(tree, node.block, np.int64(node.actions)), at.slot)
                node.entropy = at.rest + at.policy * extra.h
            if tree.proofs:
                bound_node(tree, index)
        if node.best < 0:
            node.best = at.slot
        if tree.adaptive:
            enter_window(tree, index)
        before, after = old_value, node.value
        entropy_before, entropy_after = at.entropy, node.entropy
    tree.visits_made += tree.length + 1


@inlined
def undo_in_graph(tree: Any) -> None:
    """Take back a trial that failed on its way down: visits, the links and the nodes it made."""
    if tree.pending == 2:
        return  # it was the root's own evaluation that failed
    for level in range(tree.length + 1):
        at = step_at(tree, level)
        index = np.int64(at.node)
        if index >= tree.nodes_before and not tree.known:
            continue  # it goes, and its links with it; but the trial may have come back to older nodes
        node = node_at(tree, index)
        node.visits -= 1
        node.entropy = at.entropy
        node.marks &= 255 ^ PASSED
        if level < tree.length and not tree.known and link_at(tree, path_links_of(tree)[level]).visits == 0:
            edge = edge_at(tree, node.block + at.slot)
            edge.child = link_at(tree, path_links_of(tree)[level]).next
            edge.outcomes -= 1
    if not tree.known:  # listed outcomes stay: they are what they are
        tree.node_count = tree.nodes_before
        tree.index_stale = 1


@kernel
def sweep(handle: Any, order: Any, most: int) -> int:
    """Compute every node from its links, in an order in which outcomes come before the nodes above them.

    Where there is no such order, because nodes are shared by state, this is repeated until nothing changes, at `most`
    so often; returns how often it was done.
    """
    tree = handle[0]
    tree.next_sweep = tree.visits_made + SWEEP_EVERY * max(tree.node_count, tree.sweep_least)
    done, change, largest = 0, np.inf, 0.0
    while done < 1 or (tree.transpositions == BY_STATE and change > SETTLED * largest and done < most):
        change, largest = 0.0, 0.0
        for k in range(order.size):
            node = node_at(tree, order[k])
            if node.block != NONE:
                value, entropy = node.value, node.entropy
                compute_node(tree, order[k], True)
                change = max(change, abs(node.value - value), abs(node.entropy - entropy))
                largest = max(largest, abs(node.value), abs(node.entropy))
        done += 1
    return done
