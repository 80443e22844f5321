"""Merges two trees of the same search, which two threads grew apart: one is added to the other, node by node.

"Our" tree is the one that stays, "their" tree the one that is added. Both lie in the same memory. Nodes are matched by
the actions and states on their way from the root. Counts and rewards of matched edges add up; then, from the deepest
match upwards, sums and values follow from the merged children by the algorithm's equations:

    N(s,a) = sum of both,  W(s,a) = sum of both's rewards + discount * sum N(s') V(s'),  V(s) from the merged Q(s,a).

An outcome that only one tree has is in that tree's W already, so W is the sum of both and of what matched outcomes
changed by. Returns that are averaged simply add. A subtree that only the other tree has is grafted: it stays where it
is, and our edge points to it. So merging costs as much as the trees have in common, which is little. A leaf that both
have valued counts twice, with the mean of the two values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..atomics import add_to
from ..formulas.space import HALVING, MEAN, NO_ENTROPY
from ..formulas.units import note_return
from ..jit import inlined, kernel
from ..memory.blocks import extra_at, forget_draws, make_block, slot_of, units_of
from ..memory.layout import DONE, FULL, LEAF, NONE, ORIGIN, SINGLE, TABLED, TERMINAL, UNFINISHED
from ..memory.outcomes import find_outcome, link_outcome
from ..memory.prefetch import prefetch
from ..memory.views import edge_at, entropy_at, node_at, state_word_at
from .recompute import compute_node

PAIRS_AHEAD = 6
"""How many pairs ahead memory is prefetched: these take about as long as memory does to answer."""

MANY_PAIRS = 512
"""Once this many pairs are left to match, several threads go on with what lies below each."""

BEGUN, KNOWN, WASTED, TASK = 0, 1, 2, 3
"""The counters of a list of pairs: how many were matched; how many are known; units of blocks that are no longer used;
and which of the pairs `tops` is being matched, NONE if none is."""


@kernel
def begin_merging(target: Any, source: Any, pairs: Any, so_far: Any) -> int:
    """Begin to add their tree (`source`) to ours (`target`): match the nodes near the roots; DONE, FULL or an error.

    `pairs` lists which node of theirs is which of ours, from the roots down, with room for all of theirs; `so_far` has
    its counters. Pairs that are known but not matched in the end are for `match_below`, in any number of threads. FULL
    asks for room for another block in our tree, and to be called again. An error comes from a function of the problem:
    nodes that could not be matched are paired with NONE, and lost. Of their tree only the record may be used
    afterwards, by a thread that works on our tree.
    """
    mine, other = target[0], source[0]
    if so_far[KNOWN] == 0:
        if mine.automatic or mine.shifted:
            note_return(mine, other.lowest)
            note_return(mine, other.highest)
        pairs[0, 0], pairs[0, 1] = other.root, mine.root
        so_far[KNOWN] = 1
    return match_known(mine, pairs, so_far, MANY_PAIRS)


@kernel
def match_below(handle: Any, tops: Any, drawn_at: int, pairs: Any, so_far: Any) -> int:
    """Match the pairs `tops` and what lies below them; DONE, FULL or an error, as `begin_merging`.

    Several threads may do so at the same time, each with a tree's record and a list of its own; `drawn_at` is the
    address of their common counter of the `tops` that were taken.
    """
    tree = handle[0]
    failure = DONE
    while True:
        status = match_known(tree, pairs, so_far, np.int64(pairs.shape[0]))
        if status == FULL:
            return FULL
        failure = status if status != DONE else failure
        if so_far[TASK] == NONE:
            task = add_to(drawn_at, 1)
            if task >= tops.shape[0]:
                return failure
            so_far[TASK] = task
        status = match_pair(tree, np.int64(tops[so_far[TASK], 0]), np.int64(tops[so_far[TASK], 1]), pairs, so_far)
        if status == FULL:
            return FULL
        failure = status if status != DONE else failure
        so_far[TASK] = NONE


@inlined
def match_known(tree: Any, pairs: Any, so_far: Any, many: int) -> int:
    """Match the pairs of a list, and list those below, until none or `many` are left; DONE, FULL or an error."""
    failure = DONE
    while so_far[BEGUN] < so_far[KNOWN] and so_far[KNOWN] - so_far[BEGUN] < many:
        k = so_far[BEGUN]
        look_ahead(tree, pairs, k, so_far[KNOWN])
        status = match_pair(tree, np.int64(pairs[k, 0]), np.int64(pairs[k, 1]), pairs, so_far)
        if status == FULL:
            return FULL
        failure = status if status != DONE else failure
        so_far[BEGUN] += 1
    return failure


@inlined
def match_pair(tree: Any, a: int, b: int, pairs: Any, so_far: Any) -> int:
    """Match their node `a` and our node `b`, and pair or graft what lies below; DONE, FULL or an error."""
    status = DONE if b == NONE else match(tree, a, b)
    if status == FULL:
        return FULL
    if status != DONE:
        tree.error_node = b
    pair_outcomes(tree, a, b if status == DONE else np.int64(NONE), pairs, so_far)
    return status


@kernel
def compute_matched(handle: Any, pairs: Any, so_far: Any) -> None:
    """Compute our nodes of a list of matched pairs, the deepest first, and mark theirs as free."""
    tree = handle[0]
    for k in range(so_far[KNOWN] - 1, -1, -1):
        look_back(tree, pairs, k)
        a, b = np.int64(pairs[k, 0]), np.int64(pairs[k, 1])
        theirs = node_at(tree, a)
        if b != NONE:
            node = node_at(tree, b)
            if theirs.block != NONE and node.block != NONE and not node.marks & SINGLE:
                compute_node(tree, b, False, True)
                if tree.has_header and tree.distribution != HALVING:
                    forget_draws(tree, node)
            if theirs.parent != NONE:
                update_parent(tree, theirs, b)
        theirs.visits = NONE


@kernel
def end_merging(target: Any, source: Any) -> None:
    """Add up what belongs to the trees as a whole."""
    mine, other = target[0], source[0]
    mine.trials += other.trials
    mine.visits_made += other.visits_made
    if other.index_wanted:
        mine.index_wanted = 1
        mine.index_stale = mine.index_size > 0  # what was grafted is not in it


@inlined
def look_ahead(tree: Any, pairs: Any, k: int, known: int) -> None:
    """Prefetch the memory that later pairs will need: first their nodes, then their edges and outcomes."""
    for side in range(2):
        if k + 3 * PAIRS_AHEAD < known and pairs[k + 3 * PAIRS_AHEAD, side] != NONE:
            prefetch(node_at(tree, np.int64(pairs[k + 3 * PAIRS_AHEAD, side])))
        if k + 2 * PAIRS_AHEAD < known and pairs[k + 2 * PAIRS_AHEAD, side] != NONE:
            prefetch_edges(tree, np.int64(pairs[k + 2 * PAIRS_AHEAD, side]))
        if k + PAIRS_AHEAD < known and pairs[k + PAIRS_AHEAD, side] != NONE:
            prefetch_outcomes(tree, np.int64(pairs[k + PAIRS_AHEAD, side]))


@inlined
def look_back(tree: Any, pairs: Any, k: int) -> None:
    """Prefetch what `compute_node` will need for the pairs that come next, which are those before in the list."""
    if k >= 2 * PAIRS_AHEAD and pairs[k - 2 * PAIRS_AHEAD, 1] != NONE:
        prefetch(node_at(tree, np.int64(pairs[k - 2 * PAIRS_AHEAD, 1])))
    if k >= PAIRS_AHEAD and pairs[k - PAIRS_AHEAD, 1] != NONE:
        prefetch_edges(tree, np.int64(pairs[k - PAIRS_AHEAD, 1]))


@inlined
def prefetch_edges(tree: Any, index: int) -> None:
    """Prefetch a node's edges."""
    node = node_at(tree, index)
    if node.block != NONE and not node.marks & SINGLE:
        for i in range(0, np.int64(node.actions), 2):  # two edges in a line of memory
            prefetch(edge_at(tree, node.block + i))


