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

import time
from typing import TYPE_CHECKING

import numpy as np

from ..core import records
from ..core.records import UNIT
from ..core.shares import Share, Windows, node_bytes
from ..core.storage import Storage
from ..failures import raise_failure
from .crew import Waiting, counts_trials, new_pool
from .helper import Helper
from .merger import Merger, make_merging_ready
from .tickets import Tickets

if TYPE_CHECKING:
    from ..search import Search


TOGETHER, SELDOM = 2048, 65536
"""Trials of every thread after which full trees are merged; they meet more and more seldom while none is full."""
NEVER = 1 << 60
MARGIN, ANYHOW = 4, 256
"""A tree may have one part in so many more nodes than the others, where trials are anybody's; and so many more."""
ENOUGH = 0.0005
"""Seconds of trials that show how many there will be."""


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
        self._pace: float | None = None  # seconds of a trial, as far as is known
        self.merges = 0  # so far
        self._wasted, self._version = 0, 0  # units between blocks that hold nothing, of which of the search's trees
        make_merging_ready(search._handle)

    def _begin(self) -> None:
        common, n = Tickets(self._threads), self._threads
        self._tickets = (
            [common] * n if self._free else [Tickets() for _ in range(n)]
        )  # of each tree, the search's first
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
        if last is None and left is not None and self._pace is None:
            return self._run_alone(trials)
        if self._first is None:
            self._first = self._search.trials
        total = None if last is None else last - self._first
        end = self._given + trials if total is None else min(self._given + trials, total)
        while True:
            if self._search._storage.share is None and not self._share_out(self._expected(total, left)):
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

    def _run_alone(self, trials: int) -> bool:
        """Run some trials on the search's own tree, to see how many there will be in the time that is left."""
        began = time.perf_counter()
        room = self._search._run_chunk(trials)
        spent = time.perf_counter() - began
        if spent > ENOUGH:
            self._pace = spent / trials
        return room

    def _measure(self) -> None:
        """See how long the trials took since the trees were planted."""
        mine = self._search.trials - self.trials - (self._first or 0)
        if mine > TOGETHER:
            self._pace = (time.perf_counter() - self._planted) / mine

    def _expected(self, total: int | None, left: float | None) -> int:
        """How many nodes each tree will have made when this run ends, or a few more; where it is known, exactly."""
        search = self._search
        if total is not None:
            trials = (total - self._given) // self._threads + 1
            trials += trials // MARGIN + ANYHOW if self._free else 0
        elif left is not None and self._pace is not None:
            trials = int(max(left, 0.0) / self._pace) + TOGETHER
        else:
            trials = max(search.trials, SELDOM)
        if search.growth == "leaf":
            return trials + 3
        levels = int(search._storage.scratch["path"].size)
        each = min(levels, 2 * search.size / search.trials if search.trials else levels)
        return int(trials * each) + 2 * levels

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

    def _share_out(self, nodes: int) -> bool:
        """Give every tree a share of what is left, so that all of them can be merged whatever they hold.

        Each gets numbers for so many nodes, if there is memory for as many; False if there is none for a trial each.
        """
        search, t, storage = self._search, self._search._tree, self._search._storage
        block = self._block()
        most = UNIT * block + (0 if search.problem.deterministic else 32)  # with the index, if that is wanted
        merged = 1 + most / node_bytes(t)  # bytes that a helper's tree may take when it is merged, for one of its own
        free = max(search._max_bytes - storage.scratch_bytes - search.nbytes, 0) // self._threads
        nodes = min(nodes, free // node_bytes(t) + 2)
        if search._max_nodes is not None:
            nodes = min(nodes, (search._max_nodes - search.size) // self._threads + 1)
        levels = 2 if search.growth == "leaf" else int(storage.scratch["path"].size)
        windows = Windows(int(t.unit_count), self._threads, 4 * levels * block)
        nodes, units = storage.reserve(nodes * self._threads, windows.end(nodes * block // 4))
        nodes //= self._threads
        if nodes <= levels or units < windows.end(1):
            return False
        size, nbytes, self._planted = search.size, search.nbytes, time.perf_counter()
        storage.keep_to(Share(0, size + nodes, nbytes + free, windows, 0, int(t.unit_count)))
        for k, helper in enumerate(self._helpers, 1):
            first = size + k * nodes
            helper.plant(Share(first, first + nodes, int(free / merged), windows, k), self._tickets[k])
        return True

    def _block(self) -> int:
        """Units of a node's block, at most."""
        t = self._search._tree
        return 3 + int(t.actions) * (3 if t.has_prior or t.extra_words else 2)

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
            self._make_room([storage, *grown])
            merger = Merger([storage, *grown], self._pool, free=self._free)
            self._measure()
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

    def _make_room(self, trees: list[Storage]) -> None:
        """Make sure that there is room for all blocks that merging may take; MemoryError if not."""
        shares = [tree.share for tree in trees if tree.share is not None]
        taken = max(share.taken(tree.fields) for tree, share in zip(trees, shares, strict=True))
        nodes = sum(
            int(tree.fields.node_count) - share.first for tree, share in zip(trees[1:], shares[1:], strict=True)
        )
        arena, needed = trees[0].arenas["blocks"], shares[0].windows.end(taken + nodes * self._block())
        if not arena.make_room(min(needed * UNIT, arena.limit)):
            raise MemoryError("no memory for merging the trees of threads")
        for tree in trees:
            tree.has_moved()

    def waiting(self) -> Waiting:
        """Nobody waits."""
        return Waiting(0.0, 0)
