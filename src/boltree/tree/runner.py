"""A run: trials until a limit is reached. What a runner is, and the loop that most runners share.

A `Runner` runs the trials of one tree: `OneThread` here, in batches (batches/), in several threads (parallel/). All but
the common batches of many searches are `ChunkedRunner`s: trials run in chunks of about 50 ms, and between two of them
limits, Ctrl-C and the user's own functions have their turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ..core.interrupts import held_back, raise_dropped
from .tree import Tree

CHUNK_SECONDS = 0.05
FIRST_CHUNK_TRIALS = 16
LARGEST_CHUNK_GROWTH = 8


@dataclass(frozen=True)
class Limits:
    """When a run ends, and who looks at it meanwhile.

    Attributes:
        trials, seconds: the limits; None without one.
        stop: called between chunks; the run ends when it returns True.
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


class ChunkedRunner:
    """Runs trials in chunks; subclasses say how a chunk is run."""

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
        chunk, reason, completed = FIRST_CHUNK_TRIALS, "", False
        self.begin()
        try:
            while not reason:
                now, before = time.perf_counter() - began - self.compile_seconds, self.done
                if tree.estimates is not None:
                    now += tree.estimates.seconds_to_show
                if tree.is_proven:
                    reason = "proven"
                elif last is not None and before >= last:
                    reason = "trials"
                elif seconds is not None and now >= seconds:
                    reason = "seconds"
                else:
                    chunk_began = time.perf_counter()
                    todo = chunk if last is None else min(chunk, last - before)
                    if not self.run_chunk(todo, last, None if seconds is None else seconds - now):
                        reason = "memory"
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


class OneThread(ChunkedRunner):
    """Runs trials one after the other, in the thread that asks for them."""

    def run_chunk(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run a number of trials; False when there is no memory for another."""
        return self.tree.run(trials)
