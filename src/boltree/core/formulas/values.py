"""State values: what a node is worth, from its edges, in the mover's units.

max            (eq. 4.4)   V = max q over the tried actions
soft           (eq. 2.9)   V = alpha log sum exp(q / alpha), untried actions at their initial preference
relative soft  (RENTS)     V = alpha log sum reference exp(q / alpha)
sparse         (TENTS)     V = alpha (1/2 + 1/2 sum over the support of (q/alpha)^2 - t^2)
power          (Power-UCT) V = (sum N(a)/N (q - lowest)^p)^(1/p) + lowest, over the tried actions
The mean of returns is kept by the trial itself.

Where actions are drawn from boxes, the soft maximum is alpha log of the *mean* of exp(q / alpha) over the n actions
drawn so far, and log n is subtracted from the Shannon entropy: both are then relative to the distribution that actions
are drawn from, and tend to the integrals over it. As plain sums they would grow like log n with the actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..lanes import LANES, all_lanes, first_lanes, greater, highest_of, sum_of
from ..memory.blocks import is_tabled, references_at
from ..memory.views import edge_at, header_at, q_lanes, references_of, weights_of, words_of
from .distributions import sparsemax_threshold
from .elementary import exp, log
from .schedules import scheduled
from .space import MAX, POWER, RELATIVE_SOFT, SOFT, SPARSE
from .support import is_ranked, sparse_maximum_ranked
from .tournament import best_by_tournament, play_again


@inlined
def value_temperature(tree: Any, node: Any) -> float:
    """The temperature of a node's value, where values depend on one; else 0."""
    if tree.has_temperature:
        return scheduled(tree, tree.alpha_kind, tree.alpha_scale, tree.alpha_function, node.visits)  # type: ignore[no-any-return]
    return 0.0


@inlined
def enter_value(tree: Any, node: Any, slot: int, old_q: float, level: int) -> None:
    """Set V(s) after the edge `slot` changed from `old_q`, where values are not means of returns."""
    value = state_value(tree, node, slot, old_q, level, value_temperature(tree, node))
    node.value = -value if node.player == 1 else value


@inlined
def state_value(tree: Any, node: Any, slot: int, old_q: float, level: int, alpha: float) -> float:
    """The node's value after the edge `slot` changed from `old_q` to its present q."""
    n = np.int64(node.actions)
    if tree.state_value == MAX:
        before = np.int64(node.best)
        remember_best(tree, node, slot, old_q)
        if node.best == before and before != slot and not tree.proofs:  # where bounds are kept, they move the value
            return -node.value if node.player == 1 else node.value  # type: ignore[no-any-return]
        return edge_at(tree, node.block + node.best).q  # type: ignore[no-any-return]
    if node.best < 0:
        node.best = slot
    if tree.state_value == POWER:
        lowest = -tree.highest if node.player == 1 else tree.lowest
        return power_mean(tree, node, lowest, tree.power)
    if tree.state_value == SOFT:
        if tree.incremental and n > tree.scan_to:
            return soft_maximum_kept(tree, node, slot, old_q, alpha)
        return soft_maximum(tree, node, level, alpha)
    if tree.state_value == RELATIVE_SOFT:
        if tree.incremental and n > tree.scan_to and is_tabled(tree, n):
            return soft_maximum_kept(tree, node, slot, old_q, alpha)
        return soft_maximum(tree, node, level, alpha)
    if tree.state_value == SPARSE:
        if is_ranked(tree, node):
            return sparse_maximum_ranked(tree, node, slot, old_q, alpha)
        return sparse_maximum(tree, node, alpha)
    return np.nan  # a state value that has no formula here


@inlined
def enter_best(tree: Any, node: Any) -> None:
    """Set V(s) to the highest q, whatever the algorithm's state value."""
    scan_best(tree, node)
    best = edge_at(tree, node.block + node.best)
    node.value = -best.q if node.player == 1 else best.q


@inlined
def scan_best(tree: Any, node: Any) -> None:
    """Find the tried edge with the highest q."""
    best, highest = -1, -np.inf
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0 and (edge.q > highest or best < 0):
            best, highest = i, edge.q
    node.best = best


@inlined
def remember_best(tree: Any, node: Any, slot: int, old_q: float) -> None:
    """Keep track of the tried edge with the highest q after one changed.

    Only where the best one has fallen is another looked for: among all, or with many actions by a tournament.
    """
    ranked = np.int64(node.actions) >= tree.ranked_from
    if node.best == slot and edge_at(tree, node.block + slot).q < old_q:
        if ranked:
            node.best = best_by_tournament(tree, node, slot)
        else:
            scan_best(tree, node)
        return
    if ranked:
        play_again(tree, node, slot)
    best = np.int64(node.best)
    if best < 0:
        node.best = slot
        return
    highest = -node.value if node.player == 1 else node.value  # which spares looking at the best edge
    if tree.proofs:
        highest = edge_at(tree, node.block + best).q  # bounds may have moved the node's value
    gain = edge_at(tree, node.block + slot).q - highest
    if gain > 0.0 or (gain == 0.0 and slot < best):
        node.best = slot


