"""A server runs some searches at the same time: it has their leaves valued in common batches.

A `Server` belongs to one thread. In every round it backs up the last answers, ends finished searches, adds new ones,
selects the next leaves, and asks the evaluator about all of them. While one server waits for the evaluator, another
works (together.py).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any

import numpy as np

from ..core.memory import layout as records
from ..core.trial.batch import abandon_flights
from ..evaluators import NOTHING, Answers, checked
from ..problem.python.problem import PythonProblem
from ..tree import Tree
from .rows import HelperPool, RowFormat, Rows, WorkQueue

UNLIMITED = 1 << 62
"""More trials than there will be."""

LONGEST_ABSENCE_SECONDS = 0.002
"""How long a wake-up waits, at most, for the thread that was woken before it to run its next search."""

WATCH_SECONDS = 0.01
"""How often wake-ups are looked at while no server does; servers look more often, unless an evaluator takes long."""


class WakeUps:
    """Staggers the wake-up of finished search threads, so that they do not contend for the GIL.

    A thread that wakes up needs the GIL to go on (in a game, to make its move). If many woke up at once, the servers'
    threads would wait for it as well, several times a batch. So the next thread is woken when the last has come back
    with another search, or after a time: it may never come back.
    """

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._finished: deque[threading.Event] = deque()
        self._last_seconds = 0.0  # when the last one was woken; 0 once a search has come since
        self._at_once = False

    def add(self, ended: threading.Event) -> None:
        """Wake up a thread when it is its turn."""
        with self._change:
            self._finished.append(ended)
            self._wake_next()
            if self._finished:
                self._change.notify_all()

    def note_arrival(self) -> None:
        """A search has come: the next thread may be woken."""
        with self._change:
            self._last_seconds = 0.0
            self._wake_next()

    def look(self) -> None:
        """Wake up the next thread, if it is time."""
        if self._finished:
            with self._change:
                self._wake_next()

    def watch(self) -> None:
        """Look again and again while threads are to be woken, until `wake_all`."""
        with self._change:
            while not self._at_once:
                self._wake_next()
                self._change.wait(WATCH_SECONDS if self._finished else None)

    def wake_all(self) -> None:
        """Wake up all threads at once, from now on: no server runs any more."""
        with self._change:
            self._at_once = True
            self._wake_next()
            self._change.notify_all()

    def _wake_next(self) -> None:
        while self._at_once and self._finished:
            self._finished.popleft().set()
        now = time.perf_counter()
        if self._finished and now - self._last_seconds > LONGEST_ABSENCE_SECONDS:
            self._last_seconds = now
            self._finished.popleft().set()


class Query:
    """Positions that are asked about outside of the searches' batches: a root's own prior."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch
        self.answer: Future[tuple[Any, Any]] = Future()


class RunningSearch:
    """A run of one search, and how it ended.

    Attributes:
        ended: set when the thread that waits for the run may go on.
        cancelled: set by that thread, when the run is to end early.
        reason: why the run ended.
        failed: the event by which it ended, if its problem failed.
        error: the exception by which it ended, if the evaluator raised one.
    """

    def __init__(self, tree: Tree, trials: int | None, seconds: float | None, wake_ups: WakeUps) -> None:
        self.tree, self._wake_ups = tree, wake_ups
        self.last = UNLIMITED if trials is None else tree.trials + int(trials)
        self.deadline = np.inf if seconds is None else time.perf_counter() + seconds
        self.ended = threading.Event()
        self.cancelled = False
        self.reason, self.failed = "", records.DONE
        self.error: BaseException | None = None

    def end(self, error: BaseException | None = None) -> None:
        """Wake up the thread that waits, when it is its turn."""
        self.error = error
        self.reason = self.reason or ("trials" if self.tree.trials >= self.last else "seconds")
        self._wake_ups.add(self.ended)

    def abandon(self) -> None:
        """Take back the trials that are in flight."""
        abandon_flights(self.tree.record, 0, self.tree.batch)


