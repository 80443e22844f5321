"""What all runners with several threads have in common."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ..checks import whole
from ..core.interrupts import held_back
from ..errors import ParameterError
from ..tree import Tree
from ..tree.runner import ChunkedRunner

MAX_THREADS = 256


@dataclass(frozen=True)
class Waiting:
    """How much of the threads' time was spent waiting for a node that another thread had locked."""

    share: float = 0.0
    times: int = 0


class Threaded(ChunkedRunner):
    """Runs trials in several threads; subclasses say how they work together."""

    first_chunk_trials = 16

    def __init__(self, tree: Tree, threads: int) -> None:
        super().__init__(tree)
        self.threads = threads

    def run_chunk(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run about `trials` trials; in this thread alone, when there is not memory enough for all threads."""
        before = self.done
        with held_back():  # what threads did is counted and joined before an interrupt is raised
            enough = self.run_threads(trials, last, left)
        return enough or self.tree.run(trials - max(self.done - before, 0))

    def run_threads(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run about `trials` trials in all threads, never beyond the `last`; False when memory does not suffice."""
        raise NotImplementedError

    def resume(self, compact: int) -> None:
        """Go on with a saved tree, in whose nodes `compact` was this."""
        self.tree.fields.compact = compact

    @property
    def waiting(self) -> Waiting:
        """What waiting for each other's locks has cost so far."""
        return Waiting()


def check_threads(threads: Any, deterministic: Any) -> None:
    """Refuse what is not a number of threads, or not True or False."""
    whole("threads", threads, 1, MAX_THREADS)
    if not isinstance(deterministic, bool):
        raise ParameterError(f"deterministic={deterministic!r}: must be True or False")


def counts_in_order(tree: Tree) -> bool:
    """Whether an algorithm counts single trials or looks at the last returns, so that threads cannot share its tree."""
    return bool(tree.counts_trials or tree.fields.adaptive)


def new_pool(threads: int) -> ThreadPoolExecutor:
    """Threads besides the caller's own."""
    return ThreadPoolExecutor(threads - 1, thread_name_prefix="boltree")
