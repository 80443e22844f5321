"""The workers of `bt.search_many`: each runs many searches, one after the other, in the memory of one tree."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.configure import enter_problem
from ..core.memory import layout as records
from ..core.memory.layout import NODE, TREE
from ..core.native import for_kernels
from ..core.trial.many import JOB, plant_search, read_search, run_searches
from ..errors import ParameterError, ProblemError
from ..problem.problem import Problem
from ..tree import Tree
from ..tree.runner import CHUNK_SECONDS, Limits, Runner
from ..tree.tree import draw_noise

Searcher = tuple[Tree, Runner]
"""The tree of a search and what runs its trials."""

FIRST_QUOTA = 64
SHARES = 16
"""Parts of the searches for every thread, about: enough that all threads end at about the same time."""


class Task:
    """Many searches: what they start from, and what they find.

    Args:
        problems: the different problems.
        which: each search's problem among them.
        starts: each search's state, as words.
        seeds: of the searches.
        words: what the seeds are for the kernel: each search's number for ties, and its generator.
        trials: of each search.
        new_search: makes the tree and the runner of a search of a problem from a state; a worker uses their memory.
    """

    def __init__(
        self,
        problems: list[Problem],
        which: NDArray[np.int64],
        starts: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
        words: NDArray[np.uint64],
        trials: int,
        new_search: Callable[[Problem, Any], Searcher],
    ) -> None:
        self.problems, self.which, self.starts, self.words, self.trials = problems, which, starts, words, trials
        self._new_search = new_search
        self.count, actions = len(which), problems[0].actions
        self.actions = np.full(self.count, records.NONE, np.int64)
        self.values = np.full(self.count, np.nan)
        self.visits = np.zeros((self.count, actions), np.int64)
        self.q, self.policy = np.full((self.count, actions), np.nan), np.zeros((self.count, actions))
        self._path = np.zeros(1, np.int64)
        self._lock = threading.Lock()
        first = self.new_search()
        tree = first[0]
        self._spare: list[Searcher] = [first]
        self._root = np.array(tree.storage.nodes[:1], NODE)
        self._fresh = np.zeros(len(problems), TREE).view(np.recarray)
        for k, problem in enumerate(problems):
            self._fresh[k] = tree.record[0]
            if problem is not tree.problem:
                enter_problem(self._fresh[k], problem)
                for name in ("prior", "rollout", "heuristic"):
                    if tree.fields[name]:
                        self._fresh[k][name] = problem.address(name)
        self._noise = self._draw_noise(tree, seeds) if tree.fields.noise_weight else np.zeros((0, 0))

    def new_search(self) -> Searcher:
        """The tree and the runner of a search, with memory for the longest trials of all."""
        longest = max(self.problems, key=lambda problem: problem.horizon)
        number = int(np.argmax(self.which == self.problems.index(longest)))
        with self.naming(number):
            tree, runner = self._new_search(longest, self.state(number))
        tree.set_budget(self.trials)
        return tree, runner

    def _draw_noise(self, tree: Tree, seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The noise of every root, which a `Search` draws by NumPy."""
        noise = np.zeros_like(self.policy)
        for i, seed in enumerate(seeds.tolist()):
            generator = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
            with self.naming(i):
                legal = np.array(self.problem(i).legal_actions(self.state(i)), np.int64)
            draw_noise(tree.algorithm, legal, generator, noise[i])
        return noise

    def problem(self, number: int) -> Problem:
        """A search's problem."""
        return self.problems[int(self.which[number])]

    def state(self, number: int) -> Any:
        """The state's record from which a search starts."""
        return self.starts[number].copy().view(self.problem(number).state_layout())[0]

    def new_worker(self) -> Worker:
        """Another worker for this task."""
        with self._lock:
            spare = self._spare.pop() if self._spare else None
        tree, runner = spare or self.new_search()
        job = for_kernels(np.zeros(1, JOB))
        j = job.view(np.recarray)[0]
        j.trials, j.tree_at = self.trials, tree.record.ctypes.data
        for name, array in (
            ("fresh", self._fresh), ("root", self._root), ("path", self._path), ("which", self.which),
            ("starts", self.starts), ("words", self.words), ("actions", self.actions), ("visits", self.visits),
            ("q", self.q), ("values", self.values), ("policy", self.policy),
        ):  # fmt: skip
            j[f"{name}_at"] = array.ctypes.data
        j.noise_at = self._noise.ctypes.data if self._noise.size else 0
        return Worker(self, tree, runner, job)

    def named(self, number: int, error: Exception) -> Exception:
        """An error that says which search it was and where it started."""
        return named(number, self.count, error, repr(self.problem(number).present(self.state(number))))

    @contextmanager
    def naming(self, number: int) -> Iterator[None]:
        """Add the search's number and state to an error that a problem raises in plain Python."""
        try:
            yield
        except ParameterError:  # it is no search's
            raise
        except Exception as error:
            raise self.named(number, error) from error


