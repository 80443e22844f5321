"""Merging two trees of the same search: what another thread learnt on its own is added at the root and below.

Nodes are matched by the actions and states on their way from the root. Counts and rewards of matched edges add up;
then, from the deepest match upwards, sums and values follow from the merged children by the algorithm's equations:

    N(s,a) = sum of both,  W(s,a) = sum of both's rewards + discount * sum N(s') V(s'),  V(s) from the merged Q(s,a).

An outcome that only one tree has is in that tree's W already, so W is the sum of both and of what matched outcomes
changed by. Returns that are averaged simply add. Subtrees that only the other tree has are taken over as they are. A
leaf that both have valued counts twice, with the mean of the two values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .allocation import take_node
from .blocks import extra_at, make_block
from .jit import inlined, kernel
from .outcomes import find_outcome, link_outcome
from .prefetch import prefetch
from .records import DONE, LEAF, NONE, ORIGIN, SINGLE, TERMINAL, UNFINISHED
from .schedules import scheduled
from .space import HALVING, MEAN, NO_ENTROPY, POWER, RELATIVE_SOFT, SOFT, SWITCHING
from .subtree import copy_record
from .taking_over import PART, hand_out_units, units_wanted
from .units import note_return
from .values import scan_best, state_value
from .views import edge_at, entropy_at, header_at, node_at, states_of

AHEAD = 8
"""Nodes between the steps of looking ahead: about as long as memory takes to answer."""


@kernel
def match_trees(target: Any, source: Any, ours: Any, parts: Any) -> int:
    """Begin to add a tree to another that has room for it; DONE, or the error of the problem's function that failed.

    Their nodes are gone through in the order in which they were made, parents first: memory is read and written from
    beginning to end. The matched ones are added, the others numbered. `ours` is scratch, as long as the source has
    nodes: which of ours a node of theirs has become, as -1 - number where it is to be taken over. `parts` is for each
    part of PART nodes the first unit of what is taken over. After this come, in any order or at the same time,
    `take_over_parts` and `compute_matched`. Their tree is of no use afterwards.
    """
    mine, other = target[0], source[0]
    if mine.automatic or mine.state_value == POWER:
        note_return(mine, other.lowest)
        note_return(mine, other.highest)
    for a in range(other.node_count):
        ours[a] = 0  # `look_ahead` reads it, and another tree's numbers may stand there
    for a in range(other.node_count):
        look_ahead(mine, other, a, ours)
        ours[a] = mine.root if a == 0 else place(mine, other, a, ours)
        theirs = node_at(other, a)
        if ours[a] < 0:
            parts[a // PART] += units_wanted(mine, theirs)
        else:
            node = node_at(mine, np.int64(ours[a]))
            value = node.visits * node.value + theirs.visits * theirs.value
            entropy = node.visits * node.entropy + theirs.visits * theirs.entropy
            status = match(mine, other, a, np.int64(ours[a]))
            if status != DONE:
                return status
            theirs.value, theirs.entropy = value, entropy  # what their parents had counted, for `tell_parent`
    hand_out_units(mine, parts)
    mine.trials += other.trials
    mine.visits_made += other.visits_made
    return DONE


@kernel
def compute_matched(target: Any, source: Any, ours: Any) -> None:
    """Compute the matched nodes, from the deepest upwards."""
    mine, other = target[0], source[0]
    for a in range(other.node_count - 1, -1, -1):
        look_back(mine, a, ours)
        if ours[a] >= 0:
            if node_at(other, a).block != NONE:
                recompute(mine, np.int64(ours[a]))
            if a > 0:
                tell_parent(mine, node_at(other, a), np.int64(ours[a]))


@inlined
def look_ahead(mine: Any, other: Any, a: int, ours: Any) -> None:
    """Ask for the memory that `place` will want for later nodes: first for the parent, then its edge, then the child.

    A parent that has no number yet reads as the root, which does no harm.
    """
    if a + 3 * AHEAD >= other.node_count:
        return
    parent = np.int64(ours[node_at(other, a + 3 * AHEAD).parent])
    if parent >= 0:
        prefetch(node_at(mine, parent))
    edge = edge_ahead(mine, node_at(other, a + 2 * AHEAD), ours)
    if edge != NONE:
        prefetch(edge_at(mine, edge))
    edge = edge_ahead(mine, node_at(other, a + AHEAD), ours)
    if edge != NONE and edge_at(mine, edge).child != NONE:
        prefetch(node_at(mine, np.int64(edge_at(mine, edge).child)))


@inlined
def edge_ahead(mine: Any, there: Any, ours: Any) -> int:
    """Our edge that leads to a node of theirs, as far as it can be told at once."""
    parent = np.int64(ours[there.parent])
    if parent >= 0:
        above = node_at(mine, parent)
        if above.block != NONE and not above.marks & SINGLE and there.action < above.actions:
            return np.int64(above.block + there.action)
    return np.int64(NONE)


@inlined
def look_back(mine: Any, a: int, ours: Any) -> None:
    """Ask for what `recompute` will want for the nodes before."""
    before = a - 2 * AHEAD
    if before >= 0 and ours[before] >= 0:
        prefetch(node_at(mine, np.int64(ours[before])))
    before = a - AHEAD
    if before >= 0 and ours[before] >= 0:
        node = node_at(mine, np.int64(ours[before]))
        if node.block != NONE and not node.marks & SINGLE:
            for i in range(0, np.int64(node.actions), 2):  # two edges in a line of memory
                prefetch(edge_at(mine, node.block + i))


@inlined
def place(mine: Any, other: Any, a: int, ours: Any) -> int:
    """Our node that their node `a` is an outcome like; or -1 - the number of a new one."""
    there = node_at(other, a)
    parent = np.int64(ours[there.parent])
    if parent < 0:  # all below a node that is taken over is taken over
        return -1 - take_node(mine)
    above = node_at(mine, parent)
    edge = above.block + slot_of(mine, above, np.int64(there.action))
    first = np.int64(edge_at(mine, edge).child)
    found = first
    if first != NONE and not is_like(mine, first, other, a):
        for w in range(mine.words):
            states_of(mine)[mine.node_count * mine.words + w] = states_of(other)[a * mine.words + w]
        found = find_outcome(mine, edge, first, there.marks & TERMINAL != 0)
    if found == NONE:
        found = take_node(mine)
        copy_record(other, mine, a, found)
        copy = node_at(mine, found)
        copy.block, copy.parent, copy.sibling = NONE, parent, first
        link_outcome(mine, edge, found)
        found = -1 - found
    return found


@inlined
def is_like(mine: Any, index: int, other: Any, a: int) -> bool:
    """Whether our node has the state of their node `a`, and is an end if that is one."""
    same = (node_at(mine, index).marks ^ node_at(other, a).marks) & TERMINAL == 0
    for w in range(mine.words):
        same = same and states_of(mine)[index * mine.words + w] == states_of(other)[a * mine.words + w]
    return same


@inlined
def match(mine: Any, other: Any, a: int, b: int) -> int:
    """Add the counts and sums of their node `a` to our node `b`; DONE or an error."""
    from_node, node = node_at(other, a), node_at(mine, b)
    share = from_node.visits / max(from_node.visits + node.visits, 1)
    untried = node.block == NONE
    value, entropy = node.value, node.entropy
    if from_node.block != NONE and (untried or node.marks & SINGLE):
        status = make_block(mine, b, False)
        if status != DONE:
            mine.error_node = b
            return status
    if untried and from_node.block != NONE:
        node.value, node.entropy = from_node.value, from_node.entropy
    elif untried or from_node.block != NONE:  # where both have tried actions, the value is recomputed if it can be
        node.value = value + share * (from_node.value - value)
        node.entropy = entropy + share * (from_node.entropy - entropy)
    node.visits += from_node.visits
    if mine.growth == LEAF and not node.marks & ORIGIN:
        node.marks |= UNFINISHED  # it was valued in both trees: more visits than actions
    if from_node.block == NONE:
        return DONE
    if from_node.marks & SINGLE:
        only = node_at(other, np.int64(from_node.block))
        slot = slot_of(mine, node, np.int64(only.action))
        edge = edge_at(mine, node.block + slot)
        edge.visits += 1
        edge.w += from_node.value if mine.state_value == MEAN else only.reward + mine.discount * only.value
        if mine.entropy_bonus != NO_ENTROPY:
            entropy_at(mine, extra_at(mine, node.block, np.int64(node.actions)), slot).w += only.entropy
        return DONE
    n = np.int64(from_node.actions)
    for i in range(n):  # the same actions are legal, in the same order
        there, edge = edge_at(other, from_node.block + i), edge_at(mine, node.block + i)
        edge.visits += there.visits
        edge.w += there.w
        if mine.entropy_bonus != NO_ENTROPY:
            theirs = entropy_at(other, extra_at(other, from_node.block, n), i)
            entropy_at(mine, extra_at(mine, node.block, n), i).w += theirs.w
    return DONE


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
def slot_of(tree: Any, node: Any, action: int) -> int:
    """Which edge of a block has an action."""
    if node.actions == tree.actions:
        return action
    for i in range(np.int64(node.actions)):
        if edge_at(tree, node.block + i).action == action:
            return i
    return 0


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
        alpha = 0.0
        if tree.state_value >= SOFT and tree.state_value != POWER:
            alpha = scheduled(tree, tree.alpha_kind, tree.alpha_scale, tree.alpha_function, node.visits)
        slot = np.int64(node.best)
        node.value = sign * state_value(tree, node, slot, edge_at(tree, node.block + slot).q, 0, alpha)