class Server:
    """Runs some searches at the same time.

    Args:
        queue: by which groups are processed, with the help of other threads.
        evaluate: values a batch.
        gives_prior: whether `evaluate` gives priors.
        by_state: whether it takes states, whatever features there are.

    Attributes:
        searches: those that are being run.
        evaluations, batches: how many positions were valued so far, in how many batches.
    """

    def __init__(
        self, queue: WorkQueue, evaluate: Callable[[Any], tuple[Any, Any]], gives_prior: bool, by_state: bool
    ) -> None:
        self._evaluate, self._queue, self._by_state = evaluate, queue, by_state
        (self._own_queue,) = HelperPool(1, 1).queues  # for problems that only one thread may call
        self._gives_prior = gives_prior
        self.searches: list[RunningSearch] = []
        self.evaluations = self.batches = 0
        self._clear()

    def _clear(self) -> None:
        self._rows = Rows(self._by_state)
        self._format: RowFormat | None = None
        self._deadlines, self._next_deadline = np.zeros(0), np.inf
        self._queries: list[Query] = []
        self._answers = NOTHING

    def run_round(self, new: list[RunningSearch], queries: list[Query]) -> None:
        """Back up the last answers, end searches that are done, and ask about the others' next leaves and the queries.

        The `new` searches are among `searches` already.
        """
        self._queries = queries
        for search in new:
            self._rows.add(search.tree, search.last)
        if new:
            self._lay_out()
        rows = self._process_groups() if self.searches else ()
        self._answers = self._ask(rows, queries) if len(rows) or queries else NOTHING

    def fail(self, error: BaseException) -> None:
        """End all searches and queries by an exception."""
        for search in self.searches:
            search.end(error)
        for query in self._queries:
            if not query.answer.done():
                query.answer.set_exception(error)
        self.searches = []
        self._clear()

    def _lay_out(self) -> None:
        """Prepare for the searches that are there now."""
        self._deadlines = np.array([search.deadline for search in self.searches])
        self._next_deadline = self._deadlines.min(initial=np.inf)
        if self.searches:
            problem = self.searches[0].tree.problem
            if self._format is None or self._format.problem is not problem:
                self._format = RowFormat(problem, self._by_state)
            self._rows.lay_out(self._format)

    def _process_groups(self) -> Any:
        """Back up and select in every group that is not to end; the rows to be valued."""
        now = time.perf_counter()
        if now >= self._next_deadline or any(search.cancelled for search in self.searches):
            late = self._deadlines <= now
            self._next_deadline = self._deadlines[~late].min(initial=np.inf)
            cancelled = np.array([search.cancelled for search in self.searches])
            self._rows.groups["end"][late | cancelled] = 0
        if isinstance(self.searches[0].tree.problem, PythonProblem):
            with ExitStack() as locks:
                problems = {id(search.tree.problem): search.tree.problem for search in self.searches}
                for key in sorted(problems):  # always in the same order: two servers must not wait for each other
                    locks.enter_context(problems[key].exclusive)
                rows, special = self._rows.process(self._own_queue, *self._answers)
        else:
            rows, special = self._rows.process(self._queue, *self._answers)
        if special:
            self._handle_groups()
        return rows

    def _handle_groups(self) -> None:
        """Make room for groups that need it, and end the searches of those that are done."""
        groups = self._rows.groups
        for i in np.flatnonzero(groups["status"] != records.DONE):
            search, event = self.searches[i], int(groups["status"][i])
            if event in (records.FULL, records.INDEX):
                groups["status"][i] = records.DONE
                if not search.tree.make_room_for(int(groups["size"][i])):
                    search.reason = "memory"
                    groups["end"][i] = 0
            else:
                search.failed = event
        failed = np.array([search.failed != records.DONE for search in self.searches])
        done = failed | ((groups["count"] == 0) & (groups["trials"] >= groups["end"]))
        if done.any():
            finished = [self.searches[i] for i in np.flatnonzero(done)]
            self.searches = [search for search, out in zip(self.searches, done, strict=True) if not out]
            self._rows.groups = groups[~done]
            for search in finished:  # now: one that comes back at once must not be counted twice
                search.end()
            self._lay_out()

    def _ask(self, rows: Any, queries: list[Query]) -> Answers:
        """Ask about leaves and queries in one batch; answer the queries."""
        batches, row_format = [query.batch for query in queries], self._format
        if row_format is not None and len(rows):
            batches.insert(0, row_format.batch_of(rows))
        batch = _joined(batches)
        self.batches += 1
        self.evaluations += len(batch)
        priors, values = self._evaluate(batch)
        at = count = len(rows)
        for query in queries:
            end = at + len(query.batch)
            query.answer.set_result((None if priors is None else priors[at:end], values[at:end]))
            at = end
        if row_format is None or count == 0:
            return NOTHING
        if len(queries):
            priors, values = None if priors is None else priors[:count], values[:count]
        return checked((priors, values), count, row_format.actions, self._gives_prior)


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], list):  # Python objects
        return [item for part in parts for item in part]
    return np.concatenate(parts)
