"""A job: one search of one setting on one problem, evaluated at its checkpoints.

A job is a pure function of its row: its seed derives from the row alone, so a result is the same whatever runs it, in
whatever order, on however many workers.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..catalogue import problem_named
from ..errors import ParameterError, ProblemError
from ..exact.evaluate import exact, sample_value
from ..exact.solve import solve
from ..jobs.evaluate import PlayedEpisode, acted_in
from ..jobs.settings import Setting
from ..problem.problem import Problem
from ..search.act import Planner
from ..search.search import Search
from ..version import __version__
from .experiment import Experiment, Options
from .keepable import Columns

EPISODES = 250
"""Trajectories of a sampled evaluation, as in the paper."""

SOLVABLE = 1_000_000
"""States up to which ``evaluation="auto"`` solves a problem exactly."""

Watcher = Callable[[int, float], None]


@dataclass(frozen=True)
class Job:
    """A row of an experiment."""

    problem: str
    setting: Setting
    repeat: int
    trials: int
    evaluate_every: int
    seed: int
    growth: Literal["leaf", "trial"]
    evaluation: str
    root: bool
    options: Options = Options()
    seconds: float | None = None
    closed_loop: bool = False

    def row(self) -> dict[str, Any]:
        """What decides the result."""
        row = asdict(self) | {"setting": self.setting.canonical()}
        for name in ("options", "seconds", "closed_loop"):  # a row without them is what it always was
            del row[name]
        row |= self.unusual()
        return row | ({"source": _source_of(self.problem)} if ":" in self.problem else {})

    def unusual(self) -> dict[str, Any]:
        """Whatever is not as usual: options of the search, seconds in place of trials, a closed loop."""
        timed = {} if self.seconds is None else {"time_budget": self.seconds}
        return self.options.given() | timed | ({"closed_loop": True} if self.closed_loop else {})

    def search(self, problem: Problem, **more: Any) -> Search:
        """The search at its beginning."""
        given = self.options.arguments() | more
        search = Search(problem, self.setting.algorithm(), seed=self.search_seed(), growth=self.growth, **given)
        if self.seconds is None:
            search.set_budget(self.trials)  # H-MCTS plans for all of them, not for those up to the first checkpoint
        return search

    def facts(self) -> dict[str, Any]:
        """Columns that say which search it is."""
        return {
            "problem": self.problem,
            "algorithm": self.setting.title,
            "label": self.setting.label,
            "parameters": json.dumps(json.loads(self.setting.canonical())[1]),
            "repeat": self.repeat,
            "seed": self.search_seed(),
            "budget": self.trials,
            "evaluate_every": self.evaluate_every,
            "growth": self.growth,
            "evaluation": self.evaluation,
            "experiment_seed": self.seed,
            **self.unusual(),
        }

    def run(self, watch: Watcher | None = None) -> Columns:
        """Run the search to its checkpoints; one row each."""
        return run_job(self, watch)

    @property
    def work(self) -> int:
        """Its trials."""
        return self.trials if self.seconds is None else 1

    def value(self, columns: Columns) -> float:
        """The value at the last checkpoint."""
        return float(columns["value"][-1])

    @cache  # noqa: B019 - a job is a small constant
    def key(self) -> str:
        """A name for the result: the same row and the same version of the package have the same one."""
        text = json.dumps([__version__, self.row()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def search_seed(self) -> int:
        """The seed of the search: from the experiment's seed, the problem, the setting and the repeat."""
        text = json.dumps([self.problem, self.setting.canonical(), self.repeat])
        words = np.frombuffer(hashlib.sha256(text.encode()).digest(), np.uint32)
        sequence = np.random.SeedSequence(self.seed, spawn_key=tuple(int(word) for word in words))
        return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


@cache
def _source_of(problem: str) -> str:
    """A hash of the file that a user's own problem is named from: an edited problem is another one."""
    module = problem.partition(":")[0]
    if module.split(".")[0] == "boltree":  # the version says what it is
        return ""
    problem_named(problem)
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return ""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:20]


def jobs_of(experiment: Experiment) -> list[Job]:
    """Every job of an experiment; all settings of a repeat before the next, so that every curve grows alike."""
    return [
        Job(
            problem, setting, repeat, experiment.trials, experiment.evaluate_every, experiment.seed, experiment.growth,
            experiment.evaluation, experiment.root, experiment.options, experiment.seconds, experiment.closed_loop,
        )
        for repeat in range(experiment.repeats)
        for problem in experiment.problems
        for setting in experiment.settings
    ]  # fmt: skip


