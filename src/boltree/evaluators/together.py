"""Many searches that share one evaluator: the leaves of all of them are valued in common batches.

Each search is run from a thread of its own (a game, an agent), which waits while another thread does the work for a
cohort of searches: while one cohort is valued, another backs up and selects, with a crowd of helpers. A search has one
batch of its own on its way and is in one cohort only; so what it does depends on its seed and its own batch size, not
on the others.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

from ..core import records
from ..core.interrupts import held_back
from ..errors import ParameterError
from .cohort import Client, Cohort, Question
from .crowd import Crowd
from .desk import Desk
from .kind import Kind
from .turns import taking_turns

if TYPE_CHECKING:
    from ..search import Search

MOST_THREADS = 15
"""Unless asked for: more were not seen to bring more."""


class Together:
    """An evaluator for many searches at once: what it is asked, it asks another in common batches.

    Give it to every search as its evaluator, and run each search in a thread of its own. The searches must be of one
    kind of problem. Of each search the evaluator gets up to ``evaluator.batch`` leaves at a time.

    Args:
        evaluator: the one that values all leaves. It is asked from several threads at the same time.
        threads: how many threads back up and select at the same time; one a core, but at most 15, if None.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
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

    at_once = 4
    """Batches on their way at a time, at most; one is valued, one waits to be, the others are worked on."""

    def __init__(self, evaluator: Any, threads: int | None = None) -> None:
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise ParameterError(f"Together: threads={threads!r}, must be an integer of at least 1, or None")
        if not callable(getattr(evaluator, "evaluate", None)):
            raise ParameterError(f"Together: evaluator={evaluator!r}, must be an object with evaluate(batch)")
        self.evaluator = evaluator
        self._threads = threads or min(os.cpu_count() or 1, MOST_THREADS)
        self._desk = Desk()
        self._lock = threading.Lock()
        self._serving: threading.Thread | None = None
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
        self._desk.close()
        with self._lock:
            serving = self._serving
        if serving is not None:
            serving.join()

    def evaluate(self, batch: Any) -> tuple[Any, Any]:
        """Priors (or None) and values of K positions, valued together with the others' leaves."""
        question = Question(batch)
        self._enter(question)
        return question.answer.result()

    def run(self, search: Search, trials: int | None, seconds: float | None) -> str:
        """Run a search, whose root's own prior is known, among the others; why it stopped."""
        client = Client(search, trials, seconds, self._desk.door)
        entered = False
        try:
            with held_back():
                self._enter(client)
                entered = True
                self._desk.door.come_in()
            client.ended.wait()
        except BaseException:
            if entered:
                client.cancelled = True
                with held_back():
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
        with self._lock:
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
            with taking_turns():
                yield
        finally:
            with self._lock:
                self._inside -= 1

    def _enter(self, one: Client | Question) -> None:
        with self._lock:
            if self._serving is None:
                serving = threading.Thread(target=self._serve, name="boltree-together", daemon=True)
                serving.start()
                self._serving = serving
        self._desk.enter(one)

    @property
    def evaluations(self) -> int:
        """How many positions were valued so far."""
        return sum(cohort.evaluations for cohort in self._desk.cohorts)

    @property
    def batches(self) -> int:
        """In how many batches."""
        return sum(cohort.batches for cohort in self._desk.cohorts)

    def _ask(self, batch: Any) -> tuple[Any, Any]:
        answer: tuple[Any, Any] = self.evaluator.evaluate(batch)
        return answer

    def _serve(self) -> None:
        """Let a thread serve each cohort, and keep the door, until it is closed."""
        started: list[threading.Thread] = []
        with ExitStack() as stack:
            try:
                crowd = stack.enter_context(closing(Crowd(self._threads, self.at_once)))
                self._desk.cohorts = [Cohort(self._ask, board, self.gives_prior) for board in crowd.boards]
                for cohort in self._desk.cohorts:
                    thread = threading.Thread(target=self._serve_one, args=(cohort,), name="boltree-cohort")
                    thread.start()
                    started.append(thread)
                self._desk.door.keep()
            except BaseException as error:  # a thread could not be started, say
                self._desk.close(error)
            for thread in started:
                thread.join()
            self._desk.dismiss()

    def _serve_one(self, cohort: Cohort) -> None:
        while (taken := self._desk.take(cohort)) is not None:
            try:
                cohort.advance(*taken)
            except BaseException as error:  # whatever it is, nobody may wait for ever
                cohort.fail(error)
