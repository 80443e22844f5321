"""Merging the trees of several threads (core/merge.py says how): two and two at the same time, until one is left."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import records
from ..core.jit import make_ready
from ..core.merge import KNOWN, WASTED, compute_matched, match_trees
from ..core.storage import Storage
from .gaps import close_gaps, make_closing_ready

NOBODY = np.zeros(0, np.int32)


def make_merging_ready(tree: Any) -> None:
    """Compile what merges trees like this one."""
    pairs, so_far = np.zeros((1, 2), np.int32), np.zeros(3, np.int64)
    make_ready(match_trees, tree, tree, pairs, so_far)
    make_ready(compute_matched, tree, tree, pairs, so_far)
    make_closing_ready(tree)


@dataclass
class Merged:
    """What came of adding one tree to another."""

    code: int  # DONE, or the error of a problem's function
    target: Storage
    gone: Any  # nodes that both had: the second one's
    wasted: int  # units of their blocks


class Merger:
    """Merges trees that lie in the same arenas into the first of them."""

    def __init__(self, trees: Sequence[Storage], pool: ThreadPoolExecutor) -> None:
        self._trees, self._pool = trees, pool
        self.failed: Merged | None = None

    def merge(self) -> int:
        """Merge them all; how many units that were taken hold nothing now. `failed` is where a function failed."""
        first, results = self._trees[0], list[Merged]()
        step = 1
        while step < len(self._trees):
            twos = list(zip(self._trees[:: 2 * step], self._trees[step :: 2 * step], strict=False))
            others = self._submit(twos[1:])
            alone = [add(*two) for two in [twos[0], *twos[1 + len(others) :]]]
            results += [alone[0], *(other.result() for other in others), *alone[1:]]
            step *= 2
        self.failed = next((result for result in results if result.code != records.DONE), None)
        spans = np.concatenate([tree.spans[:1] for tree in self._trees])
        first.drop_index()  # nodes get other numbers; the next run makes it anew, if one is wanted
        close_gaps(first, spans, np.concatenate([NOBODY, *(result.gone for result in results)]))
        used = sum(tree.own_units for tree in self._trees) - sum(result.wasted for result in results)
        first.fields.unit_count = max(int(tree.fields.unit_count) for tree in self._trees)
        return int(first.fields.unit_count) - used

    def _submit(self, twos: list[tuple[Storage, Storage]]) -> list[Future[Merged]]:
        """Let other threads merge these, as many as can be started."""
        jobs: list[Future[Merged]] = []
        with contextlib.suppress(RuntimeError):  # no thread can be started: this one does all
            for two in twos:
                jobs.append(self._pool.submit(add, *two))
        return jobs


def add(target: Storage, source: Storage) -> Merged:
    """Add a tree to another, which grows over its limits if it must."""
    mine, theirs, spans = target.fields, source.fields, source.spans
    nodes = int((spans[:, 1] - spans[:, 0]).sum())
    pairs, so_far = np.empty((nodes, 2), np.int32), np.zeros(3, np.int64)
    if mine.index_wanted or theirs.index_wanted:
        mine.reserve_nodes = nodes
        target.make_index(anyhow=True)
    target.nodes["marks"][source.scratch["window"][: int(theirs.window_count)]] &= 255 ^ records.WINDOWED
    code = records.FULL
    while code == records.FULL:
        code = int(match_trees(target.tree, source.tree, pairs, so_far))
        if code == records.FULL:
            target.grow_anyhow()
    compute_matched(target.tree, source.tree, pairs, so_far)
    target.take_in(spans)
    return Merged(code, target, pairs[: so_far[KNOWN], 0].copy(), int(so_far[WASTED]))
