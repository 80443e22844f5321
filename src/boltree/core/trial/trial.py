"""A trial on its way down: draw actions by the search policy and outcomes from the problem, until a leaf is valued.

What it came to is then backed up (backup.py). A trial that fails on its way is undone (undo.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.policies import choose
from ..formulas.schedules import draw_temperature
from ..jit import inlined
from ..memory.allocation import take_node
from ..memory.blocks import count_legal, given_action, legal_action
from ..memory.layout import (
    COLLISION,
    DONE,
    EVALUATE,
    LEAF,
    LEGAL_FAILED,
    NO_ACTION,
    NONE,
    PROVEN,
    RECYCLED,
    SINGLE,
    WAITING,
)
from ..memory.links import enter_in_graph, find_in_graph, is_cut, take_link
from ..memory.outcomes import find_outcome, link_outcome
from ..memory.views import edge_at, link_at, node_at, out_of, path_links_of, rng_of, step_at
from ..native import FAILED
from ..random import uniform_of
from .hidden import carry_on, draw_carried, observe, step_hidden
from .known import draw_listed
from .leaf import enter_leaf, evaluate, is_end
from .step import enter_node, new_block, step
from .widening import begin_widening, draw_action_of, stand_in


@inlined
def descend(tree: Any, graph: bool, hidden: bool) -> int:
    """Select down to a leaf and value it; DONE, EVALUATE (the leaf waits for an evaluator), or an error.

    While a batch is selected, nothing that a policy is worked out from changes on the way, and COLLISION says that the
    way led to a leaf that waits already. `graph` says that nodes may have several parents (links.py), `hidden` that
    they are histories and the trial carries a state of its own (hidden.py); callers give constants, so that the code
    for a tree of states has nothing of them.
    """
    index, level = np.int64(tree.root), np.int64(0)
    fresh = False
    tree.cut = 0
    draw_temperature(tree)
    begin_widening(tree)
    if hidden:
        tree.length = -1  # nothing to undo
        status = draw_carried(tree)
        if status != DONE:
            return status
    if tree.prior_external and node_at(tree, index).block == NONE and not is_end(tree, node_at(tree, index)):
        tree.leaf = index  # the root's own prior and value come first
        tree.length = 0
        tree.pending = 2
        return EVALUATE
    while True:
        node, at = node_at(tree, index), step_at(tree, level)
        at.node = index
        at.entropy = node.entropy
        tree.leaf = index
        tree.length = level
        if graph and (is_cut(tree, node, level, fresh) or (tree.proofs != 0 and node.marks & PROVEN)):
            tree.leaf_value = node.value
            tree.cut = 1
            return DONE
        node.visits += 1
        if is_end(tree, node):
            tree.leaf_value = 0.0
            return DONE
        if node.marks & WAITING:
            return COLLISION
        if fresh or (tree.prior_external and node.block == NONE):  # the latter is new, or the horizon has moved past it
            status = evaluate(tree, index, level, hidden)
            return enter_leaf(tree) if status == DONE else status
        if graph and tree.proofs != 0 and node.block == NONE:
            status = new_block(tree, index, False)
            if status != DONE:
                return status
            if node.marks & PROVEN:  # an action that ends the problem proves it, and it is not entered
                node.visits -= 1
                tree.leaf_value = node.value
                tree.cut = 1
                return DONE
        status, action, slot = draw_action(tree, index, level)
        if status != DONE:
            return status
        status, index, new = draw_outcome(tree, index, action, slot, level, graph, hidden)
        if status != DONE:
            return status
        fresh = new and tree.growth == LEAF
        level += 1


@inlined
def draw_action(tree: Any, index: int, level: int) -> tuple[int, int, int]:
    """Draw an action by the search policy, and enter its edge into the path: DONE or an error, the action and the edge.

    A node that is visited for the first time may do without edges (SINGLE): its policy is uniform.
    """
    node = node_at(tree, index)
    if node.block == NONE and tree.compact and node.best != RECYCLED:
        n = count_legal(tree, index)
        if n == FAILED or n == 0:
            tree.error_node = index
            return (LEGAL_FAILED if n == FAILED else NO_ACTION), 0, np.int64(NONE)
        node.actions = n
        step_at(tree, level).slot = NONE
        return DONE, legal_action(tree, np.int64(uniform_of(rng_of(tree)) * n)), np.int64(NONE)
    bare = node.block == NONE
    if bare or node.marks & SINGLE:
        status = new_block(tree, index, False)
        if status != DONE:
            return status, 0, np.int64(NONE)
    if tree.box_words:
        status, drawn = draw_action_of(tree, index, level, bare)
        if status != DONE or drawn != NONE:
            tree.error_node = index
            return status, drawn, np.int64(step_at(tree, level).slot)
    slot = choose(tree, index, level, False)
    if slot < NONE:
        tree.error_node = index
        return -slot, 0, np.int64(NONE)
    step_at(tree, level).slot = slot
    return DONE, np.int64(edge_at(tree, node.block + slot).action), slot


@inlined
def draw_outcome(
    tree: Any, index: int, action: int, slot: int, level: int, graph: bool, hidden: bool
) -> tuple[int, int, bool]:
    """Draw an outcome of an action: DONE or an error, the node that it leads to, and whether that is new.

    The reward is entered into the path, and in a graph the link.
    """
    before = tree.node_count
    edge, first = np.int64(NONE), np.int64(NONE)
    if slot != NONE:
        edge = node_at(tree, index).block + slot
        first = np.int64(edge_at(tree, edge).child)
    if graph and tree.known:
        return draw_listed(tree, index, edge, level)
    if not hidden and tree.deterministic and first != NONE:
        child = np.int64(link_at(tree, first).child) if graph else first
        new = graph and node_at(tree, child).visits == 0
        step_at(tree, level).reward = link_at(tree, first).reward if graph else node_at(tree, child).reward
    else:
        status, child, new = sample_outcome(tree, index, action, edge, first, level, graph, hidden)
        if status != DONE:
            return status, child, new
    if graph:
        made = tree.node_count > before
        path_links_of(tree)[level] = take_link(tree, edge, child, step_at(tree, level).reward, made)
    return DONE, child, new


@inlined
def sample_outcome(
    tree: Any, index: int, action: int, edge: int, first: int, level: int, graph: bool, hidden: bool
) -> tuple[int, int, bool]:
    """Ask the problem for an outcome, and find its node or make one; returns what `draw_outcome` does.

    `first` is the first outcome of the edge; `edge` is NONE where the node is to have none.
    """
    status = step_hidden(tree, index, action, level) if hidden else step(tree, index, action, level)
    if status != DONE:
        return status, np.int64(NONE), False
    terminal = out_of(tree)[1] != 0.0
    if hidden:
        if not terminal:
            status, observed = observe(tree, edge, first, given_action(tree, index, action))
            if status != DONE:
                return status, np.int64(NONE), False
        carry_on(tree)
        if not terminal and observed != NONE:
            return DONE, observed, False
    if graph:
        child = find_in_graph(tree, index, edge, terminal)
    else:
        child = find_outcome(tree, edge, first, tree.node_count, terminal)
    if not hidden and child == NONE and tree.widening > 0.0 and edge != NONE:
        child = stand_in(tree, edge, first, terminal)
    if child != NONE:  # without a visit it is the leaf of a trial that was taken back, or is in flight
        return DONE, child, graph and node_at(tree, child).visits == 0
    child = take_node(tree)
    status = enter_node(tree, child, index, action, first, level)
    if status != DONE:
        return status, child, False
    if graph:
        enter_in_graph(tree, index, child)
    elif edge == NONE:
        node_at(tree, index).block = child
        node_at(tree, index).marks |= SINGLE
    else:
        link_outcome(tree, edge, child)
    return DONE, child, True
