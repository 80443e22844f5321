"""Search policies: which edge a trial takes at a node, and with which probability it was taken.

The sampled policies are mixtures (section 3 of the algorithms' description, Appendix C.2):

    pi = lambda_p prior + (1 - lambda_p) [ (1 - lambda) rho + lambda / n ],
    lambda = min(1, epsilon / log(e + N)),  lambda_p = min(1, epsilon_prior / log(e + N)).

With many actions rho comes from an alias table that is rebuilt every n visits of the node; the parts of the
mixture are drawn apart, so lambda is always the current one.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from ..jit import inlined
from ..lanes import LANES, all_lanes, fused, greater, highest_of, root_of, sum_of
from ..memory.blocks import draws_ahead, extra_at, is_tabled, prior_at, table_at, visits_to_rebuild
from ..memory.layout import EDGE, NONE, SCHEDULE_FAILED, TABLED, UNKNOWN_CHOICE
from ..memory.prefetch import prefetch
from ..memory.views import (
    edge_at,
    entropy_at,
    h_lanes,
    header_at,
    link_at,
    mixture_lanes,
    mixture_of,
    node_at,
    noise_of,
    policies_of,
    put_weight_lanes,
    q_lanes,
    quota_at,
    rng_of,
    step_at,
    visit_lanes,
    weights_of,
    words_of,
)
from ..random import uniform_of
from .ahead import draw_next, is_used_up, take_next
from .alias import build_table, sample_table
from .bounds import count_open, is_open
from .distributions import IN_TABLE, keep_policy, set_reference, weigh
from .elementary import log
from .entropies import entropy_of
from .halving import begin_rounds, halving_slot
from .mixture import draw_mixed, mix
from .schedules import scheduled, shares
from .space import HALVING, NO_ENTROPY, POLYNOMIAL_UCB, PRIOR_UCB, SWITCHING, UCB, UNIFORM

EDGES_A_LINE = 64 // EDGE.itemsize
BAD, UNKNOWN = -SCHEDULE_FAILED, -UNKNOWN_CHOICE


@inlined
def choose(tree: Any, index: int, level: int, fresh: bool) -> int:
    """The edge to take at a node on the `level`-th step of this trial; BAD if a schedule failed, or UNKNOWN.

    A `fresh` node takes none (NONE is returned): only the entropy of its first policy is entered.
    """
    node = node_at(tree, index)
    n = np.int64(node.actions)
    kind = tree.distribution
    if tree.sampled:
        return sample(tree, index, level, fresh, NONE)
    if fresh:
        return NONE
    if kind in (UCB, POLYNOMIAL_UCB):
        return upper_confidence(tree, node, node.visits, 0)
    if kind == HALVING:
        if level > 0:
            return upper_confidence(tree, node, node.visits, 0)
        begin_rounds(tree, node)
        slot = halving_slot(tree, node)
        return slot if slot >= 0 else upper_confidence(tree, node, node.visits, extra_at(tree, node.block, n))
    if kind == PRIOR_UCB:
        return prior_upper_confidence(tree, index)
    if kind == UNIFORM or (kind == SWITCHING and level < tree.switch):
        return open_slot(tree, node, np.int64(uniform_of(rng_of(tree)) * n))
    if kind == SWITCHING:
        return greedy(tree, node)
    return UNKNOWN


@inlined
def sample(tree: Any, index: int, level: int, fresh: bool, taken: int) -> int:
    """Draw from the mixture; enter pi and the rest of the node's entropy into the path.

    `taken` is an edge that was drawn before, while a batch was selected; NONE to draw one. While a batch is selected
    nothing is entered: that happens when its trials are backed up, one after the other.
    """
    node = node_at(tree, index)
    n = np.int64(node.actions)
    slot = np.int64(NONE)
    ahead = draws_ahead(tree, n) and taken == NONE and not fresh and not tree.batching
    if ahead:  # which edge it will be is known only when the header is there
        for i in range(1, n, EDGES_A_LINE):
            prefetch(edge_at(tree, node.block + i))
    if not ahead or is_used_up(tree, node):
        slot = sample_now(tree, index, level, fresh, taken, ahead)
        if slot < 0:
            return slot
    if ahead:
        slot = take_next(tree, node, n)
    if tree.entropy_bonus != NO_ENTROPY and not tree.batching:
        extra = entropy_at(tree, extra_at(tree, node.block, n), slot)
        step_at(tree, level).policy = extra.policy
        step_at(tree, level).rest = node.entropy - extra.policy * extra.h
    return slot


@inlined
def sample_now(tree: Any, index: int, level: int, fresh: bool, taken: int, ahead: bool) -> int:
    """`sample` by the policy as it is now, or by the node's alias table; 0 where actions are drawn `ahead`."""
    node = node_at(tree, index)
    n = np.int64(node.actions)
    visits = node.visits
    explore, follow = shares(tree, visits)
    tabled = is_tabled(tree, n)
    entropic = tree.entropy_bonus != NO_ENTROPY
    stale = not tabled or visits >= header_at(tree, node.block - 1).rebuild
    if tree.relative:
        if stale:
            set_reference(tree, node, level)
        else:
            policies_of(tree)[level * tree.actions] = IN_TABLE
    if stale:
        alpha = scheduled(tree, tree.alpha_kind, tree.alpha_scale, tree.alpha_function, visits)
        beta = 0.0
        if entropic:
            beta = scheduled(tree, tree.beta_kind, tree.beta_scale, tree.beta_function, visits)
        if not (alpha > 0.0 and alpha < np.inf and beta >= 0.0 and beta < np.inf):
            tree.error_value = alpha if not (alpha > 0.0 and alpha < np.inf) else beta
            tree.error_action = visits
            return BAD
        total = weigh(tree, node, level, alpha, beta)
        mix(tree, node, level, explore, follow, total)
        if entropic and not tree.batching:
            enter_entropy(tree, node, level)
        if ahead:
            draw_next(tree, node, n)
            return 0
        if tabled and not tree.batching:
            renew_table(tree, node, level, total)
    if fresh:
        return NONE
    slot = np.int64(taken)
    if slot == NONE:
        if tabled and not (stale and tree.batching):
            slot = draw_by_tables(tree, node, explore, follow)
        else:
            slot = draw_mixed(tree, n)
    return slot


