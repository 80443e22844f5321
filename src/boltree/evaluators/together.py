"""Many searches that share one evaluator: the leaves of all of them are valued in common batches.

Each search is run from a thread of its own (a game, an agent), which waits while one server does the work: while a
cohort of searches is valued, another backs up and selects, in several threads. A search has one batch of its own on its
way and is in one cohort only; so what it does depends on its seed and its own batch size, not on the others.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from ..core import records
from ..errors import ParameterError
from .cohort import Client, Cohort, Kind, Question
from .crowd import Crowd
from .door import PATIENCE, Door

if TYPE_CHECKING:
    from ..search import Search

COHORTS = 3
"""One is valued, one waits to be, one is worked on."""

MOST_THREADS = 12
"""Unless asked for: the games' own threads and the evaluator need some cores too."""

TURN = 2e-4
"""Seconds after which a Python thread must let another go on, while searches run together: the server waits for its
turn many times a batch, and the interpreter's own 5 ms would be most of a batch's time."""


@contextmanager
def taking_turns() -> Iterator[None]:
    """Let Python's threads take turns more often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, TURN))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Together:
    """An evaluator for many searches at once: what it is asked, it asks another in common batches.

    Give it to every search as its evaluator, and run each search in a thread of its own. The searches must be of one
    kind of problem. Of each search the evaluator gets up to ``evaluator.batch`` leaves at a time.

    Args:
        evaluator: the one that values all leaves.
        threads: how many threads back up and select; one a core, but at most 12, if None.

    Example:
        >>> import numpy as np
        >>> import boltree as bt
        >>> class Half:
        ...     gives_prior, batch = False, 4
        ...     def evaluate(self, batch):
        ...         return None, np.full(len(batch), 0.5)
        >>> with Together(Half()) as together, ThreadPoolExecutor(3) as threads:
        ...     searches = [bt.Search(bt.problems.DChain(9), bt.BTS(), seed=i, evaluator=together) for i in range(3)]
        ...     list(threads.map(lambda search: search.run(trials=100), searches))
        ['trials', 'trials', 'trials']
    """

    def __init__(self, evaluator: Any, threads: int | None = None) -> None:
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise ParameterError(f"Together: threads={threads!r}, must be an integer of at least 1, or None")
        if not callable(getattr(evaluator, "evaluate", None)):
            raise ParameterError(f"Together: evaluator={evaluator!r}, must be an object with evaluate(batch)")
        self.evaluator = evaluator
        self.evaluations = self.batches = 0  # so far
        self._threads = threads or min(os.cpu_count() or 1, MOST_THREADS)
        self._wake = threading.Condition()
        self._door = Door()
        self._coming: deque[Client] = deque()
        self._asked: deque[Question] = deque()
        self._server: threading.Thread | None = None
        self._closed = False
        self._kind: Kind | None = None
        self._inside = 0  # searches that run

    @property
    def gives_prior(self) -> bool:
        """Whether the evaluator gives priors."""
        return bool(getattr(self.evaluator, "gives_prior", True))

    @property
    def batch(self) -> Any:
        """How many leaves of one search are valued at a time."""
        return getattr(self.evaluator, "batch", 1)

    def __enter__(self) -> Together:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End; a search that still runs raises RuntimeError."""
        with self._wake:
            self._closed = True
            server = self._server
            self._wake.notify_all()
        if server is not None:
            server.join()

    def evaluate(self, batch: Any) -> tuple[Any, Any]:
        """Priors (or None) and values of K positions, valued together with the others' leaves."""
        question = Question(batch)
        self._enter(self._asked, question)
        return question.answer.result()

    def run(self, search: Search, trials: int | None, seconds: float | None) -> str:
        """Run a search, whose root's own prior is known, among the others; why it stopped."""
        client = Client(search, trials, seconds, self._door)
        self._enter(self._coming, client)
        self._door.come_in()
        try:
            client.ended.wait()
        except BaseException:
            client.cancelled = True
            client.ended.wait()
            client.abandon()
            raise
        if client.error is not None or client.failed != records.DONE:
            client.abandon()
        if client.error is not None:
            raise client.error
        if client.failed != records.DONE:
            from ..failures import raise_failure

            raise_failure(search, client.failed)
        return client.reason

    @contextmanager
    def admitted(self, search: Search) -> Iterator[None]:
        """Let a search in while it runs; refuse one whose leaves cannot stand in one batch with the others'."""
        kind = Kind(search.problem)
        with self._wake:
            if self._kind is None or self._inside == 0:
                self._kind = kind
            elif not self._kind.fits(kind):
                raise ParameterError(
                    f"Together: problem={type(search.problem).__name__}: must be like "
                    f"{type(self._kind.problem).__name__}, of the same size, which it serves already; make another "
                    "Together for another problem"
                )
            self._inside += 1
        try:
            yield
        finally:
            with self._wake:
                self._inside -= 1

    def _enter(self, queue: deque[Any], one: Any) -> None:
        with self._wake:
            if self._closed:
                raise RuntimeError("Together was closed")
            queue.append(one)
            if self._server is None:
                self._server = threading.Thread(target=self._serve, name="boltree-together", daemon=True)
                self._server.start()
            self._wake.notify_all()

    def _ask(self, batch: Any) -> tuple[Any, Any]:
        self.evaluations += len(batch)
        self.batches += 1
        answer: tuple[Any, Any] = self.evaluator.evaluate(batch)
        return answer

    def _serve(self) -> None:
        with closing(Crowd(self._threads - 1)) as crowd, ThreadPoolExecutor(COHORTS) as askers, taking_turns():
            cohorts = [Cohort(self._ask, crowd, askers, self.gives_prior) for _ in range(COHORTS)]
            turn = 0
            while True:
                turn = (turn + 1) % COHORTS
                leaving = self._door.look()
                with self._wake:
                    while not (self._closed or self._coming or self._asked or any(one.busy for one in cohorts)):
                        self._wake.wait(PATIENCE if leaving else None)
                        leaving = self._door.look()
                    if self._closed:
                        break
                    places = sum(len(one.clients) for one in cohorts) + len(self._coming)
                    fair = -(-places // COHORTS) - len(cohorts[turn].clients)
                    new = [self._coming.popleft() for _ in range(min(max(fair, 0), len(self._coming)))]
                    questions = [self._asked.popleft() for _ in range(len(self._asked))]
                try:
                    cohorts[turn].advance(new, questions)
                except BaseException as error:  # whatever it is, nobody may wait for ever
                    cohorts[turn].fail(error)
            ended = RuntimeError("Together was closed")
            for cohort in cohorts:
                cohort.fail(ended)
            for client in self._coming:
                client.end(error=ended)
            for question in self._asked:
                question.answer.set_exception(ended)
            self._door.open()
