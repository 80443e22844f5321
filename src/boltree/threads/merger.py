"""Merging the trees of several threads (core/merge.py says how): two and two at the same time, until one is left.

Every thread has a part in it, to the end: what lies below different pairs of nodes can be matched at the same time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from ..core import records
from ..core.jit import make_ready
from ..core.merge import BEGUN, KNOWN, WASTED, begin_merging, compute_matched, end_merging, match_below
from ..core.storage import Storage
from .gaps import close_gaps, make_closing_ready

NOBODY = np.zeros(0, np.int32)


def make_merging_ready(tree: Any) -> None:
    """Compile what merges trees like this one."""
    pairs = Pairs(tree, 1)
    make_ready(begin_merging, tree, tree, pairs.pairs, pairs.so_far)
    make_ready(match_below, tree, pairs.pairs, 0, pairs.pairs, pairs.so_far)
    make_ready(compute_matched, tree, pairs.pairs, pairs.so_far)
    make_ready(end_merging, tree, tree)
    make_closing_ready(tree)


class Pairs:
    """Which node of one tree is which of another, as far as one thread has found out with the record of a tree."""

    def __init__(self, tree: Any, nodes: int) -> None:
        """Room for so many pairs, most of which will not be used."""
        self.tree = tree
        self.pairs, self.so_far = np.empty((nodes, 2), np.int32), np.array([0, 0, 0, records.NONE])

    @property
    def gone(self) -> Any:
        """The second tree's nodes, which are of no more use."""
        return self.pairs[: self.so_far[KNOWN], 0].copy()

    @property
    def wasted(self) -> int:
        """Units of their blocks."""
        return int(self.so_far[WASTED])


class Addition:
    """Adding one tree to another, in as many threads as there are `hands`: trees whose records can be worked with."""

    def __init__(self, target: Storage, source: Storage, hands: Sequence[Storage], free: bool) -> None:
        """`free` is whether the threads may share the work as it comes."""
        mine, theirs, spans = target.fields, source.fields, source.spans
        self._target, self._source = target, source
        self.failed: tuple[Storage, int] | None = None
        self._nodes = int((spans[:, 1] - spans[:, 0]).sum())
        if mine.index_wanted or theirs.index_wanted:  # which belongs to one record
            hands = [target]
            mine.reserve_nodes = self._nodes
            target.make_index(anyhow=True)
        target.nodes["marks"][source.scratch["window"][: int(theirs.window_count)]] &= 255 ^ records.WINDOWED
        top = Pairs(target.tree, self._nodes)
        self._run(target, lambda: begin_merging(target.tree, source.tree, top.pairs, top.so_far))
        self.lists = [top]
        for hand in hands:
            for name in ("lowest", "highest", "alpha_scale"):  # which values are worked out with
                hand.fields[name] = mine[name]
        waiting, n = top.pairs[top.so_far[BEGUN] : top.so_far[KNOWN]], len(hands)
        if free:
            drawn = np.zeros(1, np.int64)
            self.parts = [partial(self._match_below, hand, waiting, drawn) for hand in hands]
        else:
            shares = [(np.ascontiguousarray(waiting[k::n]), np.zeros(1, np.int64)) for k in range(n)]
            self.parts = [partial(self._match_below, hand, *share) for hand, share in zip(hands, shares, strict=True)]

    def _match_below(self, hand: Storage, tops: Any, drawn: Any) -> None:
        """Match and compute what lies below some pairs, if need be together with others who do the same."""
        found = Pairs(hand.tree, self._nodes)
        self._run(hand, lambda: match_below(hand.tree, tops, drawn.ctypes.data, found.pairs, found.so_far))
        compute_matched(hand.tree, found.pairs, found.so_far)
        self.lists.append(found)

    def end(self) -> None:
        """Compute the first pairs, when all others are."""
        compute_matched(self._target.tree, self.lists[0].pairs, self.lists[0].so_far)
        end_merging(self._target.tree, self._source.tree)
        self._target.take_in(self._source.spans)

    def _run(self, hand: Storage, match: Callable[[], int]) -> None:
        """Match with a tree's record, which grows over its limits if it must."""
        while (code := int(match())) == records.FULL:
            hand.grow_anyhow()
        if code != records.DONE:
            self.failed = hand, code


class Merger:
    """Merges trees that lie in the same arenas into the first of them."""

    def __init__(self, trees: Sequence[Storage], pool: ThreadPoolExecutor, *, free: bool) -> None:
        """`free` is whether blocks may come to lie in another order every time."""
        self._trees, self._pool, self._free = trees, pool, free
        self.failed: tuple[Storage, int] | None = None  # where a problem's function failed, and its error

    def merge(self) -> int:
        """Merge them all; how many units that were taken hold nothing now."""
        trees, first, lists = self._trees, self._trees[0], list[Pairs]()
        step = 1
        while step < len(trees):
            twos = [
                Addition(trees[k], trees[k + step], trees[k : k + 2 * step], self._free)
                for k in range(0, len(trees) - step, 2 * step)
            ]
            self._work([part for two in twos for part in two.parts])
            for two in twos:
                two.end()
                lists += two.lists
                self.failed = self.failed or two.failed
            step *= 2
        spans = np.concatenate([tree.spans[:1] for tree in trees])
        first.drop_index()  # nodes get other numbers; the next run makes it anew, if one is wanted
        close_gaps(first, spans, np.concatenate([NOBODY, *(found.gone for found in lists)]))
        used = sum(tree.own_units for tree in trees) - sum(found.wasted for found in lists)
        first.fields.unit_count = max(int(tree.fields.unit_count) for tree in trees)
        return int(first.fields.unit_count) - used

    def _work(self, parts: list[Callable[[], None]]) -> None:
        """Do all parts, with the help of other threads, as many as can be started."""
        others: list[Future[None]] = []
        with contextlib.suppress(RuntimeError):  # no thread can be started: this one does all
            for part in parts[1:]:
                others.append(self._pool.submit(part))
        for part in [*parts[:1], *parts[1 + len(others) :]]:
            part()
        for other in others:
            other.result()
