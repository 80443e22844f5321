"""Many searches that share one evaluator: the leaves of all of them are valued in common batches.

Each search is run from a thread of its own (a game, an agent), which waits while a server's thread does the work
(server.py): while one server's batch is valued, another server backs up and selects, with the help of other threads
(rows.py). A search has one batch of its own in flight and belongs to one server only; so what it does depends on its
seed and its own batch size, not on the others.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from ..checks import whole
from ..core.interrupts import held_back
from ..core.memory import layout as records
from ..errors import ParameterError
from ..evaluators import answer_about, takes_states
from ..tree import Tree
from ..tree.runner import Limits
from .rows import HelperPool, RowFormat
from .server import Query, RunningSearch, Server, WakeUps
from .switch_interval import short_switch_interval

MOST_THREADS = 15
"""The default number of threads, at most: more were not seen to bring more."""


class Together:
    """An evaluator that many searches share: it has another one value their leaves in common batches.

    Give it to every search as its evaluator, and run each search in a thread of its own. The searches must be of one
    kind of problem. Of each search the evaluator gets up to ``evaluator.batch`` leaves at a time.

    While searches run, Python's threads switch every 0.2 ms instead of every 5 ms in the whole process
    (``sys.setswitchinterval``); batches/switch_interval.py says what that brings.

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

    serves_many_searches = True

    at_once = 4
    """The most batches at a time, of which one is valued, one waits for that, the others are backed up and selected."""

    def __init__(self, evaluator: Any, threads: int | None = None) -> None:
        whole("threads", threads, 1, none=True, of="Together")
        if not callable(getattr(evaluator, "evaluate", None)):
            raise ParameterError(f"Together: evaluator={evaluator!r}, must be an object with evaluate(batch)")
        self.evaluator = evaluator
        self._threads = threads or min(os.cpu_count() or 1, MOST_THREADS)
        self._arrivals = Arrivals()
        self._lock = threading.Lock()
        self._serving: threading.Thread | None = None
        self._format: RowFormat | None = None
        self._running = 0  # searches that run

    @property
    def gives_prior(self) -> bool:
        """Whether the evaluator gives priors."""
        return bool(getattr(self.evaluator, "gives_prior", True))

    @property
    def takes_states(self) -> bool:
        """Whether it is given states, to tell the evaluator what that wants to know of them."""
        return takes_states(self.evaluator)

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
        self._arrivals.close()
        with self._lock:
            serving = self._serving
        if serving is not None:
            serving.join()

    def evaluate(self, batch: Any) -> tuple[Any, Any]:
        """Priors (or None) and values of K positions, valued together with the others' leaves."""
        query = Query(batch)
        self._enter(query)
        return query.answer.result()

    def run(self, tree: Tree, trials: int | None, seconds: float | None) -> str:
        """Run the trials of a tree, whose root's own prior is known, among the others; why the run ended."""
        search = RunningSearch(tree, trials, seconds, self._arrivals.wake_ups)
        entered = False
        try:
            with held_back():
                self._enter(search)
                entered = True
                self._arrivals.wake_ups.note_arrival()
            search.ended.wait()
        except BaseException:
            if entered:
                search.cancelled = True
                with held_back():
                    search.ended.wait()
                    search.abandon()
            raise
        if search.error is not None or search.failed != records.DONE:
            search.abandon()
        if search.error is not None:
            raise search.error
        tree.handle(search.failed)
        return search.reason

    @contextmanager
    def admitted(self, tree: Tree) -> Iterator[None]:
        """Admit a search while it runs; refuse one whose leaves cannot stand in one batch with the others'."""
        row_format = RowFormat(tree.problem, self.takes_states)
        with self._lock:
            if self._format is None or self._running == 0:
                self._format = row_format
            elif not self._format.fits(row_format):
                raise ParameterError(
                    f"Together: problem={type(tree.problem).__name__}: must be like "
                    f"{type(self._format.problem).__name__}, of the same size, which it serves already; make another "
                    "Together for another problem"
                )
            self._running += 1
        try:
            with short_switch_interval():
                yield
        finally:
            with self._lock:
                self._running -= 1

    def _enter(self, one: RunningSearch | Query) -> None:
        with self._lock:
            if self._serving is None:
                serving = threading.Thread(target=self._serve, name="boltree-together", daemon=True)
                serving.start()
                self._serving = serving
        self._arrivals.add(one)

    @property
    def evaluations(self) -> int:
        """How many positions were valued so far."""
        return sum(server.evaluations for server in self._arrivals.servers)

    @property
    def batches(self) -> int:
        """In how many batches."""
        return sum(server.batches for server in self._arrivals.servers)

    def _ask(self, batch: Any) -> tuple[Any, Any]:
        answer: tuple[Any, Any]
        if self.takes_states:
            assert self._format is not None  # a search was admitted before
            answer = answer_about(self.evaluator, self._format.problem, batch)
        else:
            answer = self.evaluator.evaluate(batch)
        return answer

    def _serve(self) -> None:
        """Start a thread for each server, and stagger wake-ups until this is closed."""
        started: list[threading.Thread] = []
        with ExitStack() as stack:
            try:
                pool = stack.enter_context(closing(HelperPool(self._threads, self.at_once)))
                how = self._ask, self.gives_prior, self.takes_states
                self._arrivals.servers = [Server(queue, *how) for queue in pool.queues]
                for server in self._arrivals.servers:
                    thread = threading.Thread(target=self._run_server, args=(server,), name="boltree-server")
                    thread.start()
                    started.append(thread)
                self._arrivals.wake_ups.watch()
            except BaseException as error:  # a thread could not be started, say
                self._arrivals.close(error)
            for thread in started:
                thread.join()
            self._arrivals.refuse_all()

    def _run_server(self, server: Server) -> None:
        while (taken := self._arrivals.take(server)) is not None:
            try:
                server.run_round(*taken)
            except BaseException as error:  # whatever it is, no search may wait for ever
                server.fail(error)


