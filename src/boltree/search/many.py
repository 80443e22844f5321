"""``bt.search_many``: thousands of small searches at once, for self-play and for agents in many environments."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import NDArray

from ..algorithms.table import Algorithm
from ..batches.together import Together
from ..checks import whole
from ..core.memory.arena import physical_memory
from ..core.trial.seeds import write_words
from ..errors import ParameterError, ProblemError
from ..evaluators import Evaluator, side_of, wants_of
from ..problem.problem import Problem, not_a_problem
from ..problem.python.problem import PythonProblem
from .search import Search
from .workers import Searcher, SearchThreads, Task, named

IN_FLIGHT = 64
"""How many searches share the batches of an evaluator at a time."""


@dataclass(frozen=True, eq=False)
class Searches:
    """What many searches found: arrays with a row for each. Values are player 0's."""

    actions: NDArray[np.int64]
    """The recommended action of each search; -1 where none was tried (`BRUE` with few trials)."""
    visits: NDArray[np.int64]
    """N(s,a) at each root, over all actions; 0 where one is not legal."""
    q: NDArray[np.float64]
    """Q(s,a) at each root, over all actions; NaN where one is untried or not legal."""
    values: NDArray[np.float64]
    """V(s) of each root."""
    policy: NDArray[np.float64]
    """The search distribution of each root's next visit, over all actions, as ``Search.policy`` gives it."""
    seeds: NDArray[np.uint64]
    """The seed of each search. ``bt.Search(..., seed=found.seeds[i])`` does the same, bit for bit."""

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"<{len(self):,} searches over {self.visits.shape[1]} actions>"

    @property
    def shares(self) -> NDArray[np.float64]:
        """Each root's visits as shares of their sum, which a network's policy is trained on."""
        shares: NDArray[np.float64] = self.visits / np.maximum(self.visits.sum(axis=1, keepdims=True), 1)
        return shares


def search_many(
    problems_or_states: Iterable[Any],
    algorithm: Algorithm,
    trials: int,
    threads: int = 1,
    *,
    problem: Problem | None = None,
    seed: int | None = None,
    growth: Literal["leaf", "trial"] = "leaf",
    evaluator: Union[float, str, Evaluator] = "rollout",
    max_bytes: int | None = None,
) -> Searches:
    """Run a search from each of many states, or for each of many problems; on several cores, in memory that is reused.

    Args:
        problems_or_states: states of `problem`, as an array of records or one by one; or problems of one kind, each
            searched from its start.
        algorithm: how to search.
        trials: of each search.
        threads: how many work at the same time. What is found does not depend on it. A `PythonProblem` takes one.
        problem: whose states they are.
        seed: of all; each search has a seed of its own, which `Searches` tells.
        growth: as of `Search`.
        evaluator: as of `Search`. An object's batches are shared by the searches, as `Together` does it.
        max_bytes: of one tree; four fifths of the machine's memory, shared by the threads, if None.

    An error names the search by its number and its state. Of several that fail it is the one with the lowest number;
    with an evaluator, the one that failed first.

    Example:
        >>> import boltree as bt
        >>> game = bt.problems.ConnectFour()
        >>> states = [bt.problems.ConnectFour(moves).start_state() for moves in ("001122", "32323")]
        >>> found = bt.search_many(states, bt.UCT(), trials=400, threads=2, problem=game, seed=0)
        >>> found.actions  # to win, and not to lose
        array([3, 3])
        >>> found.visits.sum(axis=1)
        array([400, 400])
    """
    for name, given in (("trials", trials), ("threads", threads)):
        whole(name, given, 1)
    whole("seed", seed, 0, none=True)
    if problem is None:
        problems, which = _different(problems_or_states)
    else:
        if not isinstance(problem, Problem):
            raise not_a_problem(problem)
        starts = _words_of(problem, problems_or_states)
        problems, which = [problem], np.zeros(len(starts), np.int64)
    for one in problems:
        one.refuse_boxes("bt.search_many")
    if any(one.hidden for one in problems):
        raise ParameterError(
            f"problem={problems[0].display_name()}: its state is hidden, which bt.search_many does not search; use "
            "bt.Search"
        )
    if len(which) == 0:
        raise ParameterError("problems_or_states: is empty; give at least one")

    seeds: Any = np.random.SeedSequence(seed).generate_state(len(which), np.uint64)
    words = np.zeros((len(which), 3), np.uint64)
    write_words(seeds, np.zeros(4, np.uint64), words)
    if problem is None:
        starts = _starts_of(problems, which, words)
    external = growth == "leaf" and hasattr(evaluator, "evaluate")
    in_turn = isinstance(problems[0], PythonProblem)  # Python is asked about one search at a time
    if in_turn and threads > 1:
        raise ParameterError(
            f"threads={threads}: {problems[0].display_name()} runs Python code, which one thread at a time can; use "
            "threads=1, or write the problem as a bt.Problem"
        )
    several = min(int(threads), len(which))
    trees = several if in_turn or not external else min(IN_FLIGHT, len(which))
    shared = _Shared(evaluator, several) if external else None
    room = physical_memory() * 4 // 5 // trees if max_bytes is None else max_bytes

    def new_search(problem: Problem, state: Any) -> Searcher:
        asked: Any = evaluator if shared is None else shared.together
        search = Search(problem, algorithm, state=state, seed=0, growth=growth, evaluator=asked, max_bytes=room)
        return search.tree, search.runner

    try:
        task = Task(problems, which, starts, seeds, words, int(trials), new_search)
        if shared is None:
            with ExitStack() as turns:
                for one in problems if in_turn else ():
                    turns.enter_context(one.exclusive)
                SearchThreads(task, several).run()
        else:
            shared.run(task, trees)
    finally:
        if shared is not None:
            shared.close()
    return Searches(task.actions, task.visits, task.q, task.values, task.policy, seeds)


