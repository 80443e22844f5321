"""Who may run how many trials."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FIRST, SOON = 64, 0.002
"""Trials of a first piece, and seconds that a piece takes, about: so soon a tree ends that is told to."""


class Tickets:
    """Trials that one tree is to run, or that several share, up to a bound."""

    def __init__(self, users: int = 1) -> None:
        self._users = users
        self.given = 0
        self._bound = 0
        self._lock = threading.Lock()

    def raise_to(self, bound: int) -> None:
        """Let so many in all be given out."""
        self._bound = bound

    def take(self, trials: int, most: int | None = None) -> int:
        """Take up to so many, as long as no more than `most` are given out; how many there are.

        Where others want some too, nobody takes much of what is left.
        """
        with self._lock:
            left = (self._bound if most is None else min(self._bound, most)) - self.given
            if self._users > 1:
                trials = min(trials, max(left // (2 * self._users), FIRST // 4))
            trials = max(min(trials, left), 0)
            self.given += trials
            return trials

    def give_back(self, trials: int) -> None:
        """Let others run trials that were taken."""
        with self._lock:
            self.given -= trials

    def use(self, run: Callable[[int], int], on: Callable[[], bool], most: int | None = None) -> None:
        """Take piece by piece and run it, as long as there are any and it goes `on`; `run` tells how many it ran."""
        piece = FIRST
        while on() and (taken := self.take(piece, most)):
            began = time.perf_counter()
            ran = 0
            try:
                ran = run(taken)
            finally:
                self.give_back(taken - ran)
            piece = 2 * piece if time.perf_counter() - began < SOON else max(piece // 2, 1)
