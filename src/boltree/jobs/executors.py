"""Running jobs: in this process, or in several worker processes. Who runs a job never changes its result."""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from ctypes import c_double
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .main_module import check_main_module

ATTEMPTS = 3
"""How often a job is tried whose worker died (killed, out of memory) before it counts as failed."""


Watcher = Callable[[int, float], None]
"""Called with the trials and the value that a job has reached."""


class Runnable(Protocol):
    """A job: a pure function of its own data."""

    def run(self, watch: Watcher | None = None) -> Any:
        """Run it; its result, which can be sent to another process."""


@dataclass(frozen=True)
class Finished:
    """A job that ended: with its result and what computed it, or with what went wrong."""

    job: Any
    columns: Any
    failure: str = ""
    machine: str = ""


class Progress:
    """What running jobs have reached: (trials, value) for each, in memory that workers share and need no lock for."""

    def __init__(self, jobs: int) -> None:
        self.cells: Any = multiprocessing.get_context("spawn").RawArray(c_double, 2 * max(jobs, 1))

    def watcher(self, index: int) -> Callable[[int, float], None]:
        """A function that notes what the job with this index has reached."""
        return _Note(self.cells, index)

    def read(self, index: int) -> tuple[int, float]:
        """The trials and the value of a job."""
        return int(self.cells[2 * index]), float(self.cells[2 * index + 1])


class _Note:
    def __init__(self, cells: Any, index: int) -> None:
        self.cells, self.index = cells, index

    def __call__(self, trials: int, value: float) -> None:
        self.cells[2 * self.index + 1] = value
        self.cells[2 * self.index] = trials


Ended = Generator[Finished, None, None]
"""Jobs as they end."""


class Executor(Protocol):
    """Runs jobs and yields each as it ends, in any order."""

    def run(
        self, jobs: Sequence[Runnable], progress: Progress, tick: Callable[[], None]
    ) -> Generator[Finished, None, None]:
        """Run all jobs; `tick` is called several times a second meanwhile."""
        ...


def attempt(job: Runnable, watch: Callable[[int, float], None] | None = None) -> Finished:
    """Run a job; an exception becomes its failure, so that the others go on."""
    try:
        return Finished(job, job.run(watch), machine=machine())
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Finished(job, None, f"{type(error).__name__}: {error} ({os.path.basename(last.filename)}:{last.lineno})")


class Here:
    """One job after the other in this process."""

    def run(
        self, jobs: Sequence[Runnable], progress: Progress, tick: Callable[[], None]
    ) -> Generator[Finished, None, None]:
        """Run all jobs."""
        for index, job in enumerate(jobs):
            note = progress.watcher(index)

            def watch(trials: int, value: float, note: Callable[[int, float], None] = note) -> None:
                note(trials, value)
                tick()

            yield attempt(job, watch)


class Threads:
    """Several jobs at the same time in this process; for jobs that wait for each other's common work."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def run(
        self, jobs: Sequence[Runnable], progress: Progress, tick: Callable[[], None]
    ) -> Generator[Finished, None, None]:
        """Run all jobs."""
        stopping = threading.Event()

        def work(index: int, job: Runnable) -> Finished:
            note = progress.watcher(index)

            def watch(trials: int, value: float) -> None:
                if stopping.is_set():
                    raise RuntimeError("stopped")
                note(trials, value)

            return attempt(job, watch)

        pool = ThreadPoolExecutor(self.threads)
        try:
            running = {pool.submit(work, index, job) for index, job in enumerate(jobs)}
            while running:
                ended, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                tick()
                for future in ended:
                    yield future.result()
        finally:
            stopping.set()
            pool.shutdown(wait=True, cancel_futures=True)


_cells: Any = None


def _begin(cells: Any, announcer: Any) -> None:
    """Prepare a worker: Ctrl-C is the parent's to handle, and one worker tells the user for all that they compile."""
    global _cells
    _cells = cells
    if not announcer.acquire(block=False):
        os.environ["BOLTREE_QUIET"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes in this block that ignore Ctrl-C from the beginning; this process gets it after the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _attempt(index: int, job: Runnable) -> Finished:
    return attempt(job, _Note(_cells, index))


class Processes:
    """Worker processes on this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(
        self, jobs: Sequence[Runnable], progress: Progress, tick: Callable[[], None]
    ) -> Generator[Finished, None, None]:
        """Run all jobs; those that were there when a worker died are tried again, one at a time."""
        check_main_module(self.workers)
        tries = dict.fromkeys(range(len(jobs)), 0)
        while tries:
            running: dict[Future[Finished], int] = {}
            context = multiprocessing.get_context("spawn")
            prepared = (progress.cells, context.Semaphore(1))
            pool = ProcessPoolExecutor(min(self.workers, len(tries)), context, _begin, prepared)
            try:
                waiting = sorted(tries, key=lambda index: -tries[index])
                while waiting or running:
                    # a second job each, so that no worker waits; a suspect alone, so that no other is blamed for it
                    while waiting:
                        suspects = any(tries[index] for index in (waiting[0], *running.values()))
                        if len(running) >= (1 if suspects else 2 * self.workers):
                            break
                        index = waiting.pop(0)
                        with _without_interrupts():
                            running[pool.submit(_attempt, index, jobs[index])] = index
                    ended, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                    tick()
                    for future in ended:
                        index = running[future]
                        finished = future.result()
                        del running[future], tries[index]
                        yield finished
            except BrokenProcessPool:
                for index in running.values():
                    tries[index] += 1
                    if tries[index] >= ATTEMPTS:
                        del tries[index]
                        yield Finished(jobs[index], None, f"its worker process died {ATTEMPTS} times (out of memory?)")
            finally:
                _stop(pool)


def _stop(pool: ProcessPoolExecutor) -> None:
    """End a pool now, its running jobs too."""
    workers = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> str:
    """What a result was computed on."""
    import numba

    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}"
    return f"{platform.system()} {platform.machine()}, {versions}"
