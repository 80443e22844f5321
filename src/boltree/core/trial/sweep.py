"""A sweep of a graph computes every node from those below it, so that no estimate is out of date."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel
from ..memory.layout import BY_STATE, NONE
from ..memory.views import node_at
from .recompute import compute_node

SETTLED = 1e-12
"""Repeated sweeps end when no value changes by more than this, relative to the largest."""

MOST_SWEEPS = 10_000
"""The limit of repeated sweeps, settled or not."""

VISITS_A_NODE = 8
"""Visits for each node between two sweeps; a sweep takes about as long for a node as a visit does."""


@kernel
def sweep(handle: Any, order: Any, most: int) -> int:
    """Compute every node from those below it, in an `order` in which children come before their parents.

    Where nodes are shared by state there may be no such order: then sweeps are repeated until nothing changes, at most
    `most` times. Returns the number of sweeps.
    """
    tree = handle[0]
    tree.next_sweep = tree.visits_made + VISITS_A_NODE * max(tree.node_count, tree.sweep_least)
    done, change, largest = 0, np.inf, 0.0
    while done < 1 or (tree.transpositions == BY_STATE and change > SETTLED * largest and done < most):
        change, largest = 0.0, 0.0
        for k in range(order.size):
            node = node_at(tree, order[k])
            if node.block != NONE:
                value, entropy = node.value, node.entropy
                compute_node(tree, order[k], True, True)
                change = max(change, abs(node.value - value), abs(node.entropy - entropy))
                largest = max(largest, abs(node.value), abs(node.entropy))
        done += 1
    return done
