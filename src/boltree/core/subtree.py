"""Keeping a subtree: copying what lies below a node into fresh memory, so that the rest can be freed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .blocks import units_of
from .jit import kernel
from .records import NONE, ORIGIN, SINGLE, TERMINAL, UNFINISHED, WINDOWED
from .space import HALVING
from .views import edge_at, node_at, schedule_at, states_of, words_of


@kernel
def copy_subtree(source: Any, target: Any, index: int, origins: Any) -> None:
    """Copy the node `index` of one tree and all below it to another, as its root; `origins` is scratch."""
    old, new = source[0], target[0]
    old_states, new_states = states_of(old), states_of(new)
    old_words, new_words = words_of(old), words_of(new)
    origins[0] = index
    count, units = 1, 0
    done = 0
    while done < count:  # nodes are numbered in the order in which they are met, parents first
        was = np.int64(origins[done])
        a, b = node_at(old, was), node_at(new, done)
        b.visits, b.value, b.entropy, b.reward = a.visits, a.value, a.entropy, a.reward
        b.depth, b.action, b.actions, b.best, b.player = a.depth, a.action, a.actions, a.best, a.player
        b.marks = a.marks & (255 ^ WINDOWED)
        b.flights = 0
        if a.depth >= old.horizon and a.depth < new.horizon and not a.marks & TERMINAL:
            b.marks |= UNFINISHED
        if done == 0:
            b.parent, b.sibling = NONE, NONE
        for w in range(old.words):
            new_states[done * old.words + w] = old_states[was * old.words + w]
        b.block = NONE
        if a.marks & SINGLE:
            origins[count] = a.block
            b.block = count
            node_at(new, count).parent = done
            node_at(new, count).sibling = NONE
            count += 1
        elif a.block != NONE:
            n = np.int64(a.actions)
            size = units_of(old, n)
            b.block = units + old.has_header
            for w in range(size * 4):
                new_words[units * 4 + w] = old_words[(a.block - old.has_header) * 4 + w]
            units += size
            for i in range(n):
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
    node_at(new, 0).marks &= 255 ^ ORIGIN
    if node_at(old, index).marks & ORIGIN:
        node_at(new, 0).marks |= ORIGIN
    if new.distribution == HALVING and node_at(new, 0).block != NONE:
        schedule_at(new, node_at(new, 0).block - 1).grant = -1  # a new schedule from here
    new.root = 0
    new.node_count = count
    new.unit_count = units