@inlined
def prefetch_outcomes(tree: Any, index: int) -> None:
    """Prefetch the first outcomes of a node's edges, and their states."""
    node = node_at(tree, index)
    if node.marks & SINGLE:
        prefetch_node(tree, np.int64(node.block))
    elif node.block != NONE:
        for i in range(np.int64(node.actions)):
            prefetch_node(tree, np.int64(edge_at(tree, node.block + i).child))


@inlined
def prefetch_node(tree: Any, index: int) -> None:
    """Prefetch a node and its state, if the index is not NONE."""
    if index != NONE:
        prefetch(node_at(tree, index))
        prefetch(state_word_at(tree, index * tree.words, 0))


@inlined
def match(mine: Any, a: int, b: int) -> int:
    """Add the counts and sums of their node `a` to our node `b`; DONE, FULL with nothing changed, or an error."""
    from_node, node = node_at(mine, a), node_at(mine, b)
    status = DONE
    share = from_node.visits / max(from_node.visits + node.visits, 1)
    untried, tried = node.block == NONE, from_node.block != NONE
    value, entropy = node.value, node.entropy
    sums = node.visits * value + from_node.visits * from_node.value
    entropies = node.visits * entropy + from_node.visits * from_node.entropy
    if tried and node.marks & SINGLE:
        mine.needed_units = units_of(mine, mine.actions)
        if mine.unit_count + mine.needed_units > mine.max_units:
            return FULL
        status = make_block(mine, b, False)
        tried = status == DONE
    if untried and tried:  # all that is below it is theirs
        node.block, node.actions, node.best = from_node.block, from_node.actions, from_node.best
        node.marks = (node.marks & (255 ^ (SINGLE | TABLED))) | (from_node.marks & (SINGLE | TABLED))
        node.value, node.entropy = from_node.value, from_node.entropy
    elif untried or tried:  # where both have tried actions, the value is recomputed if it can be
        node.value = value + share * (from_node.value - value)
        node.entropy = entropy + share * (from_node.entropy - entropy)
    node.visits += from_node.visits
    if (mine.growth == LEAF and not node.marks & ORIGIN) or status != DONE:
        node.marks |= UNFINISHED  # it was valued in both trees: more visits than actions
    if tried and not untried:
        add_edges(mine, from_node, node)
    from_node.value, from_node.entropy = sums, entropies  # what both parents' edges count, for `update_parent`
    return status


