"""Threads that back up and select for many searches, and never need the interpreter while they do."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..core.atomics import SLEEP_AT
from ..core.together import BOARD, help_out, lead


class Crowd:
    """So many threads besides the caller's, which wait on a board for work."""

    def __init__(self, helpers: int) -> None:
        self._board = np.zeros(1, BOARD)
        self._board["sleep"] = SLEEP_AT
        self._turn = threading.Lock()  # one job at a time
        self._leaves = self._places = np.zeros(0, np.int64)
        self._threads = [
            threading.Thread(target=help_out, args=(self._board.ctypes.data,), name="boltree-crowd", daemon=True)
            for _ in range(helpers)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:  # those that were started must not look at a board that is gone
            self._threads = [thread for thread in self._threads if thread.ident is not None]
            self.close()
            raise

    def advance(self, groups: Any, size: int, values: Any, priors: Any, rows: Any, items: int) -> int:
        """Back up and select in all groups, `size` leaves each at most; how many rows were written."""
        with self._turn:
            board, places = self._board, len(groups) * size
            if self._leaves.size < places:
                self._leaves, self._places = np.zeros(places, np.int64), np.zeros(places, np.int64)
            for name, array in (
                ("groups", groups), ("values", values), ("priors", priors), ("rows", rows), ("leaves", self._leaves),
                ("places", self._places),
            ):  # fmt: skip
                board[f"{name}_at"] = array.ctypes.data
            board["count"], board["size"] = len(groups), size
            board["answers"], board["prior_items"] = values.shape[0], priors.size // max(priors.shape[0], 1)
            board["row_bytes"], board["row_items"] = rows.shape[1], items
            return int(lead(board.ctypes.data))

    def close(self) -> None:
        """Let the threads end."""
        self._board["closed"] = 1
        for thread in self._threads:
            thread.join()
