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
from ..memory.blocks import extra_at
from ..memory.views import edge_at, entropy_at, policies_of, references_of, weights_of
from .bounds import is_open
from .elementary import exp
from .space import NO_ENTROPY, RELATIVE, SPARSEMAX


@inlined
def weigh(tree: Any, node: Any, level: int, alpha: float, beta: float) -> float:
    """Fill ``tree.weights`` with rho up to a factor; return their sum."""
    n = np.int64(node.actions)
    sign = -1.0 if node.player == 1 else 1.0
    extra = extra_at(tree, node.block, n)
    highest = -np.inf
    for i in range(n):
        edge = edge_at(tree, node.block + i)
        x = edge.q
        if tree.entropy_bonus != NO_ENTROPY:
            x += beta * (sign * entropy_at(tree, extra, i).h)
        if tree.proofs and not is_open(tree, node, i):
            x = -np.inf
        weights_of(tree)[i] = x
        highest = max(highest, x)
    cold = 1.0 / alpha
    for i in range(n):
        weights_of(tree)[i] = (weights_of(tree)[i] - highest) * cold
    if tree.distribution == SPARSEMAX:
        threshold = sparsemax_threshold(weights_of(tree), n)
        total = 0.0
        for i in range(n):
            weights_of(tree)[i] = max(0.0, weights_of(tree)[i] - threshold)
            total += weights_of(tree)[i]
        return total
    total = 0.0
    for i in range(n):
        weights_of(tree)[i] = exp(weights_of(tree)[i])
    if tree.proofs:
        for i in range(n):
            if not is_open(tree, node, i):
                weights_of(tree)[i] = 0.0
    if tree.distribution == RELATIVE:
        for i in range(n):
            weights_of(tree)[i] *= references_of(tree)[level * tree.actions + i]
    for i in range(n):
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
    for a in range(tree.actions):
        policies_of(tree)[level * tree.actions + a] = -1.0  # illegal here, until pi is written
    if level == 0:
        for i in range(n):
            references_of(tree)[i] = 1.0 / n
        return
    known, mass = 0, 0.0
    for i in range(n):
        p = policies_of(tree)[(level - 1) * tree.actions + edge_at(tree, node.block + i).action]
        references_of(tree)[level * tree.actions + i] = p
        if p >= 0.0:
            known += 1
            mass += p
    if known == 0 or mass <= 0.0:
        for i in range(n):
            references_of(tree)[level * tree.actions + i] = 1.0 / n
        return
    fill = mass / known
    total = mass + fill * (n - known)
    for i in range(n):
        p = references_of(tree)[level * tree.actions + i]
        references_of(tree)[level * tree.actions + i] = max((fill if p < 0.0 else p) / total, 1e-300)
