"""The estimates of an edge: its sums over outcomes, and the means Q(s,a) and H_Q(s,a) that follow from them.

    W(s,a) = sum of rewards + discount * sum over s' of n(s,a,s') V(s'),     Q   = W / N(s,a)
    or the sum of the returns from (s,a) on, where V(s) is their mean
    discount * sum over s' of n(s,a,s') H_V(s'),                             H_Q = this / N(s,a)

In a tree n(s,a,s') is N(s'). Sums and values are player 0's, Q is the mover's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..formulas.space import MEAN, NO_ENTROPY
from ..jit import inlined
from ..memory.blocks import extra_at
from ..memory.views import edge_at, entropy_at, step_at


class Child(NamedTuple):
    """The next node of a path, which is backed up already: what it was worth before that, and is worth now."""

    visits: int  # with the trial's own
    value_before: float
    value: float
    entropy_before: float
    entropy: float


@inlined
def add_trial(tree: Any, node: Any, level: int, ret: float, child: Any) -> None:
    """Enter a trial in the edge that it took, in a tree; `ret` is the trial's return from the edge on."""
    at = step_at(tree, level)
    gain = ret
    if tree.state_value != MEAN:
        gain = at.reward + tree.discount * growth_of(child.visits, child.value_before, child.value)
    edge_at(tree, node.block + at.slot).visits += 1
    entropy_gain = tree.discount * growth_of(child.visits, child.entropy_before, child.entropy)
    add_to_sums(tree, node, np.int64(at.slot), gain, entropy_gain)


@inlined
def growth_of(n: int, before: float, after: float) -> float:
    """What an outcome's n-th visit, which changed V from `before` to `after`, adds to the sum n V."""
    return n * after - (n - 1) * before


@inlined
def add_to_sums(tree: Any, node: Any, slot: int, gain: float, entropy_gain: float) -> None:
    """Add to both sums of an edge; the means follow."""
    total = edge_at(tree, node.block + slot).w + gain
    enter_sums(tree, node, slot, total, entropies_of(tree, node, slot) + entropy_gain)


@inlined
def enter_sums(tree: Any, node: Any, slot: int, total: float, entropies: float) -> None:
    """Set both sums of a tried edge, and the means; entropies only where the algorithm has an entropy bonus."""
    edge = edge_at(tree, node.block + slot)
    if tree.entropy_bonus != NO_ENTROPY:
        extra = entropy_at(tree, extra_at(tree, node.block, np.int64(node.actions)), slot)
        extra.w = entropies
        extra.h = entropies / edge.visits
    edge.w = total
    edge.q = (-total if node.player == 1 else total) / edge.visits


@inlined
def entropies_of(tree: Any, node: Any, slot: int) -> float:
    """The discounted sum of entropies of an edge; 0 where the algorithm has none."""
    if tree.entropy_bonus == NO_ENTROPY:
        return 0.0
    return entropy_at(tree, extra_at(tree, node.block, np.int64(node.actions)), slot).w  # type: ignore[no-any-return]
