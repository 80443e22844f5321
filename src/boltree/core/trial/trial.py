"""One trial: go down the tree by the search policy, value the new leaf, back up along the path."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..atomics import lock, unlock
from ..formulas.elementary import exp, log
from ..formulas.entropies import uniform_entropy
from ..formulas.halving import halving_visit
from ..formulas.policies import BAD, choose, sample
from ..formulas.schedules import draw_temperature, scheduled
from ..formulas.space import HALVING, MEAN, NO_ENTROPY, RELATIVE_ENTROPY, SOFT, SWITCHING
from ..formulas.temperature import enter_window
from ..formulas.units import note_shift, note_trial
from ..formulas.values import enter_value, scan_best
from ..jit import inlined
from ..memory.allocation import take_node
from ..memory.blocks import count_legal, extra_at, is_tabled, legal_action, state_at
from ..memory.layout import (
    BAD_VALUE,
    COLLISION,
    DONE,
    EVALUATE,
    EXTERNAL,
    HEURISTIC,
    HEURISTIC_FAILED,
    LEAF,
    LEGAL_FAILED,
    NO_ACTION,
    NONE,
    ORIGIN,
    PROVEN,
    RECYCLED,
    ROLLOUT,
    ROLLOUT_FAILED,
    SINGLE,
    TERMINAL,
    UNFINISHED,
    WAITING,
)
from ..memory.links import enter_in_graph, find_in_graph, is_cut, take_link
from ..memory.outcomes import find_outcome, link_outcome
from ..memory.views import edge_at, entropy_at, link_at, node_at, out_of, path_links_of, rng_of, states_of, step_at
from ..native import FAILED, call
from ..random import uniform_of
from .known import draw_outcome, expand
from .step import enter_node, new_block, step


@inlined
def descend(tree: Any, graph: bool) -> int:
    """Select down to a leaf and value it; DONE, EVALUATE (the leaf waits for an evaluator), or an error.

    While a batch is selected, nothing that a policy is worked out from changes on the way, and COLLISION says that the
    way led to a leaf that waits already. `graph` says that nodes may have several parents (links.py); callers give a
    constant, so that the code for a tree has nothing of it.
    """
    index, level = tree.root, np.int64(0)
    fresh = False
    draw_temperature(tree)
    if tree.prior_external and node_at(tree, index).block == NONE and not is_end(tree, node_at(tree, index)):
        tree.leaf = index  # the root's own prior and value come first
        tree.length = 0
        tree.pending = 2
        return EVALUATE
    while True:
        node = node_at(tree, index)
        step_at(tree, level).node = index
        step_at(tree, level).entropy = node.entropy
        tree.leaf = index
        tree.length = level
        if graph and (is_cut(tree, node, level, fresh) or (tree.proofs != 0 and node.marks & PROVEN)):
            tree.leaf_value = node.value
            return DONE
        node.visits += 1
        if is_end(tree, node):
            tree.leaf_value = 0.0
            return DONE
        if node.marks & WAITING:
            return COLLISION
        if tree.prior_external and node.block == NONE:
            fresh = True  # new, or it lay at a horizon that has moved: its prior is asked for
        if fresh:
            status = evaluate(tree, index, level)
            return enter_leaf(tree) if status == DONE else status

        if node.block == NONE and tree.compact and node.best != RECYCLED:
            n = count_legal(tree, index)
            if n == FAILED or n == 0:
                tree.error_node = index
                return LEGAL_FAILED if n == FAILED else NO_ACTION
            node.actions = n
            action = legal_action(tree, np.int64(uniform_of(rng_of(tree)) * n))
            slot = np.int64(NONE)
        else:
            if node.block == NONE or node.marks & SINGLE:
                status = new_block(tree, index, False)
                if status != DONE:
                    return status
            slot = choose(tree, index, level, False)
            if slot < NONE:
                tree.error_node = index
                return -slot
            action = np.int64(edge_at(tree, node.block + slot).action)
        step_at(tree, level).slot = slot

        edge, known = np.int64(NONE), np.int64(NONE)
        if slot != NONE:
            edge = node.block + slot
            known = np.int64(edge_at(tree, edge).child)
        if graph and tree.known:
            if known == NONE:
                status = expand(tree, index, edge, level)
                if status != DONE:
                    return status
            link = draw_outcome(tree, edge)
            path_links_of(tree)[level] = link
            step_at(tree, level).reward = link_at(tree, link).reward
            child = np.int64(link_at(tree, link).child)
            fresh = node_at(tree, child).visits == 0
        elif tree.deterministic and known != NONE:
            child, fresh = (np.int64(link_at(tree, known).child) if graph else known), False
            step_at(tree, level).reward = link_at(tree, known).reward if graph else node_at(tree, child).reward
        else:
            status = step(tree, index, action, level)
            if status != DONE:
                return status
            if graph:
                child = find_in_graph(tree, index, edge, out_of(tree)[1] != 0.0)
            else:
                child = find_outcome(tree, edge, known, tree.node_count, out_of(tree)[1] != 0.0)
            fresh = child == NONE
            if fresh:
                child = take_node(tree)
                status = enter_node(tree, child, index, action, known, level)
                if status != DONE:
                    return status
                if graph:
                    enter_in_graph(tree, index, child)
                elif slot == NONE:
                    node.block = child
                    node.marks |= SINGLE
                else:
                    link_outcome(tree, edge, child)
        if graph and not tree.known:
            path_links_of(tree)[level] = take_link(tree, edge, child, step_at(tree, level).reward, fresh)
        fresh = fresh and tree.growth == LEAF
        index = child
        level += 1


@inlined
def enter_leaf(tree: Any) -> int:
    """Enter a leaf that has its value: that, its first policy and entropy."""
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
    slot = choose(tree, index, level, True)
    if slot < NONE:
        tree.error_node = index
        return -slot
    return DONE


@inlined
def is_end(tree: Any, node: Any) -> bool:
    """Whether trials end at a node: the problem ended there, or it lies at the horizon."""
    return node.marks & TERMINAL != 0 or node.depth >= tree.horizon


@inlined
def needs_policy(tree: Any) -> bool:
    """Whether a fresh leaf's first policy must be worked out, because its entropy is not that of a uniform one."""
    return tree.entropy_bonus != NO_ENTROPY and (tree.has_prior != 0 or tree.relative != 0)  # type: ignore[no-any-return]


