"""Numbering a tree's nodes without gaps after several threads have made them (core/holes.py moves the nodes)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import records
from ..core.holes import fill_gaps
from ..core.jit import make_ready
from ..core.storage import Storage


def make_closing_ready(tree: Any) -> None:
    """Compile what closes gaps."""
    make_ready(fill_gaps, tree, np.zeros(0, np.int64), np.zeros((0, 2), np.int64))


def close_gaps(storage: Storage, spans: Any, gone: Any) -> None:
    """Let a tree's nodes, which lie in these spans (from the first to the last), follow each other; some are `gone`."""
    storage.nodes["visits"][gone] = records.NONE
    count = int((spans[:, 1] - spans[:, 0]).sum()) - gone.size
    last = np.concatenate([[0], spans[:-1, 1]])
    between = [np.arange(begin, end) for begin, end in zip(last, np.minimum(spans[:, 0], count), strict=True)]
    gaps = np.concatenate([*between, np.sort(gone[gone < count])])
    moving = np.maximum(spans, count)
    fill_gaps(storage.tree, gaps.astype(np.int64), moving[moving[:, 0] < moving[:, 1]])
    storage.fields.node_count = count
