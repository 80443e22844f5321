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
from ..memory.blocks import extra_at, is_tabled, prior_at, table_at
from ..memory.layout import NONE, SCHEDULE_FAILED, TABLED, UNKNOWN_CHOICE
from ..memory.views import (
    edge_at,
    entropy_at,
    header_at,
    link_at,
    mixture_of,
    node_at,
    noise_of,
    policies_of,
    quota_at,
    references_of,
    rng_of,
    step_at,
    weights_of,
    words_of,
)
from ..random import uniform_of
from .alias import build_table, sample_table
from .bounds import is_open
from .distributions import IN_TABLE, keep_policy, set_reference, weigh
from .elementary import log
from .entropies import entropy_of
from .halving import begin_rounds, halving_slot
from .schedules import scheduled, shares
from .space import HALVING, NO_ENTROPY, POLYNOMIAL_UCB, PRIOR_UCB, SWITCHING, UCB, UNIFORM

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
    visits = node.visits
    explore, follow = shares(tree, visits)
    tabled = is_tabled(tree, n)
    entropic = tree.entropy_bonus != NO_ENTROPY
    total = 1.0
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

    if stale and ((entropic and not tree.batching) or tree.relative):
        enter_entropy(tree, node, level, explore, follow, total)
    if tabled and stale and not tree.batching:
        for i in range(n):
            weights_of(tree)[i] /= total
        if tree.relative:
            keep_policy(tree, node, level)
        build_table(tree, table_at(tree, node.block, n), weights_of(tree), n)
        node.marks |= TABLED
        header = header_at(tree, node.block - 1)
        wait = max(np.int64(1), np.int64(tree.rebuild_factor * n))
        header.rebuild = visits + (min(visits, wait) if tree.early_rebuilds else wait)
        header.total = -1.0  # at each rebuild the soft maximum is summed anew
    if fresh:
        return NONE

    slot = np.int64(taken)
    if slot == NONE:
        slot = draw(tree, node, explore, follow, total, tabled and not (stale and tree.batching))
    if entropic and not tree.batching:
        extra = entropy_at(tree, extra_at(tree, node.block, n), slot)
        step_at(tree, level).policy = extra.policy
        step_at(tree, level).rest = node.entropy - extra.policy * extra.h
    return slot


@inlined
def draw(tree: Any, node: Any, explore: float, follow: float, total: float, tabled: bool) -> int:
    """An edge from the mixture: by its alias tables, or by weights with the given sum."""
    n = np.int64(node.actions)
    prior = prior_at(tree, node.block, n)
    u = uniform_of(rng_of(tree))
    slot = np.int64(0)
    if u < follow:
        u /= follow
        if tabled:
            slot = sample_table(tree, table_at(tree, node.block, n) + n, n, u)
        else:
            slot = last_positive(words_of(tree), prior, n)
            for i in range(n - 1):
                u -= words_of(tree)[prior + i]
                if u < 0.0:
                    slot = i
                    break
    elif node.best < 0 and not tree.has_prior and not tree.relative:
        slot = np.int64(u * n)  # nothing tried yet: rho is uniform, and so is the mixture
    else:
        u = (u - follow) / (1.0 - follow)
        if u < explore:
            slot = min(np.int64(u / explore * n), n - 1)
        else:
            u = (u - explore) / (1.0 - explore)
            if not tabled:
                slot = last_positive(weights_of(tree), 0, n)
                u *= total
                for i in range(n - 1):
                    u -= weights_of(tree)[i]
                    if u < 0.0:
                        slot = i
                        break
            elif node.marks & TABLED:
                slot = sample_table(tree, table_at(tree, node.block, n), n, u)
            else:
                slot = min(np.int64(u * n), n - 1)
    return open_slot(tree, node, slot)


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
def count_open(tree: Any, node: Any) -> int:
    """How many edges of a node are open."""
    count = np.int64(0)
    for i in range(np.int64(node.actions)):
        count += 1 if is_open(tree, node, i) else 0
    return count


@inlined
def mix(tree: Any, node: Any, level: int, explore: float, follow: float, total: float) -> None:
    """Write the search policy of a node, from weights with the given sum, into the scratch memory."""
    n = np.int64(node.actions)
    prior = prior_at(tree, node.block, n)
    rho = (1.0 - follow) * (1.0 - explore) / total
    even = (1.0 - follow) * explore / n
    for i in range(n):  # short loops, which LLVM can vectorise
        mixture_of(tree)[i] = rho * weights_of(tree)[i] + even
    if tree.has_prior:
        for i in range(n):
            mixture_of(tree)[i] += follow * words_of(tree)[prior + i]
    if tree.proofs:
        share_among_open(tree, node)
    if tree.relative:
        for i in range(n):
            action = i if n == tree.actions else edge_at(tree, node.block + i).action
            policies_of(tree)[level * tree.actions + action] = mixture_of(tree)[i]


@inlined
def share_among_open(tree: Any, node: Any) -> None:
    """Move the probability of edges that are not open to those that are, the same to each: what `open_slot` draws."""
    n, closed = np.int64(node.actions), 0.0
    for i in range(n):
        if not is_open(tree, node, i):
            closed += mixture_of(tree)[i]
            mixture_of(tree)[i] = 0.0
    if closed > 0.0:
        even = closed / count_open(tree, node)
        for i in range(n):
            if is_open(tree, node, i):
                mixture_of(tree)[i] += even


@inlined
def last_positive(weights: Any, first: int, n: int) -> int:
    """The last entry that may be drawn at all: rounding must not end on an impossible one."""
    i = n - 1
    while i > 0 and weights[first + i] <= 0.0:
        i -= 1
    return i


@inlined
def enter_entropy(tree: Any, node: Any, level: int, explore: float, follow: float, total: float) -> None:
    """Store pi and H_V(s) = H(pi) + sum pi(a) H_Q(s,a) (eq. 4.7), from weights with the given sum."""
    n = np.int64(node.actions)
    extra = extra_at(tree, node.block, n)
    kind = tree.entropy_bonus
    mix(tree, node, level, explore, follow, total)
    if kind == NO_ENTROPY or tree.batching:
        return
    below = 0.0
    for i in range(n):
        entropy_at(tree, extra, i).policy = mixture_of(tree)[i]
        below += mixture_of(tree)[i] * entropy_at(tree, extra, i).h
    own = entropy_of(kind, mixture_of(tree), references_of(tree), level * tree.actions, n)
    if tree.box_words:  # relative to a uniform policy over the actions drawn so far (values.py)
        own -= log(float(n))
    node.entropy = below - own if node.player == 1 else below + own


@inlined
def upper_confidence(tree: Any, node: Any, visits: int, quotas: int) -> int:
    """An untried edge at random, else the highest upper bound; among survivors if `quotas`.

    UCT (eq. 2.10): q + c sqrt(log N / N(a)). Stochastic-Power-UCT (Dam et al. 2024): q + c N^(1/4) / sqrt(N(a)).
    """
    n = np.int64(node.actions)
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
