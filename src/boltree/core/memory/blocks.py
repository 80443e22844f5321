"""Where the parts of a node's block lie, and how a block is made (layout.py draws one)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.alias import build_table
from ..formulas.elementary import log
from ..formulas.entropies import uniform_entropy
from ..formulas.space import ANCHORED, HALVING, MAX, MEAN, NO_ENTROPY, NOT_FROM_PRIOR
from ..jit import inlined
from ..native import FAILED, call
from .allocation import take_units
from .layout import BAD_PRIOR, DONE, LEGAL_FAILED, NO_ACTION, NOBODY, NONE, PRIOR_FAILED, RECYCLED, SINGLE
from .views import (
    ahead_at,
    edge_at,
    entropy_at,
    header_at,
    mask_of,
    node_at,
    out_of,
    prior_in_of,
    quota_at,
    ranked_at,
    schedule_at,
    weights_of,
    winner_at,
    words_of,
)

LOWEST_LOG_PRIOR = -32.0

MOST_AHEAD = 15
"""How many actions a node draws ahead at most, and the most edges that four bits number."""


@inlined
def is_tabled(tree: Any, n: int) -> bool:
    """Whether a node with n actions samples from an alias table."""
    return n >= tree.alias_from  # type: ignore[no-any-return]


@inlined
def places(tree: Any, n: int) -> int:
    """The actions that a block for n has room for: n, or a power of 2 where further ones may be drawn."""
    if tree.box_words == 0:
        return n
    size = np.int64(1)
    while size < n:
        size *= 2
    return size


@inlined
def draws_ahead(tree: Any, n: int) -> bool:
    """Whether a node with n actions draws its next ones ahead (formulas/ahead.py)."""
    return n >= tree.ahead_from and n < tree.alias_from  # type: ignore[no-any-return]


@inlined
def visits_to_rebuild(tree: Any, n: int, visits: int) -> int:
    """After how many visits a node with n actions works out its policy again, where that is not at each."""
    wait = max(np.int64(1), np.int64(tree.rebuild_factor * n))
    if draws_ahead(tree, n):
        wait = min(wait, MOST_AHEAD)
    return max(np.int64(1), min(visits, wait)) if tree.early_rebuilds else wait


@inlined
def forget_draws(tree: Any, node: Any) -> None:
    """Let the next visit of a node work out its policy anew."""
    if draws_ahead(tree, np.int64(node.actions)):
        ahead_at(tree, node.block - 1).drawn = 0
    else:
        header_at(tree, node.block - 1).rebuild = node.visits


@inlined
def extra_at(tree: Any, block: int, n: int) -> int:
    """Word of the first entropy (or quota) of a block."""
    return 4 * (block + places(tree, n))


@inlined
def bounds_at(tree: Any, block: int, n: int) -> int:
    """Word of the first pair of bounds of a block; those of the node follow those of its n edges."""
    return 4 * block + (4 + tree.extra_words) * places(tree, n)


@inlined
def prior_at(tree: Any, block: int, n: int) -> int:
    """Word of the first prior probability of a block."""
    return bounds_at(tree, block, n) + (2 * (n + 1) if tree.proofs else 0)


@inlined
def table_at(tree: Any, block: int, n: int) -> int:
    """Word of the first row of a block's alias table over rho; the prior's table follows it."""
    return prior_at(tree, block, n) + (n if tree.has_prior else 0)


@inlined
def references_at(tree: Any, block: int, n: int) -> int:
    """Word of the first reference of a block: the parent's policy when the table was built; rho of then follows it."""
    rows = (2 * n if tree.has_prior else n) if is_tabled(tree, n) else 0
    return table_at(tree, block, n) + rows


@inlined
def order_at(tree: Any, block: int, n: int) -> int:
    """Word where the order of a block's edges begins: a tournament for a maximum, else n + 1 ranked edges."""
    return references_at(tree, block, n) + (2 * n if tree.relative and is_tabled(tree, n) else 0)


@inlined
def units_of(tree: Any, n: int) -> int:
    """Units that a block for n actions takes."""
    end = order_at(tree, 0, n)
    if n >= tree.ranked_from:
        end += (n + 3) // 4 if tree.state_value == MAX else 4 * (n + 1)
    end += tree.box_words * places(tree, n)
    return tree.has_header + (end + 3) // 4  # type: ignore[no-any-return]


