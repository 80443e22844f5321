"""Merging two trees of the same search: what another thread learnt on its own is added at the root and below.

Both lie in the same arenas. Nodes are matched by the actions and states on their way from the root. Counts and rewards
of matched edges add up; then, from the deepest match upwards, sums and values follow from the merged children by the
algorithm's equations:

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
from ..formulas.space import HALVING, MEAN, NO_ENTROPY, RELATIVE_SOFT, SWITCHING
from ..formulas.units import note_return
from ..formulas.values import enter_value, scan_best
from ..jit import inlined, kernel
from ..memory.blocks import extra_at, make_block, slot_of, units_of
from ..memory.layout import DONE, FULL, LEAF, NONE, ORIGIN, SINGLE, TABLED, TERMINAL, UNFINISHED
from ..memory.outcomes import find_outcome, link_outcome
from ..memory.prefetch import prefetch
from ..memory.views import edge_at, entropy_at, header_at, node_at, state_word_at

AHEAD = 6
"""Pairs between the steps of looking ahead: about as long as memory takes to answer."""

MANY = 512
"""Pairs from which on several threads go on with what lies below each."""

BEGUN, KNOWN, WASTED, TASK = 0, 1, 2, 3
"""Of a list of pairs: how many were matched, how many are known, units of blocks that are of no more use, and which of
the pairs above it is being matched (NONE if none is)."""


@kernel
def begin_merging(target: Any, source: Any, pairs: Any, so_far: Any) -> int:
    """Begin to add a tree to another: match the nodes near the roots; DONE, FULL or an error.

    `pairs` lists which node of theirs is which of ours, from the roots down; it has room for all of theirs. Those that
    are known then, and not matched, are for `match_below`, in any number of threads. FULL is returned while our tree
    has no room for another block, to be called again. An error is that of a problem's function: what could not be
    matched is paired with NONE, and lost. Their tree is of no use afterwards, but its record: a thread may work with it
    as it does with ours.
    """
    mine, other = target[0], source[0]
    if so_far[KNOWN] == 0:
        if mine.automatic or mine.shifted:
            note_return(mine, other.lowest)
            note_return(mine, other.highest)
        pairs[0, 0], pairs[0, 1] = other.root, mine.root
        so_far[KNOWN] = 1
    return match_known(mine, pairs, so_far, MANY)


@kernel
def match_below(handle: Any, tops: Any, drawn_at: int, pairs: Any, so_far: Any) -> int:
    """Match the pairs `tops` and what lies below them; DONE, FULL or an error, as above.

    Threads may do so together, each with the record of a tree and a list of its own. `drawn_at` is where it is counted
    how many were drawn.
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
    """Match the pairs of a list, and add those below them, until none or `many` wait; DONE, FULL or an error."""
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
    settle_outcomes(tree, a, b if status == DONE else np.int64(NONE), pairs, so_far)
    return status


@kernel
def compute_matched(handle: Any, pairs: Any, so_far: Any) -> None:
    """Compute the matched nodes of a list, from the deepest upwards; theirs are marked as free."""
    tree = handle[0]
    for k in range(so_far[KNOWN] - 1, -1, -1):
        look_back(tree, pairs, k)
        a, b = np.int64(pairs[k, 0]), np.int64(pairs[k, 1])
        theirs = node_at(tree, a)
        if b != NONE:
            node = node_at(tree, b)
            if theirs.block != NONE and node.block != NONE and not node.marks & SINGLE:
                recompute(tree, b)
            if theirs.parent != NONE:
                tell_parent(tree, theirs, b)
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
    """Ask for the memory that later pairs will want: first for their nodes, then for their edges and outcomes."""
    for side in range(2):
        if k + 3 * AHEAD < known and pairs[k + 3 * AHEAD, side] != NONE:
            prefetch(node_at(tree, np.int64(pairs[k + 3 * AHEAD, side])))
        if k + 2 * AHEAD < known and pairs[k + 2 * AHEAD, side] != NONE:
            ask_for_edges(tree, np.int64(pairs[k + 2 * AHEAD, side]))
        if k + AHEAD < known and pairs[k + AHEAD, side] != NONE:
            ask_for_outcomes(tree, np.int64(pairs[k + AHEAD, side]))


@inlined
def look_back(tree: Any, pairs: Any, k: int) -> None:
    """Ask for what `recompute` will want for the pairs before."""
    if k >= 2 * AHEAD and pairs[k - 2 * AHEAD, 1] != NONE:
        prefetch(node_at(tree, np.int64(pairs[k - 2 * AHEAD, 1])))
    if k >= AHEAD and pairs[k - AHEAD, 1] != NONE:
        ask_for_edges(tree, np.int64(pairs[k - AHEAD, 1]))


