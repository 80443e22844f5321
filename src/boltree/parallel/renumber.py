"""Numbers a tree's nodes without gaps after several threads have made them (core/memory/compaction.py moves them)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.jit import make_ready
from ..core.memory import layout as records
from ..core.memory.compaction import move_nodes
from ..core.memory.storage import Storage


def compile_renumbering(record: Any) -> None:
    """Compile what `renumber` calls."""
    make_ready(move_nodes, record, np.zeros(0, np.int64), np.zeros((0, 2), np.int64))


def renumber(storage: Storage, spans: Any, gone: Any) -> None:
    """Number the nodes in some spans of numbers (from the first to the last) one after the other; some are `gone`."""
    storage.nodes["visits"][gone] = records.NONE
    count = int((spans[:, 1] - spans[:, 0]).sum()) - gone.size
    last = np.concatenate([[0], spans[:-1, 1]])
    between = [np.arange(begin, end) for begin, end in zip(last, np.minimum(spans[:, 0], count), strict=True)]
    free = np.concatenate([*between, np.sort(gone[gone < count])])
    moving = np.maximum(spans, count)
    move_nodes(storage.record, free.astype(np.int64), moving[moving[:, 0] < moving[:, 1]])
    storage.fields.node_count = count
