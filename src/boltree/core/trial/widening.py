"""Widening: actions that are drawn from boxes, and outcomes that never come again, are added as visits grow.

A node with N visits has at most k N^a actions. A new one is drawn near the best so far, or else uniformly, or by the
problem's `propose`. A new node, which has no best action yet, begins with that of its *guide*: the most visited other
outcome of the action that led there or, where that action is new, of the best one beside it. So a trial that tries
another action goes on as the best trial did, and what it comes to tells what that action is worth. Where there is no
guide, actions are held for a while: such trials go further than those whose actions change at each step. All that goes
for values that do not depend on how actions were drawn; where they do (the soft maximum), each is drawn independently.

An action that was taken N times has at most k N^a outcomes. Each stands for those that come later: where one more would
be new, the least visited of them is taken in its place.

Couetoux, Hoock, Sokolovska, Teytaud and Bonnard, Continuous upper confidence trees, LION 2011.
"""

from __future__ import annotations

from math import cos, sqrt
from typing import Any

import numpy as np

from ..formulas.elementary import exp, log
from ..formulas.space import NO_ENTROPY
from ..jit import inlined
from ..memory.blocks import asked_at, given_action, vector_at
from ..memory.growing import add_edge
from ..memory.layout import BAD_PROPOSAL, DONE, NONE, PROPOSE_FAILED, TERMINAL
from ..memory.views import dues_of, edge_at, node_at, rng_of, step_at, words_of
from ..native import FAILED, array_at, call
from ..random import uniform_of

WORD = np.dtype(np.float64)
TWO_PI = 6.283185307179586

WIDEST = 0.25
"""The widest spread of actions near another one, as a share of the box."""

FOLLOW = 0.9
"""The share of trials whose new nodes begin with their guides' best actions."""

LONGEST = 4.1588830833596715
"""The logarithm of the longest mean time for which actions are held: 64 steps."""

ANOTHER = 0.25
"""The probability that a choice is drawn anew in an action near another one."""


@inlined
def begin_widening(tree: Any) -> None:
    """Draw for how long a trial holds actions (the mean, uniform in its logarithm), and whether it follows guides."""
    if tree.near > 0.0:
        tree.hold = 1.0 - exp(-LONGEST * uniform_of(rng_of(tree)))
        tree.follows = 1 if uniform_of(rng_of(tree)) < FOLLOW else 0
        tree.guide = NONE


@inlined
def draw_action_of(tree: Any, index: int, level: int, bare: bool) -> tuple[int, int]:
    """Draw an action for a node whose visits allow one more: DONE or an error, and its number; NONE if they do not.

    A `bare` node has just got its block, with one edge. The trial takes the new action, whatever the search policy, and
    leaves the node's entropy as it was.
    """
    node = node_at(tree, index)
    n, block = np.int64(node.actions), np.int64(node.block)
    slot = np.int64(0)
    if not bare:
        if n >= tree.actions or node.visits < dues_of(tree)[n]:
            return DONE, np.int64(NONE)
        slot = add_edge(tree, index)
    status = draw_vector(tree, index, slot, level)
    if status != DONE or is_drawn(tree, node, slot):  # as it was before; a block that moved still lies where it was
        node.actions = 0 if bare else n
        node.block = NONE if bare else block
        return status, np.int64(NONE)
    at = step_at(tree, level)
    at.slot = slot
    if tree.entropy_bonus != NO_ENTROPY:
        at.policy = 0.0
        at.rest = node.entropy
    return DONE, slot


@inlined
def draw_vector(tree: Any, index: int, slot: int, level: int) -> int:
    """Draw the action of a new edge: DONE or an error."""
    node = node_at(tree, index)
    word = vector_at(tree, np.int64(node.block), np.int64(node.actions), slot)
    if tree.near > 0.0 and slot > 0:
        best = best_tried(tree, node)
        if best != NONE and uniform_of(rng_of(tree)) < tree.near:
            draw_near(tree, word, vector_of(tree, index, best), slot)
            if not is_drawn(tree, node, slot):  # at the edge of the box it may be
                return DONE
    elif tree.near > 0.0 and level > 0:
        find_guide(tree, index, level)
        if tree.guide != NONE:
            best = best_tried(tree, node_at(tree, tree.guide))
            if best != NONE:
                draw_guided(tree, word, vector_of(tree, tree.guide, best), level)
                return DONE
        elif tree.propose == 0 and uniform_of(rng_of(tree)) < tree.hold:
            held = vector_of(tree, np.int64(step_at(tree, level - 1).node), np.int64(step_at(tree, level - 1).slot))
            for d in range(tree.box_words):
                words_of(tree)[word + d] = words_of(tree)[held + d]
            return DONE
    if tree.propose != 0:
        return draw_proposed(tree, index, word, slot)
    box = array_at(tree.box_at, 3 * tree.box_words, WORD)
    for d in range(tree.box_words):
        words_of(tree)[word + d] = draw_uniform(tree, box[3 * d], box[3 * d + 1], box[3 * d + 2])
    return DONE


@inlined
def is_drawn(tree: Any, node: Any, slot: int) -> bool:
    """Whether an action of a node equals one before it."""
    first = vector_at(tree, np.int64(node.block), np.int64(node.actions), np.int64(0))
    for i in range(slot):
        same = True
        for d in range(tree.box_words):
            same = (
                same
                and words_of(tree)[first + i * tree.box_words + d] == words_of(tree)[first + slot * tree.box_words + d]
            )
        if same:
            return True
    return False


@inlined
def vector_of(tree: Any, index: int, slot: int) -> int:
    """Word of the numbers of a node's action."""
    node = node_at(tree, index)
    return vector_at(tree, np.int64(node.block), np.int64(node.actions), slot)


