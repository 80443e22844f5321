"""Adding one tree to another in several threads (core/merge.py and core/taking_over.py say how)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from ..core import records
from ..core.jit import make_ready
from ..core.merge import compute_matched, match_trees
from ..core.taking_over import PART, take_over_parts, touch_parts


def make_merging_ready(tree: Any) -> None:
    """Compile what merges trees like this one."""
    ours, parts = np.zeros(0, np.int32), np.zeros(0, np.int64)
    make_ready(match_trees, tree, tree, ours, parts)
    make_ready(take_over_parts, tree, tree, ours, parts, parts.ctypes.data)
    make_ready(touch_parts, tree, 0, 0)
    make_ready(compute_matched, tree, tree, ours)


class Merger:
    """Adds trees to another, with the help of a pool's threads."""

    def __init__(self, pool: ThreadPoolExecutor, threads: int) -> None:
        self._pool, self._helping = pool, threads - 1
        self._ours = np.zeros(0, np.int32)  # used for one tree after the other: new memory is dear

    def merge(self, target: Any, source: Any, nodes: int) -> int:
        """Add a tree of so many nodes to another that has room for it; DONE or an error."""
        if self._ours.size < nodes:
            self._ours = np.zeros(nodes, np.int32)
        parts = np.zeros(-(-nodes // PART), np.int64)
        touched, copied = np.zeros(1, np.int64), np.zeros(1, np.int64)  # parts that were drawn

        def touch() -> None:
            touch_parts(target, nodes, touched.ctypes.data)

        def copy() -> None:
            take_over_parts(target, source, self._ours, parts, copied.ctypes.data)

        others = self._helped(touch, parts.size)
        touch()
        wait(others)
        code = int(match_trees(target, source, self._ours, parts))
        if code == records.DONE:
            others = self._helped(copy, parts.size)
            compute_matched(target, source, self._ours)
            copy()
            wait(others)
        return code

    def _helped(self, work: Callable[[], None], parts: int) -> list[Future[None]]:
        """Let the others work on what has so many parts, as many as the threads."""
        others: list[Future[None]] = []
        with contextlib.suppress(RuntimeError):  # no thread can be started: this one does all
            for _ in range(min(self._helping, parts - 1)):
                others.append(self._pool.submit(work))
        return others
