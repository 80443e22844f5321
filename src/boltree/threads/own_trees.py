"""Every thread has a tree; what they learnt is merged when the run ends (core/merge.py says how).

The search's own tree goes on from run to run, the others begin anew in each. The k-th trial of a run belongs to the
thread k modulo their number, so that the result depends on the seed and on that number alone. Every tree has its share
of the memory that is left; when one is full, all are merged, after a number of trials that is the same in every run,
and begin anew with what is left then.
"""

from __future__ import annotations

from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import records
from ..core.random import new_generator
from ..core.run import run_trials
from ..core.storage import Storage, new_tree
from ..failures import raise_failure
from .crew import Waiting, new_pool
from .merger import Merger, make_merging_ready

if TYPE_CHECKING:
    from ..search import Search


TOGETHER, SELDOM = 2048, 65536
"""Trials of every thread after which full trees are merged; they meet more and more seldom while none is full."""


class Helper:
    """Another tree of the same search, from the same root."""

    def __init__(self, search: Search, seed: np.random.SeedSequence) -> None:
        self._search = search
        self._generator = new_generator(seed)
        self._spare: Any = None
        self.storage: Storage | None = None

    @property
    def trials(self) -> int:
        """Trials of this tree."""
        return 0 if self.storage is None else int(self.handle[0].trials)

    def plant(self, max_bytes: int, max_nodes: int | None) -> None:
        """Begin a tree with the search's root, within these limits."""
        search, t = self._search, self._search._tree
        root = search._storage.nodes[int(t.root)]
        self.handle = new_tree()
        self.handle[0] = search._handle[0]
        levels = search._storage.scratch["path"].size - 2
        self.storage = Storage(self.handle, levels, max_bytes, max_nodes, arenas=self._spare)
        self._spare = None
        own = self.handle[0]
        self.storage.scratch["rng"][:] = self._generator
        self.storage.scratch["noise"][:] = search._storage.scratch["noise"]
        lowest, highest = t.lowest, t.highest
        self.storage.plant(search._storage.states[int(t.root)], int(root.depth), int(root.player))
        own.lowest, own.highest, own.index_wanted = lowest, highest, 0
        self.storage.nodes["value"][0] = root.value if root.visits == 0 else 0.0
        self.storage.nodes["marks"][0] |= root.marks & records.TERMINAL

    def run(self, trials: int) -> int:
        """Run so many trials; DONE, FULL (at a limit) or an error."""
        assert self.storage is not None
        end = self.trials + trials
        while True:
            code = int(run_trials(self.handle, end - self.trials))
            own = self.handle[0]
            if code == records.INDEX:
                if not self.storage.make_index():
                    return records.FULL
            elif code != records.FULL or not self.storage.grow(int(own.needed_nodes), int(own.needed_units)):
                return code

    def release(self) -> None:
        """Free the memory that was kept for the next tree."""
        self._spare = None

    def merge(self, merger: Merger) -> None:
        """Add this tree to the search's own, and keep only its memory and its generator."""
        if self.storage is None or self.trials == 0:
            return
        search, own = self._search, self.handle[0]
        nodes, target = int(own.node_count), search._storage
        t = search._tree
        units = int(t.unit_count) + nodes * (4 + 3 * int(t.actions))  # a block for every node
        target.make_sure(int(t.node_count) + nodes + 1, units)
        if t.index_wanted or own.index_wanted:
            t.reserve_nodes = nodes
            target.make_index(anyhow=True)
        code = merger.merge(search._handle, self.handle, nodes)
        self._generator = self.storage.scratch["rng"].copy()
        self._spare = self.storage.cleared(2)
        self.storage = None
        if code != records.DONE:
            raise_failure(search, code)


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
        self._given = 0  # trials of this run that were given out
        self._apart, self._meeting = TOGETHER, TOGETHER * self._threads  # trials between meetings; when the next is
        self._full = [False] * self._threads  # which trees have used up their shares of memory

    @property
    def trials(self) -> int:
        """Trials of the helpers."""
        return sum(helper.trials for helper in self._helpers)

    def run(self, trials: int, last: int | None) -> bool:
        """Run about so many trials; False when there is no room for another."""
        end = self._given + trials
        while self._given < end:
            self._run(min(end, self._meeting))
            if all(self._full):
                self._given = self._meeting
            if self._given == self._meeting:
                self._apart = min(2 * self._apart, SELDOM)
                if any(self._full) and not self._gather():
                    return False
                self._meeting = self._given + self._apart * self._threads
        return True

    def _run(self, end: int) -> None:
        """Give out trials up to the `end`; full trees run no more."""
        if not self._search._storage.lent:
            self._share_out()
        first, self._given = self._given, end
        shares = [(end - k - 1) // self._threads - (first - k - 1) // self._threads for k in range(self._threads)]
        others: list[Future[int]] = []
        codes: list[int] = []
        try:
            for helper, share in zip(self._helpers, shares[1:], strict=True):
                others.append(self._pool.submit(helper.run, share))
            self._full[0] |= not self._search._run_chunk(shares[0])
            codes = [other.result() for other in others]
        finally:
            wait(others)
        for k, code in enumerate(codes):
            if code >= records.STEP_FAILED:
                self._raise(self._helpers[k], code)
            self._full[k + 1] |= code == records.FULL

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
        search, before, given = self._search, self._merged, self._given
        self.finish()
        self._given, self._merged = given, search.trials
        many = search._max_nodes is not None and search.size > search._max_nodes * 3 // 4
        if search.trials > before and not many and search.nbytes <= search._max_bytes * 3 // 4:
            return True
        for helper in self._helpers:
            helper.release()
        return search._recycle(0, 0, by_nodes=many)

    def _raise(self, helper: Helper, code: int) -> None:
        """Raise a helper's failure as the search's own."""
        search = self._search
        mine = search._handle, search._storage
        assert helper.storage is not None
        search._handle, search._storage = helper.handle, helper.storage
        try:
            raise_failure(search, code)
        finally:
            search._handle, search._storage = mine

    def finish(self) -> None:
        """Merge the helpers' trees into the search's."""
        search = self._search
        self._begin()
        search._storage.limit(search._max_bytes, search._max_nodes)
        merger = Merger(self._pool, self._threads)
        for helper in self._helpers:
            helper.merge(merger)

    def waiting(self) -> Waiting:
        """Nobody waits."""
        return Waiting(0.0, 0)