class Arrivals:
    """Searches and queries that no server has taken yet.

    Attributes:
        servers: those that take them.
        wake_ups: wakes up the threads of searches that have ended.
    """

    def __init__(self) -> None:
        self.wake_ups = WakeUps()
        self.servers: list[Server] = []
        self._change = threading.Condition()
        self._searches: deque[RunningSearch] = deque()
        self._queries: deque[Query] = deque()
        self._closed: RuntimeError | None = None  # once this is closed: the error by which searches and queries end

    def add(self, one: RunningSearch | Query) -> None:
        """Add a search or a query."""
        with self._change:
            if self._closed is not None:
                raise self._closed
            if isinstance(one, RunningSearch):
                self._searches.append(one)
            else:
                self._queries.append(one)
            if not all(server.searches for server in self.servers):  # busy servers look by themselves
                self._change.notify_all()

    def take(self, server: Server) -> tuple[list[RunningSearch], list[Query]] | None:
        """The searches and queries that a server takes; None once this is closed. Waits while it has nothing to do."""
        self.wake_ups.look()
        if server.searches and not (self._searches or self._queries or self._closed):
            return [], []  # as nearly always: the lock would cost more than all else here
        with self._change:
            while not self._closed:
                if self._searches or self._queries:
                    fair = max(-(-self._count() // len(self.servers)) - len(server.searches), 0)
                    new = [self._searches.popleft() for _ in range(min(fair, len(self._searches)))]
                    server.searches += new  # here, under the lock: every search must be counted at any time
                    return new, [self._queries.popleft() for _ in range(len(self._queries))]
                if server.searches:
                    return [], []
                self._change.wait()
            return None

    def _count(self) -> int:
        """How many searches there are, with those that run."""
        return sum(len(one.searches) for one in self.servers) + len(self._searches)

    def close(self, why: BaseException | None = None) -> None:
        """Take no searches any more, and wake up all threads whose searches have ended."""
        with self._change:
            self._closed = self._closed or RuntimeError("Together was closed" + (f": {why}" if why else ""))
            self._change.notify_all()
        self.wake_ups.wake_all()

    def refuse_all(self) -> None:
        """End whatever still waits, when this is closed and no server runs any more."""
        assert self._closed is not None
        for server in self.servers:
            server.fail(self._closed)
        for search in self._searches:
            search.end(self._closed)
        for query in self._queries:
            query.answer.set_exception(self._closed)


class CommonBatches:
    """Runs the trials of a tree in common batches with other searches."""

    parallelism = "one thread"
    trials = 0

    def __init__(self, tree: Tree, together: Together) -> None:
        self.tree, self._together = tree, together

    def run(self, limits: Limits) -> str:
        """Run until a limit is reached; why the run ended. A server's thread does the work."""
        if limits.stop is not None or limits.watch is not None:
            raise ParameterError(
                "run(stop=..., progress=...): not with the evaluator Together, which runs many searches"
            )
        tree, trials = self.tree, limits.trials
        tree.abandon()  # an interrupt came between a leaf and its evaluation
        tree.run(0)  # compile, if need be
        with self._together.admitted(tree):
            if trials != 0 and tree.root_waits:
                with tree.problem.exclusive:
                    enough = tree.run(1)
                if not enough:
                    return "memory"
                trials = None if trials is None else trials - 1
            return self._together.run(tree, trials, limits.seconds)
