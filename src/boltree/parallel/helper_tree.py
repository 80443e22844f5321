"""One more tree of a search, which grows in a thread of its own until it is merged."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from ..core.memory.partition import Partition
from ..core.memory.storage import Storage
from ..core.random import new_generator
from ..tree import Tree
from .allotment import Allotment


class HelperTree:
    """Another tree of the same search, from the same root, in the same arenas.

    Attributes:
        tree: None before it is planted and after it was merged.
        full: whether it has used up its part of the memory, as far as is known.
        error: what its problem raised, as far as is known.
    """

    def __init__(self, main: Tree, seed: np.random.SeedSequence) -> None:
        self._main = main
        self._allotment = Allotment()
        self._generator = new_generator(seed)
        self.tree: Tree | None = None
        self._running: Future[bool] | None = None
        self._stopped = False
        self.full = False
        self.error: BaseException | None = None

    @property
    def trials(self) -> int:
        """Trials of this tree."""
        return 0 if self.tree is None else self.tree.trials

    def plant(self, partition: Partition, allotment: Allotment) -> None:
        """Begin a tree with the search's root, in a part of the search's arenas, for the trials of an allotment."""
        self._allotment = allotment

        def memory(record: Any, levels: int) -> Storage:
            storage = Storage(record, levels, 0, arenas=self._main.storage.arenas)
            storage.keep_to(partition)
            return storage

        self.tree = self._main.twin(self._generator, memory)
        self.tree.fields.unit_count = partition.start
        self.full = False

    def let_run(self, pool: ThreadPoolExecutor) -> None:
        """Run on, in a thread of a pool, while trials are allotted."""
        self._stopped = False
        self.look()
        if self._running is None and not self.full and self.error is None:
            self._running = pool.submit(self._run)

    def look(self, *, wait: bool = False) -> None:
        """See whether it has ended, or wait until it has; `full` and `error` say why it ended."""
        if self._running is not None and (wait or self._running.done()):
            self.error = self._running.exception()
            self.full = self.full if self.error else self._running.result()
            self._running = None

    def stop(self) -> None:
        """Let it end after its present piece of trials."""
        self._stopped = True

    def _run(self) -> bool:
        """Run piece by piece; whether there was no memory for another trial."""
        assert self.tree is not None
        tree, full = self.tree, False

        def run(trials: int) -> int:
            nonlocal full
            before = tree.trials
            full = not self._run_piece(trials)
            return tree.trials - before

        self._allotment.use(run, lambda: not full and not self._stopped)
        return full

    def _run_piece(self, trials: int) -> bool:
        """Run a piece of the trials; False when there was no memory for another."""
        assert self.tree is not None
        return self.tree.run(trials)

    def leave(self) -> None:
        """Drop the tree, whose nodes are in another now; the next one goes on with its random numbers."""
        if self.tree is not None:
            self._generator = self.tree.storage.scratch["rng"].copy()
            self.tree = None