@inlined
def renew_table(tree: Any, node: Any, level: int, total: float) -> None:
    """Build a node's alias table, from weights with the given sum."""
    n = np.int64(node.actions)
    for i in range(n):
        weights_of(tree)[i] /= total
    if tree.relative:
        keep_policy(tree, node, level)
    build_table(tree, table_at(tree, node.block, n), weights_of(tree), n)
    node.marks |= TABLED
    header = header_at(tree, node.block - 1)
    header.rebuild = node.visits + visits_to_rebuild(tree, n, node.visits)
    header.total = -1.0  # at each rebuild the soft maximum is summed anew


@inlined
def draw_by_tables(tree: Any, node: Any, explore: float, follow: float) -> int:
    """An edge from the mixture, by the alias tables of its parts."""
    n = np.int64(node.actions)
    u = uniform_of(rng_of(tree))
    if u < follow:
        return sample_table(tree, table_at(tree, node.block, n) + n, n, u / follow)
    if node.best < 0 and not tree.has_prior and not tree.relative:
        return np.int64(u * n)  # nothing tried yet: rho is uniform, and so is the mixture
    u = (u - follow) / (1.0 - follow)
    if u < explore:
        return min(np.int64(u / explore * n), n - 1)
    u = (u - explore) / (1.0 - explore)
    if node.marks & TABLED:
        return sample_table(tree, table_at(tree, node.block, n), n, u)
    return min(np.int64(u * n), n - 1)


@inlined
def open_slot(tree: Any, node: Any, slot: int) -> int:
    """An edge if it is open, else a uniform one of those that are."""
    if tree.proofs == 0 or is_open(tree, node, slot):
        return slot
    k = np.int64(uniform_of(rng_of(tree)) * count_open(tree, node))
    for i in range(np.int64(node.actions)):
        if is_open(tree, node, i):
            if k == 0:
                return i
            k -= 1
    return slot


@inlined
def enter_entropy(tree: Any, node: Any, level: int) -> None:
    """Store pi, which `mix` wrote, and H_V(s) = H(pi) + sum pi(a) H_Q(s,a) (eq. 4.7)."""
    n = np.int64(node.actions)
    extra = extra_at(tree, node.block, n)
    sums = all_lanes(0.0)
    for i in range(0, n, LANES):
        sums = fused(mixture_lanes(tree, i), h_lanes(tree, extra, i, n), sums)
    for i in range(n):
        entropy_at(tree, extra, i).policy = mixture_of(tree)[i]
    below = sum_of(sums)
    own = entropy_of(tree.entropy_bonus, tree, level * tree.actions, n)
    if tree.box_words:  # relative to a uniform policy over the actions drawn so far (values.py)
        own -= log(float(n))
    node.entropy = below - own if node.player == 1 else below + own


