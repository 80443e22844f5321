"""Every thread has a tree; the trees are merged when the run ends (core/trial/merge.py says how).

The search's own tree goes on from run to run, the others begin anew in each. Faster threads run more trials; or, if the
search is to be deterministic, the k-th trial of a run belongs to the thread k modulo their number, so that the result
depends on the seed and on that number alone. Every tree has its part of the memory that is left; when one is full, all
are merged, and begin anew with what is left then; if it is to be deterministic, after a number of trials that is the
same in every run. In between no thread waits for another.

All lie in the search's arenas, so that what only one of them has need not be copied: the search's own tree grows where
it always does, the others behind the place where it will end, as far as that can be foreseen. Nodes that come to lie
too far behind are moved.
"""

from __future__ import annotations

import numpy as np

from ..core.memory.layout import UNIT
from ..tree import Tree
from .allotment import Allotment
from .forecast import Forecast
from .helper_tree import HelperTree
from .merger import Merger, compile_merging
from .partitions import divide, largest_block, make_room
from .threaded import Threaded, counts_in_order, new_pool

FIRST_MERGE_TRIALS, LAST_MERGE_TRIALS = 2048, 65536
"""Trials of every thread after which full trees are merged: at first, and at most (the number doubles while no tree is
full)."""
NEVER = 1 << 60
"""More trials than there will be."""