@inlined
def enter_first_entropy(tree: Any, index: int) -> int:
    """A fresh leaf's entropy value: the entropy of its first, uniform policy (Appendix E.1)."""
    if tree.entropy_bonus != NO_ENTROPY:
        n = count_legal(tree, index)
        if n == FAILED or n == 0:
            tree.error_node = index
            return LEGAL_FAILED if n == FAILED else NO_ACTION
        own = uniform_entropy(tree.entropy_bonus, n)
        node_at(tree, index).entropy = -own if node_at(tree, index).player == 1 else own
    return DONE


@inlined
def evaluate(tree: Any, index: int, level: int) -> int:
    """V_init of a fresh leaf, by the search's evaluator."""
    node = node_at(tree, index)
    tree.error_node = index
    if tree.evaluator == EXTERNAL:
        tree.pending = 1
        return EVALUATE
    value = tree.v_init
    if tree.evaluator == ROLLOUT:
        source, scratch = index * tree.words, tree.node_count * tree.words
        for w in range(tree.words):
            states_of(tree)[scratch + w] = states_of(tree)[source + w]
        tree.error_rng0 = rng_of(tree)[0]
        tree.error_rng1 = rng_of(tree)[1]
        out_of(tree)[0] = tree.discount
        steps = tree.horizon - node.depth
        scratch_state = state_at(tree, tree.node_count)
        task = (tree.params_at, scratch_state, tree.rng_at, steps, tree.out_at, tree.mask_at, tree.actions)
        if call(tree.rollout, task) == FAILED:
            return ROLLOUT_FAILED
        value = out_of(tree)[0]
    elif tree.evaluator == HEURISTIC:
        if call(tree.heuristic, (tree.params_at, state_at(tree, index), tree.out_at)) == FAILED:
            return HEURISTIC_FAILED
        value = out_of(tree)[0]
    if not (value > -np.inf and value < np.inf):
        tree.error_value = value
        return BAD_VALUE
    tree.leaf_value = value
    return DONE


@inlined
def undo(tree: Any) -> None:
    """Take back a trial that failed on its way down: visits, and the nodes it made."""
    nodes_before = tree.nodes_before
    if tree.pending == 2:
        return  # it was the root's own evaluation that failed
    for level in range(tree.length + 1):
        index = np.int64(step_at(tree, level).node)
        if index >= nodes_before:  # the first new node: out of its parent's outcomes
            if level > 0:
                first = node_at(tree, index)
                parent = node_at(tree, first.parent)
                slot = np.int64(step_at(tree, level - 1).slot)
                if slot == NONE:
                    parent.block = NONE
                    parent.marks &= 255 ^ SINGLE
                else:
                    edge_at(tree, parent.block + slot).child = first.sibling
            break
        node_at(tree, index).visits -= 1
        node_at(tree, index).entropy = step_at(tree, level).entropy
    tree.node_count = nodes_before
    tree.index_stale = tree.index_size > 0