@inlined
def upper_confidence(tree: Any, node: Any, visits: int, quotas: int) -> int:
    """An untried edge at random, else the highest upper bound; among survivors if `quotas`.

    UCT (eq. 2.10): q + c sqrt(log N / N(a)). Stochastic-Power-UCT (Dam et al. 2024): q + c N^(1/4) / sqrt(N(a)).
    """
    n = np.int64(node.actions)
    if n >= LANES and not (tree.batching or tree.proofs or quotas):
        slot = highest_bound(tree, node, visits)
        if slot >= 0:
            return slot
    untried = 0
    c = tree.c
    if tree.c_auto:
        c = 0.001
    for i in range(n):
        edge = edge_at(tree, node.block + i)
        if edge.visits == 0:
            untried += 1 if in_flight(tree, node, edge) == 0 and is_open(tree, node, i) else 0
        elif tree.c_auto:
            c = max(c, abs(edge.q))
    if untried > 0:
        k = np.int64(uniform_of(rng_of(tree)) * untried)
        for i in range(n):
            edge = edge_at(tree, node.block + i)
            if edge.visits == 0 and in_flight(tree, node, edge) == 0 and is_open(tree, node, i):
                if k == 0:
                    return i
                k -= 1
    bonus = c * (sqrt(sqrt(float(visits))) if tree.distribution == POLYNOMIAL_UCB else sqrt(log(float(visits))))
    slot, highest = np.int64(0), -np.inf
    for i in range(n):
        edge = edge_at(tree, node.block + i)
        flights = in_flight(tree, node, edge)
        tried = edge.visits + flights
        bound = -np.inf
        if edge.visits > 0:
            bound = edge.q - c * flights / tried + bonus / sqrt(float(tried))
        if bound > highest and (quotas == 0 or quota_at(tree, quotas, i).alive) and is_open(tree, node, i):
            slot, highest = i, bound
    return slot


@inlined
def highest_bound(tree: Any, node: Any, visits: int) -> int:
    """The edge with the highest upper bound, where no trial is in flight; NONE if some are untried, or c is 0."""
    n = np.int64(node.actions)
    c = tree.c
    if tree.c_auto:
        tops = all_lanes(0.001)
        for i in range(0, n, LANES):
            q = q_lanes(tree, node.block, i, n)
            tops = greater(greater(q, q * -1.0), tops)
        c = highest_of(tops)
    bonus = c * (sqrt(sqrt(float(visits))) if tree.distribution == POLYNOMIAL_UCB else sqrt(log(float(visits))))
    if not bonus > 0.0:
        return NONE
    tops = all_lanes(-np.inf)
    for i in range(0, n, LANES):
        bounds = q_lanes(tree, node.block, i, n) + bonus / root_of(visit_lanes(tree, node.block, i, n))
        put_weight_lanes(tree, i, bounds)
        tops = greater(bounds, tops)
    highest = highest_of(tops)
    if highest == np.inf:  # an untried edge's
        return NONE
    for i in range(n - 1):  # by branches, as in `draw_mixed`
        if weights_of(tree)[i] == highest:
            return i
    return n - 1


@inlined
def in_flight(tree: Any, node: Any, edge: Any) -> int:
    """Trials that have taken an edge and are not backed up yet: each counts as a visit that lost c (virtual loss)."""
    flights = np.int64(0)
    if tree.batching and node.flights > (1 if tree.owner else 0):  # a thread's own trial is among them
        child = np.int64(edge.child)
        while child != NONE and tree.transpositions:  # a link; those that came another way count, too
            flights += node_at(tree, np.int64(link_at(tree, child).child)).flights
            child = np.int64(link_at(tree, child).next)
        while child != NONE:
            flights += node_at(tree, child).flights
            child = np.int64(node_at(tree, child).sibling)
    return flights


@inlined
def prior_upper_confidence(tree: Any, index: int) -> int:
    """PUCT: q + c prior sqrt(sum N) / (1 + N(a)); ties go to the larger prior, then to chance."""
    node = node_at(tree, index)
    n = np.int64(node.actions)
    prior = prior_at(tree, node.block, n)
    tried = np.int64(node.flights - (1 if tree.owner else 0)) if tree.batching else np.int64(0)
    for i in range(n):
        tried += edge_at(tree, node.block + i).visits
    scale = tree.c * sqrt(float(tried))
    unplayed = tree.first_play
    if tree.first_play_relative:
        unplayed += -node.value if node.player == 1 else node.value
    slot, highest, heaviest, ties = np.int64(0), -np.inf, -1.0, 0
    u = uniform_of(rng_of(tree))
    for i in range(n):
        edge = edge_at(tree, node.block + i)
        p = words_of(tree)[prior + i] if tree.has_prior else 1.0 / n
        if tree.noise_weight > 0.0 and index == tree.root:
            p = (1.0 - tree.noise_weight) * p + tree.noise_weight * noise_of(tree)[edge.action]
        flights = in_flight(tree, node, edge)
        q = (edge.q if edge.visits > 0 else unplayed) - tree.c * flights / max(edge.visits + flights, 1)
        bound = q + scale * p / (1.0 + edge.visits + flights) if is_open(tree, node, i) else -np.inf
        if bound > highest or (bound == highest and p > heaviest):
            slot, highest, heaviest, ties = i, bound, p, 1
        elif bound == highest and p == heaviest:
            ties += 1
            u *= ties  # a uniform choice among ties (reservoir sampling)
            if u < 1.0:
                slot = i
            else:
                u = (u - 1.0) / (ties - 1)
    return slot


@inlined
def greedy(tree: Any, node: Any) -> int:
    """The tried edge with the highest q; a uniform one while none is tried."""
    slot, highest = np.int64(-1), -np.inf
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0 and edge.q > highest:
            slot, highest = i, edge.q
    if slot < 0:
        return np.int64(uniform_of(rng_of(tree)) * node.actions)
    return slot
