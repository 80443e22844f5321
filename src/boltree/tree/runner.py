"""A run: trials until a limit is reached. What a runner is, and the loop that most runners share.

A `Runner` runs the trials of one tree: `OneThread` here, in batches (batches/), in several threads (parallel/). All but
the common batches of many searches are `ChunkedRunner`s: trials run in chunks of about 50 ms, or one by one where a
trial takes longer, and between two of them limits, Ctrl-C and the user's own functions have their turn. Where Python is
asked about every step, the time and the user's `stop` have it between two steps too (`StepWatch`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ..core.interrupts import RunEnds, held_back, raise_dropped, unwatched, watched
from .tree import Tree

CHUNK_SECONDS = 0.05
LARGEST_CHUNK_GROWTH = 8


@dataclass(frozen=True)
class Limits:
    """When a run ends, and who looks at it meanwhile.

    Attributes:
        trials, seconds: the limits; None without one.
        stop: called between chunks, and within a slow one; the run ends when it returns True.
        watch: called between chunks.
    """

    trials: int | None = None
    seconds: float | None = None
    stop: Callable[[], bool] | None = None
    watch: Callable[[], object] | None = None


class Runner(Protocol):
    """Runs the trials of one tree."""

    @property
    def parallelism(self) -> str:
        """How threads work together, as `Search.parallelism` says it."""

    @property
    def trials(self) -> int:
        """Trials that are not in the tree yet."""

    def run(self, limits: Limits) -> str:
        """Run until a limit is reached; why it ended."""


class StepWatch:
    """Ends a run between two steps of a problem in plain Python, so that it takes at most one step too long.

    Args:
        ends: when the time is over, on the clock of `time.perf_counter`; None without such a limit.
        stop: asked about every 50 ms whether to end; None for no such function.
    """

    def __init__(self, ends: float | None, stop: Callable[[], bool] | None) -> None:
        self.ends, self._stop = ends, stop
        self._next = time.perf_counter() + CHUNK_SECONDS

    def __call__(self) -> None:
        """Raise `RunEnds` if it is time."""
        if self.ends is None and self._stop is None:
            return
        now = time.perf_counter()
        if self.ends is not None and now >= self.ends:
            raise RunEnds("seconds")
        if self._stop is not None and now >= self._next:
            if self._stop():
                raise RunEnds("stop")
            self._next = time.perf_counter() + CHUNK_SECONDS


class ChunkedRunner:
    """Runs trials in chunks; subclasses say how a chunk is run."""

    first_chunk_trials = 1
    """Trials of the first chunk, before it is known how slow they are."""

    compile_seconds = 0.0
    """Seconds of this run that went into compiling, which no limit counts."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @property
    def parallelism(self) -> str:
        """How threads work together, as `Search.parallelism` says it."""
        return "one thread"

    @property
    def trials(self) -> int:
        """Trials that are not in the tree yet."""
        return 0

    @property
    def seconds_to_finish(self) -> float:
        """How long `finish` will take, so that a run that is limited by time ends sooner by that."""
        return 0.0

    def begin(self) -> None:
        """Get ready for a run."""

    def run_chunk(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run about `trials` trials; False when there is no memory for another.

        Args:
            trials: how many; a runner may run a few more, but never beyond the `last`.
            last: the number of trials at which the run ends, if there is such a limit.
            left: the seconds that are left, if there is such a limit.
        """
        raise NotImplementedError

    def finish(self, completed: bool) -> None:
        """Make the tree whole: the run is over, by a limit (`completed`) or by an exception."""

    def run(self, limits: Limits) -> str:
        """Run chunk after chunk until a limit is reached; why it ended."""
        with self.tree.problem.exclusive:
            return self._run_chunks(limits)

    def _run_chunks(self, limits: Limits) -> str:
        tree, seconds = self.tree, limits.seconds
        tree.abandon()  # an interrupt came between a leaf and its evaluation
        tree.make_ready()  # before the clock starts
        began, self.compile_seconds = time.perf_counter(), 0.0
        last = None if limits.trials is None else self.done + int(limits.trials)
        chunk, reason, completed = self.first_chunk_trials, "", False
        self.begin()
        try:
            while not reason:
                now, before = time.perf_counter() - began - self.compile_seconds, self.done
                if tree.estimates is not None:
                    now += tree.estimates.seconds_to_show + self.seconds_to_finish
                if tree.is_proven:
                    reason = "proven"
                elif last is not None and before >= last:
                    reason = "trials"
                elif seconds is not None and now >= seconds:
                    reason = "seconds"
                else:
                    chunk_began = time.perf_counter()
                    todo = chunk if last is None else min(chunk, last - before)
                    left = None if seconds is None else seconds - now
                    reason = self._run_one_chunk(todo, last, left, limits.stop)
                    raise_dropped()
                    spent = max(time.perf_counter() - chunk_began, 1e-6)
                    aim = CHUNK_SECONDS if seconds is None else min(CHUNK_SECONDS, max(seconds - now - spent, 1e-4))
                    rate = max(self.done - before, 1) / spent
                    chunk = max(1, min(int(rate * aim), LARGEST_CHUNK_GROWTH * chunk))
                    if limits.watch is not None:
                        self._let_look(limits.watch)
                    if limits.stop is not None and not reason and self._let_look(limits.stop):
                        reason = "stop"
            completed = True
        finally:
            with held_back():
                self.finish(completed)
        assert not tree.fields.pending
        return reason

    def _run_one_chunk(self, trials: int, last: int | None, left: float | None, stop: Callable[[], bool] | None) -> str:
        """Run a chunk; why the run is over, or "" if it goes on."""
        ends = None if left is None else time.perf_counter() + left
        watch = StepWatch(ends, None if stop is None else lambda: self._let_look_in_trial(stop))
        try:
            with watched(watch):
                return "" if self.run_chunk(trials, last, left) else "memory"
        except RunEnds as end:
            return end.reason

    @property
    def done(self) -> int:
        """Trials so far, in the tree or not yet."""
        return self.tree.trials + self.trials

    def _let_look(self, look: Callable[[], Any]) -> Any:
        """Let a user's function look at the search while it runs."""
        if self.tree.estimates is None:
            return look()
        try:
            self.tree.estimates.show()
            return look()
        finally:
            self.tree.estimates.resume()

    def _let_look_in_trial(self, look: Callable[[], Any]) -> Any:
        """Let a user's function look at the search in the middle of a trial."""
        with unwatched(), self.tree.set_aside():
            return self._let_look(look)


class OneThread(ChunkedRunner):
    """Runs trials one after the other, in the thread that asks for them."""

    def run_chunk(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run a number of trials; False when there is no memory for another."""
        return self.tree.run(trials)