@inlined
def soft_maximum(tree: Any, node: Any, level: int, alpha: float) -> float:
    """alpha log sum [reference] exp(q/alpha), shifted by the maximum."""
    n = np.int64(node.actions)
    tops = all_lanes(-np.inf)
    for i in range(0, n, LANES):
        tops = greater(q_lanes(tree, node.block, i, n), tops)
    highest = highest_of(tops)
    cold = 1.0 / alpha
    total = 0.0
    if tree.state_value == RELATIVE_SOFT:
        for i in range(n):
            total += reference_of(tree, node, level, i) * exp((edge_at(tree, node.block + i).q - highest) * cold)
    else:
        sums = all_lanes(0.0)
        for i in range(0, n, LANES):
            sums = sums + first_lanes(exp((q_lanes(tree, node.block, i, n) - highest) * cold), n - i, 0.0)
        total = sum_of(sums)
    if tree.box_words:  # relative to the number of actions drawn so far
        total /= node.actions
    return highest + alpha * log(total)


@inlined
def reference_of(tree: Any, node: Any, level: int, slot: int) -> float:
    """What the parent's policy gives an edge: on this trial, or where there is a table when that was built."""
    n = np.int64(node.actions)
    if is_tabled(tree, n):
        return words_of(tree)[references_at(tree, node.block, n) + slot]  # type: ignore[no-any-return]
    return references_of(tree)[level * tree.actions + slot]  # type: ignore[no-any-return]


@inlined
def soft_maximum_kept(tree: Any, node: Any, slot: int, old_q: float, alpha: float) -> float:
    """The soft maximum from M and E = sum [reference] exp((q - M)/alpha), kept up to date (Appendix C.1).

    M need not be the maximum, only near it. When a higher q arrives, the stored sum is rescaled; when E
    has lost digits to cancellation (it fell far below its peak), it is summed anew.
    """
    header = header_at(tree, node.block - 1)
    new_q = edge_at(tree, node.block + slot).q
    cold = 1.0 / alpha
    share = 1.0
    if tree.state_value == RELATIVE_SOFT:
        share = reference_of(tree, node, 0, slot)
    if header.total > 0.0:
        total = header.total - share * exp((old_q - header.shift) * cold)
        if new_q > header.shift:
            scale = exp((header.shift - new_q) * cold)
            total = total * scale + share
            header.peak = header.peak * scale
            header.shift = new_q
        else:
            total += share * exp((new_q - header.shift) * cold)
        header.total = total
        header.peak = max(header.peak, total)
    if not (header.total > header.peak * 0.0625):
        highest, total = -np.inf, 0.0
        for i in range(np.int64(node.actions)):
            highest = max(highest, edge_at(tree, node.block + i).q)
        for i in range(np.int64(node.actions)):
            x = exp((edge_at(tree, node.block + i).q - highest) * cold)
            total += reference_of(tree, node, 0, i) * x if tree.state_value == RELATIVE_SOFT else x
        header.shift = highest
        header.total = total
        header.peak = total
    return header.shift + alpha * log(header.total)


@inlined
def sparse_maximum(tree: Any, node: Any, alpha: float) -> float:
    """The value whose gradient is sparsemax (TENTS), shifted by the maximum."""
    n = np.int64(node.actions)
    highest = -np.inf
    for i in range(n):
        highest = max(highest, edge_at(tree, node.block + i).q)
    cold = 1.0 / alpha
    for i in range(n):
        weights_of(tree)[i] = (edge_at(tree, node.block + i).q - highest) * cold
    t = sparsemax_threshold(weights_of(tree), n)
    total = 0.0
    for i in range(n):
        if weights_of(tree)[i] > t:
            total += weights_of(tree)[i] * weights_of(tree)[i] - t * t
    return highest + alpha * (0.5 + 0.5 * total)


@inlined
def power_mean(tree: Any, node: Any, lowest: float, p: float) -> float:
    """The power mean of the tried edges' q, on values shifted to be non-negative."""
    highest, visits = 0.0, 0
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0:
            highest = max(highest, edge.q - lowest)
            visits += edge.visits
    if highest <= 0.0:
        return lowest
    total = 0.0
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0:
            total += edge.visits / visits * (max(0.0, edge.q - lowest) / highest) ** p
    return lowest + highest * total ** (1.0 / p)
