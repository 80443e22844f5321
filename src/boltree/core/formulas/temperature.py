"""ANTS (after Kozakowski et al.): the temperature at which the search is as random as the user asks for.

Every ``every`` trials alpha is solved for by bisection, so that the mean over the nodes visited since then
of H(softmax(q / alpha)) / log n equals the target.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..memory.layout import WINDOWED
from ..memory.views import edge_at, node_at, window_of
from .elementary import exp, log

STEPS = 50


@inlined
def enter_window(tree: Any, index: int) -> None:
    """Add a visited node to the window, if it has several actions and there is room."""
    node = node_at(tree, index)
    if node.actions > 1 and not node.marks & WINDOWED and tree.window_count < window_of(tree).size:
        node.marks |= WINDOWED
        window_of(tree)[tree.window_count] = index
        tree.window_count += 1


@inlined
def mean_entropy(tree: Any, alpha: float) -> float:
    """The mean normalised entropy of the Boltzmann policies at the nodes of the window."""
    total = 0.0
    cold = 1.0 / alpha
    for k in range(tree.window_count):
        node = node_at(tree, window_of(tree)[k])
        highest = -np.inf
        for i in range(np.int64(node.actions)):
            highest = max(highest, edge_at(tree, node.block + i).q)
        z, weighted = 0.0, 0.0
        for i in range(np.int64(node.actions)):
            x = (edge_at(tree, node.block + i).q - highest) * cold
            w = exp(x)
            z += w
            weighted += w * max(x, -708.0)
        total += (log(z) - weighted / z) / log(float(node.actions))
    return total / tree.window_count


@inlined
def solve_temperature(tree: Any) -> None:
    """Set alpha to the solution and empty the window."""
    if tree.window_count == 0:
        return
    spread = 0.0
    for k in range(tree.window_count):
        node = node_at(tree, window_of(tree)[k])
        for i in range(np.int64(node.actions)):
            spread = max(spread, abs(edge_at(tree, node.block + i).q - edge_at(tree, node.block).q))
    if spread > 0.0:
        low, high = log(spread) - 14.0, log(spread) + 14.0
        for _ in range(STEPS):
            middle = 0.5 * (low + high)
            if mean_entropy(tree, exp(middle)) < tree.target_entropy:
                low = middle
            else:
                high = middle
        tree.alpha_scale = exp(0.5 * (low + high))
    for k in range(tree.window_count):
        node_at(tree, window_of(tree)[k]).marks &= 255 ^ WINDOWED
    tree.window_count = 0