def _different(given: Any) -> tuple[list[Problem], NDArray[np.int64]]:
    """The different problems of a list, and which each of its places holds."""
    wanted = "must be problems of one kind, or states with problem=..."
    if isinstance(given, Problem) or not isinstance(given, Iterable):
        raise ParameterError(f"problems_or_states={given!r}: {wanted}; for one search use bt.Search")
    places: dict[int, int] = {}
    problems: list[Problem] = []
    which = []
    for i, one in enumerate(given):
        if not isinstance(one, Problem) or not hasattr(one, "_memory"):
            raise ParameterError(f"problems_or_states[{i}]={one!r}: {wanted}")
        if problems and (type(one), one.actions) != (type(problems[0]), problems[0].actions):
            raise ParameterError(
                f"problems_or_states[{i}]={type(one).__name__} with {one.actions} actions: must be like the first, "
                f"{type(problems[0]).__name__} with {problems[0].actions} actions"
            )
        if id(one) not in places:
            places[id(one)] = len(problems)
            problems.append(one)
        which.append(places[id(one)])
    return problems, np.array(which, np.int64)


def _words_of(problem: Problem, states: Any) -> NDArray[np.uint64]:
    """States as rows of words."""
    layout = problem.state_layout()
    if isinstance(states, np.ndarray) and states.dtype.names and states.ndim == 1:
        rows = np.zeros(len(states), layout)
        missing = [name for name in type(problem).state.names if name not in states.dtype.names]
        if missing:
            raise ProblemError(f"{problem.display_name()}: states without the field {missing[0]}")
        for name in type(problem).state.names:
            rows[name] = states[name]
    elif isinstance(states, Iterable) and not isinstance(states, (str, bytes, dict, Problem)):
        listed = list(states)
        rows = np.zeros(len(listed), layout)
        for i, one in enumerate(listed):
            try:
                rows[i : i + 1] = problem.as_state(one)
            except ProblemError as error:
                raise named(i, len(listed), error) from None
    else:
        raise ParameterError(f"problems_or_states={states!r}: must be many states of the problem")
    return rows.view(np.uint64).reshape(len(rows), layout.itemsize // 8)


def _starts_of(problems: list[Problem], which: NDArray[np.int64], words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The problems' start states as rows of words; what each draws, it draws from its search's own generator."""
    starts = np.zeros((len(which), problems[0].state_layout().itemsize // 8), np.uint64)
    for i, k in enumerate(which.tolist()):
        try:
            starts[i] = np.frombuffer(problems[k].plain_start(words[i, 1:]).tobytes(), np.uint64)
        except Exception as error:
            raise named(i, len(which), error) from error
    return starts


class _Shared:
    """An evaluator whose batches many searches share; it tells its own errors from those of a search."""

    def __init__(self, evaluator: Any, threads: int) -> None:
        self._evaluator = evaluator
        self._raised: list[BaseException] = []
        self._owned = not isinstance(evaluator, Together)
        self.together: Together = Together(self, threads) if self._owned else evaluator

    @property
    def gives_prior(self) -> bool:
        """Whether the evaluator gives priors."""
        return bool(getattr(self._evaluator, "gives_prior", True))

    @property
    def batch(self) -> Any:
        """How many leaves of one search are valued at a time."""
        return getattr(self._evaluator, "batch", 1)

    @property
    def values(self) -> str:
        """Whose values the evaluator gives."""
        return side_of(self._evaluator)

    @property
    def wants(self) -> tuple[str, ...]:
        """What the evaluator wants to be told of positions."""
        return wants_of(self._evaluator)

    def evaluate(self, batch: Any, **told: Any) -> Any:
        """What the evaluator says."""
        try:
            return self._evaluator.evaluate(batch, **told)
        except BaseException as error:
            self._raised.append(error)
            raise

    def run(self, task: Task, trees: int) -> None:
        """Run all searches, `trees` at a time."""
        left = deque(range(task.count))
        failed: list[tuple[int, Exception]] = []

        def work() -> None:
            worker = task.new_worker()
            while not failed:
                try:
                    number = left.popleft()
                except IndexError:
                    return
                try:
                    worker.run_among_others(number)
                except Exception as error:
                    failed.append((number, error))

        with ThreadPoolExecutor(trees, "boltree-many") as threads:
            try:
                begun = [threads.submit(work) for _ in range(trees)]
                wait(begun)
            except BaseException:  # Ctrl-C: the searches that run end at once
                left.clear()
                self.close()
                raise
        for one in begun:
            one.result()
        if failed:
            number, error = failed[0]
            if error in self._raised or isinstance(error, ParameterError):  # the evaluator's, not a search's
                raise error
            raise task.named(number, error) from error

    def close(self) -> None:
        """End the evaluator's threads, if they are ours."""
        if self._owned:
            self.together.close()