@inlined
def forget_order(tree: Any, node: Any) -> None:
    """Drop the order of a node's edges, because their values have changed together: it is made again when needed."""
    n = np.int64(node.actions)
    if n >= tree.ranked_from:
        if tree.state_value == MAX:
            winner_at(tree, order_at(tree, node.block, n), 0).slot = 0
        else:
            ranked_at(tree, order_at(tree, node.block, n), n).left = NOBODY


@inlined
def slot_of(tree: Any, node: Any, action: int) -> int:
    """Which edge of a node's block has an action."""
    if node.actions == tree.actions:
        return action
    for i in range(np.int64(node.actions)):
        if edge_at(tree, node.block + i).action == action:
            return i
    return 0


@inlined
def vector_at(tree: Any, block: int, n: int, slot: int) -> int:
    """Word of the numbers of an action that was drawn from boxes, which lie where no order of the edges is kept."""
    return order_at(tree, block, n) + slot * tree.box_words


@inlined
def given_action(tree: Any, index: int, action: int) -> int:
    """What a problem is given for an action of a node: its number, or the address of what was drawn from boxes."""
    if tree.box_words == 0:
        return action
    node = node_at(tree, index)
    return tree.blocks_at + 8 * vector_at(tree, np.int64(node.block), np.int64(node.actions), action)


@inlined
def state_at(tree: Any, index: int) -> int:
    """Address of a node's state."""
    return tree.states_at + index * tree.words * 8  # type: ignore[no-any-return]


@inlined
def asked_at(tree: Any, index: int) -> int:
    """Address of the state that a problem is asked about: the node's; where states are hidden, the trial's."""
    return tree.carried_at if tree.observe != 0 else state_at(tree, index)  # type: ignore[no-any-return]


@inlined
def count_legal(tree: Any, index: int) -> int:
    """How many actions are legal at a node (the mask is left in mask_of(tree)); FAILED when `legal` raised.

    Where they are drawn from boxes, a node begins with one.
    """
    if tree.box_words != 0:
        return np.int64(1)
    if tree.legal == 0:
        return tree.actions  # type: ignore[no-any-return]
    for a in range(tree.actions):
        mask_of(tree)[a] = 0
    if call(tree.legal, (tree.params_at, asked_at(tree, index), tree.mask_at, tree.actions)) == FAILED:
        return FAILED
    n = 0
    for a in range(tree.actions):
        n += 1 if mask_of(tree)[a] != 0 else 0
    return n


@inlined
def legal_action(tree: Any, k: int) -> int:
    """The k-th legal action of the node whose mask was counted last."""
    if tree.legal == 0:
        return k
    for a in range(tree.actions):
        if mask_of(tree)[a] != 0:
            if k == 0:
                return a
            k -= 1
    return NONE


@inlined
def enter_edge(tree: Any, unit: int, action: int, initial: float) -> None:
    """Fill in an untried edge."""
    edge = edge_at(tree, unit)
    edge.w = 0.0
    edge.q = initial
    edge.visits = 0
    edge.child = NONE
    edge.action = action
    edge.outcomes = 0


