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
from ..problem import Problem
from ..python_problem import PythonProblem
from .crowd import Crowd
from .door import Door
from .external import NOTHING, Answers, checked

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


class Kind:
    """What searches must have in common to share a batch."""

    def __init__(self, problem: Any) -> None:
        self.problem, self.actions = problem, int(problem.actions)
        self.with_features = bool(problem.has("features"))
        self.shape = tuple(problem.features_shape) if self.with_features else ()
        self.items = int(np.prod(self.shape)) if self.with_features else 0
        self.layout = problem.state_layout()
        self.row_bytes = 4 * self.items if self.with_features else int(self.layout.itemsize)

    def fits(self, other: Kind) -> bool:
        """Whether the other's leaves may stand in one batch with these."""
        if self.problem is other.problem:
            return True
        if not self.with_features and type(self.problem).batch_of is not Problem.batch_of:
            return False  # what the states stand for, only their own problem knows
        mine, theirs = ((type(one.problem), one.actions, one.shape, one.layout) for one in (self, other))
        return mine == theirs

    def batch_of(self, rows: Any) -> Any:
        """Rows as an evaluator is given them."""
        if self.with_features:
            return rows.view(np.float32).reshape(len(rows), *self.shape)
        return self.problem.batch_of(rows.view(self.layout).reshape(len(rows)))


class Cohort:
    """Searches that are valued at the same time.

    Args:
        evaluate: values a batch.
        crowd: threads in which groups back up and select; other cohorts may use them too.
        gives_prior: whether `evaluate` gives priors.
    """

    def __init__(self, evaluate: Callable[[Any], tuple[Any, Any]], crowd: Crowd, gives_prior: bool) -> None:
        self._evaluate, self._crowd = evaluate, crowd
        self._alone = Crowd(0)
        self._gives_prior = gives_prior
        self.clients: list[Client] = []
        self._groups = np.zeros(0, records.GROUP)
        self._deadlines = np.zeros(0)
        self._questions: list[Question] = []
        self._answers = NOTHING
        self._rows = np.zeros((0, 0), np.uint8)

    def advance(self, new: list[Client], questions: list[Question]) -> None:
        """Back up the last answers, let go of who has ended, and ask again for the others and the new ones."""
        self._questions = questions
        self.clients += new  # first of all: whatever happens, they will be told
        for client in new:
            self._admit(client)
        kind: Kind | None = None
        rows = self._rows[:0]
        if self.clients:
            kind = Kind(self.clients[0].search.problem)
            late = self._deadlines <= time.perf_counter()
            cancelled = np.array([client.cancelled for client in self.clients])
            self._groups["end"][late | cancelled] = 0
            rows = self._advance_groups(kind, *self._answers)
            self._see_to_groups()
        self._answers = self._ask(kind, rows, questions) if len(rows) or questions else NOTHING

    def fail(self, error: BaseException) -> None:
        """Everybody is told what went wrong."""
        for client in self.clients:
            client.end(error)
        for question in self._questions:
            if not question.answer.done():
                question.answer.set_exception(error)
        self.clients, self._questions, self._answers = [], [], NOTHING
        self._groups, self._deadlines = self._groups[:0], self._deadlines[:0]

    def _admit(self, client: Client) -> None:
        search, group = client.search, np.zeros(1, records.GROUP)
        problem = search.problem
        group["tree"] = search._handle.ctypes.data
        group["end"], group["size"], group["trials"] = client.last, search._batch, search.trials
        if problem.has("features"):
            group["features"], group["params"] = problem.address("features"), problem.params_at
        self._groups = np.concatenate([self._groups, group])
        self._deadlines = np.append(self._deadlines, client.deadline)

    def _advance_groups(self, kind: Kind, values: Any, priors: Any) -> Any:
        """Let every group back up and select; the rows to be valued."""
        groups = self._groups
        size = int(groups["size"].max())
        if self._rows.shape[0] < len(groups) * size or self._rows.shape[1] != kind.row_bytes:
            self._rows = np.zeros((len(groups) * size, kind.row_bytes), np.uint8)
        arguments = (groups, size, values, priors, self._rows, kind.items)
        if not isinstance(kind.problem, PythonProblem):
            return self._rows[: self._crowd.advance(*arguments)]
        with ExitStack() as turns:  # what Python has answered is changed by one thread at a time
            problems = {id(client.search.problem): client.search.problem for client in self.clients}
            for key in sorted(problems):  # always in the same order: two cohorts must not wait for each other
                turns.enter_context(problems[key]._turn)
            return self._rows[: self._alone.advance(*arguments)]

    def _see_to_groups(self) -> None:
        """Make room for who needs it, and let go of who has ended."""
        groups = self._groups
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
            for i in np.flatnonzero(gone):
                self.clients[i].end()
            self.clients = [client for client, out in zip(self.clients, gone, strict=True) if not out]
            self._groups, self._deadlines = self._groups[~gone], self._deadlines[~gone]

    def _ask(self, kind: Kind | None, rows: Any, questions: list[Question]) -> Answers:
        """Ask about leaves and questions in one batch; answer the questions."""
        batches = [question.batch for question in questions]
        if kind is not None and len(rows):
            batches.insert(0, kind.batch_of(rows))
        priors, values = self._evaluate(_joined(batches))
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
