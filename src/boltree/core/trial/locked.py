"""Several threads on one tree: each runs whole trials, and locks a node only while it reads or changes its records.

On the way down a trial announces itself at each node (``flights``), draws an edge and goes on; a problem's step and the
leaf's evaluation run without any lock. On the way up each node is updated as if the trial had been run then: the visit,
the policy, the edge, the value. The trial that changes a child carries its value before and after to the parent, so the
parent's sums are exact in whatever order trials arrive:

    W(s,a) = sum of rewards + discount * sum N(s') V(s').

A trial that comes to a leaf whose evaluation is still under way goes on below it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..atomics import add_to, cycles, give_way, lock, read_from, unlock
from ..formulas.policies import BAD, choose
from ..formulas.units import note_return
from ..jit import inlined, kernel
from ..memory.allocation import NODE_RANGE, take_node, take_node_range, unit_range
from ..memory.blocks import make_block, units_of
from ..memory.layout import DONE, FULL, INDEX, LEAF, NONE, SCHEDULE_FAILED, TREE, UNIT, WAITING
from ..memory.outcomes import find_outcome, index_is_short, link_outcome
from ..memory.room import NODE_BYTES, nodes_of_trial, units_of_trial
from ..memory.views import edge_at, node_at, out_of, step_at
from ..native import record_at
from .backup import back_up
from .leaf import enter_leaf, evaluate, is_end
from .step import enter_node, step
from .visits import count_visit

assert TREE.fields is not None
TRIALS_LEFT, STOPPED, GUARD = (TREE.fields[name][1] for name in ("trials_left", "stopped", "guard"))
TRIALS_AT_A_TIME = 8
"""How many trials a thread takes from the common count at once."""


@kernel
def run_worker(handle: Any) -> int:
    """Run trials on a shared tree until there are none left or a thread asks to stop; DONE, FULL, INDEX or an error."""
    tree = handle[0]
    began = cycles()
    main = record_at(tree.owner, TREE)
    status = work(tree, main)
    exchange_returns(tree, main)
    tree.worked += cycles() - began
    if status != DONE:
        add_to(tree.owner + STOPPED, 1)
    return status


@inlined
def work(tree: Any, main: Any) -> int:
    """`run_worker`, where `tree` is the thread's record and `main` the tree's own."""
    if tree.node_end == 0:
        status = room_for_all(tree, main)
        if status != DONE:
            return status
        take_node_range(tree)
    mine = 0
    while read_from(tree.owner + STOPPED) == 0:
        if mine == 0:
            mine = take_trials(tree)
            if mine == 0:
                return DONE
        status = room_for_all(tree, main)
        if status == DONE:
            exchange_returns(tree, main)
            status = descend_locked(tree)
            if status == DONE:
                status = finish(tree)
            else:
                withdraw(tree, tree.length)
        if status != DONE:
            add_to(tree.owner + TRIALS_LEFT, mine)
            return status
        tree.trials += 1
        mine -= 1
        if tree.fresh == BAD:
            add_to(tree.owner + TRIALS_LEFT, mine)
            return SCHEDULE_FAILED
    add_to(tree.owner + TRIALS_LEFT, mine)
    return DONE


@inlined
def take_trials(tree: Any) -> int:
    """Take trials from the common count; how many this thread is to run now."""
    left = add_to(tree.owner + TRIALS_LEFT, -TRIALS_AT_A_TIME)
    mine = min(max(left, 0), TRIALS_AT_A_TIME)
    if mine < TRIALS_AT_A_TIME:
        add_to(tree.owner + TRIALS_LEFT, TRIALS_AT_A_TIME - mine)
    return mine  # type: ignore[no-any-return]


@inlined
def room_for_all(tree: Any, main: Any) -> int:
    """Whether there is room for all that threads may take until each looks again: DONE, FULL or INDEX."""
    nodes, units = main.node_count + tree.reserve_nodes, main.unit_count + tree.reserve_units
    if main.index_stale or index_is_short(main, tree.reserve_nodes):
        return INDEX
    size = nodes * (NODE_BYTES + 8 * tree.words) + units * UNIT + 4 * tree.index_size
    if nodes > tree.max_nodes or units > tree.max_units or size > tree.max_bytes:
        return FULL
    return DONE


@kernel
def set_reserves(handle: Any, threads: int) -> None:
    """Compute how many nodes and units the threads may take with one trial each, for `room_for_all`."""
    tree = handle[0]
    levels = tree.horizon - node_at(tree, tree.root).depth
    largest = units_of(tree, tree.actions)
    nodes, units = nodes_of_trial(tree, levels), units_of_trial(tree, levels)
    ranges = units // unit_range(largest) + 2
    tree.reserve_nodes = threads * (nodes + 2 * NODE_RANGE) + 1
    tree.reserve_units = threads * (units + ranges * unit_range(largest))


@inlined
def exchange_returns(tree: Any, main: Any) -> None:
    """Share the lowest and highest returns that this thread has seen, and take over those of the others."""
    if not tree.automatic and not tree.shifted:
        return
    if tree.lowest < main.lowest or tree.highest > main.highest:
        while add_to(tree.owner + GUARD, 1) != 0:
            add_to(tree.owner + GUARD, -1)
            give_way(tree)
        note_return(main, tree.lowest)
        note_return(main, tree.highest)
        add_to(tree.owner + GUARD, -1)
    if main.lowest < tree.lowest or main.highest > tree.highest:
        note_return(tree, main.lowest)
        note_return(tree, main.highest)


@inlined
def descend_locked(tree: Any) -> int:
    """Go down to a leaf and value it; DONE or an error. The trial is announced at all nodes up to ``tree.length``."""
    index, level = tree.root, np.int64(0)
    tree.batching = 1  # going down changes nothing that a policy is worked out from
    tree.fresh = 0
    while True:
        node, at = node_at(tree, index), step_at(tree, level)
        lock(tree, node)
        at.node = index
        node.flights += 1
        tree.leaf, tree.length = index, level
        if tree.fresh or is_end(tree, node):
            unlock(node)
            tree.leaf_value = 0.0
            return evaluate(tree, index, level, False) if tree.fresh else DONE
        status = draw_edge(tree, index, level)
        edge = node.block + at.slot
        action, known = np.int64(0), np.int64(NONE)
        if status == DONE:
            action, known = np.int64(edge_at(tree, edge).action), np.int64(edge_at(tree, edge).child)
        unlock(node)
        if status != DONE:
            tree.error_node = index
            return status
        child = known
        if tree.deterministic and known != NONE:
            at.reward = node_at(tree, child).reward
        else:
            status = step(tree, index, action, level)
            if status != DONE:
                return status
            lock(tree, node)
            first = np.int64(edge_at(tree, edge).child)
            child = find_outcome(tree, edge, first, tree.node_count, out_of(tree)[1] != 0.0)
            if child == NONE:
                child = take_node(tree)
                status = enter_node(tree, child, index, action, first, level)
                if status == DONE:
                    new = node_at(tree, child)
                    tree.fresh = tree.growth == LEAF and not is_end(tree, new)
                    if tree.fresh:
                        new.marks |= WAITING
                    link_outcome(tree, edge, child)
            unlock(node)
            if status != DONE:
                return status
        index = child
        level += 1


@inlined
def draw_edge(tree: Any, index: int, level: int) -> int:
    """Draw an edge at a node that is locked, and enter it into the path; DONE or an error."""
    node = node_at(tree, index)
    if node.block == NONE:
        status = make_block(tree, index, False)
        if status != DONE:
            return status
    node.visits += 1  # as if this trial alone were here
    slot = choose(tree, index, level, False)
    node.visits -= 1
    step_at(tree, level).slot = slot
    return DONE if slot > BAD else -slot


@inlined
def finish(tree: Any) -> int:
    """Enter a trial that has its leaf's value, from the leaf up; DONE, or an error that leaves nothing of it."""
    tree.batching = 0
    leaf = node_at(tree, tree.leaf)
    lock(tree, leaf)
    count_visit(tree, np.int64(tree.length))
    if tree.fresh:
        if leaf.best < 0:  # no trial has been below it yet
            status = enter_leaf(tree)
            if status != DONE:
                leaf.visits -= 1
                unlock(leaf)
                withdraw(tree, tree.length - 1)
                return status
        leaf.marks &= 255 ^ WAITING
    back_up(tree, False, True)  # which unlocks the leaf
    return DONE


@inlined
def withdraw(tree: Any, last: int) -> None:
    """Take back the announcement of a trial that failed, at the nodes up to a level."""
    for level in range(last + 1):
        node = node_at(tree, np.int64(step_at(tree, level).node))
        lock(tree, node)
        node.flights -= 1
        unlock(node)
