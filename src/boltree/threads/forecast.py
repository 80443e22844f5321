"""How many nodes trees will have made when a run ends, so that each can be given as many numbers beforehand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..search import Search

MARGIN, ANYHOW = 4, 256
"""A tree may have one part in so many more nodes than the others, where trials are anybody's; and so many more."""
ENOUGH = 0.0005
"""Seconds of trials that show how many there will be."""
SOME, MANY = 2048, 65536
"""Trials that are too few to measure by; and those of a tree about which nothing is known."""


class Forecast:
    """What is known of a search's trials, and what follows for those to come.

    Args:
        threads: how many trees there are.
        free: whether trials are anybody's.
    """

    def __init__(self, search: Search, threads: int, *, free: bool) -> None:
        self._search, self._threads, self._free = search, threads, free
        self._pace: float | None = None  # seconds of a trial
        self._began, self._trials = 0.0, 0

    @property
    def has_a_pace(self) -> bool:
        """Whether it is known how long trials take."""
        return self._pace is not None

    def run_alone(self, trials: int) -> bool:
        """Run some trials on the search's own tree, to learn how long they take; False when there is no room."""
        began = time.perf_counter()
        room = self._search._run_chunk(trials)
        spent = time.perf_counter() - began
        if spent > ENOUGH:
            self._pace = spent / trials
        return room

    def begin(self) -> None:
        """From now on all trees grow."""
        self._began, self._trials = time.perf_counter(), int(self._search._tree.trials)

    def end(self) -> None:
        """They have grown; how long did it take the search's own?"""
        trials = int(self._search._tree.trials) - self._trials
        if trials > SOME:
            self._pace = (time.perf_counter() - self._began) / trials

    def nodes(self, trials: int | None, left: float | None) -> int:
        """Nodes of each tree, if all run so many trials together, or for so many seconds.

        Where the trials are known and every tree has its own, exactly; else rather too many than too few.
        """
        search = self._search
        if trials is not None:
            each = trials // self._threads + 1
            each += each // MARGIN + ANYHOW if self._free else 0
        elif left is not None and self._pace is not None:
            each = int(max(left, 0.0) / self._pace) + SOME
        else:
            each = max(search.trials, MANY)
        if search.growth == "leaf":
            return each + 3
        levels = int(search._storage.scratch["path"].size)
        made = min(levels, 2 * search.size / search.trials if search.trials else levels)
        return int(each * made) + 2 * levels
