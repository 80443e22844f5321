"""Every thread has a tree; what they learnt is merged when the run ends (core/merge.py says how).

The search's own tree goes on from run to run, the others begin anew in each. Who is faster runs more trials; or, if the
search is to be deterministic, the k-th trial of a run belongs to the thread k modulo their number, so that the result
depends on the seed and on that number alone. Every tree has its share of the memory that is left; when one is full, all
are merged, and begin anew with what is left then; if it is to be deterministic, after a number of trials that is the
same in every run. In between nobody waits.

All lie in the search's arenas, so that what only one of them has need not be copied: the search's own tree grows where
it always does, the others behind the place where it will end, as far as that can be foreseen. Nodes that come to lie
too far behind are moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core import records
from ..core.records import UNIT
from ..core.storage import Storage
from ..failures import raise_failure
from .crew import Waiting, counts_trials, new_pool
from .forecast import Forecast
from .grounds import block_of, make_room, share_out
from .helper import Helper
from .merger import Merger, make_merging_ready
from .tickets import Tickets

if TYPE_CHECKING:
    from ..search import Search


TOGETHER, SELDOM = 2048, 65536
"""Trials of every thread after which full trees are merged; they meet more and more seldom while none is full."""
NEVER = 1 << 60
"""More trials than there will be."""


class OwnTrees:
    """The search's own tree in the caller's thread, and helpers in others."""

    way = "a tree each"
    ready_in = 0.0

    def __init__(self, search: Search, threads: int, seed: np.random.SeedSequence) -> None:
        self._search = search
        self._threads = threads
        self._helpers = [Helper(search, one) for one in seed.spawn(threads - 1)]
        self._pool = new_pool(threads)
        self._free = not (search.deterministic or counts_trials(search))  # who is faster runs more
        self._begin()
        self._merged = search.trials  # trials when all were merged last
        self._forecast = Forecast(search, threads, free=self._free)
        self.merges = 0  # so far
        self._wasted, self._version = 0, 0  # units between blocks that hold nothing, of which of the search's trees
        make_merging_ready(search._handle)

    def _begin(self) -> None:
        common, n = Tickets(self._threads), self._threads
        # of each tree, the search's own first
        self._tickets = [common] * n if self._free else [Tickets() for _ in range(n)]
        self._met = 0  # trials that were given out since all were merged, where everybody's are settled
        self._first: int | None = None  # trials that the search had then
        self._apart = NEVER if self._free else TOGETHER  # trials between meetings, ...
        self._meeting = self._apart * self._threads  # ... and when the next is
        self._full = False  # whether the search's own tree has used up its share of memory
        self._owed = False  # whether trees wait to be merged, for which there was no memory

    @property
    def trials(self) -> int:
        """Trials of the helpers."""
        return sum(helper.trials for helper in self._helpers)

    def run(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run about so many trials; False when there is no room for another. Helpers may run on meanwhile."""
        if self._owed:
            self._merge()
        if last is None and left is not None and not self._forecast.has_a_pace:
            return self._forecast.run_alone(trials)
        if self._first is None:
            self._first = self._search.trials
        total = None if last is None else last - self._first
        end = self._given + trials if total is None else min(self._given + trials, total)
        while True:
            if self._search._storage.share is None and not self._plant(total, left):
                return False
            if self._given < end:
                self._run(min(end, self._meeting), self._meeting if total is None else min(self._meeting, total))
            full = self._full_ones()
            if self._given in (self._meeting, total) or (any(full) if self._free else all(full)):
                self._await()
                full = self._full_ones()
                if any(full) and (all(full) or not self._can_wait(total)):
                    return self._gather()
            if self._given == self._meeting:
                self._apart = min(2 * self._apart, SELDOM)
                self._meeting = self._given + self._apart * self._threads
            if self._given >= end:
                return True

    def _can_wait(self, total: int | None) -> bool:
        """Whether so few trials are left that those whose trees are not full may as well run them."""
        return self._free and total is not None and total - self._given <= total // 4

    def _plant(self, total: int | None, left: float | None) -> bool:
        """Let trees begin for what is left of so many trials or seconds; False if there is no memory for that."""
        trials = None if total is None else total - self._given
        shares = share_out(self._search, self._threads, self._forecast.nodes(trials, left))
        if shares:
            self._search._storage.keep_to(shares[0])
            for helper, share, tickets in zip(self._helpers, shares[1:], self._tickets[1:], strict=True):
                helper.plant(share, tickets)
            self._forecast.begin()
        return bool(shares)

    def _full_ones(self) -> list[bool]:
        """Of each tree, whether it has used up its share of memory, as far as is known."""
        return [self._full, *(helper.code == records.FULL for helper in self._helpers)]

    def _share(self, k: int, trials: int) -> int:
        """How many of so many trials belong to the k-th thread; or, where they are anybody's, all."""
        return trials if self._free else (trials - k - 1) // self._threads + 1

    @property
    def _given(self) -> int:
        """Trials that were given out since all were merged."""
        return int(self._tickets[0].given) if self._free else self._met

    def _run(self, end: int, bound: int) -> None:
        """Give out trials up to the `end`, and some more to the helpers, up to the `bound`; full trees run no more."""
        search, own, ahead = self._search, self._search._tree, min(bound, 2 * end - self._given)
        for k, tickets in enumerate(self._tickets):
            tickets.raise_to(self._share(k, ahead))
        for helper in self._helpers:
            helper.let_run(self._pool)
            self._check(helper)

        def run(trials: int) -> int:
            before = int(own.trials)
            self._full = not search._run_chunk(trials)
            return int(own.trials) - before

        self._tickets[0].use(run, lambda: not self._full, self._share(0, end))
        self._met = end

    def _await(self) -> None:
        """Wait until the helpers have run all trials that are theirs."""
        for helper in self._helpers:
            helper.let_run(self._pool)
        for helper in self._helpers:
            helper.look(wait=True)
            self._check(helper)

    def _gather(self) -> bool:
        """Merge all trees; where memory is short then, free some of it. False when there is none."""
        search, before = self._search, self._merged
        self.finish()
        self._merged = search.trials
        many = search._max_nodes is not None and search.size > search._max_nodes * 3 // 4
        if search.trials > before and not many and search.nbytes <= search._max_bytes * 3 // 4:
            return True
        return search._recycle(0, 0, by_nodes=many)

    def _check(self, helper: Helper) -> None:
        """Raise a helper's failure as the search's own."""
        code, error, helper.error = helper.code, helper.error, None  # it is told once
        if error is not None:
            raise error
        if code >= records.STEP_FAILED:
            helper.code = records.DONE
            assert helper.storage is not None
            self._raise(helper.storage, code)

    def _raise(self, storage: Storage, code: int) -> None:
        """Raise the failure of a problem's function in one of the trees."""
        search = self._search
        mine = search._handle, search._storage
        search._handle, search._storage = storage.tree, storage
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
            self._merge()

    def _merge(self) -> None:
        """Merge all trees; the search has all of its memory again. Without the memory for that, they stay for later."""
        search, storage = self._search, self._search._storage
        merger = None
        if storage.share is not None:  # else it is another tree by now
            self._owed = True
            grown = [helper.storage for helper in self._helpers if helper.storage is not None and helper.trials > 0]
            make_room([storage, *grown], block_of(search))
            merger = Merger([storage, *grown], self._pool, free=self._free)
            self._forecast.end()
            wasted = merger.merge()
            self.merges += 1
            storage.limit(search._max_bytes, search._max_nodes)
            self._wasted = wasted + (self._wasted if self._version == search._version else 0)
            self._version = search._version
        for helper in self._helpers:
            helper.leave()
        self._begin()
        short = search.nbytes > search._max_bytes * 3 // 4
        if self._wasted * UNIT > (0 if short else search.nbytes // 3):
            storage.slide_together()
            self._wasted = 0
        if merger is not None and merger.failed is not None:
            self._raise(*merger.failed)

    def waiting(self) -> Waiting:
        """Nobody waits."""
        return Waiting(0.0, 0)
