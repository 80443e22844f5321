"""Actions that surely end a game, seen when a node gets its edges: they need no trials, and a win is a proof.

Where players alternate, one move may decide a game, and the mean over trials of other moves hides that for long. A
search that tries every action once asks for each of these steps anyway.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import bound_node, enter_bounds
from ..jit import inlined
from ..memory.blocks import state_at
from ..memory.layout import DONE, OUTCOMES_FAILED
from ..memory.views import edge_at, node_at, out_of, states_of
from ..native import FAILED, call

TOLERANCE = 1e-6
"""How far from 1 the probabilities of an action's outcomes may sum up."""


@inlined
def settle_ends(tree: Any, index: int) -> int:
    """Enter the exact values of a new block's edges after which the problem surely ends; DONE or an error."""
    node, found = node_at(tree, index), False
    for i in range(np.int64(node.actions)):
        status, ends, worth = ask_for_end(tree, index, np.int64(edge_at(tree, node.block + i).action))
        if status != DONE:
            return status
        if ends:
            enter_bounds(tree, node, i, worth, worth, True)
            found = True
    if found:
        bound_node(tree, index)
    return DONE


@inlined
def ask_for_end(tree: Any, index: int, action: int) -> tuple[int, bool, float]:
    """DONE or an error; whether all outcomes of an action end the problem, and what it then pays on average.

    Outcomes that cannot be are no end: they are refused when the action is taken.
    """
    scratch, source = tree.node_count * tree.words, index * tree.words
    tree.error_node, tree.error_action = index, action
    worth, total, n, k = 0.0, 0.0, np.int64(1), np.int64(0)
    while k < n:
        for w in range(tree.words):
            states_of(tree)[scratch + w] = states_of(tree)[source + w]
        task = (tree.params_at, state_at(tree, np.int64(tree.node_count)), action, k, tree.out_at)
        if call(tree.outcomes, task) == FAILED:
            return OUTCOMES_FAILED, False, 0.0
        chance, reward, done = out_of(tree)[0], out_of(tree)[1], out_of(tree)[2]
        if (done == 0.0 and chance != 0.0) or not (tree.lowest_reward <= reward <= tree.highest_reward):
            return DONE, False, 0.0
        worth += chance * reward
        total += chance
        k += 1
        if k == 1:  # most actions end nothing, and need not be asked how many outcomes they have
            n = np.int64(call(tree.count_outcomes, (tree.params_at, state_at(tree, index), action)))
            if n == FAILED:
                return OUTCOMES_FAILED, False, 0.0
    return DONE, abs(total - 1.0) <= TOLERANCE and worth > -np.inf and worth < np.inf, worth
