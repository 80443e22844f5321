"""``boltree bench --threads``: what several threads bring, and what waiting for each other costs them.

One thread runs for a while; then every number of threads runs as many trials, or searches, each from a new tree. All
repeats are interleaved, and the best of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import problems
from ..algorithms.table import BTS, DENTS, PUCT, UCT, Algorithm
from ..parallel.threaded import Threaded, check_threads
from ..problem.problem import Problem
from ..search.many import search_many
from ..search.search import Search
from ..terminal import table

WARM_UP_TRIALS = 200
"""Trials before a search is measured: after them it is chosen how threads work together."""


@dataclass
class Speed:
    """The best of some repeats."""

    rate: float = 0.0  # trials a second
    parallelism: str = ""
    waiting: float = 0.0  # share of the threads' time


Begun = tuple[Callable[[int], object], Callable[[], Speed]]


@dataclass
class ThreadCase:
    """One line of the table: an algorithm on a problem."""

    name: str
    problem: Problem
    algorithm: Algorithm
    options: dict[str, Any] = field(default_factory=dict)
    trials: int = 0
    speeds: dict[int, Speed] = field(default_factory=dict)

    def begin(self, threads: int, seed: int, deterministic: bool) -> Begun:
        """A fresh search after a little warm-up: runs a number of trials, and then tells how."""
        wanted: dict[str, Any] = {"threads": threads, "deterministic": deterministic and threads > 1}
        search = Search(self.problem, self.algorithm, seed=seed, **wanted, **self.options)
        search.run(trials=WARM_UP_TRIALS)

        def seen() -> Speed:
            runner = search.runner
            share = runner.waiting.share if isinstance(runner, Threaded) else 0.0
            return Speed(parallelism=search.parallelism, waiting=share)

        return (lambda trials: search.run(trials=trials)), seen

    def measure(self, threads: int, seed: int, deterministic: bool) -> None:
        """One repeat."""
        run, seen = self.begin(threads, seed, deterministic)
        began = time.perf_counter()
        run(self.trials)
        rate = self.trials / (time.perf_counter() - began)
        if rate > self.speeds.setdefault(threads, Speed()).rate:
            self.speeds[threads] = seen()
            self.speeds[threads].rate = rate

    def set_trials(self, seconds: float) -> None:
        """Set `trials` to what one thread runs in this time."""
        run, _ = self.begin(1, 0, deterministic=False)
        trials, spent = 1_000, 0.0
        while spent < seconds / 4:
            trials *= 2
            began = time.perf_counter()
            run(trials)
            spent = time.perf_counter() - began
        self.trials = max(int(trials * seconds / spent), 1)

    def row(self, numbers: Sequence[int]) -> list[str]:
        """Its row of the table."""
        one = self.speeds[1].rate
        words = [self.name, self.algorithm.name, f"{one / 1e3:,.0f} k"]
        for threads in numbers:
            speed = self.speeds[threads]
            waiting = f" ({speed.waiting:.0%})" if speed.parallelism == "shared tree" else ""
            words.append(f"{speed.rate / one:.2f}{waiting}")
        return [*words, self.speeds[numbers[-1]].parallelism]


class ManySearches(ThreadCase):
    """Many small searches, each of a thread's own."""

    EACH = 64

    def begin(self, threads: int, seed: int, deterministic: bool) -> Begun:
        """As many searches as the trials suffice for."""
        options: Any = {"problem": self.problem, "seed": seed, "threads": threads, **self.options}

        def run(trials: int) -> None:
            states = np.zeros(-(-trials // self.EACH), self.problem.state_layout())
            states["path"] = np.arange(len(states))
            search_many(states, self.algorithm, self.EACH, **options)

        run(1)
        return run, lambda: Speed(parallelism="searches of their own")


def thread_cases() -> list[ThreadCase]:
    """Dear rollouts, cheap rollouts, cheap steps, and many searches."""
    go, four, lake = problems.Go(size=9), problems.ConnectFour(), problems.FrozenLake("8x12-test")
    listed = [ThreadCase("Go 9x9", go, one) for one in (UCT(c=1.0), PUCT(), BTS(alpha=0.1), DENTS(alpha=0.1))]
    listed += [ThreadCase("Connect Four", four, one) for one in (UCT(c=1.4), PUCT(), BTS(alpha=0.1), DENTS(alpha=0.1))]
    trial = {"growth": "trial"}
    listed += [ThreadCase("Frozen Lake", lake, one, trial) for one in (UCT(), PUCT(), BTS(alpha=0.1), DENTS(alpha=0.1))]
    small = problems.SyntheticTree(8, 20, seed=0)
    leaf = {"evaluator": 0.0}
    listed += [ManySearches("many searches", small, one, leaf) for one in (UCT(), BTS(alpha=0.1))]
    return listed


def measure_threads(
    numbers: Sequence[int], seconds: float, repeats: int, *, deterministic: bool, listed: list[ThreadCase] | None = None
) -> str:
    """Measure the cases; the table."""
    for threads in numbers:
        check_threads(threads, deterministic)
    listed = thread_cases() if listed is None else listed
    for case in listed:
        case.set_trials(seconds)
        for repeat in range(repeats):
            for threads in dict.fromkeys((1, *numbers)):
                case.measure(threads, repeat, deterministic)
    head = ["problem", "algorithm", "one thread", *map(str, numbers), "how"]
    return table(head, [case.row(numbers) for case in listed])
