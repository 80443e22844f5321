"""The trials that one tree is to run, or that several trees share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FIRST_TRIALS, PIECE_SECONDS = 64, 0.002
"""Trials of a first piece, and about how long a piece takes: a tree that is told to stop does so within this time."""


class Allotment:
    """Trials up to a bound, which the threads of one tree or of several take piece by piece.

    Args:
        users: how many trees take from it.
    """

    def __init__(self, users: int = 1) -> None:
        self._users = users
        self.given = 0
        self._bound = 0
        self._lock = threading.Lock()

    def raise_to(self, bound: int) -> None:
        """Allow this number of trials in all."""
        self._bound = bound

    def take(self, trials: int, most: int | None = None) -> int:
        """Take up to `trials`, as long as no more than `most` are given out; how many were taken.

        With several users, none takes much of what is left.
        """
        with self._lock:
            left = (self._bound if most is None else min(self._bound, most)) - self.given
            if self._users > 1:
                trials = min(trials, max(left // (2 * self._users), FIRST_TRIALS // 4))
            trials = max(min(trials, left), 0)
            self.given += trials
            return trials

    def give_back(self, trials: int) -> None:
        """Return trials that were taken and not run."""
        with self._lock:
            self.given -= trials

    def use(self, run: Callable[[int], int], goes_on: Callable[[], bool], most: int | None = None) -> None:
        """Take piece by piece and run it, while there are any and it `goes_on`; `run` returns how many it ran."""
        piece = FIRST_TRIALS
        while goes_on() and (taken := self.take(piece, most)):
            began = time.perf_counter()
            ran = 0
            try:
                ran = run(taken)
            finally:
                self.give_back(taken - ran)
            piece = 2 * piece if time.perf_counter() - began < PIECE_SECONDS else max(piece // 2, 1)
