"""A model of a problem from what trials saw: an outcome of a state and action counts, whatever the depth it was seen at.

Nodes are one for a state and depth, so each knows only what followed there. What follows a state and an action does not
depend on the depth, so the samples of all depths are samples of the same thing. A *pair* is a state and one of its
legal actions: number ``offset[state] + j`` for the j-th.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.values import scan_best
from ..jit import inlined, kernel
from ..memory.layout import NONE, TERMINAL
from ..memory.outcomes import has_state
from ..memory.views import edge_at, link_at, node_at, states_of
from ..random import hashed


@kernel
def number_states(handle: Any, number: Any, table: Any) -> int:
    """Give all nodes of a state the same number, ends none (-1); returns how many states there are.

    `table` is free (-1) everywhere, has a power of two of places, and at least twice as many as there are nodes.
    """
    tree = handle[0]
    count, mask = 0, np.int64(table.size - 1)
    for index in range(tree.node_count):
        number[index] = NONE
        if node_at(tree, index).marks & TERMINAL:
            continue
        h = np.uint64(0)
        for w in range(tree.words):
            h = hashed(h, states_of(tree)[index * tree.words + w], w)
        slot = np.int64(h >> np.uint64(1)) & mask
        while table[slot] != NONE and not has_state(tree, table[slot], index, False):
            slot = (slot + 1) & mask
        if table[slot] == NONE:
            table[slot] = index
            number[index] = count
            count += 1
        else:
            number[index] = number[table[slot]]
    return count


@kernel
def describe_states(handle: Any, number: Any, width: Any, player: Any) -> None:
    """Write how many legal actions every state has, 0 where none was asked for, and who moves there."""
    tree = handle[0]
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if number[index] != NONE and node.block != NONE:
            width[number[index]] = node.actions
            player[number[index]] = node.player


@kernel
def pool_outcomes(
    handle: Any, number: Any, offset: Any, visits: Any, rewards: Any, table: Any, pair: Any, follower: Any, seen: Any
) -> int:
    """Add up what was seen of every pair; returns how many different outcomes there are.

    The k-th was ``seen[k]`` times that state ``follower[k]`` (-1 for an end) followed the pair ``pair[k]``. `table` is
    free, and at least twice as large as the number of outcomes.
    """
    tree = handle[0]
    count, mask = 0, np.int64(table.size - 1)
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if number[index] == NONE or node.block == NONE:
            continue
        for j in range(np.int64(node.actions)):
            row = offset[number[index]] + j
            link = np.int64(NONE)
            if edge_at(tree, node.block + j).visits > 0:
                link = np.int64(edge_at(tree, node.block + j).child)
            while link != NONE:
                outcome = link_at(tree, link)
                visits[row] += outcome.visits
                rewards[row] += outcome.rewards
                count = add_outcome(table, mask, pair, follower, seen, count, row, number[outcome.child], outcome.visits)
                link = np.int64(outcome.next)
    return count


@inlined
def add_outcome(
    table: Any, mask: int, pair: Any, follower: Any, seen: Any, count: int, row: int, state: int, visits: int
) -> int:
    """Count an outcome of a pair; returns how many different ones there are now."""
    slot = np.int64(hashed(np.uint64(0), np.uint64(row), state + 1) >> np.uint64(1)) & mask
    while table[slot] != NONE and (pair[table[slot]] != row or follower[table[slot]] != state):
        slot = (slot + 1) & mask
    if table[slot] == NONE:
        table[slot] = count
        pair[count], follower[count], seen[count] = row, state, 0
        count += 1
    seen[table[slot]] += visits
    return count


@kernel
def enter_pooled(
    handle: Any, number: Any, offset: Any, row_of: Any, first: Any, probability: Any, reward: Any, successor: Any,
    values: Any, start: Any,
) -> None:  # fmt: skip
    """Set Q of every edge that was tried, and V of every node, by the model.

    ``values[start[k] + s]`` is the value of state s with k steps left; the last k stands for all greater ones. The
    outcomes of a pair are those of its row, ``row_of[pair]``.
    """
    tree = handle[0]
    for index in range(tree.node_count):
        node = node_at(tree, index)
        s = number[index]
        if s == NONE or node.block == NONE:
            continue
        left = np.int64(tree.horizon - node.depth)
        below = start[min(left - 1, start.size - 1)]
        for j in range(np.int64(node.actions)):
            edge = edge_at(tree, node.block + j)
            if edge.visits == 0:
                continue
            row, q = row_of[offset[s] + j], 0.0
            for k in range(first[row], first[row + 1]):
                v = values[below + successor[k]] if successor[k] >= 0 and left > 1 else 0.0
                q += probability[k] * (reward[k] + tree.discount * v)
            edge.w = q * edge.visits
            edge.q = -q if node.player == 1 else q
        scan_best(tree, node)
        node.value = values[start[min(left, start.size - 1)] + s]
