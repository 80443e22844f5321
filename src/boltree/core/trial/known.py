"""Outcomes that the problem lists: all of an action's are entered when it is first taken, and weighed by probability.

A trial draws one of them by these probabilities; the problem's own `step` is not called. Where bounds are kept, trials
go to outcomes that are not proven yet. An outcome that no trial has come to has no value: the mean is over the others,

    Q(s,a) = sum over s' of p(s') (r + discount V(s')) / sum of p(s'),   over the outcomes s' that have a value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import bounds_of_outcome, is_settled
from ..jit import inlined
from ..memory.blocks import state_at
from ..memory.layout import BAD_CHANCES, BAD_REWARD, DONE, NO_OUTCOME, NONE, OUTCOMES_FAILED, OUTSIDE_REWARDS
from ..memory.links import enter_in_graph, find_in_graph, take_link
from ..memory.room import room_for, units_of_trial
from ..memory.views import edge_at, link_at, node_at, out_of, path_links_of, rng_of, states_of, step_at
from ..native import FAILED, call
from ..random import uniform_of
from .step import enter_node

TOLERANCE = 1e-6
"""How far from 1 the probabilities of an action's outcomes may sum up."""


@inlined
def expand(tree: Any, index: int, edge: int, level: int) -> int:
    """Enter all outcomes of an edge; DONE, or FULL, INDEX or an error, after which none is entered."""
    record = edge_at(tree, edge)
    action = np.int64(record.action)
    tree.error_node, tree.error_action = index, action
    n = call(tree.count_outcomes, (tree.params_at, state_at(tree, index), action))
    if n == FAILED or n < 1:
        return OUTCOMES_FAILED if n == FAILED else NO_OUTCOME
    levels = tree.horizon - node_at(tree, tree.root).depth
    status = room_for(tree, n + levels + 1, n + units_of_trial(tree, levels))
    if status != DONE:
        return status
    nodes, units = np.int64(tree.node_count), np.int64(tree.unit_count)
    total = 0.0
    for k in range(n):
        status, chance = enter_outcome(tree, index, edge, action, k, level)
        if status != DONE:
            forget(tree, edge, nodes, units)
            return status
        total += chance
    if not abs(total - 1.0) <= TOLERANCE:
        tree.error_value = total
        forget(tree, edge, nodes, units)
        return BAD_CHANCES
    tree.listed += 1
    return DONE


@inlined
def enter_outcome(tree: Any, index: int, edge: int, action: int, k: int, level: int) -> tuple[int, float]:
    """Enter the k-th outcome of an edge: DONE or an error, and its probability."""
    fresh = np.int64(tree.node_count)
    source, target = index * tree.words, fresh * tree.words
    for w in range(tree.words):
        states_of(tree)[target + w] = states_of(tree)[source + w]
    if call(tree.outcomes, (tree.params_at, state_at(tree, fresh), action, k, tree.out_at)) == FAILED:
        return OUTCOMES_FAILED, 0.0
    chance, reward, done = out_of(tree)[0], out_of(tree)[1], out_of(tree)[2]
    if not (reward > -np.inf and reward < np.inf):
        tree.error_value = reward
        return BAD_REWARD, 0.0
    if tree.proofs and not (tree.lowest_reward <= reward <= tree.highest_reward):
        tree.error_value = reward
        return OUTSIDE_REWARDS, 0.0
    if not chance > 0.0:
        tree.error_value = chance
        return (DONE if chance == 0.0 else BAD_CHANCES), 0.0
    child = find_in_graph(tree, index, edge, done != 0.0)
    new = child == NONE
    if new:
        out_of(tree)[1] = done  # where a step says it
        step_at(tree, level).reward = reward
        status = enter_node(tree, fresh, index, action, NONE, level)
        if status != DONE:
            return status, 0.0
        tree.node_count += 1
        child = fresh
        enter_in_graph(tree, index, child)
    link = link_at(tree, take_link(tree, edge, child, reward, new))
    link.reward = (link.rewards * link.reward + chance * reward) / (link.rewards + chance)
    link.rewards += chance
    return DONE, chance


@inlined
def forget(tree: Any, edge: int, nodes: int, units: int) -> None:
    """Remove the outcomes of an edge, and the nodes and links that were made for them."""
    edge_at(tree, edge).child = NONE
    edge_at(tree, edge).outcomes = 0
    tree.node_count, tree.unit_count = nodes, units
    tree.index_stale = 1


@inlined
def draw_listed(tree: Any, index: int, edge: int, level: int) -> tuple[int, int, bool]:
    """Draw an outcome of an edge, listed first if need be: DONE or an error, its node, and whether that is new.

    Its reward and its link are entered into the path.
    """
    if edge_at(tree, edge).child == NONE:
        status = expand(tree, index, edge, level)
        if status != DONE:
            return status, np.int64(NONE), False
    link = draw_link(tree, edge)
    path_links_of(tree)[level] = link
    step_at(tree, level).reward = link_at(tree, link).reward
    child = np.int64(link_at(tree, link).child)
    return DONE, child, node_at(tree, child).visits == 0


@inlined
def draw_link(tree: Any, edge: int) -> int:
    """The link of an outcome, drawn by probability; among those that are not proven, if there are any."""
    first = np.int64(edge_at(tree, edge).child)
    if link_at(tree, first).next == NONE:
        return first
    open_mass = 0.0
    link = first
    while link != NONE and tree.proofs:
        if not is_settled(tree, node_at(tree, np.int64(link_at(tree, link).child))):
            open_mass += link_at(tree, link).rewards
        link = np.int64(link_at(tree, link).next)
    u = uniform_of(rng_of(tree)) * (open_mass if open_mass > 0.0 else 1.0)
    link, last = first, first
    while link != NONE:
        outcome = link_at(tree, link)
        if open_mass == 0.0 or not is_settled(tree, node_at(tree, np.int64(outcome.child))):
            last = link
            u -= outcome.rewards
            if u < 0.0:
                break
        link = np.int64(outcome.next)
    return last


@inlined
def weigh_outcomes(tree: Any, node: Any, slot: int) -> tuple[float, float, float, float, bool]:
    """The value of an edge, the entropy below it, its bounds if they are kept, and whether all outcomes are settled.

    Value and entropy are those of the outcomes that have a value.
    """
    total, entropy, seen, whole, settled = 0.0, 0.0, 0.0, True, True
    lower, upper = 0.0, 0.0
    link = np.int64(edge_at(tree, node.block + slot).child)
    while link != NONE:
        outcome = link_at(tree, link)
        index = np.int64(outcome.child)
        below = node_at(tree, index)
        exact = is_settled(tree, below)
        worth = outcome.reward + tree.discount * below.value
        if exact or below.visits > 0:
            total += outcome.rewards * worth
            entropy += outcome.rewards * below.entropy
            seen += outcome.rewards
        else:
            whole = False
        if tree.proofs:
            if exact:
                lower += outcome.rewards * worth
                upper += outcome.rewards * worth
            else:
                settled = False
                low, high = bounds_of_outcome(tree, index)
                lower += outcome.rewards * (outcome.reward + tree.discount * low)
                upper += outcome.rewards * (outcome.reward + tree.discount * high)
        link = np.int64(outcome.next)
    if not whole:
        total, entropy = total / seen, entropy / seen
    return total, entropy, lower, upper, settled
