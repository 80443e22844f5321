"""Divides what is left of a search's memory among the trees of its threads, which grow in the search's own arenas."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.memory.layout import UNIT
from ..core.memory.partition import Partition, Windows, node_bytes
from ..core.memory.storage import Storage
from ..tree import Tree

INDEX_BYTES = 32
"""Bytes of an index of outcomes a node, at most."""


def divide(tree: Tree, threads: int, nodes: int) -> list[Partition]:
    """A part of what is left for every tree, the search's own first, so that all can be merged whatever they hold.

    Each gets the numbers of `nodes` nodes, if there is memory for as many. The list is empty if there is not memory
    for a trial each.
    """
    t, storage = tree.fields, tree.storage
    block = largest_block(tree)
    most = UNIT * block + (0 if tree.problem.deterministic else INDEX_BYTES)
    merged = 1 + most / node_bytes(t)  # bytes that a helper's tree may take when it is merged, for one of its own
    free = max(tree.max_bytes - storage.scratch_bytes - tree.nbytes, 0) // threads
    nodes = min(nodes, free // node_bytes(t) + 2)
    if tree.max_nodes is not None:
        nodes = min(nodes, (tree.max_nodes - tree.size) // threads + 1)
    levels = 2 if tree.growth == "leaf" else int(storage.scratch["path"].size)
    windows = Windows(int(t.unit_count), threads, 4 * levels * block)
    nodes, units = storage.reserve(nodes * threads, windows.end(nodes * block // 4))
    nodes //= threads
    if nodes <= levels or units < windows.end(1):
        return []
    size = tree.size
    own = Partition(0, size + nodes, tree.nbytes + free, windows, 0, int(t.unit_count))
    firsts = range(size + nodes, size + threads * nodes, nodes)
    others = [Partition(first, first + nodes, int(free / merged), windows, k) for k, first in enumerate(firsts, 1)]
    return [own, *others]


def make_room(trees: Sequence[Storage], block: int) -> None:
    """Make sure that there is room for all blocks, of `block` units each, that merging may take; or MemoryError."""
    parts = [tree.partition for tree in trees if tree.partition is not None]
    taken = max(part.taken(tree.fields) for tree, part in zip(trees, parts, strict=True))
    nodes = sum(tree.own_nodes for tree in trees[1:])
    arena, needed = trees[0].arenas["blocks"], parts[0].windows.end(taken + nodes * block)
    if not arena.make_room(min(needed * UNIT, arena.limit)):
        raise MemoryError("no memory for merging the trees of threads")
    for tree in trees:
        tree.place()


def largest_block(tree: Tree) -> int:
    """Units of a node's block, at most."""
    t = tree.fields
    beside = [t.has_prior or t.extra_words, t.relative, t.ranked_from <= t.actions]
    return 3 + int(t.actions) * (2 + sum(map(bool, beside)))