@inlined
def draw_uniform(tree: Any, low: float, high: float, count: float) -> float:
    """A uniform number between two, or one of several whole numbers from 0 on."""
    u = uniform_of(rng_of(tree))
    return low + u * (high - low) if count == 0.0 else np.floor(u * count)


@inlined
def best_tried(tree: Any, node: Any) -> int:
    """The tried edge with the highest value; NONE if none is tried."""
    best, highest = np.int64(NONE), -np.inf
    for i in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + i)
        if edge.visits > 0 and edge.q > highest:
            best, highest = i, edge.q
    return best


@inlined
def draw_near(tree: Any, word: int, centre: int, drawn: int) -> None:
    """Draw an action near another one: normal in each number, with a spread that is uniform in its logarithm.

    It is between `WIDEST` of the box and that over the number of actions drawn so far. What is outside of the box is
    moved to its edge.
    """
    box = array_at(tree.box_at, 3 * tree.box_words, WORD)
    spread = WIDEST * exp(-uniform_of(rng_of(tree)) * log(1.0 + drawn))
    for d in range(tree.box_words):
        low, high, count = box[3 * d], box[3 * d + 1], box[3 * d + 2]
        x = words_of(tree)[centre + d]
        if count > 0.0:
            if uniform_of(rng_of(tree)) < ANOTHER:
                x = draw_uniform(tree, low, high, count)
        else:
            radius = sqrt(-2.0 * log(1.0 - uniform_of(rng_of(tree))))
            x += spread * (high - low) * radius * cos(TWO_PI * uniform_of(rng_of(tree)))
        words_of(tree)[word + d] = min(max(x, low), high)


@inlined
def find_guide(tree: Any, index: int, level: int) -> None:
    """Find the guide of a new node, beside it, or below the guide of the new node before; NONE if there is none.

    Where a new node is another outcome of an action that was taken before, every trial follows: what outcomes are worth
    is averaged, and one that went another way would pull the average down.
    """
    above, slot = np.int64(step_at(tree, level - 1).node), np.int64(NONE)
    if node_at(tree, above).visits == 1:  # it is new, too
        above = np.int64(tree.guide)
    else:
        slot = np.int64(step_at(tree, level - 1).slot)
        if edge_at(tree, node_at(tree, above).block + slot).visits > 0:
            tree.follows = 1
        else:
            slot = np.int64(NONE)
    tree.guide = NONE
    if above == NONE or not tree.follows or node_at(tree, above).block == NONE:
        return
    if slot == NONE:
        slot = best_tried(tree, node_at(tree, above))
    if slot == NONE:
        return
    child, most = np.int64(edge_at(tree, node_at(tree, above).block + slot).child), np.int64(0)
    while child != NONE:
        other = node_at(tree, child)
        if child != index and other.block != NONE and other.visits > most:
            tree.guide, most = child, np.int64(other.visits)
        child = np.int64(other.sibling)
    tree.guide_above, tree.guide_slot = above, slot


@inlined
def draw_guided(tree: Any, word: int, best: int, level: int) -> None:
    """Take the guide's best action; for as long as actions are held, moved as far as the action before was."""
    box = array_at(tree.box_at, 3 * tree.box_words, WORD)
    guided = vector_of(tree, tree.guide_above, tree.guide_slot)
    taken = vector_of(tree, np.int64(step_at(tree, level - 1).node), np.int64(step_at(tree, level - 1).slot))
    moved = uniform_of(rng_of(tree)) < tree.hold
    for d in range(tree.box_words):
        x = words_of(tree)[best + d]
        if moved and box[3 * d + 2] == 0.0:
            x += words_of(tree)[taken + d] - words_of(tree)[guided + d]
        words_of(tree)[word + d] = min(max(x, box[3 * d]), box[3 * d + 1])


@inlined
def draw_proposed(tree: Any, index: int, word: int, slot: int) -> int:
    """Let the problem propose an action: DONE or an error."""
    tree.error_node, tree.error_action = index, slot
    tree.error_rng0 = rng_of(tree)[0]
    tree.error_rng1 = rng_of(tree)[1]
    box = array_at(tree.box_at, 3 * tree.box_words, WORD)
    for d in range(tree.box_words):
        words_of(tree)[word + d] = np.nan
    address = given_action(tree, index, slot)
    if call(tree.propose, (tree.params_at, asked_at(tree, index), tree.rng_at, address)) == FAILED:
        return PROPOSE_FAILED
    for d in range(tree.box_words):
        x = words_of(tree)[word + d]
        if not (x >= box[3 * d] and x <= box[3 * d + 1]) or (box[3 * d + 2] > 0.0 and x != np.floor(x)):
            tree.error_value = x
            tree.error_action = d
            return BAD_PROPOSAL
    return DONE


@inlined
def stand_in(tree: Any, edge: int, first: int, terminal: bool) -> int:
    """An outcome that stands for a new one, the least visited of those that end, or go on, as it does.

    NONE where the edge may have another outcome, or has none of that kind.
    """
    allowed = tree.widening * exp(tree.widening_power * log(1.0 + edge_at(tree, edge).visits))
    count, least, fewest = 0, np.int64(NONE), np.int64(0)
    child = np.int64(first)
    while child != NONE:
        node = node_at(tree, child)
        count += 1
        if (node.marks & TERMINAL != 0) == terminal and (least == NONE or node.visits < fewest):
            least, fewest = child, np.int64(node.visits)
        child = np.int64(node.sibling)
    return least if count + 1 > allowed else np.int64(NONE)
