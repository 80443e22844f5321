"""The backup: a trial whose leaf has its value is entered in every edge and node of its path, deepest first.

At each node the edge that the trial took comes first. In a tree, what the trial changed is added to the edge's sums
(edges.py); in a graph, where other trials change the child as well, the sums are computed from its links (graph.py).
The node's value V(s) and entropy H_V(s) then follow from its edges, in the same way in both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..atomics import lock, unlock
from ..formulas.bounds import bound_node
from ..formulas.elementary import exp, log
from ..formulas.entropies import uniform_entropy
from ..formulas.halving import halving_visit
from ..formulas.schedules import scheduled
from ..formulas.space import HALVING, MEAN, NO_ENTROPY, RELATIVE_ENTROPY, SOFT, SWITCHING
from ..formulas.temperature import enter_window
from ..formulas.units import note_shift, note_trial
from ..formulas.values import enter_best, enter_value
from ..jit import inlined
from ..memory.blocks import extra_at
from ..memory.layout import CLOSED, LEAF, NONE, ORIGIN, PASSED, UNFINISHED, WAITING
from ..memory.views import edge_at, entropy_at, node_at, step_at
from .edges import Child, add_trial
from .graph import enter_trial
from .leaf import is_end
from .recompute import compute_node, enter_open_mean
from .visits import enter_visit


@inlined
def back_up(tree: Any, graph: bool, locked: bool) -> None:
    """Update every edge and node of the path, deepest first.

    `graph` says that nodes may have several parents; `locked` that other threads work on the same tree, so that nodes
    are locked while they change (the leaf already, by the caller). Callers give constants, so that the code compiled
    for one mode contains nothing of the others.
    """
    leaf = node_at(tree, tree.leaf)
    ended = is_end(tree, leaf)
    ret = 0.0 if ended else tree.leaf_value
    note_trial(tree, ret)
    if graph and tree.growth == LEAF and leaf.visits == 1 and not ended:
        leaf.reward = tree.leaf_value  # V_init is one of the returns in a shared node's mean
    switch = switching_level(tree, ended)
    child = Child(leaf.visits, leaf.value, leaf.value, step_at(tree, tree.length).entropy, leaf.entropy)
    if locked:
        unlock(leaf)
    for level in range(tree.length - 1, -1, -1):
        at = step_at(tree, level)
        index = np.int64(at.node)
        node = node_at(tree, index)
        if locked:
            lock(tree, node)
            enter_visit(tree, level)
        ret = at.reward + tree.discount * ret
        note_shift(tree, ret)
        value_before = node.value
        if not graph and at.slot == NONE:
            back_up_single(tree, node, ret, at.reward + tree.discount * child.value, tree.discount * child.entropy)
        elif graph or tree.distribution != SWITCHING or level == switch:
            back_up_edge(tree, index, level, ret, child, graph)
        if tree.adaptive:
            enter_window(tree, index)
        child = Child(node.visits, value_before, node.value, at.entropy, node.entropy)
        if locked:
            unlock(node)
    tree.visits_made += tree.length + 1


@inlined
def switching_level(tree: Any, ended: bool) -> int:
    """The level of the only edge that a switching search (BRUE) updates.

    It is the last one above which actions were drawn uniformly; or, where the tree ends before that, the path's last.
    """
    level = np.int64(tree.switch - 1)
    if tree.growth == LEAF and not ended:
        level = min(level, np.int64(tree.length - 1))
    return level


@inlined
def back_up_edge(tree: Any, index: int, level: int, ret: float, child: Any, graph: bool) -> None:
    """Update the edge that the trial took at a node, then the node."""
    node, at = node_at(tree, index), step_at(tree, level)
    slot = np.int64(at.slot)
    edge = edge_at(tree, node.block + slot)
    old_w, old_q = edge.w, edge.q
    if graph:
        node.marks &= 255 ^ PASSED
        enter_trial(tree, node, level, child)
        ret = edge.w - old_w  # with what other trials have changed below
    else:
        add_trial(tree, node, level, ret, child)
    if graph and node.visits % node.actions == 0:
        compute_node(tree, index, True, False)
        return
    if tree.state_value == MEAN:
        enter_mean(tree, node, slot, ret, graph)
    else:
        enter_value(tree, node, slot, old_q, level)
    if tree.entropy_bonus != NO_ENTROPY:
        extra = entropy_at(tree, extra_at(tree, node.block, np.int64(node.actions)), slot)
        node.entropy = at.rest + at.policy * extra.h
    if graph and tree.proofs:
        bound_node(tree, index)
    if not graph and tree.distribution == HALVING and level == 0:
        halving_visit(tree, node, slot)


@inlined
def enter_mean(tree: Any, node: Any, slot: int, ret: float, graph: bool) -> None:
    """Enter a return in V(s), where that is the mean of the returns so far.

    In a graph V_init counts as one of them, in a tree the first return replaces it. Where values are proven, edges that
    are not open do not count. A switching search takes the mean
    of its best edge.
    """
    if tree.distribution == SWITCHING:
        enter_best(tree, node)
    elif graph and tree.proofs and node.marks & CLOSED:
        enter_open_mean(tree, node)
    elif node.best == NONE and not graph:
        node.value = ret
    else:
        tried = np.int64(node.visits)
        if node.marks & UNFINISHED:
            tried = count_tried(tree, node)
        elif not graph and tree.growth == LEAF and not node.marks & (ORIGIN | WAITING):
            tried -= 1  # the visit that V_init came with
        node.value += (ret - node.value) / tried
    if node.best < 0:
        node.best = slot


@inlined
def count_tried(tree: Any, node: Any) -> int:
    """The sum of N(s,a) over the actions, where it does not follow from N(s)."""
    tried = np.int64(0)
    for i in range(np.int64(node.actions)):
        tried += edge_at(tree, node.block + i).visits
    return tried


@inlined
def back_up_single(tree: Any, node: Any, ret: float, q: float, entropy: float) -> None:
    """Set the value and entropy of a node that has taken one action, once, and stores no edges (SINGLE)."""
    n = np.int64(node.actions)
    sign = -1.0 if node.player == 1 else 1.0
    if tree.state_value == MEAN:
        node.value = ret
    elif tree.state_value == SOFT:
        alpha = scheduled(tree, tree.alpha_kind, tree.alpha_scale, tree.alpha_function, node.visits)
        own = sign * q
        initial = tree.q_init_second if node.player == 1 else tree.q_init
        highest = max(own, initial) if n > 1 else own
        total = exp((own - highest) / alpha)
        if n > 1:
            total += (n - 1) * exp((initial - highest) / alpha)
        node.value = sign * (highest + alpha * log(total))
    else:
        node.value = q
    if tree.entropy_bonus != NO_ENTROPY and tree.entropy_bonus != RELATIVE_ENTROPY:
        node.entropy = sign * uniform_entropy(tree.entropy_bonus, n) + entropy / n
