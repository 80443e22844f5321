"""Which way of working together suits a search, and what all of them offer.

Three ways, each in its own file:

* `shared_tree`: all threads run trials on one tree, with a lock per node. For problems whose steps or rollouts cost
  more than the work in the tree, of which the root's must be done by one thread at a time.
* `own_trees`: every thread has a tree, and what they learnt is merged when the run ends. For cheap problems; and for
  algorithms that count every single trial. The same tree for the same seed and number of threads.
* `rounds`: one thread selects, all roll out, one backs up. The same tree for the same seed and number of threads. For
  long rollouts.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..core import records, space
from ..errors import ParameterError
from ..python_problem import PythonProblem

if TYPE_CHECKING:
    from ..search import Search

MAX_THREADS = 256
DEAR = 1500e-9
"""Seconds of a trial per node on its way from which threads share a tree."""
LONG = 1500
"""Steps of a rollout times actions from which rollouts are worth rounds: a clock would not decide alike every time."""
SAMPLE, PART = 64, 16
"""Trials that are run by one thread to measure that, and of how many each: other work on the machine only slows it."""


@dataclass(frozen=True)
class Waiting:
    """How much of the threads' time went into waiting for a node that another was at."""

    share: float
    times: int


class Crew(Protocol):
    """Threads that run the trials of one search."""

    way: str
    ready_in: float
    """Seconds that it took to compile what they run, which are no part of a run's time."""

    def run(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run about so many trials, and never beyond the `last`; False when memory does not suffice for all threads.

        `left` are the seconds that are left, where the run ends by the clock.
        """

    def finish(self) -> None:
        """Make the search's tree whole: the run is over."""

    @property
    def trials(self) -> int:
        """Trials that are not in the search's tree yet."""

    def waiting(self) -> Waiting:
        """What waiting for each other has cost."""


class Unhired:
    """Several threads are wanted, and the search has not yet shown what it costs."""

    way = "unknown"
    trials = 0
    ready_in = 0.0

    def __init__(self, search: Search, threads: int, seed: np.random.SeedSequence) -> None:
        self._search, self._threads, self.seed = search, threads, seed
        self._compact = int(search._tree.compact)
        self._least = np.inf  # seconds a node, of the fastest part
        search._tree.compact = 0  # as threads on one tree need it

    def run(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run some of the first trials alone, then decide."""
        search = self._search
        began, visits = time.perf_counter(), int(search._tree.visits_made)
        room = search._run_chunk(min(trials, PART))
        spent = time.perf_counter() - began
        self._least = min(self._least, spent / max(int(search._tree.visits_made) - visits, 1))
        if search.trials >= SAMPLE:
            dear = self._least >= DEAR
            way = _shared_tree if dear and not counts_trials(search) else _own_trees
            if way is _own_trees:
                search._tree.compact = self._compact
            began = time.perf_counter()
            search._crew = way(search, self._threads, self.seed)
            search._crew.ready_in = time.perf_counter() - began
        return room

    def finish(self) -> None:
        """Nothing was left undone."""

    def waiting(self) -> Waiting:
        """Nobody waited."""
        return Waiting(0.0, 0)


def check_threads(threads: Any, deterministic: Any) -> None:
    """Refuse what is not a number of threads."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 1 <= threads <= MAX_THREADS:
        raise ParameterError(f"threads={threads!r}: must be an integer from 1 to {MAX_THREADS}")
    if not isinstance(deterministic, bool):
        raise ParameterError(f"deterministic={deterministic!r}: must be True or False")


def hire(search: Search, threads: int, deterministic: bool, seed: np.random.SeedSequence) -> Crew | None:
    """The threads of a search; None for a single one."""
    if threads == 1:
        return None
    if isinstance(search.problem, PythonProblem):
        raise ParameterError(
            f"threads={threads}: {type(search.problem).__name__} runs Python code, which one thread at a time can; "
            "use threads=1, or write the problem as a bt.Problem"
        )
    t = search._tree
    if t.evaluator == records.EXTERNAL:
        raise ParameterError(
            f"threads={threads}: this evaluator takes leaves in batches and works in parallel by itself; use threads=1"
        )
    if t.budget:
        t.budget = -(-int(t.budget) // threads)  # of each tree
    if not deterministic:
        return Unhired(search, threads, seed)
    rolls_out = t.growth == records.LEAF and t.evaluator == records.ROLLOUT
    long = search.problem.horizon * search.problem.actions >= LONG
    way = _rounds if rolls_out and long and not counts_trials(search) else _own_trees
    return way(search, threads, seed)


def resume(search: Search, compact: int) -> None:
    """Go on with a saved tree: where nodes were made compact, every thread had a tree of its own."""
    search._tree.compact = compact
    if compact and isinstance(search._crew, Unhired):
        search._crew = _own_trees(search, search.threads, search._crew.seed)


def counts_trials(search: Search) -> bool:
    """Whether an algorithm counts single trials, so that threads cannot share its tree."""
    t = search._tree
    return bool(t.distribution in (space.HALVING, space.SWITCHING) or t.adaptive)


def _shared_tree(search: Search, threads: int, seed: np.random.SeedSequence) -> Crew:
    from .shared_tree import SharedTree

    return SharedTree(search, threads, seed)


def _own_trees(search: Search, threads: int, seed: np.random.SeedSequence) -> Crew:
    from .own_trees import OwnTrees

    return OwnTrees(search, threads, seed)


def _rounds(search: Search, threads: int, seed: np.random.SeedSequence) -> Crew:
    from .rounds import Rounds

    return Rounds(search, threads, seed)


def new_pool(threads: int) -> ThreadPoolExecutor:
    """Threads besides the caller's own."""
    return ThreadPoolExecutor(threads - 1, thread_name_prefix="boltree")
