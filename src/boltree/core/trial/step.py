"""The parts of a trial's step: making a node's block, sampling an outcome from the problem, filling in its node."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import enter_first_bounds
from ..jit import inlined
from ..memory.blocks import asked_at, given_action, make_block, state_at
from ..memory.layout import BAD_PLAYER, BAD_REWARD, DONE, NONE, PLAYER_FAILED, STEP_FAILED, TERMINAL
from ..memory.views import node_at, out_of, rng_of, states_of, step_at
from ..native import FAILED, call
from .ends import settle_ends


@inlined
def new_block(tree: Any, index: int, prior_given: bool) -> int:
    """Make a node's block, with bounds where they are kept, which may prove the node; DONE or an error."""
    status = make_block(tree, index, prior_given)
    if status == DONE and tree.proofs:
        status = enter_first_bounds(tree, index)
        if status == DONE and tree.player != 0:
            status = settle_ends(tree, index)
    if status != DONE:
        tree.error_node = index
    return status


@inlined
def step(tree: Any, index: int, action: int, level: int) -> int:
    """Sample an outcome: its state goes where the next node's will lie, its reward into the path. DONE or an error."""
    source, target = index * tree.words, tree.node_count * tree.words
    for w in range(tree.words):
        states_of(tree)[target + w] = states_of(tree)[source + w]
    tree.error_node, tree.error_action = index, action
    tree.error_rng0 = rng_of(tree)[0]
    tree.error_rng1 = rng_of(tree)[1]
    given = given_action(tree, index, action)
    task = (tree.params_at, state_at(tree, tree.node_count), given, tree.rng_at, tree.out_at)
    if call(tree.step, task) == FAILED:
        return STEP_FAILED
    reward = out_of(tree)[0]
    if not (reward > -np.inf and reward < np.inf):
        tree.error_value = reward
        return BAD_REWARD
    step_at(tree, level).reward = reward
    return DONE


@inlined
def enter_node(tree: Any, child: int, parent: int, action: int, sibling: int, level: int) -> int:
    """Fill in the record of the node that a step led to; its state is in place already. DONE or an error."""
    terminal = out_of(tree)[1] != 0.0
    node = node_at(tree, child)
    node.visits = 0
    node.value = 0.0
    node.entropy = 0.0
    node.reward = step_at(tree, level).reward
    node.block = NONE
    node.parent = parent
    node.sibling = sibling
    node.depth = node_at(tree, parent).depth + 1
    node.action = action
    node.actions = 0
    node.best = NONE
    node.marks = TERMINAL if terminal else 0
    node.player = 0
    node.flights = 0
    if tree.player != 0 and not terminal:
        mover = call(tree.player, (tree.params_at, asked_at(tree, child)))
        if mover != 0 and mover != 1:
            tree.error_node = parent
            tree.error_action = action
            tree.error_value = mover
            return PLAYER_FAILED if mover == FAILED else BAD_PLAYER
        node.player = mover
    return DONE