def run_job(job: Job, watch: Watcher | None = None) -> Columns:
    """Run a search to its checkpoints; one row each.

    Args:
        job: what to run.
        watch: called with the trials and the value at each checkpoint.
    """
    if job.closed_loop:
        return _play(job, watch)
    problem = problem_named(job.problem)
    exactly = _is_exact(problem, job)
    search = job.search(problem)
    points = _points(job)
    columns = _columns(points.size)
    columns |= {"trials": points} if job.seconds is None else {"trials": np.zeros(points.size, int), "seconds": points}
    columns["optimum"][:] = exact(search).best.root_value if exactly else np.nan
    roots: dict[str, list[Any]] = {name: [] if job.root else [None] * points.size for name in ("root_q", "root_visits")}
    searching = evaluating = 0.0
    search.run(trials=0)  # compile, or load what is compiled, before the clock starts
    for i, point in enumerate(points.tolist()):
        began = time.perf_counter()
        if job.seconds is None:
            ended = search.run(trials=point - search.trials)
        else:
            ended = search.run(seconds=job.seconds / points.size)
            columns["trials"][i] = search.trials
        if ended == "memory":
            raise ProblemError(f"out of memory after {search.trials:,} trials and {search.size:,} nodes")
        searched = time.perf_counter()
        value, error, regret = _evaluate(search, exactly, job, i)
        searching, evaluating = searching + searched - began, evaluating + time.perf_counter() - searched
        for name, number in (
            ("value", value), ("regret", regret), ("error", error), ("search_seconds", searching),
            ("evaluation_seconds", evaluating), ("nodes", search.size),
        ):  # fmt: skip
            columns[name][i] = number
        if job.root:
            root = search.root
            roots["root_q"].append(root.q.tolist())
            roots["root_visits"].append(root.visits.tolist())
        if watch is not None:
            watch(point if job.seconds is None else 0, value)
    return columns | roots


def _points(job: Job) -> Any:
    """The trials after which a job is evaluated, or the seconds."""
    experiment = Experiment(
        "", (), (), job.trials, job.evaluate_every, seconds=job.seconds, closed_loop=job.closed_loop
    )  # fmt: skip
    return experiment.checkpoints if job.seconds is None else experiment.times


def _columns(size: int) -> dict[str, Any]:
    """The columns that every job fills."""
    numbers = ("value", "regret", "error", "optimum", "search_seconds", "evaluation_seconds")
    return {name: np.zeros(size) for name in numbers} | {"nodes": np.zeros(size, np.int64)}


def _play(job: Job, watch: Watcher | None) -> Columns:
    """Play an episode for each budget, planning anew at each step; one row each."""
    problem = problem_named(job.problem)
    if problem.has("player"):
        raise ParameterError(f"closed_loop: {job.problem} is a game for two; bt.evaluate plays it against an opponent")
    optimum = solve(problem).root_value if _is_exact(problem, job) else np.nan
    environment, steps, horizon = acted_in(problem, None, None, None)
    points = _points(job)
    columns = _columns(points.size) | {"steps": np.zeros(points.size, int), "trials": np.zeros(points.size, int)}
    for i, point in enumerate(points.tolist()):
        budget: dict[str, Any] = {"trials": point} if job.seconds is None else {"seconds": point}
        planner = Planner(job.setting.algorithm(), growth=job.growth, **budget, **job.options.arguments())
        began = time.perf_counter()
        episode = PlayedEpisode(problem, (planner,), i, job.search_seed(), steps, horizon, environment)
        value, _, taken, _, seconds = episode.run()
        spent = time.perf_counter() - began
        found = {
            "value": value, "regret": optimum - value, "optimum": optimum, "steps": taken,
            "search_seconds": seconds * taken, "evaluation_seconds": spent - seconds * taken,
            "trials": point if job.seconds is None else 0,
        }  # fmt: skip
        for name, number in found.items():
            columns[name][i] = number
        if watch is not None:
            watch(point if job.seconds is None else 0, value)
    nothing: dict[str, Any] = {"root_q": [None] * points.size, "root_visits": [None] * points.size}
    return columns | ({} if job.seconds is None else {"seconds": points}) | nothing


def _is_exact(problem: Problem, job: Job) -> bool:
    if job.evaluation == "sampled":
        return False
    solvable = problem.has("outcomes") and problem.has("count_outcomes")
    if job.evaluation == "exact" and not solvable:
        raise ParameterError(
            f"evaluation='exact': {job.problem} has no outcomes and count_outcomes; use evaluation='sampled'"
        )
    if job.evaluation == "exact" or not solvable:
        return solvable
    try:
        solve(problem, max_states=SOLVABLE)
    except ProblemError:
        return False
    return True


def evaluation_seed(job: Job, number: int) -> int:
    """The seed of a sampled evaluation: every repeat has noise of its own, so that intervals over repeats show it."""
    return int(np.random.SeedSequence([job.search_seed(), number]).generate_state(1, np.uint64)[0])


def _evaluate(search: Search, exactly: bool, job: Job, number: int) -> tuple[float, float, float]:
    """The value of the recommended policy at a job's checkpoint, its standard error, and the simple regret."""
    if not exactly:
        estimate = sample_value(search, EPISODES, seed=evaluation_seed(job, number))
        return estimate.value, estimate.error, float("nan")
    found = exact(search)
    value = found.value_of(search)
    return value, 0.0, found.regret(search, value)
