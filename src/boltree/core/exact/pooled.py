"""A model of a problem from what trials saw: what followed a state and an action, at whatever depth it was seen.

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
                state, times = number[outcome.child], outcome.visits
                count = add_outcome(table, mask, pair, follower, seen, count, row, state, times)
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


@inlined
def value_of(
    state: int, left: int, rows: Any, first: Any, probability: Any, reward: Any, successor: Any, values: Any,
    below: int, sign: float, discount: float, q: Any,
) -> float:  # fmt: skip
    """The value of a state for the player who moves, and in `q` those of its rows."""
    highest = -np.inf
    for row in range(rows[state], rows[state + 1]):
        mean = 0.0
        for k in range(first[row], first[row + 1]):
            v = values[below + successor[k]] if successor[k] >= 0 and left > 1 else 0.0
            mean += probability[k] * (reward[k] + discount * v)
        q[row] = sign * mean
        highest = max(highest, q[row])
    return highest


@kernel
def back_pooled(
    left: int, rows: Any, first: Any, probability: Any, reward: Any, successor: Any, player: Any, values: Any,
    discount: float, q: Any,
) -> bool:  # fmt: skip
    """Compute the values with some steps left from those with one step less; returns whether they are the same.

    States without a row are worth the mean of all others, which stands behind the last of them.
    """
    states = rows.size - 1
    here, below = left * (states + 1), (left - 1) * (states + 1)
    total, count, same = 0.0, 0, True
    for s in range(states):
        if rows[s] < rows[s + 1]:
            sign = -1.0 if player[s] == 1 else 1.0
            value = sign * value_of(
                s, left, rows, first, probability, reward, successor, values, below, sign, discount, q
            )
            values[here + s] = value
            same = same and value == values[below + s]
            total += value
            count += 1
    values[here + states] = total / max(count, 1)
    return same


@kernel
def enter_pooled(
    handle: Any, number: Any, offset: Any, row_of: Any, rows: Any, first: Any, probability: Any, reward: Any,
    successor: Any, values: Any, layers: int, q: Any,
) -> None:  # fmt: skip
    """Set Q of every edge that was tried, and V of every node, by the model.

    `values` has those of all states with 0, 1, ... steps left; the last of the `layers` stands for all later ones.
    The outcomes of a pair are those of its row, ``row_of[pair]``.
    """
    tree = handle[0]
    for index in range(tree.node_count):
        node = node_at(tree, index)
        s = number[index]
        if s == NONE or node.block == NONE:
            continue
        left = np.int64(tree.horizon - node.depth)
        below = min(left - 1, layers - 1) * rows.size
        sign = -1.0 if node.player == 1 else 1.0
        node.value = sign * value_of(
            s, left, rows, first, probability, reward, successor, values, below, sign, tree.discount, q
        )
        for j in range(np.int64(node.actions)):
            edge = edge_at(tree, node.block + j)
            if edge.visits > 0:
                edge.q = q[row_of[offset[s] + j]]
                edge.w = sign * edge.q * edge.visits
        scan_best(tree, node)
