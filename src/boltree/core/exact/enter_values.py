"""Enters exact values into a tree: proves every node whose state is in the exact model of the problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import is_settled
from ..jit import inlined, kernel
from ..memory.blocks import bounds_at, make_block
from ..memory.layout import DONE, NONE, PROVEN, TERMINAL
from ..memory.room import room_for
from ..memory.views import bound_at, edge_at, node_at, states_of
from .model import find_state


@kernel
def enter_values(
    handle: Any, progress: Any, states: Any, table: Any, size: int, depth: Any, horizon: int, rows: Any, first: Any,
    probability: Any, reward: Any, successor: Any, values: Any, offsets: Any,
) -> int:  # fmt: skip
    """Prove every node from the `progress[0]`-th on that is in the model; DONE, or an event or an error.

    ``values[offsets[k] + s]`` is the value of state s with k steps left; the last k stands for all greater ones. A root
    without a block is given one, so that there is an action to recommend. `progress[1]` counts nodes that were proven.
    """
    tree = handle[0]
    while progress[0] < tree.node_count:
        index = np.int64(progress[0])
        node = node_at(tree, index)
        steps = np.int64(tree.horizon - node.depth)
        bare = index == tree.root and node.block == NONE and not (node.marks & TERMINAL or steps == 0)
        s = np.int64(NONE)
        if bare or not is_settled(tree, node):
            s = number_of(tree, index, states, table, size)
        if s != NONE and steps <= horizon - depth[s]:
            if bare and not tree.prior_external:
                status = room_for(tree, 1, 8 * (tree.actions + 2))
                if status == DONE:
                    status = make_block(tree, index, False)
                if status != DONE:
                    return status
            below = offsets[min(steps - 1, offsets.size - 1)]
            if node.block != NONE:
                for i in range(np.int64(node.actions)):
                    q = 0.0
                    for k in range(first[rows[s] + i], first[rows[s] + i + 1]):
                        follower = np.int64(successor[k])
                        v = values[below + follower] if follower >= 0 and steps > 1 else 0.0
                        q += probability[k] * (reward[k] + tree.discount * v)
                    enter_value(tree, node, i, q)
            node.value = values[offsets[min(steps, offsets.size - 1)] + s]
            node.marks |= PROVEN
            progress[1] += 1
            if node.block != NONE:
                n = np.int64(node.actions)
                whole = bound_at(tree, bounds_at(tree, node.block, n), n)
                whole.lower = whole.upper = node.value
        progress[0] += 1
    return DONE


@inlined
def number_of(tree: Any, index: int, states: Any, table: Any, size: int) -> int:
    """The number of a node's state in the model, or NONE."""
    for w in range(tree.words):
        states[size, w] = states_of(tree)[index * tree.words + w]
    slot = find_state(states, tree.words, table, size)
    return np.int64(table[slot])


@inlined
def enter_value(tree: Any, node: Any, slot: int, q: float) -> None:
    """Enter the exact value of an edge, in player 0's units."""
    row = bound_at(tree, bounds_at(tree, node.block, np.int64(node.actions)), slot)
    row.lower = row.upper = q
    edge = edge_at(tree, node.block + slot)
    edge.q = -q if node.player == 1 else q
    edge.w = q * edge.visits
