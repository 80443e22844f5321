"""The search policy of a node as a mixture, written to the scratch memory ``tree.mixture``, and drawn from it.

    pi = lambda_p prior + (1 - lambda_p) [ (1 - lambda) rho + lambda / n ]

`weigh` has written the weights of rho before (distributions.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..lanes import LANES, first_lanes, fused
from ..memory.blocks import prior_at
from ..memory.views import (
    edge_at,
    mixture_of,
    policies_of,
    put_mixture_lanes,
    rng_of,
    weight_lanes,
    word_lanes,
)
from ..random import uniform_of
from .bounds import count_open, is_open


@inlined
def mix(tree: Any, node: Any, level: int, explore: float, follow: float, total: float) -> None:
    """Write the search policy of a node, from weights with the given sum, into the scratch memory."""
    n = np.int64(node.actions)
    prior = prior_at(tree, node.block, n)
    rho = (1.0 - follow) * (1.0 - explore) / total
    even = (1.0 - follow) * explore / n
    for i in range(0, n, LANES):
        p = fused(rho, weight_lanes(tree, i), even)
        if tree.has_prior:
            p = fused(follow, word_lanes(tree, prior, i, n), p)
        put_mixture_lanes(tree, i, first_lanes(p, n - i, 0.0))
    if tree.proofs:
        share_among_open(tree, node)
    if tree.relative:
        for i in range(n):
            action = i if n == tree.actions else edge_at(tree, node.block + i).action
            policies_of(tree)[level * tree.actions + action] = mixture_of(tree)[i]


@inlined
def share_among_open(tree: Any, node: Any) -> None:
    """Move the probability of edges that are not open to those that are, the same to each: what `open_slot` draws."""
    n, closed = np.int64(node.actions), 0.0
    for i in range(n):
        if not is_open(tree, node, i):
            closed += mixture_of(tree)[i]
            mixture_of(tree)[i] = 0.0
    if closed > 0.0:
        even = closed / count_open(tree, node)
        for i in range(n):
            if is_open(tree, node, i):
                mixture_of(tree)[i] += even


@inlined
def draw_mixed(tree: Any, n: int) -> int:
    """An edge from the mixture that `mix` wrote.

    By branches on purpose: a processor that predicts them looks at the next node before the mixture is worked out.
    """
    u = uniform_of(rng_of(tree))
    for i in range(n - 1):
        u -= mixture_of(tree)[i]
        if u < 0.0:
            return i
    slot = n - 1
    while slot > 0 and mixture_of(tree)[slot] <= 0.0:  # rounding must not end on an impossible one
        slot -= 1
    return slot
