"""Where searches and questions wait until a cohort takes them."""

from __future__ import annotations

import threading
from collections import deque

from .cohort import Client, Cohort, Question
from .door import PATIENCE, Door


class Desk:
    """What the cohorts of one evaluator have in common: who comes, and who leaves."""

    def __init__(self) -> None:
        self.door = Door()
        self.cohorts: list[Cohort] = []
        self._wake = threading.Condition()
        self._coming: deque[Client] = deque()
        self._asked: deque[Question] = deque()
        self._closed = False

    def enter(self, one: Client | Question) -> None:
        """Wait to be taken."""
        with self._wake:
            if self._closed:
                raise _closed()
            if isinstance(one, Client):
                self._coming.append(one)
            else:
                self._asked.append(one)
            self._wake.notify_all()

    def take(self, cohort: Cohort) -> tuple[list[Client], list[Question]] | None:
        """Who joins a cohort, and what was asked; None once this is closed. Waits while there is nothing to do."""
        leaving = self.door.look()
        with self._wake:
            while not (self._closed or self._coming or self._asked or cohort.clients):
                self._wake.wait(PATIENCE if leaving else None)
                leaving = self.door.look()
            if self._closed:
                return None
            places = sum(len(one.clients) for one in self.cohorts) + len(self._coming)
            fair = max(-(-places // len(self.cohorts)) - len(cohort.clients), 0)
            new = [self._coming.popleft() for _ in range(min(fair, len(self._coming)))]
            return new, [self._asked.popleft() for _ in range(len(self._asked))]

    def close(self) -> None:
        """Take nobody any more."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()

    def dismiss(self) -> None:
        """Nobody who waits is left waiting; when no cohort is served any more."""
        ended = _closed()
        for cohort in self.cohorts:
            cohort.fail(ended)
        for client in self._coming:
            client.end(error=ended)
        for question in self._asked:
            question.answer.set_exception(ended)
        self.door.open()


def _closed() -> RuntimeError:
    return RuntimeError("Together was closed")
