"""Where nodes are shared, every thread has a graph of its own; they are added up when the run ends.

The search's own graph goes on from run to run, the others begin anew in each, in memory of their own
(core/trial/merge_graph.py says how one is added to another). The k-th trial of a run belongs to the thread k modulo
their number, so the result depends on the seed and on that number alone. Where a graph is full, all are added up before
the run ends, and begin anew with what memory is left.
"""

from __future__ import annotations

import time
from concurrent.futures import wait
from typing import Any

import numpy as np

from ..core.jit import make_ready
from ..core.memory import layout as records
from ..core.memory.arena import Arena
from ..core.memory.room import bytes_of_trial
from ..core.memory.storage import Storage
from ..core.random import new_generator
from ..core.trial.merge_graph import merge_graphs
from ..tree import Tree
from ..tree.tree import MOST_BYTES, SPARE_BYTES
from .threaded import Threaded, new_pool

FIRST_TURN_TRIALS, LAST_TURN_TRIALS = 64, 4096
"""Trials that every thread runs before it is seen whether one has proven the root: at first, and at most."""

LEAST_TRIALS = 64
"""Trials for which a graph must have memory to be worth beginning."""

SECONDS_A_NODE = 1e-7
"""How long adding a node takes, about, until that is measured."""


class OwnGraphs(Threaded):
    """The search's own graph in the caller's thread, and other graphs in others."""

    first_chunk_trials = FIRST_TURN_TRIALS

    def __init__(self, tree: Tree, threads: int, seed: np.random.SeedSequence) -> None:
        super().__init__(tree, threads)
        self._generators = [new_generator(one) for one in seed.spawn(threads - 1)]
        self._arenas: list[dict[str, Arena] | None] = [None] * (threads - 1)
        self._helpers: list[Tree] = []
        self._given = 0  # trials that were given out since the graphs were begun
        self._limits: tuple[int, int | None] = (0, None)  # the own graph's, while there are others
        self._seconds_a_node = SECONDS_A_NODE
        self._pool = new_pool(threads)
        make_ready(merge_graphs, tree.record, tree.record, np.zeros(0, np.int32), np.zeros(2, np.int64))

    @property
    def parallelism(self) -> str:
        """``"a graph each"``."""
        return "a graph each"

    @property
    def trials(self) -> int:
        """Trials of the other graphs."""
        return sum(helper.trials for helper in self._helpers)

    @property
    def seconds_to_finish(self) -> float:
        """How long adding up the graphs will take, as the last time."""
        return self._seconds_a_node * sum(helper.size for helper in self._helpers)

    def run_threads(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run about `trials` trials in all threads; False when memory does not suffice."""
        if not self._helpers and not self._begin_graphs():
            return False
        end = self._given + trials
        if left is None:  # whole turns, so that the result does not depend on how long a chunk is
            end = self._turn_after(end - 1)
        if last is not None:
            end = min(end, self._given + last - self.done)
        while self._given < end and not self.tree.is_proven:
            enough = self._run_turn(min(end, self._turn_after(self._given)))
            if not enough or any(helper.is_proven for helper in self._helpers):
                self._add_up()
                break
        return True

    def _turn_after(self, given: int) -> int:
        """The number of trials, more than those `given`, after which it is seen whether a graph is proven."""
        turn = FIRST_TURN_TRIALS * self.threads
        while turn <= given and turn < LAST_TURN_TRIALS * self.threads:
            turn *= 2
        return (given // turn + 1) * turn

    def _run_turn(self, end: int) -> bool:
        """Run trials until `end` of them are given out; False when a graph was full."""
        shares = [self._share(k, end) - self._share(k, self._given) for k in range(self.threads)]
        others = zip(self._helpers, shares[1:], strict=True)
        running = [self._pool.submit(helper.run, share) for helper, share in others]
        self._given = end
        try:
            enough = self.tree.run(shares[0])
        finally:
            wait(running)
        return all([enough, *(one.result() for one in running)])

    def _share(self, k: int, trials: int) -> int:
        """How many of the first `trials` belong to the k-th thread."""
        return (trials + self.threads - 1 - k) // self.threads

    def _begin_graphs(self) -> bool:
        """Begin the other graphs, each with a part of the memory that is left; False if that is too little."""
        tree, t, n = self.tree, self.tree.fields, self.threads
        levels = int(t.horizon) - int(tree.storage.node(int(t.root)).depth)
        free = int(t.max_bytes) - tree.storage.nbytes
        share = free // (2 * n)  # as much again while they are added up
        nodes = None if tree.max_nodes is None else (tree.max_nodes - tree.size) // n
        if share < LEAST_TRIALS * int(bytes_of_trial(tree.record, 1)) + int(bytes_of_trial(tree.record, levels)):
            return False
        if nodes is not None and nodes < LEAST_TRIALS + levels + 2:
            return False
        self._limits = int(t.max_bytes), tree.storage.max_nodes
        self._limit(tree.storage.nbytes + share, None if nodes is None else tree.size + nodes)
        for k in range(n - 1):

            def memory(record: Any, levels: int, k: int = k) -> Storage:
                return Storage(record, levels, share, nodes, arenas=self._arenas[k])

            self._helpers.append(tree.twin(self._generators[k], memory))
            self._arenas[k] = None
        self._given = 0
        return True

    def _limit(self, most_bytes: int, nodes: int | None) -> None:
        """Limit what the search's own graph may take."""
        self.tree.fields.max_bytes, self.tree.storage.max_nodes = most_bytes, nodes
        self.tree.storage.place()

    def finish(self, completed: bool) -> None:
        """Add up the graphs."""
        self._add_up()

    def _add_up(self) -> None:
        """Add the other graphs to the search's own, which has all of its memory again."""
        if not self._helpers:
            return
        tree, began, nodes = self.tree, time.perf_counter(), sum(helper.size for helper in self._helpers)
        self._limit(MOST_BYTES, None)  # there is room for them: each had a part of what is left
        tree.fields.reserve_nodes = nodes
        for k, helper in enumerate(self._helpers):
            places, so_far = np.full(helper.size, records.NONE, np.int32), np.zeros(2, np.int64)
            if helper.trials > 0:
                tree.drive(lambda: merge_graphs(tree.record, helper.record, places, so_far))  # noqa: B023 - called at once
            self._generators[k] = helper.storage.scratch["rng"].copy()
            if helper.storage.nbytes <= SPARE_BYTES:
                self._arenas[k] = helper.storage.cleared(2)
        tree.fields.reserve_nodes = 0
        self._helpers = []
        self._limit(*self._limits)
        assert tree.estimates is not None
        tree.estimates.compute()
        self._seconds_a_node = (time.perf_counter() - began) / max(nodes, 1)
