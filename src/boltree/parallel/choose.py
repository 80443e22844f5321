"""Chooses how the threads of a search work together.

* `SharedTree`: all threads run trials on one tree, with a lock per node. For problems whose steps or rollouts cost
  more than the work in the tree, of which the root's must be done by one thread at a time.
* `OwnTrees`: every thread has a tree, and the trees are merged when the run ends. For cheap problems; for algorithms
  that count every single trial; and where the same seed and number of threads must give the same tree.
* `OwnGraphs`: the same where nodes are shared, which have no locks.

Without `deterministic`, the first trials are run by one thread, and what they cost decides.
"""

from __future__ import annotations

import time

import numpy as np

from ..core.memory import layout as records
from ..errors import ParameterError
from ..problem.python.problem import PythonProblem
from ..tree import Tree
from .own_graphs import OwnGraphs
from .own_trees import OwnTrees
from .shared_tree import SharedTree
from .threaded import Threaded, Waiting, counts_in_order

SHARED_TREE_FROM_SECONDS = 1500e-9
"""Seconds of a trial per node on its path from which threads share a tree."""
SAMPLE_TRIALS, SAMPLE_PART_TRIALS = 64, 16
"""Trials that one thread runs to measure their cost, in parts: the fastest counts, since other work only slows it."""


def runner_for(tree: Tree, threads: int, deterministic: bool, seed: np.random.SeedSequence) -> Threaded:
    """Several threads for a tree that has no trials yet; refuses what cannot run in several threads."""
    given, t = f"threads={threads}", tree.fields
    if tree.problem.boxes is not None:
        raise ParameterError(
            f"{given}: must be 1 for {tree.problem.display_name()}, whose actions are drawn from boxes, others by each "
            "thread"
        )
    if isinstance(tree.problem, PythonProblem):
        raise ParameterError(
            f"{given}: {type(tree.problem).__name__} runs Python code, which one thread at a time can; "
            "use threads=1, or write the problem as a bt.Problem"
        )
    if t.evaluator == records.EXTERNAL:
        raise ParameterError(
            f"{given}: this evaluator takes leaves in batches and works in parallel by itself; use threads=1"
        )
    if t.transpositions:
        return OwnGraphs(tree, threads, seed)
    if t.budget:
        t.budget = -(-int(t.budget) // threads)  # of each tree
    if t.observe:  # what is legal is known only while a trial carries a state, so nodes have their edges at once
        t.compact = 0
        return OwnTrees(tree, threads, seed, deterministic=deterministic)
    if not deterministic:
        return Measured(tree, threads, seed)
    t.compact = 0
    return OwnTrees(tree, threads, seed, deterministic=True)


class Measured(Threaded):
    """Runs the first trials in one thread; then chooses a shared tree or a tree each by what they cost."""

    def __init__(self, tree: Tree, threads: int, seed: np.random.SeedSequence) -> None:
        super().__init__(tree, threads)
        self._seed = seed
        self._compact = int(tree.fields.compact)
        self._least_seconds = np.inf  # a node, in the fastest part
        self.chosen: Threaded | None = None
        tree.fields.compact = 0  # as threads on one tree need it

    @property
    def parallelism(self) -> str:
        """``"unknown"`` until it is chosen."""
        return "unknown" if self.chosen is None else self.chosen.parallelism

    @property
    def trials(self) -> int:
        """Trials that are not in the tree yet."""
        return 0 if self.chosen is None else self.chosen.trials

    def run_threads(self, trials: int, last: int | None, left: float | None) -> bool:
        """Run trials in the chosen way; before it is chosen, a part of the first trials."""
        if self.chosen is not None:
            return self.chosen.run_threads(trials, last, left)
        tree, began = self.tree, time.perf_counter()
        visits = int(tree.fields.visits_made)
        enough = tree.run(min(trials, SAMPLE_PART_TRIALS))
        spent = time.perf_counter() - began
        self._least_seconds = min(self._least_seconds, spent / max(int(tree.fields.visits_made) - visits, 1))
        if tree.trials >= SAMPLE_TRIALS:
            began = time.perf_counter()
            if self._least_seconds >= SHARED_TREE_FROM_SECONDS and not counts_in_order(tree):
                self.chosen = SharedTree(tree, self.threads, self._seed)
            else:
                self._choose_own_trees(self._compact)
            self.compile_seconds += time.perf_counter() - began
        return enough

    def resume(self, compact: int) -> None:
        """Go on with a saved tree: where its nodes are compact, every thread had a tree of its own."""
        self.tree.fields.compact = compact
        if compact and self.chosen is None:
            self._choose_own_trees(compact)

    def finish(self, completed: bool) -> None:
        """Make the tree whole: the run is over."""
        if self.chosen is not None:
            self.chosen.finish(completed)

    @property
    def waiting(self) -> Waiting:
        """What waiting for each other's locks has cost so far."""
        return Waiting() if self.chosen is None else self.chosen.waiting

    def _choose_own_trees(self, compact: int) -> None:
        self.tree.fields.compact = compact
        self.chosen = OwnTrees(self.tree, self.threads, self._seed, deterministic=False)
