"""All threads run trials on one tree (core/trial/locked.py says how they keep it exact)."""

from __future__ import annotations

from concurrent.futures import wait

import numpy as np

from ..core.jit import make_ready
from ..core.memory import layout as records
from ..core.memory.compaction import drop_unvisited
from ..core.trial.locked import run_worker, set_reserves
from ..tree import Tree
from .renumber import compile_renumbering, renumber
from .thread_record import ThreadRecord
from .threaded import Threaded, Waiting, new_pool


class SharedTree(Threaded):
    """Threads that run trials on the search's own tree; whenever they have stopped, its nodes have no gaps."""

    def __init__(self, tree: Tree, threads: int, seed: np.random.SeedSequence) -> None:
        super().__init__(tree, threads)
        self._workers = [ThreadRecord(tree, one) for one in seed.spawn(threads)]
        self._pool = new_pool(threads)
        self._version = tree.version
        make_ready(run_worker, tree.record)
        compile_renumbering(tree.record)

    @property
    def parallelism(self) -> str:
        """``"shared tree"``."""
        return "shared tree"

    def run_threads(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run `trials` trials; False when there is not memory for as many at once as there are threads."""
        tree = self.tree
        end = tree.trials + trials
        while tree.trials < end:
            before = tree.trials
            event = self._run_workers(end - before)
            if event == records.FULL:  # room for the reserves of all threads
                t = tree.fields
                t.needed_nodes, t.needed_units = t.node_count + t.reserve_nodes, t.unit_count + t.reserve_units
            if not tree.handle(event):
                return False
            if event == records.FULL and tree.trials == before and self._version == tree.version:
                return False
        return True

    def _run_workers(self, trials: int) -> int:
        """Run up to `trials` trials; DONE, FULL or INDEX."""
        main, t = self.tree.record, self.tree.fields
        t.trials_left, t.stopped, t.guard = trials, 0, 0
        set_reserves(main, len(self._workers))
        if self._version != self.tree.version:  # units that were taken in another tree are of no use
            self._version = self.tree.version
            for worker in self._workers:
                worker.fields.unit_end = worker.fields.unit_count = 0
        for worker in self._workers:
            worker.copy_common_fields(main)
        others = [self._pool.submit(run_worker, worker.record) for worker in self._workers[1:]]
        codes: list[int] = []
        try:
            codes.append(int(run_worker(self._workers[0].record)))
            codes += [int(other.result()) for other in others]
        finally:
            t.stopped = 1  # an interrupt may have come while waiting
            wait(others)
            self._gather(codes)
        return max(codes)

    def _gather(self, codes: list[int]) -> None:
        """Add up what the workers did and renumber the nodes without gaps; raise what went wrong."""
        tree, t = self.tree, self.tree.fields
        free = []
        for worker in self._workers:
            own = worker.fields
            t.trials += own.trials
            t.visits_made += own.visits_made
            free.append(np.arange(own.node_count, own.node_end))
            own.node_end = own.node_count = own.trials = own.visits_made = 0
        unused = np.concatenate(free)
        failed = [k for k, code in enumerate(codes) if code >= records.STEP_FAILED]
        try:
            if failed:
                for name in ("error_node", "error_action", "error_value", "error_rng0", "error_rng1"):
                    t[name] = self._workers[failed[0]].fields[name]
                tree.handle(codes[failed[0]])
        finally:
            if failed:
                tree.storage.nodes["visits"][unused] = records.NONE
                drop_unvisited(tree.record)
                unused = np.flatnonzero(tree.storage.nodes["visits"][: int(t.node_count)] == records.NONE)
            renumber(tree.storage, tree.storage.spans, unused)

    @property
    def waiting(self) -> Waiting:
        """What waiting for each other's locks has cost so far."""
        own = [worker.fields for worker in self._workers]
        worked = sum(int(one.worked) for one in own)
        return Waiting(
            share=sum(int(one.waited) for one in own) / max(worked, 1), times=sum(int(one.waits) for one in own)
        )
