"""Running trials in batches: while one batch is evaluated in another thread, the next is selected.

What is selected never depends on how fast the evaluator is: the next batch is selected when this one has been handed
over, and the oldest is backed up first. So the same seed and batch size give the same tree.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ..core.interrupts import held_back
from ..core.memory.layout import DONE
from ..core.trial.batch import (
    abandon_flights,
    back_up_batch,
    back_up_graph_batch,
    select_batch,
    select_graph_batch,
)
from ..evaluators import NOTHING, ask
from ..tree import Tree
from ..tree.runner import ChunkedRunner


@dataclass(frozen=True)
class _Batch:
    """A batch in flight: the places of its trials, and the coming answer of the evaluator about their leaves."""

    first: int
    count: int
    answer: Future[Any]


class BatchRunner(ChunkedRunner):
    """Runs the trials of a tree whose evaluator is given several leaves at a time."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._size = tree.batch
        self._batches: deque[_Batch] = deque()
        self._newest = 0  # the half of the places that was filled last
        self._thread: ThreadPoolExecutor | None = None
        self._graph = bool(tree.fields.transpositions)

    def begin(self) -> None:
        """Start the thread that asks the evaluator."""
        self._thread = ThreadPoolExecutor(1)

    def run_chunk(self, trials: int, last: int | None, left: float | None) -> bool:
        """Back up at least a number of trials; False when there is no memory for another batch."""
        tree = self.tree
        if tree.root_waits:
            return tree.run(1)
        end = tree.trials + trials
        while tree.trials < end and not tree.is_proven:
            if not self._fill(None if last is None else last - tree.trials):
                return False
            if self._batches:
                self._back_up_oldest()
        return True

    def finish(self, completed: bool) -> None:
        """Back up the batches in flight; or, if the run was broken off, take their trials back."""
        try:
            while completed and self._batches:
                self._back_up_oldest()
        finally:
            for batch in self._batches:
                batch.answer.cancel()
            with held_back():
                self._batches.clear()
                for first in (self._newest, self._size - self._newest):  # also what was selected and not noted yet
                    abandon_flights(self.tree.record, first, self._size)
            if self._thread is not None:
                self._thread.shutdown(wait=True)

    def _fill(self, left: int | None) -> bool:
        """Hand batches over to the evaluator until two are in flight; False when there is no memory for the first.

        Args:
            left: how many more trials may be backed up; None for any number.
        """
        while len(self._batches) < 2:
            flying = sum(batch.count for batch in self._batches)
            wanted = self._size if left is None else min(self._size, left - flying)
            if wanted <= 0:
                break
            if not self.tree.make_room_for(wanted):
                return bool(self._batches)
            selected = self._select(wanted)
            if selected < 0:
                return bool(self._batches)
            if selected == 0:
                break
        return True

    def _select(self, wanted: int) -> int:
        """Select a batch and ask about it; how many trials it has, or -1 where there is no memory for them."""
        tree, storage = self.tree, self.tree.storage
        first = self._newest = 0 if not self._batches or self._batches[-1].first else self._size
        select = select_graph_batch if self._graph else select_batch
        count = int(select(tree.record, first, wanted))
        if count < 0:  # it is selected anew once there is room for what a problem lists; a failure is raised
            return self._select(wanted) if tree.handle(-count, wanted) else -1
        if count == 0:
            return 0
        flights = storage.scratch["flights"][first : first + count]
        waits = flights["waits"] != 0
        words = storage.states[flights["leaf"][waits]]  # a copy: the tree may move while they are evaluated
        assert self._thread is not None
        asked = tree.evaluator, tree.problem, words, bool(tree.fields.prior_external)
        self._batches.append(_Batch(first, count, self._thread.submit(_ask_about_any, *asked)))
        return count

    def _back_up_oldest(self) -> None:
        """Wait for the oldest batch's answer, and back it up."""
        batch = self._batches[0]
        values, priors = batch.answer.result()
        before = self.tree.trials
        back_up = back_up_graph_batch if self._graph else back_up_batch
        code = int(back_up(self.tree.record, batch.first, batch.count, values, priors.reshape(-1)))
        if code != DONE:
            self.tree.handle(code)
        self._batches.popleft()
        self.tree.keep_up(before)


def _ask_about_any(evaluator: Any, problem: Any, words: Any, prior_wanted: bool) -> Any:
    return ask(evaluator, problem, words, prior_wanted) if len(words) else NOTHING
