"""One thread selects a round of trials, all roll out, one backs up (core/rounds.py)."""

from __future__ import annotations

from concurrent.futures import wait
from typing import TYPE_CHECKING

import numpy as np

from ..core import records
from ..core.jit import make_ready
from ..core.rounds import run_rounds
from ..failures import raise_failure
from .crew import Waiting
from .worker import Workers

if TYPE_CHECKING:
    from ..search import Search

EACH = 8
"""Trials of a round, for every thread."""


class Rounds(Workers):
    """Workers that roll out the leaves of one tree, in rounds."""

    way = "rounds"

    def __init__(self, search: Search, threads: int, seed: np.random.SeedSequence) -> None:
        super().__init__(search, threads, seed)
        self._values, self._none = np.zeros(round_size(threads)), np.zeros(0)
        make_ready(run_rounds, search._handle, 0, threads, 0, 0, 0, self._values, self._none)

    def run(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run whole rounds until there are so many more trials; False when there is no room for another."""
        search = self._search
        enough = search.trials + trials
        while search.trials < enough:
            code = self._run(enough, enough if last is None else last)
            if code == records.INDEX:
                if not search._make_index(round_size(len(self._workers)) + len(self._workers)):
                    return False
            elif code == records.FULL:
                if not search._make_room(int(search._tree.needed_nodes), int(search._tree.needed_units)):
                    return False
            elif code != records.DONE:
                raise_failure(search, code)
        return True

    def _run(self, enough: int, last: int) -> int:
        main = self._search._handle
        self._search._tree.phase = self._search._tree.arrived = 0
        for worker in self._workers:
            worker.enlist(main)
        size = round_size(len(self._workers))
        common = (len(self._workers), size, enough, last, self._values, self._none)
        others = [
            self._pool.submit(run_rounds, worker.handle, k, *common)
            for k, worker in enumerate(self._workers[1:], start=1)
        ]
        try:
            return int(run_rounds(self._workers[0].handle, 0, *common))
        finally:
            wait(others)

    def finish(self) -> None:
        """The tree is whole already."""

    def waiting(self) -> Waiting:
        """Not measured: threads wait for the one that selects, not for locks."""
        return Waiting(0.0, 0)


def round_size(threads: int) -> int:
    """Trials of a round."""
    return EACH * threads
