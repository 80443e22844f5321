"""The kernels that Python calls: run trials, and read a recommendation."""

from __future__ import annotations

from typing import Any

import numpy as np

from .blocks import units_of
from .jit import brief, inlined, kernel
from .outcomes import index_is_short
from .random import hashed
from .records import DONE, EVALUATE, FULL, INDEX, LEAF, NODE, NONE, SINGLE, SWEEP, UNIT, UNKNOWN_CHOICE
from .sharing import back_up_shared, undo_shared
from .space import POWER, SWITCHING
from .temperature import solve_temperature
from .trial import back_up, descend, enter_leaf, undo
from .views import edge_at, node_at

NODE_BYTES = NODE.itemsize


@kernel
def run_trials(handle: Any, trials: int) -> int:
    """`run_more`, for Python."""
    return run_more(handle[0], trials, False)


@kernel
def run_shared_trials(handle: Any, trials: int) -> int:
    """`run_trials` where nodes are shared: code of its own, so that a tree's stays as fast as it is."""
    return run_more(handle[0], trials, True)


@inlined
def run_more(tree: Any, trials: int, shared: bool) -> int:
    """Run up to `trials` trials; DONE, or what must be seen to first: FULL, EVALUATE, INDEX, SWEEP, or an error.

    Whether nodes are `shared` is a constant.
    """
    if tree.state_value > POWER:  # the last of them
        return UNKNOWN_CHOICE
    end = tree.trials + trials
    levels = tree.horizon - node_at(tree, tree.root).depth
    new_nodes = nodes_of_trial(tree, levels)
    new_units = units_of_trial(tree, levels)
    while tree.trials < end or tree.pending:
        if not tree.pending:
            tree.nodes_before = tree.node_count
            status = room_for(tree, new_nodes, new_units)
            if status != DONE:
                return status
            if shared and tree.visits_made >= tree.next_sweep:
                return SWEEP
            if tree.distribution == SWITCHING and levels > 0:
                tree.switch = levels - tree.trials % levels
        resumed = tree.pending
        status = enter_leaf(tree) if resumed else descend(tree, shared)
        if status == EVALUATE:
            return EVALUATE
        if status != DONE:
            if shared:
                undo_shared(tree)
            else:
                undo(tree)
            tree.pending = 0
            return status
        tree.pending = 0
        if resumed != 2:
            if shared:
                back_up_shared(tree)
            else:
                back_up(tree)
            tree.trials += 1
            if tree.adaptive and tree.trials % tree.every == 0:
                solve_temperature(tree)
    return DONE


@inlined
def nodes_of_trial(tree: Any, levels: int) -> int:
    """Nodes that a trial may make."""
    return 1 if tree.growth == LEAF else levels + 1


@inlined
def units_of_trial(tree: Any, levels: int) -> int:
    """Units of blocks, and links, that a trial may need."""
    if tree.shared:  # a trial may go through any number of nodes that others made
        return (levels + 1) * (units_of(tree, tree.actions) + 1)
    return (2 if tree.growth == LEAF else levels + 1) * units_of(tree, tree.actions)


@inlined
def room_for(tree: Any, new_nodes: int, new_units: int) -> int:
    """DONE when there is room for so much more; else FULL, and what is needed in all is noted; or INDEX."""
    nodes, units = tree.node_count + new_nodes + 1, tree.unit_count + new_units
    size = nodes * (NODE_BYTES + 8 * tree.words) + units * UNIT + 4 * tree.index_size
    if tree.index_stale or index_is_short(tree, new_nodes):
        return INDEX
    if nodes > tree.max_nodes or units > tree.max_units or size > tree.max_bytes:
        tree.needed_nodes, tree.needed_units = nodes, units
        return FULL
    return DONE


@kernel
def room_for_batch(handle: Any, trials: int) -> int:
    """`room_for_trials`, for Python."""
    return room_for_trials(handle[0], trials)


@inlined
def room_for_trials(tree: Any, trials: int) -> int:
    """`room_for` so many trials that are selected before any is backed up."""
    levels = tree.horizon - node_at(tree, tree.root).depth
    return room_for(tree, trials * nodes_of_trial(tree, levels), trials * units_of_trial(tree, levels))


@kernel
def bytes_of_trial(handle: Any, levels: int) -> int:
    """What an empty tree and its first trial may need."""
    tree = handle[0]
    nodes, units = nodes_of_trial(tree, levels) + 2, units_of_trial(tree, levels)
    return nodes * (NODE_BYTES + 8 * tree.words) + units * UNIT


@kernel
def abandon_trial(handle: Any) -> None:
    """Take back a trial whose leaf waits for an evaluation that will not come."""
    if handle[0].shared:
        undo_shared(handle[0])
    else:
        undo(handle[0])
    handle[0].pending = 0


@inlined
def best_slot(tree: Any, index: int) -> int:
    """The recommended edge of a node with a block: highest q, or most visits, among the tried; NONE if none is."""
    node = node_at(tree, index)
    highest, ties = -np.inf, np.int64(0)
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0:
            score = float(edge.visits) if tree.recommend_visits else edge.q
            if score > highest:
                highest, ties = score, np.int64(1)
            elif score == highest:
                ties += 1
    if ties == 0:
        return np.int64(NONE)
    pick = np.int64(hashed(tree.seed, index, node.visits) % np.uint64(ties))
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0:
            score = float(edge.visits) if tree.recommend_visits else edge.q
            if score == highest:
                if pick == 0:
                    return i
                pick -= 1
    return np.int64(NONE)


@inlined
def recommended(tree: Any, index: int) -> int:
    """The recommended action of a node, or NONE when none was tried there."""
    node = node_at(tree, index)
    if node.block == NONE:
        return np.int64(NONE)
    if node.marks & SINGLE:
        return np.int64(node_at(tree, node.block).action)
    slot = best_slot(tree, index)
    return slot if slot < 0 else np.int64(edge_at(tree, node.block + slot).action)


@brief
def recommend_action(handle: Any, index: int) -> int:
    """`recommended`, for Python."""
    return recommended(handle[0], index)


@kernel
def recommend_everywhere(handle: Any, out: Any) -> None:
    """`recommended` of every node, in the order in which nodes were made."""
    for index in range(out.size):
        out[index] = recommended(handle[0], index)
