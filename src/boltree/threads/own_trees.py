"""Every thread has a tree; what they learnt is merged when the run ends (core/merge.py says how).

The search's own tree goes on from run to run, the others begin anew in each. The k-th trial of a run belongs to the
thread k modulo their number, so that the result depends on the seed and on that number alone. Every tree has its share
of the memory that is left; when one is full, all are merged, after a number of trials that is the same in every run,
and begin anew with what is left then. In between nobody waits for anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core import records
from ..failures import raise_failure
from .crew import Waiting, new_pool
from .helper import Helper
from .merger import Merger, make_merging_ready

if TYPE_CHECKING:
    from ..search import Search


TOGETHER, SELDOM = 2048, 65536
"""Trials of every thread after which full trees are merged; they meet more and more seldom while none is full."""


class OwnTrees:
    """The search's own tree in the caller's thread, and helpers in others."""

    way = "a tree each"
    ready_in = 0.0

    def __init__(self, search: Search, threads: int, seed: np.random.SeedSequence) -> None:
        self._search = search
        self._threads = threads
        self._helpers = [Helper(search, one) for one in seed.spawn(threads - 1)]
        self._pool = new_pool(threads)
        self._begin()
        self._merged = search.trials  # trials when all were merged last
        make_merging_ready(search._handle)

    def _begin(self) -> None:
        self._given = 0  # trials that were given out since all were merged, ...
        self._first: int | None = None  # ... and those that the search had then
        self._apart, self._meeting = TOGETHER, TOGETHER * self._threads  # trials between meetings; when the next is
        self._full = False  # whether the search's own tree has used up its share of memory

    @property
    def trials(self) -> int:
        """Trials of the helpers."""
        return sum(helper.trials for helper in self._helpers)

    def run(self, trials: int, last: int | None) -> bool:
        """Run about so many trials; False when there is no room for another. Helpers may run on meanwhile."""
        if self._first is None:
            if self.trials > 0:  # there was no memory to merge them
                self.finish()
            self._first = self._search.trials
        total = None if last is None else last - self._first
        end = self._given + trials if total is None else min(self._given + trials, total)
        while True:
            if self._given < end:
                self._run(min(end, self._meeting), self._meeting if total is None else min(self._meeting, total))
            if self._given in (self._meeting, total) or all(self._full_ones()):
                self._await()
                if any(self._full_ones()):
                    return self._gather()
            if self._given == self._meeting:
                self._apart = min(2 * self._apart, SELDOM)
                self._meeting = self._given + self._apart * self._threads
            if self._given >= end:
                return True

    def _full_ones(self) -> list[bool]:
        """Of each tree, whether it has used up its share of memory, as far as is known."""
        return [self._full, *(helper.code == records.FULL for helper in self._helpers)]

    def _share(self, k: int, trials: int) -> int:
        """How many of so many trials belong to the k-th thread."""
        return (trials - k - 1) // self._threads + 1

    def _run(self, end: int, bound: int) -> None:
        """Give out trials up to the `end`, and some more to the helpers, up to the `bound`; full trees run no more."""
        if not self._search._storage.lent:
            self._share_out()
        first, self._given = self._given, end
        ahead = min(bound, 2 * end - first)
        for k, helper in enumerate(self._helpers, 1):
            helper.let_run(self._pool, self._share(k, ahead))
            self._check(helper)
        if not self._full:
            self._full = not self._search._run_chunk(self._share(0, end) - self._share(0, first))

    def _await(self) -> None:
        """Wait until the helpers have all trials that were given out."""
        for k, helper in enumerate(self._helpers, 1):
            target = self._share(k, self._given)
            helper.look(wait=True)
            before = -1
            while helper.is_well and before < helper.trials < target:
                before = helper.trials
                helper.let_run(self._pool, target)
                helper.look(wait=True)
            self._check(helper)

    def _share_out(self) -> None:
        """Give every tree a share of what is left, so that all of them can be merged whatever they hold."""
        search, t = self._search, self._search._tree
        node = records.NODE.itemsize + 8 * int(t.words)
        block = records.UNIT * (3 + int(t.actions) * (3 if t.has_prior or t.extra_words else 2))
        block += 0 if search.problem.deterministic else 32  # of the index, which may be wanted at any time
        merged = 1 + block / node  # bytes in the search's tree for every byte of a helper's
        free = max(search._max_bytes - search._storage.scratch_bytes - search.nbytes, 0)
        share = int(free / (1 + (self._threads - 1) * (1 + 1 / merged)))
        nodes = None if search._max_nodes is None else (search._max_nodes - search.size) // self._threads
        most = search._storage.scratch_bytes + search.nbytes + share
        search._storage.limit(most, None if nodes is None else search.size + nodes, lent=True)
        for helper in self._helpers:
            helper.plant(max(int(share / merged), 1), nodes)

    def _gather(self) -> bool:
        """Merge all trees; where memory is short then, free some of it. False when there is none."""
        search, before = self._search, self._merged
        self.finish()
        self._merged = search.trials
        many = search._max_nodes is not None and search.size > search._max_nodes * 3 // 4
        if search.trials > before and not many and search.nbytes <= search._max_bytes * 3 // 4:
            return True
        for helper in self._helpers:
            helper.release()
        return search._recycle(0, 0, by_nodes=many)

    def _check(self, helper: Helper) -> None:
        """Raise a helper's failure as the search's own."""
        code, error, helper.error = helper.code, helper.error, None  # it is told once
        if error is not None:
            raise error
        if code < records.STEP_FAILED:
            return
        search, helper.code = self._search, records.DONE
        mine = search._handle, search._storage
        assert helper.storage is not None
        search._handle, search._storage = helper.handle, helper.storage
        try:
            raise_failure(search, code)
        finally:
            search._handle, search._storage = mine

    def finish(self) -> None:
        """Let the helpers end, and merge their trees into the search's."""
        for helper in self._helpers:
            helper.stop()
        for helper in self._helpers:
            helper.look(wait=True)
        try:
            for helper in self._helpers:
                self._check(helper)
        finally:
            search = self._search
            self._begin()
            search._storage.limit(search._max_bytes, search._max_nodes)
            merger = Merger(self._pool, self._threads)
            for helper in self._helpers:
                helper.merge(merger)

    def waiting(self) -> Waiting:
        """Nobody waits."""
        return Waiting(0.0, 0)
