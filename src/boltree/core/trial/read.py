"""Reading a search without changing it: the search distribution of a node."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import count_open, is_open
from ..formulas.distributions import set_reference, weigh
from ..formulas.halving import halving_slot
from ..formulas.mixture import mix
from ..formulas.policies import prior_upper_confidence, upper_confidence
from ..formulas.schedules import scheduled, shares
from ..formulas.space import HALVING, NO_ENTROPY, POLYNOMIAL_UCB, PRIOR_UCB, SWITCHING, UCB, UNIFORM
from ..jit import brief, inlined, kernel
from ..memory.blocks import extra_at
from ..memory.layout import DONE, NONE, SINGLE
from ..memory.outcomes import first_outcome
from ..memory.views import edge_at, mixture_of, node_at, rng_of
from .step import new_block


@kernel
def write_policy(handle: Any, path: Any, out: Any) -> int:
    """The policy pi that the next visit would draw from, over the legal actions of the last node of `path`.

    `path` leads there from the root. For upper confidence bounds pi is 1 at the edge with the highest bound, or uniform
    over untried edges; for a switching search it is its exploring policy, which is uniform. Returns DONE or an error.
    """
    tree = handle[0]
    index = np.int64(path[path.size - 1])
    node = node_at(tree, index)
    bare = node.block == NONE or node.marks & SINGLE != 0
    if not bare:
        policy_of(tree, path, out)
        return DONE
    block, marks, actions, best, entropy, units = (
        node.block,
        node.marks,
        node.actions,
        node.best,
        node.entropy,
        tree.unit_count,
    )
    status = new_block(tree, index, False)  # beyond what is in use, and forgotten again
    if status == DONE:
        policy_of(tree, path, out)
    node.block, node.marks, node.actions, node.best, node.entropy = block, marks, actions, best, entropy
    tree.unit_count = units
    return status


@brief
def newest_outcome(handle: Any, index: int, action: int) -> int:
    """The first of the chain of an action's outcomes (links, where nodes are shared), or NONE."""
    tree = handle[0]
    node = node_at(tree, index)
    if node.block == NONE or (node.marks & SINGLE and node_at(tree, np.int64(node.block)).action != action):
        return np.int64(NONE)
    return first_outcome(tree, index, action)


@inlined
def policy_of(tree: Any, path: Any, out: Any) -> None:
    """`write_policy` for a node that has a block."""
    kind = tree.distribution
    last = path.size - 1
    node = node_at(tree, path[last])
    n = np.int64(node.actions)
    if tree.sampled:
        for level in range(path.size):
            node = node_at(tree, path[level])
            n = np.int64(node.actions)
            visits = node.visits + 1
            explore, follow = shares(tree, visits)
            if tree.relative:
                set_reference(tree, node, level)
            elif level < last:
                continue
            alpha = scheduled(tree, tree.alpha_kind, tree.alpha_scale, tree.alpha_function, visits)
            beta = 0.0
            if tree.entropy_bonus != NO_ENTROPY:
                beta = scheduled(tree, tree.beta_kind, tree.beta_scale, tree.beta_function, visits)
            total = weigh(tree, node, level, alpha, beta)
            mix(tree, node, level, explore, follow, total)
        for i in range(n):
            out[i] = mixture_of(tree)[i]
        return
    untried = 0
    for i in range(n):
        out[i] = 0.0
        untried += 1 if edge_at(tree, node.block + i).visits == 0 else 0
    if kind in (UNIFORM, SWITCHING):
        for i in range(n):
            out[i] = 1.0 / count_open(tree, node) if is_open(tree, node, i) else 0.0
    elif kind in (UCB, POLYNOMIAL_UCB) and untried > 0:
        for i in range(n):
            if edge_at(tree, node.block + i).visits == 0:
                out[i] = 1.0 / untried
    else:
        rng = rng_of(tree)
        before = rng[0], rng[1]
        slot = np.int64(-1)
        rounds = kind == HALVING and last == 0
        if rounds:
            slot = halving_slot(tree, node)
        if kind == PRIOR_UCB:
            slot = prior_upper_confidence(tree, path[last])
        elif slot < 0:
            slot = upper_confidence(tree, node, node.visits + 1, extra_at(tree, node.block, n) if rounds else 0)
        rng[0], rng[1] = before
        out[slot] = 1.0
