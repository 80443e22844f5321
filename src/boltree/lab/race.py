"""One setting's repeats run side by side: all to the first checkpoint, then all to the next.

So a hopeless setting shows by the mean of its repeats long before the first of them is finished. The searches run in
threads, since compiled searches run without the GIL; how many threads there are changes nothing in the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ..catalogue import problem_named
from ..core.memory.arena import physical_memory
from .experiment import Experiment
from .jobs import Job, _evaluate, jobs_of


class OutOfMemory(Exception):  # noqa: N818
    """A setting's trees do not fit into memory."""


def race(experiment: Experiment, exactly: bool, workers: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Run an experiment's one setting on its one problem; after each checkpoint, the trials and every repeat's value.

    Args:
        experiment: what to run.
        exactly: whether the problem is solved for exact values, or they are sampled.
        workers: threads.
    """
    stop = Event()
    jobs = jobs_of(experiment)
    runners = [_runner(job, exactly, len(jobs), stop) for job in jobs]
    with ThreadPoolExecutor(min(workers, len(jobs))) as pool:
        try:
            for number, point in enumerate(experiment.checkpoints.tolist()):
                yield point, np.array(list(pool.map(_step, runners, [number] * len(jobs), [point] * len(jobs))))
        finally:
            stop.set()  # an interrupt does not wait for the next checkpoint


def _step(runner: Callable[[int, int], float], number: int, point: int) -> float:
    return runner(number, point)


def _runner(job: Job, exactly: bool, among: int, stop: Event) -> Callable[[int, int], float]:
    """A function that runs a job's search to a checkpoint and returns the value there."""
    search = job.search(problem_named(job.problem), max_bytes=physical_memory() * 4 // 5 // among)

    def run(number: int, point: int) -> float:
        if search.run(trials=point - search.trials, stop=lambda _: stop.is_set()) == "memory":
            raise OutOfMemory
        return _evaluate(search, exactly, job, number)[0]

    return run