def named(number: int, count: int, error: Exception, start: str = "") -> Exception:
    """An error that says which of many searches it was, and from where."""
    kind = ParameterError if isinstance(error, ParameterError) else ProblemError
    what = str(error) if isinstance(error, (ParameterError, ProblemError)) else f"{type(error).__name__}: {error}"
    return kind(f"search {number} of {count}{f', from {start}' if start else ''}: {what}")


class Worker:
    """One tree and its memory, in which searches are run one after the other."""

    def __init__(self, task: Task, tree: Tree, runner: Runner, job: Any) -> None:
        self.task, self.tree, self._runner = task, tree, runner
        self._jobs, self._job = job, job.view(np.recarray)[0]
        self._quota = FIRST_QUOTA

    @property
    def number(self) -> int:
        """The number of the search that is being run."""
        return int(self._job.number)

    def run(self, first: int, last: int, goes_on: Callable[[int], bool]) -> None:
        """Run the searches from `first` to `last`, while the next one is wanted (`goes_on`)."""
        job = self._job
        job.number, job.planted, job.last = first, 0, last
        while job.number < last and goes_on(int(job.number)):
            job.left = self._quota
            began = time.perf_counter()
            code = int(run_searches(self.tree.record, self._jobs))
            if code == records.DONE:
                spent = max(time.perf_counter() - began, 1e-6)
                rate = (self._quota - int(job.left)) / spent
                self._quota = max(1, min(int(rate * CHUNK_SECONDS), 8 * self._quota))
            else:
                self._handle(code)

    def run_among_others(self, number: int) -> None:
        """Run one search whose leaves an evaluator values."""
        self._job.number, self._job.planted = number, 0
        self.tree.problem = self.task.problem(number)
        code = int(plant_search(self.tree.record, self._jobs))
        if code == records.DONE:
            if self._runner.run(Limits(trials=self.task.trials)) == "memory":
                self._refuse_memory()
            code = int(read_search(self.tree.record, self._jobs))
        if code != records.DONE:
            self._handle(code)

    def _handle(self, event: int) -> None:
        """Make the room that the search needs, or raise what went wrong."""
        tree, number = self.tree, int(self._job.number)
        if event not in (records.INDEX, records.FULL):
            tree.problem = self.task.problem(number)
            if not self._job.planted:
                tree.plant(self.task.state(number))  # in plain Python, where `player` raises again
        if not tree.handle(event):
            self._refuse_memory()

    def _refuse_memory(self) -> None:
        done, limit = self.tree.trials, self.tree.max_bytes
        raise ProblemError(
            f"max_bytes={limit}: there is room for {done} of {self.task.trials} trials; give max_bytes=... or fewer"
        )


class SearchThreads:
    """Threads that take the next searches when they have done theirs; the lowest number that fails is raised.

    What is found depends on no thread, since each search has its own generator and a tree of its own.
    """

    def __init__(self, task: Task, threads: int) -> None:
        self._task, self._threads = task, threads
        size = task.count if threads == 1 else max(1, task.count // (SHARES * threads))
        self._ranges: Iterator[int] = iter(range(0, task.count, size))
        self._size = size
        self._lock = threading.Lock()
        self._failed: dict[int, Exception] = {}
        self._stopped = False

    def run(self) -> None:
        """Run all searches."""
        if self._threads == 1:
            self._work()
        else:
            with ThreadPoolExecutor(self._threads, "boltree-many") as threads:
                try:
                    begun = [threads.submit(self._work) for _ in range(self._threads)]
                    wait(begun)
                finally:
                    self._stopped = True  # nothing more is begun, whatever came: Ctrl-C, or the end
            for one in begun:
                one.result()
        if self._failed:
            number = min(self._failed)
            error = self._failed[number]
            raise self._task.named(number, error) from error

    def _goes_on(self, number: int) -> bool:
        return not self._stopped and number < min(self._failed, default=self._task.count)

    def _work(self) -> None:
        worker: Worker | None = None
        while not self._stopped:
            with self._lock:
                first = next(self._ranges, None)
                if first is None or self._failed:
                    return
                worker = worker or self._task.new_worker()
            try:
                worker.run(first, min(first + self._size, self._task.count), self._goes_on)
            except Exception as error:
                self._failed[worker.number] = error
                return
