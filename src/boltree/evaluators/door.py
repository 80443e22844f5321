"""Searches that have ended leave one by one.

Each wakes a Python thread, which needs the interpreter to make its move. If many woke at once, they would all stand in
line for it with the one thread that serves the others, and that one must wait for its turn several times a batch. So
the next leaves when the last has come back, or has had time enough: it may never come back.
"""

from __future__ import annotations

import threading
import time
from collections import deque

PATIENCE = 0.002
"""Seconds after which the next leaves anyway."""


class Door:
    """Where searches come in and leave."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._leaving: deque[threading.Event] = deque()
        self._left = 0.0  # when the last one left; 0 once somebody has come in since

    def leave(self, ended: threading.Event) -> None:
        """Let a thread know that its search has ended, when it is its turn."""
        self._leaving.append(ended)
        self.look()

    def come_in(self) -> None:
        """Somebody has come in: the next may leave."""
        self._left = 0.0
        self.look()

    def look(self) -> bool:
        """Let the next leave, if it is time; whether somebody waits to leave still."""
        with self._lock:
            now = time.perf_counter()
            if self._leaving and now - self._left > PATIENCE:
                self._left = now
                self._leaving.popleft().set()
            return bool(self._leaving)

    def open(self) -> None:
        """Let all leave at once: nobody is served any more."""
        with self._lock:
            while self._leaving:
                self._leaving.popleft().set()
