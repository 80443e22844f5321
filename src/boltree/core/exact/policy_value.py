"""The value of a recommendation policy: exactly, by the model, and by sampling episodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.recommend import recommended
from ..jit import inlined, kernel
from ..memory.layout import BY_STATE, DONE, NO_ACTION, NONE, STEP_FAILED, TERMINAL
from ..memory.links import place_of
from ..memory.outcomes import first_outcome
from ..memory.views import index_of, node_at, states_of
from ..native import FAILED, call
from ..random import uniform_of

KNOWN = np.dtype([("visits", np.int64), ("value", np.float64)])
"""The value found at a node, and how often it had been visited then."""


@inlined
def matching_outcome(tree: Any, child: int, states: Any, row: int) -> int:
    """The outcome, from `child` on, with the state of a row of `states`; NONE if there is none or it ended there."""
    known = states_of(tree)
    while child != NONE:
        same = not node_at(tree, child).marks & TERMINAL
        for w in range(tree.words):
            same = same and known[child * tree.words + w] == states[row, w]
        if same:
            return child
        child = np.int64(node_at(tree, child).sibling)
    return child


@inlined
def node_in_graph(tree: Any, step: int, states: Any, row: int) -> int:
    """Where nodes are shared: the one with the state of a row, `step` steps after the root; or NONE."""
    for w in range(tree.words):
        states_of(tree)[tree.node_count * tree.words + w] = states[row, w]
    depth = np.int64(node_at(tree, tree.root).depth)
    if tree.transpositions != BY_STATE:
        depth += step
    return np.int64(index_of(tree)[place_of(tree, tree.node_count, depth, False)])


@kernel
def follow_exactly(
    handle: Any, root_state: int, levels: int, states: Any, rows: Any, action: Any, first: Any, probability: Any,
    reward: Any, successor: Any, layers: Any, layer_at: Any, random_values: Any, frames: Any, sums: Any, known: Any,
) -> float:  # fmt: skip
    """The value of following the recommendations in the tree, and acting at random outside it.

    A walk over the tree by the model's outcomes, with a stack of frames (node, state, next outcome, last outcome) and
    the sums so far. A subtree changes only by trials through its top, so the value found there is `known` (visits then,
    value) until the node's visits have grown: a walk's time goes into nodes that were visited since the last one.
    """
    tree = handle[0]
    level = 0
    frames[0, 0], frames[0, 1], frames[0, 2] = tree.root, root_state, -1
    value = 0.0  # of the frame that was left last
    returned = False
    while level >= 0:
        node, state = frames[level, 0], frames[level, 1]
        if frames[level, 2] < 0:
            chosen = recommended(tree, node)
            if chosen < 0:
                value = random_value(state, level, layers, layer_at, random_values)
                level -= 1
                returned = True
                continue
            for row in range(rows[state], rows[state + 1]):
                if action[row] == chosen:
                    frames[level, 2], frames[level, 3] = first[row], first[row + 1]
            sums[level] = 0.0
        if returned:
            k = frames[level, 2]
            sums[level] += probability[k] * (reward[k] + tree.discount * value)
            frames[level, 2] = k + 1
            returned = False
        while frames[level, 2] < frames[level, 3]:
            k = frames[level, 2]
            follower = successor[k]
            if follower < 0 or level + 1 >= levels:
                sums[level] += probability[k] * reward[k]
            else:
                child = matching_outcome(tree, first_outcome(tree, node, recommended(tree, node)), states, follower)
                if child >= 0 and node_at(tree, child).visits == 0:
                    child = np.int64(NONE)  # made by a trial that has not been backed up yet
                if child >= 0 and known[child].visits == node_at(tree, child).visits:
                    sums[level] += probability[k] * (reward[k] + tree.discount * known[child].value)
                elif child >= 0:
                    level += 1
                    frames[level, 0], frames[level, 1], frames[level, 2] = child, follower, -1
                    break
                else:
                    outside = random_value(follower, level + 1, layers, layer_at, random_values)
                    sums[level] += probability[k] * (reward[k] + tree.discount * outside)
            frames[level, 2] = k + 1
        else:
            value = sums[level]
            known[node].visits, known[node].value = node_at(tree, node).visits, value
            level -= 1
            returned = True
    return value


@inlined
def random_value(state: int, depth: int, layers: Any, layer_at: Any, values: Any) -> float:
    """The value of acting at random from a state at a depth: a binary search in its layer."""
    low, high = layer_at[depth], layer_at[depth + 1]
    while low < high:
        middle = (low + high) // 2
        if layers[middle] < state:
            low = middle + 1
        else:
            high = middle
    return values[low]  # type: ignore[no-any-return]


@kernel
def follow_sampled(
    handle: Any,
    episodes: int,
    scratch: Any,
    scratch_at: int,
    rng: Any,
    rng_at: int,
    mask: Any,
    mask_at: int,
    out: Any,
    out_at: int,
    returns: Any,
) -> int:
    """Play episodes: recommended actions inside the tree, uniform legal ones outside; their returns."""
    tree = handle[0]
    known = states_of(tree)
    levels = tree.horizon - node_at(tree, tree.root).depth
    for episode in range(episodes):
        index = np.int64(tree.root)
        for w in range(tree.words):
            scratch[0, w] = known[index * tree.words + w]
        total, weight = 0.0, 1.0
        for taken in range(levels):
            chosen = np.int64(NONE)
            if index != NONE:
                chosen = recommended(tree, index)
            child = np.int64(NONE)
            if chosen < 0:
                count = tree.actions
                for a in range(tree.actions):
                    mask[a] = 0 if tree.legal != 0 else 1
                if tree.legal != 0:
                    if call(tree.legal, (tree.params_at, scratch_at, mask_at, tree.actions)) == FAILED:
                        return STEP_FAILED
                    count = 0
                    for a in range(tree.actions):
                        count += 1 if mask[a] != 0 else 0
                if count == 0:
                    return NO_ACTION
                k = np.int64(uniform_of(rng) * count)
                for a in range(tree.actions):
                    if mask[a] != 0:
                        if k == 0:
                            chosen = np.int64(a)
                            break
                        k -= 1
            elif not tree.transpositions:
                child = first_outcome(tree, index, chosen)
            if call(tree.step, (tree.params_at, scratch_at, chosen, rng_at, out_at)) == FAILED:
                return STEP_FAILED
            total += weight * out[0]
            weight *= tree.discount
            if out[1] != 0.0:
                break
            if tree.transpositions:
                index = node_in_graph(tree, taken + 1, scratch, 0)
            else:
                index = matching_outcome(tree, child, scratch, 0)
        returns[episode] = total
    return DONE
