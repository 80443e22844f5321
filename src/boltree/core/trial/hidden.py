"""Trials where the state is hidden: a node is a history of actions and observations, and the trial carries a state.

It is drawn from the root's belief, and goes on from step to step in scratch memory. Nodes keep none: in place of a
state they have the observation that led to them. Choices on the way follow from the nodes alone, so they depend on what
was observed, never on the state (Silver and Veness, Monte-Carlo planning in large POMDPs, NIPS 2010).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..memory.blocks import state_at
from ..memory.layout import BAD_OBSERVATION, BAD_REWARD, DONE, OBSERVE_FAILED, START_FAILED, STEP_FAILED
from ..memory.views import out_of, rng_of, states_of, step_at
from ..native import FAILED, array_at, call
from ..random import integer_of

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
    """Take a step with the trial's state: DONE or an error.

    What is observed goes where the next node's words will lie, the reward into the path. A step that ends is followed
    by no observation.
    """
    copy_carried(tree)
    note_call(tree, index, action)
    after = tree.carried_next_at
    if call(tree.step, (tree.params_at, after, action, tree.rng_at, tree.out_at)) == FAILED:
        return STEP_FAILED
    reward = out_of(tree)[0]
    if not (reward > -np.inf and reward < np.inf):
        tree.error_value = reward
        return BAD_REWARD
    step_at(tree, level).reward = reward
    seen = tree.node_count * tree.words
    if out_of(tree)[1] != 0.0:
        for w in range(tree.words):
            states_of(tree)[seen + w] = np.uint64(0)
    else:
        seen_at = state_at(tree, tree.node_count)
        task = (tree.params_at, tree.carried_at, action, after, tree.rng_at, seen_at)
        if call(tree.observe, task) == FAILED:
            return OBSERVE_FAILED
        if tree.observations != 0 and not states_of(tree)[seen] < np.uint64(tree.observations):
            tree.error_value = np.float64(np.int64(states_of(tree)[seen]))
            return BAD_OBSERVATION
    tree.carried_next_at = tree.carried_at
    tree.carried_at = after
    return DONE


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
