"""A line on the terminal that shows how far a run is."""

from __future__ import annotations

import sys
import time

from .facts import SearchFacts

WIDTH = 24


def bar(share: float) -> str:
    """How far something is, drawn and as a percentage.

    >>> bar(0.5)
    '[############............]  50%'
    """
    share = min(share, 1.0)
    return f"[{'#' * round(share * WIDTH):.<{WIDTH}}] {share:4.0%}"


class ProgressLine:
    """Writes ``[#####.....]  51%  204,800 trials  1.9 M/s  value 0.83`` to standard error, ten times a second."""

    def __init__(self, search: SearchFacts, trials: int | None, seconds: float | None) -> None:
        self._trials, self._seconds = trials, seconds
        self._first = search.trials
        self._began = self._shown = time.perf_counter()
        self._last = ""

    def __call__(self, search: SearchFacts) -> None:
        """Show where the search stands."""
        now = time.perf_counter()
        self._last = self._text(search, now)
        if now - self._shown >= 0.1:
            self._shown = now
            sys.stderr.write("\r" + self._last)
            sys.stderr.flush()

    def _text(self, search: SearchFacts, now: float) -> str:
        done, spent = search.trials - self._first, now - self._began
        share = max(
            done / self._trials if self._trials else 0.0,
            spent / self._seconds if self._seconds else 0.0,
        )
        rate = done / max(spent, 1e-9)
        speed = f"{rate / 1e6:.1f} M/s" if rate >= 1e6 else f"{rate / 1e3:.1f} k/s"
        return f"{bar(share)}  {done:,} trials  {speed}  value {search.root.value:.4g}   "

    def close(self) -> None:
        """End the line."""
        sys.stderr.write("\r" + self._last + "\n")
        sys.stderr.flush()