@inlined
def back_up(tree: Any) -> None:
    """Update every edge and node of the path, deepest first."""
    ret = tree.leaf_value
    leaf = node_at(tree, tree.leaf)
    before, after = leaf.value, leaf.value
    entropy_before, entropy_after = step_at(tree, tree.length).entropy, leaf.entropy
    ended = is_end(tree, leaf)
    if ended:
        ret = 0.0
    note_trial(tree, ret)
    switch = tree.switch - 1  # the level of the only pair that a switching search updates ...
    if tree.growth == LEAF and not ended:
        switch = min(switch, tree.length - 1)  # ... or, where the tree ends above it, of the last one
    child_visits = leaf.visits
    if tree.owner:
        unlock(leaf)
    for level in range(tree.length - 1, -1, -1):
        at = step_at(tree, level)
        index = np.int64(at.node)
        node = node_at(tree, index)
        if tree.owner:
            enter_visit(tree, index, level)
        ret = at.reward + tree.discount * ret
        old_value = node.value
        note_shift(tree, ret)
        if at.slot == NONE:
            back_up_single(tree, node, ret, at.reward + tree.discount * after, entropy_after)
        elif tree.distribution != SWITCHING or level == switch:
            edge = edge_at(tree, node.block + at.slot)
            sign = -1.0 if node.player == 1 else 1.0
            old_q = edge.q
            edge.visits += 1
            if tree.state_value == MEAN:
                edge.w += ret
                edge.q = sign * (edge.w / edge.visits)
                if tree.distribution == SWITCHING:
                    scan_best(tree, node)
                    node.value = sign * edge_at(tree, node.block + node.best).q
                elif node.best == NONE:
                    node.best = at.slot
                    node.value = ret
                else:
                    if node.best < 0:
                        node.best = at.slot
                    tried = node.visits - (1 if tree.growth == LEAF and not node.marks & (ORIGIN | WAITING) else 0)
                    if node.marks & UNFINISHED:
                        tried = count_tried(tree, node)
                    node.value += (ret - node.value) / tried
            else:
                edge.w += at.reward + tree.discount * (child_visits * after - (child_visits - 1) * before)
                edge.q = sign * (edge.w / edge.visits)
                enter_value(tree, node, np.int64(at.slot), old_q, level)
            if tree.entropy_bonus != NO_ENTROPY:
                extra = entropy_at(tree, extra_at(tree, node.block, np.int64(node.actions)), at.slot)
                extra.w += child_visits * entropy_after - (child_visits - 1) * entropy_before
                extra.h = extra.w / edge.visits
                node.entropy = at.rest + at.policy * extra.h
            if tree.distribution == HALVING:
                halving_visit(tree, node, np.int64(at.slot))
        if tree.adaptive:
            enter_window(tree, index)
        before, after = old_value, node.value
        entropy_before, entropy_after = at.entropy, node.entropy
        child_visits = node.visits
        if tree.owner:
            unlock(node)
    tree.visits_made += tree.length + 1


@inlined
def enter_visit(tree: Any, index: int, level: int) -> None:
    """Enter a visit that was only announced on the way down; the node stays locked.

    What it changes of the policy is entered with the edge that was drawn then (batch.py does the same).
    """
    node, at = node_at(tree, index), step_at(tree, level)
    lock(tree, node)
    node.flights -= 1
    node.visits += 1
    at.entropy = node.entropy
    if keeps_policy(tree, np.int64(node.actions)) and sample(tree, index, level, False, np.int64(at.slot)) == BAD:
        tree.error_node = index
        tree.fresh = BAD  # told when the trial is backed up: the others' sums count on it
        at.policy, at.rest = 0.0, node.entropy


@inlined
def keeps_policy(tree: Any, n: int) -> bool:
    """Whether a node of n actions keeps something of its policy between visits: a table, or the policy itself."""
    return tree.sampled != 0 and (tree.entropy_bonus != NO_ENTROPY or tree.relative != 0 or is_tabled(tree, n))


@inlined
def count_tried(tree: Any, node: Any) -> int:
    """The sum of N(s,a), where it does not follow from N(s)."""
    tried = np.int64(0)
    for i in range(np.int64(node.actions)):
        tried += edge_at(tree, node.block + i).visits
    return tried


@inlined
def back_up_single(tree: Any, node: Any, ret: float, q: float, entropy: float) -> None:
    """The value and entropy of a node that has taken exactly one action, once."""
    n = np.int64(node.actions)
    sign = -1.0 if node.player == 1 else 1.0
    if tree.state_value == MEAN:
        node.value = ret
    elif tree.state_value == SOFT:
        alpha = scheduled(tree, tree.alpha_kind, tree.alpha_scale, tree.alpha_function, node.visits)
        own = sign * q
        initial = tree.q_init_second if node.player == 1 else tree.q_init
        highest = max(own, initial) if n > 1 else own
        total = exp((own - highest) / alpha)
        if n > 1:
            total += (n - 1) * exp((initial - highest) / alpha)
        node.value = sign * (highest + alpha * log(total))
    else:
        node.value = q
    if tree.entropy_bonus != NO_ENTROPY and tree.entropy_bonus != RELATIVE_ENTROPY:
        node.entropy = sign * uniform_entropy(tree.entropy_bonus, n) + entropy / n
