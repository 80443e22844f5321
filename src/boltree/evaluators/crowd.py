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
        self._board_at = self._board.ctypes.data
        self._turn = threading.Lock()  # one job at a time
        self._threads = [
            threading.Thread(target=help_out, args=(self._board_at,), name="boltree-crowd", daemon=True)
            for _ in range(helpers)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:  # those that were started must not look at a board that is gone
            self._threads = [thread for thread in self._threads if thread.ident is not None]
            self.close()
            raise

    def advance(self, plan_at: int, values: Any, priors: Any) -> tuple[int, bool]:
        """Back up and select in all groups of a plan; how many rows were written, and whether to look at the groups."""
        with self._turn:
            rows, special = lead(self._board_at, plan_at, values, priors)
        return rows, special

    def close(self) -> None:
        """Let the threads end."""
        self._board["closed"] = 1
        for thread in self._threads:
            thread.join()
