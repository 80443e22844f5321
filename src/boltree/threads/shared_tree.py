"""All threads run trials on one tree (core/worker.py says how they keep it exact)."""

from __future__ import annotations

from concurrent.futures import wait
from typing import TYPE_CHECKING

import numpy as np

from ..core import records
from ..core.holes import drop_unvisited
from ..core.jit import make_ready
from ..core.worker import run_worker, set_reserves
from ..failures import raise_failure
from .crew import Waiting
from .gaps import close_gaps, make_closing_ready
from .worker import Workers

if TYPE_CHECKING:
    from ..search import Search


class SharedTree(Workers):
    """Workers on the search's own tree, which is whole again whenever they have stopped."""

    way = "shared tree"

    def __init__(self, search: Search, threads: int, seed: np.random.SeedSequence) -> None:
        super().__init__(search, threads, seed)
        self._version = search._version
        make_ready(run_worker, search._handle)
        make_closing_ready(search._handle)

    def run(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run so many trials; False when there is no room for as many at once as there are threads."""
        search = self._search
        end = search.trials + trials
        while search.trials < end:
            before = search.trials
            code = self._run(end - before)
            if code == records.INDEX:
                if not search._make_index():
                    return False
            elif code == records.FULL:
                t = search._tree
                nodes, units = int(t.node_count + t.reserve_nodes), int(t.unit_count + t.reserve_units)
                if not search._make_room(nodes, units):
                    return False
                if search.trials == before and self._version == search._version:
                    return False
        return True

    def _run(self, trials: int) -> int:
        """Run up to so many trials; DONE, FULL or INDEX."""
        main, t = self._search._handle, self._search._tree
        t.tickets, t.stopped, t.guard = trials, 0, 0
        set_reserves(main, len(self._workers))
        if self._version != self._search._version:  # units that were taken in another tree are of no use
            self._version = self._search._version
            for worker in self._workers:
                worker.record.unit_end = worker.record.unit_count = 0
        for worker in self._workers:
            worker.enlist(main)
        others = [self._pool.submit(run_worker, worker.handle) for worker in self._workers[1:]]
        codes: list[int] = []
        try:
            codes.append(int(run_worker(self._workers[0].handle)))
            codes += [int(other.result()) for other in others]
        finally:
            t.stopped = 1  # an interrupt may have come while waiting
            wait(others)
            self._report(codes)
        return max(codes)

    def _report(self, codes: list[int]) -> None:
        """Add up what the workers did and close the gaps they left; raise what went wrong."""
        search = self._search
        t = search._tree
        gaps = []
        for worker in self._workers:
            own = worker.record
            t.trials += own.trials
            t.visits_made += own.visits_made
            gaps.append(np.arange(own.node_count, own.node_end))
            own.node_end = own.node_count = own.trials = own.visits_made = 0
        unused = np.concatenate(gaps)
        failed = [k for k, code in enumerate(codes) if code >= records.STEP_FAILED]
        try:
            if failed:
                for name in ("error_node", "error_action", "error_value", "error_rng0", "error_rng1"):
                    t[name] = self._workers[failed[0]].record[name]
                raise_failure(search, codes[failed[0]])
        finally:
            if failed:
                search._storage.nodes["visits"][unused] = records.NONE
                drop_unvisited(search._handle)
                unused = np.flatnonzero(search._storage.nodes["visits"][: int(t.node_count)] == records.NONE)
            close_gaps(search._storage, search._storage.spans, unused)

    def finish(self) -> None:
        """The tree is whole already."""

    def waiting(self) -> Waiting:
        """What waiting for locks has cost so far."""
        own = [worker.record for worker in self._workers]
        worked = sum(int(one.worked) for one in own)
        return Waiting(
            share=sum(int(one.waited) for one in own) / max(worked, 1), times=sum(int(one.waits) for one in own)
        )
