"""The claim about threads that wait for each other: C36."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algorithms.table import BTS, DENTS, UCT, Algorithm
from ...jobs.executors import cores
from ...jobs.statistics import interval
from ...parallel.threaded import Threaded
from ...problems import Go
from ...search.search import Search
from .claim import Part
from .results import Results, difference

MOST_THREADS, LEAST_THREADS = 16, 4
TRIALS = 20_000
REPEATS, QUICK_REPEATS = 10, 3


def _waiting(algorithm: Algorithm, threads: int, seed: int) -> float:
    """The share of the threads' time that they waited for nodes of their tree, on 9x9 Go with rollouts."""
    search = Search(Go(size=9), algorithm, seed=seed, threads=threads)
    search.run(trials=TRIALS)
    assert isinstance(search.runner, Threaded)
    assert search.parallelism == "shared tree"
    return search.runner.waiting.share


def measure_contention(quick: bool) -> dict[str, Any]:
    """The share of waiting by algorithm, one number a repeat, interleaved; and how many threads there were."""
    threads = min(cores(), MOST_THREADS)
    chosen = {"uct": UCT(c=1.0), "bts": BTS(alpha=0.1), "dents": DENTS(alpha=0.1)}
    found: dict[str, Any] = {"threads": threads} | {name: [] for name in chosen}
    for seed in range(QUICK_REPEATS if quick else REPEATS) if threads > 1 else ():
        for name, algorithm in chosen.items():
            found[name].append(_waiting(algorithm, threads, seed))
    return found


def _c36(results: Results) -> list[Part]:
    measured = results.measured
    threads, uct = measured["threads"], np.array(measured["uct"])
    parts = []
    for name in ("bts", "dents"):
        criterion = (
            f"{name.upper()} waits a smaller share of the time than UCT, with the 95 % interval, on 9x9 Go with "
            f"rollouts and a thread for each core (undecided with fewer than {LEAST_THREADS}, or where it is not told "
            "apart)"
        )
        if threads < LEAST_THREADS:
            parts.append(Part(criterion, None, f"{threads} cores", {"threads": threads}))
            continue
        found = np.array(measured[name])
        less = difference(uct, found)
        parts.append(
            Part(
                criterion,
                True if less.low > 0 else False if less.high < 0 else None,
                f"{threads} threads: {name.upper()} {interval(found)}, UCT {interval(uct)}",
                {"threads": threads, "less": less},
            )
        )
    return parts


MEASURES = {"C36": measure_contention}

JUDGES = {"C36": _c36}
