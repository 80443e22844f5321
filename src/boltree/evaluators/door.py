"""Searches that have ended leave one by one.

Each wakes a Python thread, which needs the interpreter to make its move. If many woke at once, they would all stand in
line for it with the threads that serve the others, and those must wait for their turns several times a batch. So the
next leaves when the last has come back, or has had time enough: it may never come back.
"""

from __future__ import annotations

import threading
import time
from collections import deque

PATIENCE = 0.002
"""Seconds after which the next leaves anyway."""

WATCH = 0.01
"""Seconds between looks of who keeps the door; who serves looks more often, unless an evaluator takes long."""


class Door:
    """Where searches come in and leave."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._leaving: deque[threading.Event] = deque()
        self._left = 0.0  # when the last one left; 0 once somebody has come in since
        self._open = False

    def leave(self, ended: threading.Event) -> None:
        """Let a thread know that its search has ended, when it is its turn."""
        with self._change:
            self._leaving.append(ended)
            self._let_out()
            if self._leaving:
                self._change.notify_all()

    def come_in(self) -> None:
        """Somebody has come in: the next may leave."""
        with self._change:
            self._left = 0.0
            self._let_out()

    def look(self) -> None:
        """Let the next leave, if it is time."""
        if self._leaving:
            with self._change:
                self._let_out()

    def keep(self) -> None:
        """Look again and again, as long as somebody wants to leave, until the door is opened."""
        with self._change:
            while not self._open:
                self._let_out()
                self._change.wait(WATCH if self._leaving else None)

    def open(self) -> None:
        """Let all leave at once, from now on: nobody is served any more."""
        with self._change:
            self._open = True
            self._let_out()
            self._change.notify_all()

    def _let_out(self) -> None:
        while self._open and self._leaving:
            self._leaving.popleft().set()
        now = time.perf_counter()
        if self._leaving and now - self._left > PATIENCE:
            self._left = now
            self._leaving.popleft().set()
