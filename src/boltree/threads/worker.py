"""A thread's own record of a tree that several threads work on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.atomics import YIELD_AT
from ..core.random import new_generator
from ..core.records import TREE
from ..core.storage import fields_of, new_scratch, new_tree
from .crew import new_pool

if TYPE_CHECKING:
    from ..search import Search

OWN = (
    "node_count", "node_end", "unit_count", "unit_end", "trials", "visits_made", "owner", "give_way",
    "waits", "waited", "worked",
)  # fmt: skip
"""Besides its scratch memory, what a worker's record does not share with the tree's."""


class Worker:
    """A record with scratch memory and random numbers of its own."""

    def __init__(self, search: Search, seed: np.random.SeedSequence) -> None:
        self.handle = new_tree()
        self.record = fields_of(self.handle)
        self.scratch = new_scratch(search._tree, search._storage.scratch["path"].size)
        self.scratch["rng"][:] = new_generator(seed)
        own = np.zeros(1, TREE)
        for name in OWN:
            own[name] = -1
        for name, array in self.scratch.items():
            self.record[f"{name}_at"] = array.ctypes.data
            own[f"{name}_at"] = -1
        self.record.give_way = YIELD_AT
        self._words = self.handle.view(np.int64)
        self._common = own.view(np.int64) == 0

    def enlist(self, main: Any) -> None:
        """Take over all that is common from the tree's own record."""
        self._words[self._common] = main.view(np.int64)[self._common]
        self.record.owner = main.ctypes.data


class Workers:
    """Threads that work on the search's own tree."""

    trials = 0
    ready_in = 0.0

    def __init__(self, search: Search, threads: int, seed: np.random.SeedSequence) -> None:
        self._search = search
        self._workers = [Worker(search, one) for one in seed.spawn(threads)]
        self._pool = new_pool(threads)
