"""A clock that a test moves: limits of time are tested without waiting, on however slow a machine."""

from __future__ import annotations

TICK = 0.05
"""Seconds between two readings: as long as a search aims at with a chunk of trials, which so stays as it is."""


class Clock:
    """Stands in for `time.perf_counter` and `time.monotonic`: every reading is a tick later than the last."""

    def __init__(self) -> None:
        self.seconds, self.tick = 1_000.0, TICK

    def __call__(self) -> float:
        self.seconds += self.tick
        return self.seconds
