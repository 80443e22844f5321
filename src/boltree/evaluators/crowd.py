"""Threads that back up and select for many searches, and never need the interpreter while they do."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..core.atomics import SLEEP_AT
from ..core.together import BOARD, CROWD, help_out, lead


class Board:
    """Where one thread leads: it works itself, and whoever helps works with it."""

    def __init__(self, memory: tuple[Any, ...], at: int, turns: AbstractContextManager[Any]) -> None:
        self._memory, self._at, self._turns = memory, at, turns

    def advance(self, plan_at: int, values: Any, priors: Any) -> tuple[int, bool]:
        """Back up and select in all groups of a plan; how many rows were written, and whether to look at the groups."""
        with self._turns:
            rows, special = lead(self._at, plan_at, values, priors)
        return rows, special


class Crowd:
    """Threads that work at some boards: those that lead there, and others that help them.

    Args:
        threads: how many work at the same time, at most.
        boards: at each one thread leads, when it likes.
    """

    def __init__(self, threads: int, boards: int) -> None:
        self._records, self._crowd = np.zeros(boards, BOARD), np.zeros(1, CROWD)
        self._records["bell_at"] = self._crowd.ctypes.data
        self._crowd["sleep"] = SLEEP_AT
        self._crowd["boards_at"], self._crowd["boards"] = self._records.ctypes.data, boards
        memory, first = (self._records, self._crowd), self._records.ctypes.data
        turns: AbstractContextManager[Any] = threading.Semaphore(threads) if threads < boards else nullcontext()
        self.boards = [Board(memory, first + i * BOARD.itemsize, turns) for i in range(boards)]
        self._threads = [
            threading.Thread(target=help_out, args=(self._crowd.ctypes.data,), name="boltree-crowd", daemon=True)
            for _ in range(threads - boards)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:  # those that were started must not look at boards that are gone
            self._threads = [thread for thread in self._threads if thread.ident is not None]
            self.close()
            raise

    def close(self) -> None:
        """Let the threads end."""
        self._crowd["closed"] = 1
        for thread in self._threads:
            thread.join()
