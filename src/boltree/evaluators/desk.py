"""Where searches and questions wait until a cohort takes them."""

from __future__ import annotations

import threading
from collections import deque

from .cohort import Client, Cohort, Question
from .door import Door


class Desk:
    """What the cohorts of one evaluator have in common: who comes, and who leaves."""

    def __init__(self) -> None:
        self.door = Door()
        self.cohorts: list[Cohort] = []
        self._wake = threading.Condition()
        self._coming: deque[Client] = deque()
        self._asked: deque[Question] = deque()
        self._closed: RuntimeError | None = None  # what they are told who are there then, or come later

    def enter(self, one: Client | Question) -> None:
        """Wait to be taken."""
        with self._wake:
            if self._closed is not None:
                raise self._closed
            if isinstance(one, Client):
                self._coming.append(one)
            else:
                self._asked.append(one)
            if not all(cohort.clients for cohort in self.cohorts):  # the others look by themselves
                self._wake.notify_all()

    def take(self, cohort: Cohort) -> tuple[list[Client], list[Question]] | None:
        """Who has joined a cohort, and what was asked; None once this is closed. Waits while there is nothing to do."""
        self.door.look()
        if cohort.clients and not (self._coming or self._asked or self._closed):
            return [], []  # as nearly always: to stand in line for a lock would cost more than all else here
        with self._wake:
            while not self._closed:
                if self._coming or self._asked:
                    fair = max(-(-self._places() // len(self.cohorts)) - len(cohort.clients), 0)
                    new = [self._coming.popleft() for _ in range(min(fair, len(self._coming)))]
                    cohort.clients += new  # here: everybody must be counted at any time
                    return new, [self._asked.popleft() for _ in range(len(self._asked))]
                if cohort.clients:
                    return [], []
                self._wake.wait()
            return None

    def _places(self) -> int:
        """How many searches there are."""
        return sum(len(one.clients) for one in self.cohorts) + len(self._coming)

    def close(self, why: BaseException | None = None) -> None:
        """Take nobody any more, and let everybody leave."""
        with self._wake:
            self._closed = self._closed or RuntimeError("Together was closed" + (f": {why}" if why else ""))
            self._wake.notify_all()
        self.door.open()

    def dismiss(self) -> None:
        """Nobody who waits is left waiting; when it is closed and no cohort is served any more."""
        assert self._closed is not None
        for cohort in self.cohorts:
            cohort.fail(self._closed)
        for client in self._coming:
            client.end(self._closed)
        for question in self._asked:
            question.answer.set_exception(self._closed)
