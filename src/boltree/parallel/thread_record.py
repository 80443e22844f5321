"""The record by which one of several threads works on a common tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.atomics import YIELD_AT
from ..core.memory.layout import TREE
from ..core.memory.storage import fields_of, new_record, new_scratch
from ..core.random import new_generator
from ..tree import Tree

OWN_FIELDS = (
    "node_count", "node_end", "unit_count", "unit_end", "trials", "visits_made", "owner", "give_way",
    "waits", "waited", "worked",
)  # fmt: skip
"""Besides its scratch memory, the fields that a thread's record does not have in common with the tree's."""


class ThreadRecord:
    """A record with scratch memory and random numbers of its own, by which one thread works on a tree."""

    def __init__(self, tree: Tree, seed: np.random.SeedSequence) -> None:
        self.record = new_record()
        self.fields = fields_of(self.record)
        self.scratch = new_scratch(tree.fields, tree.storage.scratch["path"].size)
        self.scratch["rng"][:] = new_generator(seed)
        own = np.zeros(1, TREE)
        for name in OWN_FIELDS:
            own[name] = -1
        for name, array in self.scratch.items():
            self.fields[f"{name}_at"] = array.ctypes.data
            own[f"{name}_at"] = -1
        self.fields.give_way = YIELD_AT
        self._words = self.record.view(np.int64)
        self._common = own.view(np.int64) == 0

    def copy_common_fields(self, main: Any) -> None:
        """Copy all that is common from the tree's own record."""
        self._words[self._common] = main.view(np.int64)[self._common]
        self.fields.owner = main.ctypes.data
