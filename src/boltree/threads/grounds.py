"""Where the trees of several threads grow: parts of the search's own arenas, within what is left of its memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.records import UNIT
from ..core.shares import Share, Windows, node_bytes
from ..core.storage import Storage

if TYPE_CHECKING:
    from ..search import Search


def share_out(search: Search, threads: int, nodes: int) -> list[Share]:
    """A share of what is left for every tree, the search's own first, so that all can be merged whatever they hold.

    Each gets numbers for so many nodes, if there is memory for as many. There are no shares if there is none for a
    trial each.
    """
    t, storage = search._tree, search._storage
    block = block_of(search)
    most = UNIT * block + (0 if search.problem.deterministic else 32)  # with the index, if that is wanted
    merged = 1 + most / node_bytes(t)  # bytes that a helper's tree may take when it is merged, for one of its own
    free = max(search._max_bytes - storage.scratch_bytes - search.nbytes, 0) // threads
    nodes = min(nodes, free // node_bytes(t) + 2)
    if search._max_nodes is not None:
        nodes = min(nodes, (search._max_nodes - search.size) // threads + 1)
    levels = 2 if search.growth == "leaf" else int(storage.scratch["path"].size)
    windows = Windows(int(t.unit_count), threads, 4 * levels * block)
    nodes, units = storage.reserve(nodes * threads, windows.end(nodes * block // 4))
    nodes //= threads
    if nodes <= levels or units < windows.end(1):
        return []
    size = search.size
    own = Share(0, size + nodes, search.nbytes + free, windows, 0, int(t.unit_count))
    firsts = range(size + nodes, size + threads * nodes, nodes)
    others = [Share(first, first + nodes, int(free / merged), windows, k) for k, first in enumerate(firsts, 1)]
    return [own, *others]


def make_room(trees: Sequence[Storage], block: int) -> None:
    """Make sure that there is room for all blocks, of so many units, that merging may take; MemoryError if not."""
    shares = [tree.share for tree in trees if tree.share is not None]
    taken = max(share.taken(tree.fields) for tree, share in zip(trees, shares, strict=True))
    nodes = sum(tree.own_nodes for tree in trees[1:])
    arena, needed = trees[0].arenas["blocks"], shares[0].windows.end(taken + nodes * block)
    if not arena.make_room(min(needed * UNIT, arena.limit)):
        raise MemoryError("no memory for merging the trees of threads")
    for tree in trees:
        tree.place()


def block_of(search: Search) -> int:
    """Units of a node's block, at most."""
    t = search._tree
    return 3 + int(t.actions) * (3 if t.has_prior or t.extra_words else 2)