@inlined
def add_edges(tree: Any, there: Any, node: Any) -> None:
    """Add the counts and sums of their node's edges to those of ours, which has a block."""
    n = np.int64(node.actions)
    if there.marks & SINGLE:
        only = node_at(tree, np.int64(there.block))
        slot = slot_of(tree, node, np.int64(only.action))
        edge = edge_at(tree, node.block + slot)
        edge.visits += 1
        edge.w += there.value if tree.state_value == MEAN else only.reward + tree.discount * only.value
        if tree.entropy_bonus != NO_ENTROPY:
            entropy_at(tree, extra_at(tree, node.block, n), slot).w += tree.discount * only.entropy
        return
    for i in range(n):  # the same actions are legal, in the same order
        theirs, edge = edge_at(tree, there.block + i), edge_at(tree, node.block + i)
        edge.visits += theirs.visits
        edge.w += theirs.w
        if tree.entropy_bonus != NO_ENTROPY:
            other = entropy_at(tree, extra_at(tree, there.block, n), i)
            entropy_at(tree, extra_at(tree, node.block, n), i).w += other.w


@inlined
def pair_outcomes(mine: Any, a: int, b: int, pairs: Any, so_far: Any) -> None:
    """Pair the outcomes of their node with ours, or graft them; where `b` is NONE they are lost."""
    there = node_at(mine, a)
    if there.block == NONE:
        return
    if b != NONE and node_at(mine, b).block == there.block and (node_at(mine, b).marks ^ there.marks) & SINGLE == 0:
        adopt_outcomes(mine, b)  # ours has taken their block, or their only child
        return
    if there.marks & SINGLE:
        pair_or_graft(mine, np.int64(there.block), b, pairs, so_far)
        return
    n = np.int64(there.actions)
    so_far[WASTED] += units_of(mine, n)
    for i in range(n):
        outcome = reverse_chain(mine, np.int64(edge_at(mine, there.block + i).child))
        while outcome != NONE:
            following = np.int64(node_at(mine, outcome).sibling)
            pair_or_graft(mine, outcome, b, pairs, so_far)
            outcome = following


@inlined
def adopt_outcomes(tree: Any, index: int) -> None:
    """Make a node the parent of what is below it."""
    node = node_at(tree, index)
    if node.marks & SINGLE:
        node_at(tree, np.int64(node.block)).parent = index
        return
    for i in range(np.int64(node.actions)):
        outcome = np.int64(edge_at(tree, node.block + i).child)
        while outcome != NONE:
            node_at(tree, outcome).parent = index
            outcome = np.int64(node_at(tree, outcome).sibling)


@inlined
def reverse_chain(tree: Any, first: int) -> int:
    """Reverse a chain of outcomes, so that the one that was found first comes first; returns its new first."""
    before, outcome = np.int64(NONE), first
    while outcome != NONE:
        node = node_at(tree, outcome)
        following = np.int64(node.sibling)
        node.sibling = before
        before, outcome = outcome, following
    return before


@inlined
def pair_or_graft(mine: Any, outcome: int, b: int, pairs: Any, so_far: Any) -> None:
    """Pair an outcome of theirs with one below our node `b`, or graft it there; where `b` is NONE it is lost."""
    found = np.int64(NONE)
    if b != NONE:
        node, new = node_at(mine, b), node_at(mine, outcome)
        edge = node.block + slot_of(mine, node, np.int64(new.action))
        first = np.int64(edge_at(mine, edge).child)
        found = find_outcome(mine, edge, first, outcome, new.marks & TERMINAL != 0)
        if found == NONE:
            new.parent, new.sibling = b, first
            link_outcome(mine, edge, outcome)
            return
    pairs[so_far[KNOWN], 0], pairs[so_far[KNOWN], 1] = outcome, found
    so_far[KNOWN] += 1


@inlined
def update_parent(tree: Any, there: Any, index: int) -> None:
    """Add to the edge above a matched node what its value and entropy changed by, against what both trees counted."""
    node = node_at(tree, index)
    above = node_at(tree, np.int64(node.parent))
    slot = slot_of(tree, above, np.int64(there.action))
    if tree.state_value != MEAN:
        edge_at(tree, above.block + slot).w += tree.discount * (node.visits * node.value - there.value)
    if tree.entropy_bonus != NO_ENTROPY:
        row = entropy_at(tree, extra_at(tree, above.block, np.int64(above.actions)), slot)
        row.w += tree.discount * (node.visits * node.entropy - there.entropy)
