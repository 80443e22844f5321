"""Blocks that grow: where actions are drawn one by one, a node gets another edge; a full block moves first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.space import NO_ENTROPY
from ..jit import brief, inlined
from .allocation import take_units
from .blocks import enter_edge, extra_at, places, units_of, vector_at
from .views import entropy_at, node_at, words_of


@inlined
def add_edge(tree: Any, index: int) -> int:
    """Give a node one untried edge more; its place, which is its action's number. The action is not drawn yet."""
    node = node_at(tree, index)
    n = np.int64(node.actions)
    if places(tree, n) == n:
        move_block(tree, node)
    node.actions = n + 1
    enter_edge(tree, node.block + n, n, tree.q_init_second if node.player == 1 else tree.q_init)
    if tree.entropy_bonus != NO_ENTROPY:
        row = entropy_at(tree, extra_at(tree, np.int64(node.block), n + 1), n)
        row.w = 0.0
        row.h = 0.0
        row.policy = 0.0
    return n


@brief
def vector_word(handle: Any, index: int) -> int:
    """Word of the numbers of the first action of a node that has a block, for Python."""
    tree = handle[0]
    node = node_at(tree, index)
    return vector_at(tree, np.int64(node.block), np.int64(node.actions), np.int64(0))


@inlined
def move_block(tree: Any, node: Any) -> None:
    """Copy a full block to where there is room for twice its edges; its old units stay unused."""
    n, old = np.int64(node.actions), np.int64(node.block)
    new = take_units(tree, units_of(tree, n + 1)) + tree.has_header
    if tree.has_header:
        copy_words(tree, 4 * (old - 1), 4 * (new - 1), 4)
    copy_words(tree, 4 * old, 4 * new, 4 * n)
    copy_words(tree, extra_at(tree, old, n), extra_at(tree, new, n + 1), tree.extra_words * n)
    copy_words(tree, vector_at(tree, old, n, 0), vector_at(tree, new, n + 1, 0), tree.box_words * n)
    node.block = new


@inlined
def copy_words(tree: Any, source: int, target: int, count: int) -> None:
    """Copy words of the blocks."""
    for w in range(count):
        words_of(tree)[target + w] = words_of(tree)[source + w]