@inlined
def ask_for_edges(tree: Any, index: int) -> None:
    """Ask for the memory of a node's edges."""
    node = node_at(tree, index)
    if node.block != NONE and not node.marks & SINGLE:
        for i in range(0, np.int64(node.actions), 2):  # two edges in a line of memory
            prefetch(edge_at(tree, node.block + i))


@inlined
def ask_for_outcomes(tree: Any, index: int) -> None:
    """Ask for the first outcomes of a node's edges, and their states."""
    node = node_at(tree, index)
    if node.marks & SINGLE:
        ask_for_node(tree, np.int64(node.block))
    elif node.block != NONE:
        for i in range(np.int64(node.actions)):
            ask_for_node(tree, np.int64(edge_at(tree, node.block + i).child))


@inlined
def ask_for_node(tree: Any, index: int) -> None:
    """Ask for a node and its state, if it is one."""
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
    from_node.value, from_node.entropy = sums, entropies  # what their parents had counted, for `tell_parent`
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
            entropy_at(tree, extra_at(tree, node.block, n), slot).w += only.entropy
        return
    for i in range(n):  # the same actions are legal, in the same order
        theirs, edge = edge_at(tree, there.block + i), edge_at(tree, node.block + i)
        edge.visits += theirs.visits
        edge.w += theirs.w
        if tree.entropy_bonus != NO_ENTROPY:
            other = entropy_at(tree, extra_at(tree, there.block, n), i)
            entropy_at(tree, extra_at(tree, node.block, n), i).w += other.w


@inlined
def settle_outcomes(mine: Any, a: int, b: int, pairs: Any, so_far: Any) -> None:
    """Pair the outcomes of their node with ours, or graft them; where `b` is NONE they are lost."""
    there = node_at(mine, a)
    if there.block == NONE:
        return
    if b != NONE and node_at(mine, b).block == there.block and (node_at(mine, b).marks ^ there.marks) & SINGLE == 0:
        adopt_outcomes(mine, b)  # ours has taken their block, or their only child
        return
    if there.marks & SINGLE:
        settle(mine, np.int64(there.block), b, pairs, so_far)
        return
    n = np.int64(there.actions)
    so_far[WASTED] += units_of(mine, n)
    for i in range(n):
        outcome = reversed_chain(mine, np.int64(edge_at(mine, there.block + i).child))
        while outcome != NONE:
            following = np.int64(node_at(mine, outcome).sibling)
            settle(mine, outcome, b, pairs, so_far)
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
def reversed_chain(tree: Any, first: int) -> int:
    """Turn a chain of outcomes round, so that the one that was met first comes first; its new beginning."""
    before, outcome = np.int64(NONE), first
    while outcome != NONE:
        node = node_at(tree, outcome)
        following = np.int64(node.sibling)
        node.sibling = before
        before, outcome = outcome, following
    return before


@inlined
def settle(mine: Any, outcome: int, b: int, pairs: Any, so_far: Any) -> None:
    """Pair an outcome of theirs with one below our node `b`; or graft it there, or, where `b` is NONE, let it go."""
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
def tell_parent(tree: Any, there: Any, index: int) -> None:
    """Add what a matched node changed by to its edge, from what both trees had counted there."""
    node = node_at(tree, index)
    above = node_at(tree, np.int64(node.parent))
    slot = slot_of(tree, above, np.int64(there.action))
    if tree.state_value != MEAN:
        edge_at(tree, above.block + slot).w += tree.discount * (node.visits * node.value - there.value)
    if tree.entropy_bonus != NO_ENTROPY:
        row = entropy_at(tree, extra_at(tree, above.block, np.int64(above.actions)), slot)
        row.w += node.visits * node.entropy - there.entropy


@inlined
def recompute(tree: Any, index: int) -> None:
    """Sums, means and the value of a matched node, whose outcomes have theirs."""
    node = node_at(tree, index)
    n = np.int64(node.actions)
    sign = -1.0 if node.player == 1 else 1.0
    total, tried = 0.0, 0
    for i in range(n):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0:
            edge.q = sign * (edge.w / edge.visits)
        total += edge.w
        tried += edge.visits
        if tree.entropy_bonus != NO_ENTROPY and edge.visits > 0:
            extra = entropy_at(tree, extra_at(tree, node.block, n), i)
            extra.h = extra.w / edge.visits
    if tree.has_header and tree.distribution != HALVING:
        header = header_at(tree, node.block - 1)
        header.total = -1.0
        header.rebuild = node.visits
    if tried == 0:
        return
    scan_best(tree, node)
    if tree.state_value == MEAN:
        node.value = total / tried
        if tree.distribution == SWITCHING:
            node.value = sign * edge_at(tree, node.block + node.best).q
    elif tree.state_value != RELATIVE_SOFT:
        slot = np.int64(node.best)
        enter_value(tree, node, slot, edge_at(tree, node.block + slot).q, 0)
