"""Merges the trees of several threads (core/trial/merge.py says how): two and two at the same time, until one is left.

All threads work until the end: what lies below different pairs of nodes can be matched at the same time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from ..core.jit import make_ready
from ..core.memory import layout as records
from ..core.trial.merge import BEGUN, KNOWN, WASTED, begin_merging, compute_matched, end_merging, match_below
from ..tree import Tree
from .renumber import compile_renumbering, renumber


def compile_merging(record: Any) -> None:
    """Compile what merges trees like this one."""
    found = Pairs(np.zeros((1, 2), np.int32))
    make_ready(begin_merging, record, record, found.pairs, found.so_far)
    make_ready(match_below, record, found.pairs, 0, found.pairs, found.so_far)
    make_ready(compute_matched, record, found.pairs, found.so_far)
    make_ready(end_merging, record, record)
    compile_renumbering(record)


class Pairs:
    """Which node of one tree is which of another, as far as one thread has found out."""

    def __init__(self, memory: Any) -> None:
        self.pairs, self.so_far = memory, np.array([0, 0, 0, records.NONE])

    @property
    def gone(self) -> Any:
        """The second tree's nodes, which are of no more use."""
        return self.pairs[: self.so_far[KNOWN], 0].copy()

    @property
    def wasted(self) -> int:
        """Units of their blocks."""
        return int(self.so_far[WASTED])


class Workspace:
    """A tree whose record one thread works with, and that thread's memory for pairs."""

    def __init__(self, tree: Tree, nodes: int) -> None:
        self.tree = tree
        self._below, self._top = (np.empty((nodes, 2), np.int32) for _ in range(2))  # little of it will be used

    def below(self) -> Pairs:
        """An empty list of pairs."""
        return Pairs(self._below)

    def top(self) -> Pairs:
        """Another, for the pairs from which other threads begin."""
        return Pairs(self._top)


class MergeOfTwo:
    """Merges a source tree into the target of the first workspace, in as many threads as there are workspaces.

    Args:
        dynamic: whether the threads share the pairs as they come, or each has its own.
    """

    def __init__(self, source: Tree, workspaces: Sequence[Workspace], dynamic: bool) -> None:
        target = workspaces[0]
        self._target, self._source = target.tree, source
        self.failed: tuple[Tree, int] | None = None
        mine, theirs, spans = target.tree.fields, source.fields, source.storage.spans
        if mine.index_wanted or theirs.index_wanted:  # which belongs to one record
            workspaces = [target]
            mine.reserve_nodes = int((spans[:, 1] - spans[:, 0]).sum())
            target.tree.storage.make_index(anyhow=True)
        window = source.storage.scratch["window"][: int(theirs.window_count)]
        target.tree.storage.nodes["marks"][window] &= 255 ^ records.WINDOWED
        top = target.top()
        self._run(target.tree, lambda: begin_merging(target.tree.record, source.record, top.pairs, top.so_far))
        self.lists = [top]
        for workspace in workspaces:
            for name in ("lowest", "highest", "alpha_scale"):  # which values are worked out with
                workspace.tree.fields[name] = mine[name]
        waiting, n = top.pairs[top.so_far[BEGUN] : top.so_far[KNOWN]], len(workspaces)
        if dynamic:
            drawn = np.zeros(1, np.int64)
            parts = [(waiting, drawn)] * n
        else:
            parts = [(np.ascontiguousarray(waiting[k::n]), np.zeros(1, np.int64)) for k in range(n)]
        self.jobs = [partial(self._match_below, one, *part) for one, part in zip(workspaces, parts, strict=True)]

    def _match_below(self, workspace: Workspace, tops: Any, drawn: Any) -> None:
        """Match and compute what lies below some pairs, if need be together with other threads that do the same."""
        tree, found = workspace.tree, workspace.below()
        self._run(tree, lambda: match_below(tree.record, tops, drawn.ctypes.data, found.pairs, found.so_far))
        compute_matched(tree.record, found.pairs, found.so_far)
        self.lists.append(found)

    def end(self) -> None:
        """Compute the first pairs, when all others are."""
        top = self.lists[0]
        compute_matched(self._target.record, top.pairs, top.so_far)
        end_merging(self._target.record, self._source.record)
        self._target.storage.take_in(self._source.storage.spans)

    def _run(self, tree: Tree, match: Callable[[], int]) -> None:
        """Match with a tree's record, which grows over its limits if it must."""
        while (event := int(match())) == records.FULL:
            tree.storage.grow_anyhow()
        if event != records.DONE:
            self.failed = tree, event


class Merger:
    """Merges trees that lie in the same arenas into the first of them.

    All memory that is needed is taken when it is made.

    Args:
        dynamic: whether threads share the work as it comes, so that blocks may lie in another order every time.

    Attributes:
        failed: the tree in which a problem's function failed, and the event to be handled.
    """

    def __init__(self, trees: Sequence[Tree], pool: ThreadPoolExecutor, *, dynamic: bool) -> None:
        nodes = sum(tree.storage.own_nodes for tree in trees[1:])
        self._workspaces = [Workspace(tree, nodes) for tree in trees]
        self._pool, self._dynamic = pool, dynamic
        self._gone, self._wasted = [np.zeros(0, np.int32)], 0
        self.failed: tuple[Tree, int] | None = None

    def merge(self) -> int:
        """Merge them all; how many units that were taken hold nothing now."""
        all_of_them, step = self._workspaces, 1
        while step < len(all_of_them):
            firsts = range(0, len(all_of_them) - step, 2 * step)
            merges = [
                MergeOfTwo(all_of_them[k + step].tree, all_of_them[k : k + 2 * step], self._dynamic) for k in firsts
            ]
            self._work([job for merge in merges for job in merge.jobs])
            for merge in merges:
                merge.end()
                self._gone += [found.gone for found in merge.lists]
                self._wasted += sum(found.wasted for found in merge.lists)
                self.failed = self.failed or merge.failed
            step *= 2
        storages = [workspace.tree.storage for workspace in all_of_them]
        first = storages[0]
        first.drop_index()  # nodes get other numbers; the next run makes it anew, if one is wanted
        renumber(first, np.concatenate([one.spans[:1] for one in storages]), np.concatenate(self._gone))
        used = sum(one.own_units for one in storages) - self._wasted
        first.fields.unit_count = max(int(one.fields.unit_count) for one in storages)
        return int(first.fields.unit_count) - used

    def _work(self, jobs: list[Callable[[], None]]) -> None:
        """Do all jobs, with the help of other threads, as many as can be started."""
        others: list[Future[None]] = []
        with contextlib.suppress(RuntimeError):  # no thread can be started: this one does all
            for job in jobs[1:]:
                others.append(self._pool.submit(job))
        for job in [*jobs[:1], *jobs[1 + len(others) :]]:
            job()
        for other in others:
            other.result()
