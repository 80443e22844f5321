"""Search distributions rho over a node's edges, unnormalised weights in ``tree.weights``.

Boltzmann  (eqs. 4.1-4.2, 4.6)  rho(a) ~ exp((q(a) + beta h(a)) / alpha)
relative   (RENTS)              rho(a) ~ reference(a) exp((q(a) + beta h(a)) / alpha)
sparsemax  (TENTS)              rho(a) = max(0, (q(a) + beta h(a)) / alpha - t)

``q`` is the mover's value of an edge (its initial preference while untried), ``h`` the mover's entropy
value, ``reference`` the parent's search policy on this trial.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..lanes import LANES, all_lanes, first_lanes, fused, greater, highest_of, sum_of
from ..memory.blocks import extra_at, prior_at, references_at
from ..memory.views import (
    edge_at,
    h_lanes,
    node_at,
    policies_of,
    put_weight_lanes,
    q_lanes,
    references_of,
    step_at,
    weight_lanes,
    weights_of,
    words_of,
)
from .bounds import is_open
from .elementary import exp
from .schedules import shares
from .space import NO_ENTROPY, RELATIVE, SPARSEMAX

ILLEGAL, IN_TABLE = -1.0, -2.0
"""In a row of policies: an action that is illegal there; in its first place, that the policy was that of a table."""


@inlined
def weigh(tree: Any, node: Any, level: int, alpha: float, beta: float) -> float:
    """Fill ``tree.weights`` with rho up to a factor; return their sum."""
    n = np.int64(node.actions)
    extra = extra_at(tree, node.block, n)
    mine = -beta if node.player == 1 else beta
    tops = all_lanes(-np.inf)
    for i in range(0, n, LANES):
        x = q_lanes(tree, node.block, i, n)
        if tree.entropy_bonus != NO_ENTROPY:
            x = fused(mine, h_lanes(tree, extra, i, n), x)
        put_weight_lanes(tree, i, x)
        tops = greater(x, tops)
    highest = highest_of(tops)
    if tree.proofs:
        highest = close_weights(tree, node)
    cold = 1.0 / alpha
    if tree.distribution == SPARSEMAX:
        return sparse_weights(tree, n, highest, cold)
    sums = all_lanes(0.0)
    for i in range(0, n, LANES):
        weight = first_lanes(exp((weight_lanes(tree, i) - highest) * cold), n - i, 0.0)
        put_weight_lanes(tree, i, weight)
        sums = sums + weight
    if not (tree.proofs or tree.distribution == RELATIVE):
        return sum_of(sums)  # type: ignore[no-any-return]
    total = 0.0
    for i in range(n):
        if tree.proofs and not is_open(tree, node, i):
            weights_of(tree)[i] = 0.0
        if tree.distribution == RELATIVE:
            weights_of(tree)[i] *= references_of(tree)[level * tree.actions + i]
        total += weights_of(tree)[i]
    return total


@inlined
def close_weights(tree: Any, node: Any) -> float:
    """Give edges that are not open the lowest preference; the highest of the others."""
    highest = -np.inf
    for i in range(np.int64(node.actions)):
        if not is_open(tree, node, i):
            weights_of(tree)[i] = -np.inf
        highest = max(highest, weights_of(tree)[i])
    return highest


@inlined
def sparse_weights(tree: Any, n: int, highest: float, cold: float) -> float:
    """Turn preferences into the weights of sparsemax; return their sum."""
    for i in range(n):
        weights_of(tree)[i] = (weights_of(tree)[i] - highest) * cold
    threshold = sparsemax_threshold(weights_of(tree), n)
    total = 0.0
    for i in range(n):
        weights_of(tree)[i] = max(0.0, weights_of(tree)[i] - threshold)
        total += weights_of(tree)[i]
    return total


@inlined
def sparsemax_threshold(x: Any, n: int) -> float:
    """The t with sum max(0, x - t) = 1 (Michelot's iteration: no sorting), for x with maximum 0."""
    t = -1.0  # with the maximum at 0, no entry below -1 can be in the support
    previous = n + 1
    while True:
        total, count = 0.0, 0
        for i in range(n):
            if x[i] > t:
                total += x[i]
                count += 1
        if count >= previous:  # the support shrinks to the answer (it may only grow again by rounding)
            return t
        previous = count
        t = (total - 1.0) / count


@inlined
def set_reference(tree: Any, node: Any, level: int) -> None:
    """Write the parent's search policy over this node's edges: ``references[level]``.

    It is matched by action; an action that was illegal at the parent gets the parent's mean mass over the
    actions of this node (never 0); then normalised. Uniform at the root.
    """
    n = np.int64(node.actions)
    first, above = level * tree.actions, (level - 1) * tree.actions
    if n < tree.actions:
        for a in range(tree.actions):
            policies_of(tree)[first + a] = ILLEGAL  # until pi is written
    if level == 0:
        for i in range(n):
            references_of(tree)[i] = 1.0 / n
        return
    if policies_of(tree)[above] == IN_TABLE:
        read_table(tree, node, level)
    elif n == tree.actions:
        for i in range(n):
            references_of(tree)[first + i] = policies_of(tree)[above + i]
    else:
        for i in range(n):
            references_of(tree)[first + i] = policies_of(tree)[above + edge_at(tree, node.block + i).action]
    known, mass = 0, 0.0
    for i in range(n):
        p = references_of(tree)[first + i]
        if p >= 0.0:
            known += 1
            mass += p
    if known == 0 or mass <= 0.0:
        for i in range(n):
            references_of(tree)[first + i] = 1.0 / n
        return
    fill = mass / known
    total = mass + fill * (n - known)
    for i in range(n):
        p = references_of(tree)[first + i]
        references_of(tree)[first + i] = max((fill if p < 0.0 else p) / total, 1e-300)


@inlined
def read_table(tree: Any, node: Any, level: int) -> None:
    """Write the policy that the parent has drawn from, where that was a table's, over this node's edges."""
    parent = node_at(tree, np.int64(step_at(tree, level - 1).node))
    m = np.int64(parent.actions)
    rho, prior = references_at(tree, parent.block, m) + m, prior_at(tree, parent.block, m)
    explore, follow = shares(tree, parent.visits)
    slot = np.int64(0)
    for i in range(np.int64(node.actions)):
        action = edge_at(tree, node.block + i).action
        if m == tree.actions:
            slot = np.int64(action)
        while slot < m and edge_at(tree, parent.block + slot).action < action:  # actions ascend
            slot += 1
        p = ILLEGAL
        if slot < m and edge_at(tree, parent.block + slot).action == action:
            p = (1.0 - follow) * ((1.0 - explore) * words_of(tree)[rho + slot] + explore / m)
            if tree.has_prior:
                p += follow * words_of(tree)[prior + slot]
        references_of(tree)[level * tree.actions + i] = p


@inlined
def keep_policy(tree: Any, node: Any, level: int) -> None:
    """Keep the reference and rho, which is in ``tree.weights``, beside the table that is built from it."""
    n = np.int64(node.actions)
    first = references_at(tree, node.block, n)
    for i in range(n):
        words_of(tree)[first + i] = references_of(tree)[level * tree.actions + i]
        words_of(tree)[first + n + i] = weights_of(tree)[i]
