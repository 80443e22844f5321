"""The leaf of a trial: where trials end, and what a new leaf is worth (V_init, its first policy and entropy)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.entropies import uniform_entropy
from ..formulas.policies import choose
from ..formulas.space import NO_ENTROPY
from ..jit import inlined
from ..memory.blocks import asked_at, count_legal, state_at
from ..memory.layout import (
    BAD_VALUE,
    DONE,
    EVALUATE,
    EXTERNAL,
    HEURISTIC,
    HEURISTIC_FAILED,
    LEGAL_FAILED,
    NO_ACTION,
    NONE,
    ROLLOUT,
    ROLLOUT_FAILED,
    TERMINAL,
)
from ..memory.views import node_at, out_of, rng_of, states_of
from ..native import FAILED, call
from .hidden import copy_carried
from .step import new_block


@inlined
def is_end(tree: Any, node: Any) -> bool:
    """Whether trials end at a node: the problem ended there, or it lies at the horizon."""
    return node.marks & TERMINAL != 0 or node.depth >= tree.horizon


@inlined
def evaluate(tree: Any, index: int, level: int, hidden: bool) -> int:
    """Value a fresh leaf by the search's evaluator (V_init); DONE, EVALUATE if that lies outside, or an error.

    `hidden` says that the trial carries its state (hidden.py); a constant.
    """
    node = node_at(tree, index)
    tree.error_node = index
    if tree.evaluator == EXTERNAL:
        tree.pending = 1
        return EVALUATE
    value = tree.v_init
    if tree.evaluator == ROLLOUT:
        scratch_state = state_at(tree, tree.node_count)
        if hidden:
            scratch_state = tree.carried_next_at
            copy_carried(tree)
        else:
            source, scratch = index * tree.words, tree.node_count * tree.words
            for w in range(tree.words):
                states_of(tree)[scratch + w] = states_of(tree)[source + w]
        tree.error_rng0 = rng_of(tree)[0]
        tree.error_rng1 = rng_of(tree)[1]
        out_of(tree)[0] = tree.discount
        steps = tree.horizon - node.depth
        actions = tree.actions if tree.box_words == 0 else tree.box_at
        task = (tree.params_at, scratch_state, tree.rng_at, steps, tree.out_at, tree.mask_at, actions)
        if call(tree.rollout, task) == FAILED:
            return ROLLOUT_FAILED
        value = out_of(tree)[0]
    elif tree.evaluator == HEURISTIC:
        if call(tree.heuristic, (tree.params_at, asked_at(tree, index), tree.out_at)) == FAILED:
            return HEURISTIC_FAILED
        value = out_of(tree)[0]
    if not (value > -np.inf and value < np.inf):
        tree.error_value = value
        return BAD_VALUE
    tree.leaf_value = value
    return DONE


@inlined
def enter_leaf(tree: Any) -> int:
    """Enter a leaf's value, and the entropy of its first policy, into its node; DONE or an error."""
    index, level = tree.leaf, tree.length
    node = node_at(tree, index)
    if node.visits > 1:  # it lay at a horizon that has moved; its value is in its parent's sum
        tree.leaf_value = node.value
    else:
        node.value = tree.leaf_value
    given = tree.prior_external != 0
    if not needs_policy(tree) and not given:
        return enter_first_entropy(tree, index)
    if node.block == NONE:
        status = new_block(tree, index, given)
        if status != DONE:
            return status
        if tree.proofs:
            tree.leaf_value = node.value  # within its bounds
    slot = choose(tree, index, level, True)
    if slot < NONE:
        tree.error_node = index
        return -slot
    return DONE


@inlined
def needs_policy(tree: Any) -> bool:
    """Whether a fresh leaf's first policy must be computed, because its entropy is not that of a uniform one."""
    return tree.entropy_bonus != NO_ENTROPY and (tree.has_prior != 0 or tree.relative != 0)  # type: ignore[no-any-return]


@inlined
def enter_first_entropy(tree: Any, index: int) -> int:
    """Set a fresh leaf's entropy value to the entropy of its first, uniform policy (Appendix E.1); DONE or an error."""
    if tree.entropy_bonus != NO_ENTROPY:
        n = count_legal(tree, index)
        if n == FAILED or n == 0:
            tree.error_node = index
            return LEGAL_FAILED if n == FAILED else NO_ACTION
        own = uniform_entropy(tree.entropy_bonus, n)
        node_at(tree, index).entropy = -own if node_at(tree, index).player == 1 else own
    return DONE
