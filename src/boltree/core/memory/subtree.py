"""Copying nodes; and keeping a subtree: what lies below a node goes into fresh memory, so the rest can be freed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.space import HALVING
from ..jit import inlined, kernel
from .blocks import is_tabled, units_of
from .layout import NONE, ORIGIN, SINGLE, TERMINAL, UNFINISHED, WINDOWED
from .views import edge_at, header_at, link_at, node_at, schedule_at, states_of, words_of


@inlined
def copy_record(old: Any, new: Any, was: int, index: int) -> None:
    """Copy a node's record and its state to a place in the same tree or another; what points to it is not changed."""
    a, b = node_at(old, was), node_at(new, index)
    b.visits, b.value, b.entropy, b.reward = a.visits, a.value, a.entropy, a.reward
    b.block, b.parent, b.sibling, b.depth = a.block, a.parent, a.sibling, a.depth
    b.action, b.actions, b.best = a.action, a.actions, a.best
    b.marks, b.player, b.flights = a.marks, a.player, a.flights
    for w in range(old.words):
        states_of(new)[index * old.words + w] = states_of(old)[was * old.words + w]


@inlined
def copy_node(old: Any, new: Any, was: int, index: int, units: int) -> int:
    """Copy a node's record (not how it was reached), its state, and its block, to the units from `units` on.

    Returns the first unit that is free then.
    """
    old_states, new_states = states_of(old), states_of(new)
    old_words, new_words = words_of(old), words_of(new)
    a, b = node_at(old, was), node_at(new, index)
    b.visits, b.value, b.entropy, b.reward = a.visits, a.value, a.entropy, a.reward
    b.depth, b.actions, b.best, b.player = a.depth, a.actions, a.best, a.player
    b.marks = a.marks if old.proofs else a.marks & (255 ^ WINDOWED)  # a proof stays one
    b.flights = 0
    if a.depth >= old.horizon and a.depth < new.horizon and not a.marks & TERMINAL:
        b.marks |= UNFINISHED
    for w in range(old.words):
        new_states[index * old.words + w] = old_states[was * old.words + w]
    b.block = NONE
    if a.block == NONE or a.marks & SINGLE:
        return units
    size = units_of(old, np.int64(a.actions))
    b.block = units + old.has_header
    for w in range(size * 4):
        new_words[units * 4 + w] = old_words[(a.block - old.has_header) * 4 + w]
    return units + size


@inlined
def enter_tree(old: Any, new: Any, index: int, count: int, units: int) -> None:
    """Set the root and the counts of a copied tree, whose root was the node `index` of the old one."""
    node_at(new, 0).parent, node_at(new, 0).sibling = NONE, NONE
    node_at(new, 0).marks &= 255 ^ ORIGIN
    if node_at(old, index).marks & ORIGIN:
        node_at(new, 0).marks |= ORIGIN
    new.root = 0
    new.node_count = count
    new.unit_count = units
    root = node_at(new, 0)
    if new.relative and root.block != NONE and is_tabled(new, np.int64(root.actions)):
        header_at(new, root.block - 1).rebuild = root.visits  # its policy is relative to that of its parent no more


@kernel
def copy_subtree(source: Any, target: Any, index: int, origins: Any) -> None:
    """Copy the node `index` of one tree and all below it to another, as its root; `origins` is scratch."""
    old, new = source[0], target[0]
    origins[0] = index
    count, units = 1, 0
    done = 0
    while done < count:  # nodes are numbered in the order in which they are met, parents first
        was = np.int64(origins[done])
        a, b = node_at(old, was), node_at(new, done)
        units = copy_node(old, new, was, done, units)
        b.action = a.action
        if a.marks & SINGLE:
            origins[count] = a.block
            b.block = count
            node_at(new, count).parent = done
            node_at(new, count).sibling = NONE
            count += 1
        elif a.block != NONE:
            for i in range(np.int64(a.actions)):
                edge = edge_at(new, b.block + i)
                child = np.int64(edge.child)
                last = np.int64(NONE)
                edge.child = NONE
                while child != NONE:
                    origins[count] = child
                    node_at(new, count).parent = done
                    node_at(new, count).sibling = NONE
                    if last == NONE:
                        edge.child = count
                    else:
                        node_at(new, last).sibling = count
                    last = count
                    count += 1
                    child = np.int64(node_at(old, child).sibling)
        done += 1
    enter_tree(old, new, index, count, units)
    if new.distribution == HALVING and node_at(new, 0).block != NONE:
        schedule_at(new, node_at(new, 0).block - 1).begun = 0  # a new schedule from here


@kernel
def copy_graph(source: Any, target: Any, index: int, origins: Any, places: Any) -> None:
    """`copy_subtree` where nodes are shared: all that can be reached, each node once.

    `places` says where a node is copied to, -1 while nowhere. A node's parent is the first from which it is reached.
    """
    old, new = source[0], target[0]
    origins[0], places[index] = index, 0
    node_at(new, 0).action = node_at(old, index).action
    count, units = 1, 0
    done = 0
    while done < count:
        was = np.int64(origins[done])
        units = copy_node(old, new, was, done, units)
        b = node_at(new, done)
        for i in range(np.int64(b.actions) if b.block != NONE else 0):
            edge = edge_at(new, b.block + i)
            link, last = np.int64(edge.child), np.int64(NONE)
            while link != NONE:
                outcome, copied = link_at(old, link), link_at(new, units)
                child = np.int64(outcome.child)
                if places[child] < 0:
                    places[child] = count
                    origins[count] = child
                    node_at(new, count).parent = done
                    node_at(new, count).action = edge.action
                    count += 1
                copied.rewards, copied.reward, copied.visits = outcome.rewards, outcome.reward, outcome.visits
                copied.child, copied.next = places[child], NONE
                if last == NONE:
                    edge.child = units
                else:
                    link_at(new, last).next = units
                last = units
                units += 1
                link = np.int64(outcome.next)
        done += 1
    enter_tree(old, new, index, count, units)