@inlined
def make_block(tree: Any, index: int, prior_given: bool) -> int:
    """Give a node its block; returns DONE or what went wrong."""
    node = node_at(tree, index)
    n = count_legal(tree, index)
    if n == FAILED:
        return LEGAL_FAILED
    if n == 0:
        return NO_ACTION
    block = take_units(tree, units_of(tree, n)) + tree.has_header
    child = NONE
    if node.marks & SINGLE:
        child = node.block
        node.marks &= 255 ^ SINGLE
    node.block = block
    node.actions = n
    initial = tree.q_init_second if node.player == 1 else tree.q_init
    slot = 0
    for a in range(tree.actions if tree.box_words == 0 else 1):
        if tree.legal == 0 or mask_of(tree)[a] != 0:
            enter_edge(tree, block + slot, a, initial)
            slot += 1
    if tree.has_prior:
        status = fill_prior(tree, index, prior_given)
        if status != DONE:  # (a node with a prior was never SINGLE)
            node.block = NONE
            node.actions = 0
            tree.unit_count -= units_of(tree, n)
            return status
    if tree.entropy_bonus != NO_ENTROPY:
        extra = extra_at(tree, block, n)
        for i in range(n):
            entropy_at(tree, extra, i).w = 0.0
            entropy_at(tree, extra, i).h = 0.0
            entropy_at(tree, extra, i).policy = 1.0 / n
        if child == NONE and node.best != RECYCLED:
            own = uniform_entropy(tree.entropy_bonus, n)
            node.entropy = -own if node.player == 1 else own
    forget_order(tree, node)
    if tree.has_header:
        header = header_at(tree, block - 1)
        header.total = -1.0
        header.peak = 0.0
        header.shift = 0.0
        forget_draws(tree, node)
        if not (tree.has_prior or tree.relative) and node.best != RECYCLED:
            # the first policy is uniform: it is worked out when it is due again
            began = node.visits - (1 if child != NONE else 0)
            due = began + visits_to_rebuild(tree, n, began)
            if draws_ahead(tree, n):
                ahead_at(tree, block - 1).drawn = min(np.int64(0), node.visits - due)
            else:
                header.rebuild = due
        if tree.distribution == HALVING:
            schedule = schedule_at(tree, block - 1)
            schedule.budget = schedule.used = schedule.quota = schedule.begun = 0
            extra = extra_at(tree, block, n)
            for i in range(n):
                quota_at(tree, extra, i).done = 0
                quota_at(tree, extra, i).alive = 1
    if child != NONE:
        adopt_single(tree, index, child)
    return DONE


@inlined
def adopt_single(tree: Any, index: int, child: int) -> None:
    """Enter the only visit of a formerly SINGLE node into its new block."""
    node = node_at(tree, index)
    only = node_at(tree, child)
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.action == only.action:
            edge.child = child
            edge.outcomes = 1
            edge.visits = 1
            edge.w = node.value if tree.state_value == MEAN else only.reward + tree.discount * only.value
            edge.q = -edge.w if node.player == 1 else edge.w
            node.best = i
            if tree.entropy_bonus != NO_ENTROPY:
                row = entropy_at(tree, extra_at(tree, node.block, node.actions), i)
                row.w = tree.discount * only.entropy
                row.h = row.w


@inlined
def fill_prior(tree: Any, index: int, given: bool) -> int:
    """Write the prior of a node's legal actions, normalised; initial preferences from it where asked for.

    They are log prior, less its mean over the actions, or anchored: the value of the node for the action of the
    highest prior, and for another one as much less as its log prior is lower, times a slope.
    """
    node = node_at(tree, index)
    n = np.int64(node.actions)
    first = prior_at(tree, node.block, n)
    if not given and tree.prior != 0:
        for a in range(tree.actions):
            out_of(tree)[a] = 0.0
        if call(tree.prior, (tree.params_at, asked_at(tree, index), tree.out_at, tree.actions)) == FAILED:
            return PRIOR_FAILED
    total = 0.0
    for i in range(n):
        a = edge_at(tree, node.block + i).action
        p = 1.0
        if given:
            p = prior_in_of(tree)[a]
        elif tree.prior != 0:
            p = out_of(tree)[a]
        if not (p >= 0.0 and p < np.inf):
            tree.error_action = a
            tree.error_value = p
            return BAD_PRIOR
        words_of(tree)[first + i] = p
        total += p
    mean_log, highest = 0.0, -np.inf
    for i in range(n):
        p = words_of(tree)[first + i] / total if total > 0.0 else 1.0 / n
        words_of(tree)[first + i] = p
        log_p = max(log(p), LOWEST_LOG_PRIOR)
        mean_log += log_p / n
        highest = max(highest, log_p)
        weights_of(tree)[i] = p
    if tree.q_from_prior != NOT_FROM_PRIOR:
        own = -node.value if node.player == 1 else node.value
        for i in range(n):
            log_p = max(log(words_of(tree)[first + i]), LOWEST_LOG_PRIOR)
            anchored = own + tree.prior_slope * (log_p - highest)
            edge_at(tree, node.block + i).q = anchored if tree.q_from_prior == ANCHORED else log_p - mean_log
    if is_tabled(tree, n):
        build_table(tree, table_at(tree, node.block, n) + n, weights_of(tree), n)
    return DONE
