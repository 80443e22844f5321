"""Batches: many leaves are selected first, evaluated together, and then backed up one after the other.

A trial of a batch is *in flight* from its selection until its leaf's evaluation has come. Going down changes nothing
but ``node.flights`` (which upper confidence bounds count as losses: virtual loss), and makes the leaf's node, which is
marked WAITING. Two trials cannot wait for the same leaf, so one that comes to a waiting leaf is drawn again. Visits,
tables, policies and entropies are entered when the trial is backed up, as if it had been run then: so every invariant
of the tree holds between batches exactly as between single trials.

Where nodes are shared, a node or link that a trial made and that is taken back stays, without visits: others in flight
may lead there. It counts for nothing, and the next trial that comes values it as if it were new.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.temperature import solve_temperature
from ..jit import inlined, kernel
from ..memory.layout import COLLISION, CONTRADICTION, DONE, EVALUATE, PASSED, SCHEDULE_FAILED, WAITING
from ..memory.views import edge_at, flight_at, flown_at, flown_links_of, node_at, path_links_of, prior_in_of, step_at
from .backup import back_up
from .leaf import enter_leaf
from .trial import descend
from .visits import count_visit, enter_policy


@kernel
def select_batch(handle: Any, first: int, wanted: int) -> int:
    """`select_leaves`, for Python."""
    return select_leaves(handle[0], first, wanted, False)


@kernel
def select_graph_batch(handle: Any, first: int, wanted: int) -> int:
    """`select_batch` where nodes have several parents."""
    return select_leaves(handle[0], first, wanted, True)


@inlined
def select_leaves(tree: Any, first: int, wanted: int, graph: bool) -> int:
    """Select up to `wanted` leaves; their trials are in flight, in places from `first` on. How many, or minus an error.

    There are fewer where trials keep coming to leaves that wait already; after an error, or where memory must grow
    first, none is in flight. `graph` says that nodes may have several parents, as in `descend`; a constant.
    """
    tree.batching = 1
    for k in range(wanted):
        flight_at(tree, first + k).length = -1  # free
    taken, attempts = 0, 0
    while taken < wanted and attempts < 2 * wanted + 8:
        attempts += 1
        before = tree.node_count
        status = descend(tree, graph, False)
        tree.pending = 0
        for level in range(tree.length + 1 - tree.cut):
            node = node_at(tree, np.int64(step_at(tree, level).node))
            node.visits -= 1
            if graph:
                node.marks &= 255 ^ PASSED
        if status == COLLISION:
            continue
        if status != DONE and status != EVALUATE:
            tree.batching = 0
            if tree.node_count > before and not graph:
                unlink(tree, before)
            elif tree.node_count > before and not tree.known:  # the problem failed before it was in the graph
                tree.node_count = before
            take_back(tree, first, taken, graph)
            return -status
        flight = flight_at(tree, first + taken)
        flight.leaf, flight.length = tree.leaf, tree.length
        flight.value = tree.leaf_value
        flight.made = tree.node_count > before
        flight.cut = tree.cut
        flight.waits = status == EVALUATE
        if flight.waits:
            node_at(tree, tree.leaf).marks |= WAITING
        base = (first + taken) * tree.flown_levels
        for level in range(tree.length + 1):
            copy_step(flown_at(tree, base + level), step_at(tree, level))
            node_at(tree, np.int64(step_at(tree, level).node)).flights += 1
            if graph:
                flown_links_of(tree)[base + level] = path_links_of(tree)[level]
        taken += 1
    tree.batching = 0
    return taken


@inlined
def copy_step(to: Any, source: Any) -> None:
    """Copy what the path of a trial in flight consists of: a node, the edge that was drawn there, the reward."""
    to.node = source.node
    to.slot = source.slot
    to.reward = source.reward


@inlined
def unlink(tree: Any, index: int) -> None:
    """Remove the newest node of the tree, and its entry in the parent's outcomes if it has one."""
    newest = node_at(tree, index)
    parent = node_at(tree, newest.parent)
    for i in range(np.int64(parent.actions)):
        edge = edge_at(tree, parent.block + i)
        if edge.child == index:
            edge.child = newest.sibling
    tree.node_count = index
    tree.index_stale = tree.index_size > 0


@kernel
def back_up_batch(handle: Any, first: int, count: int, values: Any, priors: Any) -> int:
    """`back_up_flights`, for Python."""
    return back_up_flights(handle[0], first, count, values, priors, 0, False)


@kernel
def back_up_graph_batch(handle: Any, first: int, count: int, values: Any, priors: Any) -> int:
    """`back_up_batch` where nodes have several parents."""
    return back_up_flights(handle[0], first, count, values, priors, 0, True)


@inlined
def back_up_flights(tree: Any, first: int, count: int, values: Any, priors: Any, row: int, graph: bool) -> int:
    """Back up the trials in `count` places from `first` on; DONE or an error.

    Leaves that wait take their values and priors in order, from `row` on; a row of `priors` has one for each action.
    An error leaves the tree as after the last trial that was backed up; the others must be abandoned.
    """
    for k in range(count):
        flight = flight_at(tree, first + k)
        base = (first + k) * tree.flown_levels
        tree.leaf, tree.length = np.int64(flight.leaf), np.int64(flight.length)
        status = DONE
        for level in range(tree.length + 1):
            copy_step(step_at(tree, level), flown_at(tree, base + level))
            if graph:
                path_links_of(tree)[level] = flown_links_of(tree)[base + level]
            count_visit(tree, level)
            if level < tree.length and not enter_policy(tree, level):
                status = SCHEDULE_FAILED
        tree.leaf_value = flight.value
        if flight.cut:
            node_at(tree, tree.leaf).visits -= 1
            tree.leaf_value = node_at(tree, tree.leaf).value
        if flight.waits:
            node_at(tree, tree.leaf).marks &= 255 ^ WAITING
            tree.leaf_value = values[row]
            if tree.prior_external:
                for a in range(tree.actions):
                    prior_in_of(tree)[a] = priors[row * tree.actions + a]
            row += 1
            if status == DONE:
                status = enter_leaf(tree)
        if status != DONE:
            for level in range(tree.length + 1):  # as it was: in flight, to be abandoned with the others
                if level < tree.length or flight.cut == 0:
                    node_at(tree, np.int64(step_at(tree, level).node)).visits -= 1
                node_at(tree, np.int64(step_at(tree, level).node)).flights += 1
            return status
        back_up(tree, graph, False)
        tree.trials += 1
        flight.length = -1  # no trial is in this place any more
        if graph and tree.contradiction:
            return CONTRADICTION
        if tree.adaptive and tree.trials % tree.every == 0:
            solve_temperature(tree)
    return DONE


@kernel
def abandon_flights(handle: Any, first: int, count: int) -> None:
    """Take back the trials in these places, so that nothing of them stays in the tree; newer ones must be gone."""
    if handle[0].transpositions:
        take_back(handle[0], first, count, True)
    else:
        take_back(handle[0], first, count, False)


@inlined
def take_back(tree: Any, first: int, count: int, graph: bool) -> None:
    """`abandon_flights`, the newest first; places without a trial are passed over."""
    for k in range(first + count - 1, first - 1, -1):
        flight = flight_at(tree, k)
        if flight.length < 0:
            continue
        base = k * tree.flown_levels
        for level in range(flight.length + 1):
            node_at(tree, np.int64(flown_at(tree, base + level).node)).flights -= 1
        if flight.waits:
            node_at(tree, np.int64(flight.leaf)).marks &= 255 ^ WAITING
        if flight.made and not graph:
            unlink(tree, np.int64(flight.leaf))
        flight.length = -1
