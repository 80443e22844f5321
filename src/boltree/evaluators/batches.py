"""Running trials in batches: while one batch is evaluated in another thread, the next is selected.

What is selected never depends on how fast the evaluator is: the next batch is selected when this one has been handed
over, and the oldest is backed up first. So the same seed and batch size give the same tree.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core import records
from ..core.batch import abandon_flights, select_batch, settle_batch
from ..core.interrupts import held_back
from .external import NOTHING, ask

if TYPE_CHECKING:
    from ..search import Search


@dataclass(frozen=True)
class _Group:
    """A batch on its way: its places, and the evaluator's answer to come about those that wait for it."""

    first: int
    count: int
    answer: Future[Any]


class Batches:
    """The batches of one run of a search."""

    def __init__(self, search: Search, size: int) -> None:
        self._search, self._size = search, size
        self._groups: deque[_Group] = deque()
        self._newest = 0  # the half of the places that was filled last
        self._thread = ThreadPoolExecutor(1)

    @property
    def in_flight(self) -> int:
        """Trials that are selected and not backed up."""
        return sum(group.count for group in self._groups)

    def advance(self, left: int | None) -> int:
        """Hand over batches while there is room for them, then back up the oldest; DONE, or what must be seen to.

        Args:
            left: how many more trials may be begun; None for any number.
        """
        while len(self._groups) < 2:
            wanted = self._size if left is None else min(self._size, left - self.in_flight)
            if wanted <= 0:
                break
            code = self._search._room_for(wanted)
            if code != records.DONE:
                if not self._groups:
                    return code
                break
            count = self._select(wanted)
            if count < 0:
                return -count
            if count == 0:
                break
        return self._settle() if self._groups else records.DONE

    def _select(self, wanted: int) -> int:
        search, storage = self._search, self._search._storage
        first = self._newest = 0 if not self._groups or self._groups[-1].first else self._size
        count = int(select_batch(search._handle, first, wanted))
        if count <= 0:
            return count
        flights = storage.scratch["flights"][first : first + count]
        waits = flights["waits"] != 0
        words = storage.states[flights["leaf"][waits]]  # a copy: the tree may move while they are evaluated
        prior_wanted = bool(search._tree.prior_external)
        answer = self._thread.submit(_ask, search.evaluator, search.problem, words, prior_wanted)
        self._groups.append(_Group(first, count, answer))
        return count

    def _settle(self) -> int:
        group = self._groups[0]
        values, priors = group.answer.result()
        code = int(settle_batch(self._search._handle, group.first, group.count, values, priors.reshape(-1)))
        if code == records.DONE:
            self._groups.popleft()
        return code

    def close(self, *, settle: bool) -> int:
        """End the run: back up what is on its way, or take it back."""
        code = records.DONE
        try:
            while settle and self._groups and code == records.DONE:
                code = self._settle()
        finally:
            for group in self._groups:
                group.answer.cancel()
            with held_back():
                self._groups.clear()
                for first in (self._newest, self._size - self._newest):  # also what was not grouped yet
                    abandon_flights(self._search._handle, first, self._size)
            self._thread.shutdown(wait=True)
        return code


def _ask(evaluator: Any, problem: Any, words: Any, prior_wanted: bool) -> Any:
    return ask(evaluator, problem, words, prior_wanted) if len(words) else NOTHING