class OwnTrees(Threaded):
    """The search's own tree in the caller's thread, and helpers' trees in others.

    Attributes:
        merges: how often trees were merged so far.
    """

    def __init__(self, tree: Tree, threads: int, seed: np.random.SeedSequence, *, deterministic: bool) -> None:
        super().__init__(tree, threads)
        self._helpers = [HelperTree(tree, one) for one in seed.spawn(threads - 1)]
        self._pool = new_pool(threads)
        self._dynamic = not (deterministic or counts_in_order(tree))  # faster threads run more trials
        self._begin_anew()
        self._merged = tree.trials  # trials when all were merged last
        self._forecast = Forecast(tree, threads, dynamic=self._dynamic)
        self.merges = 0
        self._wasted, self._version = 0, 0  # units between blocks that hold nothing, in which version of the tree
        compile_merging(tree.record)

    def _begin_anew(self) -> None:
        common, n = Allotment(self.threads), self.threads
        # of each tree, the search's own first
        self._allotments = [common] * n if self._dynamic else [Allotment() for _ in range(n)]
        self._given_out = 0  # trials that were given out since all were merged, where each tree has its own
        self._first: int | None = None  # trials that the search had then
        self._interval = NEVER if self._dynamic else FIRST_MERGE_TRIALS  # trials of each thread between merges, ...
        self._merge_at = self._interval * self.threads  # ... and after how many, of all, the next may be
        self._full = False  # whether the search's own tree has used up its part of the memory
        self._unmerged = False  # whether trees wait to be merged, for which there was no memory

    @property
    def parallelism(self) -> str:
        """``"a tree each"``."""
        return "a tree each"

    @property
    def trials(self) -> int:
        """Trials of the helpers' trees."""
        return sum(helper.trials for helper in self._helpers)

    def run_threads(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run about `trials` trials; False when there is no memory for another. Helpers may run on meanwhile."""
        if self._unmerged:
            self._merge()
        if last is None and left is not None and not self._forecast.knows_speed:
            return self._forecast.run_alone(trials)
        if self._first is None:
            self._first = self.tree.trials
        total = None if last is None else last - self._first
        end = self._given + trials if total is None else min(self._given + trials, total)
        while True:
            if self.tree.storage.partition is None and not self._plant(total, left):
                return False
            if self._given < end:
                self._run(min(end, self._merge_at), self._merge_at if total is None else min(self._merge_at, total))
            full = self._which_are_full()
            if self._given in (self._merge_at, total) or (any(full) if self._dynamic else all(full)):
                self._await()
                full = self._which_are_full()
                if any(full) and (all(full) or not self._may_wait(total)):
                    return self._gather()
            if self._given == self._merge_at:
                self._interval = min(2 * self._interval, LAST_MERGE_TRIALS)
                self._merge_at = self._given + self._interval * self.threads
            if self._given >= end:
                return True

    def _may_wait(self, total: int | None) -> bool:
        """Whether so few trials are left that the trees that are not full may as well run them."""
        return self._dynamic and total is not None and total - self._given <= total // 4

    def _plant(self, total: int | None, left: float | None) -> bool:
        """Begin trees for what is left of `total` trials, or for the seconds left; False if memory does not suffice."""
        trials = None if total is None else total - self._given
        parts = divide(self.tree, self.threads, self._forecast.nodes(trials, left))
        if parts:
            self.tree.storage.keep_to(parts[0])
            for helper, part, allotment in zip(self._helpers, parts[1:], self._allotments[1:], strict=True):
                helper.plant(part, allotment)
            self._forecast.begin()
        return bool(parts)

    def _which_are_full(self) -> list[bool]:
        """Of each tree, whether it has used up its part of the memory, as far as is known."""
        return [self._full, *(helper.full for helper in self._helpers)]

    def _trials_of(self, k: int, trials: int) -> int:
        """How many of some trials belong to the k-th thread; all, if faster threads run more."""
        return trials if self._dynamic else (trials - k - 1) // self.threads + 1

    @property
    def _given(self) -> int:
        """Trials that were given out since all were merged."""
        return int(self._allotments[0].given) if self._dynamic else self._given_out

    def _run(self, end: int, bound: int) -> None:
        """Give out trials up to the `end`, and some more to the helpers, up to the `bound`; full trees run no more."""
        tree, ahead = self.tree, min(bound, 2 * end - self._given)
        for k, allotment in enumerate(self._allotments):
            allotment.raise_to(self._trials_of(k, ahead))
        for helper in self._helpers:
            helper.let_run(self._pool)
            _raise_error(helper)

        def run(trials: int) -> int:
            before = tree.trials
            self._full = not tree.run(trials)
            return tree.trials - before

        self._allotments[0].use(run, lambda: not self._full, self._trials_of(0, end))
        self._given_out = end

    def _await(self) -> None:
        """Wait until the helpers have run all trials that are theirs."""
        for helper in self._helpers:
            helper.let_run(self._pool)
        for helper in self._helpers:
            helper.look(wait=True)
            _raise_error(helper)

    def _gather(self) -> bool:
        """Merge all trees; where memory is short then, free some of it. False when there is none."""
        tree, before = self.tree, self._merged
        self.finish(True)
        self._merged = tree.trials
        many = tree.max_nodes is not None and tree.size > tree.max_nodes * 3 // 4
        if tree.trials > before and not many and tree.nbytes <= tree.max_bytes * 3 // 4:
            return True
        return tree.recycle(0, 0, by_nodes=many)

    def finish(self, completed: bool) -> None:
        """Let the helpers end, and merge their trees into the search's."""
        for helper in self._helpers:
            helper.stop()
        for helper in self._helpers:
            helper.look(wait=True)
        try:
            for helper in self._helpers:
                _raise_error(helper)
        finally:
            self._merge()

    def _merge(self) -> None:
        """Merge all trees; the search has all of its memory again. Without the memory for that, they stay for later."""
        tree, storage = self.tree, self.tree.storage
        merger = None
        if storage.partition is not None:  # else it is another tree by now
            self._unmerged = True
            grown = [helper.tree for helper in self._helpers if helper.tree is not None and helper.trials > 0]
            make_room([storage, *(one.storage for one in grown)], largest_block(tree))
            merger = Merger([tree, *grown], self._pool, dynamic=self._dynamic)
            self._forecast.end()
            wasted = merger.merge()
            self.merges += 1
            storage.limit(tree.max_bytes, tree.max_nodes)
            self._wasted = wasted + (self._wasted if self._version == tree.version else 0)
            self._version = tree.version
        for helper in self._helpers:
            helper.leave()
        self._begin_anew()
        short = tree.nbytes > tree.max_bytes * 3 // 4
        if self._wasted * UNIT > (0 if short else tree.nbytes // 3):
            storage.slide_together()
            self._wasted = 0
        if merger is not None and merger.failed is not None:
            failed, event = merger.failed
            failed.handle(event)


def _raise_error(helper: HelperTree) -> None:
    """Raise a helper's failure, once, as the search's own."""
    error, helper.error = helper.error, None
    if error is not None:
        raise error
