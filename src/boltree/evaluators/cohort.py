"""Searches that are valued at the same time, and what waits for their answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import records
from ..core.batch import abandon_flights
from ..python_problem import PythonProblem
from .crowd import Board, Crowd
from .door import Door
from .external import NOTHING, Answers, checked
from .groups import Groups
from .kind import Kind

if TYPE_CHECKING:
    from ..search import Search

_ENDLESS = 1 << 62


class Question:
    """Positions that somebody asks about outside of batches: a root's own prior."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch
        self.answer: Future[tuple[Any, Any]] = Future()


class Client:
    """A search that is being run, and how it ended."""

    def __init__(self, search: Search, trials: int | None, seconds: float | None, door: Door) -> None:
        self.search, self._door = search, door
        self.last = _ENDLESS if trials is None else search.trials + int(trials)
        self.deadline = np.inf if seconds is None else time.perf_counter() + seconds
        self.ended = threading.Event()
        self.cancelled = False
        self.reason, self.failed = "", records.DONE
        self.error: BaseException | None = None

    def end(self, error: BaseException | None = None) -> None:
        """Wake the thread that waits, when it is its turn."""
        self.error = error
        self.reason = self.reason or ("trials" if self.search.trials >= self.last else "seconds")
        self._door.leave(self.ended)

    def abandon(self) -> None:
        """Take back what is on its way."""
        abandon_flights(self.search._handle, 0, self.search._batch)


class Cohort:
    """Searches that are valued at the same time.

    Args:
        evaluate: values a batch.
        board: where groups back up and select, with a crowd's help.
        gives_prior: whether `evaluate` gives priors.
    """

    def __init__(self, evaluate: Callable[[Any], tuple[Any, Any]], board: Board, gives_prior: bool) -> None:
        self._evaluate, self._board = evaluate, board
        (self._alone,) = Crowd(1, 1).boards
        self._gives_prior = gives_prior
        self.clients: list[Client] = []
        self.evaluations = self.batches = 0  # so far
        self._empty()

    def _empty(self) -> None:
        self._groups = Groups()
        self._kind: Kind | None = None
        self._deadlines, self._next_deadline = np.zeros(0), np.inf
        self._questions: list[Question] = []
        self._answers = NOTHING

    def advance(self, new: list[Client], questions: list[Question]) -> None:
        """Back up the last answers, let go of who has ended, and ask again for the others and the new clients."""
        self._questions = questions
        for client in new:
            self._groups.add(client.search, client.last)
        if new:
            self._arrange()
        rows = self._advance_groups() if self.clients else ()
        self._answers = self._ask(rows, questions) if len(rows) or questions else NOTHING

    def fail(self, error: BaseException) -> None:
        """Everybody is told what went wrong."""
        for client in self.clients:
            client.end(error)
        for question in self._questions:
            if not question.answer.done():
                question.answer.set_exception(error)
        self.clients = []
        self._empty()

    def _arrange(self) -> None:
        """See who is there now."""
        self._deadlines = np.array([client.deadline for client in self.clients])
        self._next_deadline = self._deadlines.min(initial=np.inf)
        if self.clients:
            problem = self.clients[0].search.problem
            if self._kind is None or self._kind.problem is not problem:
                self._kind = Kind(problem)
            self._groups.lay_out(self._kind)

    def _advance_groups(self) -> Any:
        """Let every group back up and select, unless it is to end; the rows to be valued."""
        now = time.perf_counter()
        if now >= self._next_deadline or any(client.cancelled for client in self.clients):
            late = self._deadlines <= now
            self._next_deadline = self._deadlines[~late].min(initial=np.inf)
            cancelled = np.array([client.cancelled for client in self.clients])
            self._groups.records["end"][late | cancelled] = 0
        if isinstance(self.clients[0].search.problem, PythonProblem):
            with ExitStack() as turns:  # what Python has answered is changed by one thread at a time
                problems = {id(client.search.problem): client.search.problem for client in self.clients}
                for key in sorted(problems):  # always in the same order: two cohorts must not wait for each other
                    turns.enter_context(problems[key]._turn)
                rows, special = self._groups.advance(self._alone, *self._answers)
        else:
            rows, special = self._groups.advance(self._board, *self._answers)
        if special:
            self._see_to_groups()
        return rows

    def _see_to_groups(self) -> None:
        """Make room for who needs it, and let go of who has ended."""
        groups = self._groups.records
        for i in np.flatnonzero(groups["status"] != records.DONE):
            client, status = self.clients[i], int(groups["status"][i])
            if status in (records.FULL, records.INDEX):
                groups["status"][i] = records.DONE
                if client.search._room_for(int(groups["size"][i])) != records.DONE:
                    client.reason = "memory"
                    groups["end"][i] = 0
            else:
                client.failed = status
        failed = np.array([client.failed != records.DONE for client in self.clients])
        gone = failed | ((groups["count"] == 0) & (groups["trials"] >= groups["end"]))
        if gone.any():
            leaving = [self.clients[i] for i in np.flatnonzero(gone)]
            self.clients = [client for client, out in zip(self.clients, gone, strict=True) if not out]
            self._groups.records = groups[~gone]
            for client in leaving:  # now: who comes back at once must not be counted twice
                client.end()
            self._arrange()

    def _ask(self, rows: Any, questions: list[Question]) -> Answers:
        """Ask about leaves and questions in one batch; answer the questions."""
        batches, kind = [question.batch for question in questions], self._kind
        if kind is not None and len(rows):
            batches.insert(0, kind.batch_of(rows))
        batch = _joined(batches)
        self.batches += 1
        self.evaluations += len(batch)
        priors, values = self._evaluate(batch)
        at = count = len(rows)
        for question in questions:
            end = at + len(question.batch)
            question.answer.set_result((None if priors is None else priors[at:end], values[at:end]))
            at = end
        if kind is None or count == 0:
            return NOTHING
        if len(questions):
            priors, values = None if priors is None else priors[:count], values[:count]
        return checked((priors, values), count, kind.actions, self._gives_prior)


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], list):  # Python objects
        return [item for part in parts for item in part]
    return np.concatenate(parts)
