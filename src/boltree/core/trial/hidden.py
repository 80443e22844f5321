"""Trials where the state is hidden: a node is a history of actions and observations, and the trial carries a state.

It is drawn from the root's belief, and goes on from step to step in scratch memory. Nodes keep none: in place of a
state they have the observation that led to them. Choices on the way follow from the nodes alone, so they depend on what
was observed, never on the state (Silver and Veness, Monte-Carlo planning in large POMDPs, NIPS 2010).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.elementary import exp, log
from ..jit import inlined
from ..memory.blocks import given_action, state_at
from ..memory.layout import (
    BAD_OBSERVATION,
    BAD_PROBABILITY,
    BAD_REWARD,
    DONE,
    NONE,
    OBSERVE_FAILED,
    PROBABILITY_FAILED,
    START_FAILED,
    STEP_FAILED,
    TERMINAL,
)
from ..memory.views import edge_at, node_at, out_of, rng_of, states_of, step_at
from ..native import FAILED, array_at, call
from ..random import integer_of, uniform_of

WORD = np.dtype(np.uint64)


@inlined
def draw_carried(tree: Any) -> int:
    """Draw the state that a trial begins with: a particle of the root's belief, or a start; DONE or an error."""
    carried = array_at(tree.carried_at, tree.hidden_words, WORD)
    if tree.particle_count:
        k = integer_of(rng_of(tree), tree.particle_count)
        particle = array_at(tree.particles_at + 8 * k * tree.hidden_words, tree.hidden_words, WORD)
        for w in range(tree.hidden_words):
            carried[w] = particle[w]
        return DONE
    for w in range(tree.hidden_words):
        carried[w] = np.uint64(0)
    note_call(tree, tree.root, 0)
    if call(tree.start, (tree.params_at, tree.carried_at, tree.rng_at)) == FAILED:
        return START_FAILED
    return DONE


@inlined
def step_hidden(tree: Any, index: int, action: int, level: int) -> int:
    """Take a step with the trial's state, which is left as it was before: DONE or an error.

    The reward goes into the path, and where the next node's words will lie, nothing is observed yet.
    """
    copy_carried(tree)
    note_call(tree, index, action)
    given = given_action(tree, index, action)
    if call(tree.step, (tree.params_at, tree.carried_next_at, given, tree.rng_at, tree.out_at)) == FAILED:
        return STEP_FAILED
    reward = out_of(tree)[0]
    if not (reward > -np.inf and reward < np.inf):
        tree.error_value = reward
        return BAD_REWARD
    step_at(tree, level).reward = reward
    for w in range(tree.words):
        states_of(tree)[tree.node_count * tree.words + w] = np.uint64(0)
    return DONE


@inlined
def observe(tree: Any, edge: int, first: int, action: int) -> tuple[int, int]:
    """Observe a step that did not end: DONE or an error, and an outcome of the edge, or NONE.

    Then what is observed lies where the next node's words will.
    """
    if tree.widening > 0.0 and edge != NONE:
        status, child = draw_observed(tree, edge, first, action)
        if status != DONE or child != NONE:
            return status, child
    seen = tree.node_count * tree.words
    seen_at = state_at(tree, tree.node_count)
    task = (tree.params_at, tree.carried_at, action, tree.carried_next_at, tree.rng_at, seen_at)
    if call(tree.observe, task) == FAILED:
        return OBSERVE_FAILED, np.int64(NONE)
    if tree.observations != 0 and not states_of(tree)[seen] < np.uint64(tree.observations):
        tree.error_value = np.float64(np.int64(states_of(tree)[seen]))
        return BAD_OBSERVATION, np.int64(NONE)
    return DONE, np.int64(NONE)


@inlined
def draw_observed(tree: Any, edge: int, first: int, action: int) -> tuple[int, int]:
    """Draw one of an edge's outcomes by how probable what was observed there is after this step: DONE or an error.

    NONE where the edge may have another outcome, or none of them explains the step. So the observations that were met
    first stand for all: where none comes twice, several trials still come to one node, with the states that it tells
    apart. The number of them grows with the visits, as in POMCPOW (Sunberg and Kochenderfer, ICAPS 2018), whose nodes
    keep weighted states instead.
    """
    allowed = tree.widening * exp(tree.widening_power * log(1.0 + edge_at(tree, edge).visits))
    count, total, drawn = 0, 0.0, np.int64(NONE)
    child = np.int64(first)
    while child != NONE:
        if node_at(tree, child).marks & TERMINAL == 0:
            count += 1
        child = np.int64(node_at(tree, child).sibling)
    if count < allowed:
        return DONE, drawn
    child = np.int64(first)
    while child != NONE:
        node = node_at(tree, child)
        if node.marks & TERMINAL == 0:
            task = (
                tree.params_at, state_at(tree, child), tree.carried_at, action, tree.carried_next_at, tree.out_at
            )  # fmt: skip
            if call(tree.observation_probability, task) == FAILED:
                return PROBABILITY_FAILED, np.int64(NONE)
            p = out_of(tree)[0]
            if not (p >= 0.0 and p < np.inf):
                tree.error_value = p
                return BAD_PROBABILITY, np.int64(NONE)
            total += p
            if p > 0.0 and uniform_of(rng_of(tree)) * total < p:
                drawn = child
        child = np.int64(node.sibling)
    return DONE, drawn


@inlined
def carry_on(tree: Any) -> None:
    """Go on with the state after the step."""
    tree.carried_at, tree.carried_next_at = tree.carried_next_at, tree.carried_at


@inlined
def copy_carried(tree: Any) -> None:
    """Copy the trial's state to where it may be changed."""
    here = array_at(tree.carried_at, tree.hidden_words, WORD)
    there = array_at(tree.carried_next_at, tree.hidden_words, WORD)
    for w in range(tree.hidden_words):
        there[w] = here[w]


@inlined
def note_call(tree: Any, index: int, action: int) -> None:
    """Note what is asked of the problem, and with which random numbers, so that a failure can be shown."""
    tree.error_node, tree.error_action = index, action
    tree.error_rng0 = rng_of(tree)[0]
    tree.error_rng1 = rng_of(tree)[1]
