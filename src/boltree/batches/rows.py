"""The rows of a common batch, and the threads that make them.

Each search that takes part has a *group*: its record, its trials in flight, and which rows are its leaves'. A
`WorkQueue` processes all groups of one server: back up the last answers, select the next leaves, write them as rows.
The threads of a `HelperPool` take pieces of that work from every queue, and do them without the GIL
(core/trial/common_batches.py).
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..core.atomics import SLEEP_AT
from ..core.memory import layout as records
from ..core.trial.common_batches import PLAN, POOL, QUEUE, advance_groups, help_queues
from ..problem.problem import Problem
from ..tree import Tree


class RowFormat:
    """What a position looks like in a batch: features, or a state; and how many actions its prior has.

    Args:
        problem: of the first search.
        by_state: whether the evaluator is to have the states themselves, whatever features there are.
    """

    def __init__(self, problem: Any, by_state: bool) -> None:
        self.problem, self.actions, self._by_state = problem, int(problem.actions), by_state
        self.with_features = bool(problem.has("features")) and not by_state
        self.shape = tuple(problem.features_shape) if self.with_features else ()
        self.items = int(np.prod(self.shape)) if self.with_features else 0
        self.layout = problem.state_layout()
        self.row_bytes = 4 * self.items if self.with_features else int(self.layout.itemsize)

    def fits(self, other: RowFormat) -> bool:
        """Whether positions of both problems may stand in one batch."""
        if self.problem is other.problem:
            return True
        if self._by_state:
            return False  # who asks the evaluator makes features and tells facts by one problem
        if not self.with_features and type(self.problem).batch_of is not Problem.batch_of:
            return False  # states are numbers of objects that only their own problem has
        mine, theirs = ((type(one.problem), one.actions, one.shape, one.layout) for one in (self, other))
        return mine == theirs

    def batch_of(self, rows: Any) -> Any:
        """Rows as an evaluator is given them."""
        if self.with_features:
            return rows.view(np.float32).reshape(len(rows), *self.shape)
        states = rows.view(self.layout).reshape(len(rows))
        return states if self._by_state else self.problem.batch_of(states)


class WorkQueue:
    """A queue of pieces of work, which one thread at a time leads and helper threads take pieces from."""

    def __init__(self, memory: tuple[Any, ...], at: int, slot: AbstractContextManager[Any]) -> None:
        self._memory, self._at, self._slot = memory, at, slot

    def process(self, plan_at: int, values: Any, priors: Any) -> tuple[int, bool]:
        """Process all groups of a plan; how many rows were written, and whether a group has ended or has an event."""
        with self._slot:
            rows, special = advance_groups(self._at, plan_at, values, priors)
        return rows, special


class HelperPool:
    """Threads that help with the work of some queues.

    Args:
        threads: how many threads work at the same time, at most, those that lead counted.
        queues: how many queues there are; one thread leads each.
    """

    def __init__(self, threads: int, queues: int) -> None:
        self._queues, self._pool = np.zeros(queues, QUEUE), np.zeros(1, POOL)
        self._queues["signal_at"] = self._pool.ctypes.data
        self._pool["sleep"] = SLEEP_AT
        self._pool["queues_at"], self._pool["queues"] = self._queues.ctypes.data, queues
        memory, first = (self._queues, self._pool), self._queues.ctypes.data
        slot: AbstractContextManager[Any] = threading.Semaphore(threads) if threads < queues else nullcontext()
        self.queues = [WorkQueue(memory, first + i * QUEUE.itemsize, slot) for i in range(queues)]
        self._threads = [
            threading.Thread(target=help_queues, args=(self._pool.ctypes.data,), name="boltree-helper", daemon=True)
            for _ in range(threads - queues)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:  # the threads that were started must end, since their queues are freed
            self._threads = [thread for thread in self._threads if thread.ident is not None]
            self.close()
            raise

    def close(self) -> None:
        """End the threads."""
        self._pool["closed"] = 1
        for thread in self._threads:
            thread.join()


class Rows:
    """The groups of some searches, in the order in which they were added, and memory for the rows of their batch."""

    def __init__(self, by_state: bool) -> None:
        self._by_state = by_state
        self.groups = np.zeros(0, records.GROUP)
        self._plan = np.zeros(1, PLAN)
        self._plan_at = self._plan.ctypes.data
        self._rows = np.zeros((0, 0), np.uint8)
        self._leaves = self._places = np.zeros(0, np.int64)

    def add(self, tree: Tree, end: int) -> None:
        """Add a group for a tree, whose run ends when it has `end` trials."""
        group, problem = np.zeros(1, records.GROUP), tree.problem
        group["tree"] = tree.record.ctypes.data
        group["end"], group["size"], group["trials"] = end, tree.batch, tree.trials
        if problem.has("features") and not self._by_state:
            group["features"], group["params"] = problem.address("features"), problem.params_at
        self.groups = np.concatenate([self.groups, group])

    def lay_out(self, row_format: RowFormat) -> None:
        """Make room for the rows of a batch, and write the plan; called when groups were added or removed."""
        groups, plan = self.groups, self._plan
        size = int(groups["size"].max())
        places = len(groups) * size
        if self._rows.shape[0] < places or self._rows.shape[1] != row_format.row_bytes:
            self._rows = np.zeros((places, row_format.row_bytes), np.uint8)
        if self._leaves.size < places:
            self._leaves, self._places = np.zeros(places, np.int64), np.zeros(places, np.int64)
        arrays = {"groups": groups, "rows": self._rows, "leaves": self._leaves, "places": self._places}
        for name, array in arrays.items():
            plan[f"{name}_at"] = array.ctypes.data
        plan["count"], plan["size"] = len(groups), size
        plan["row_bytes"], plan["row_items"] = row_format.row_bytes, row_format.items

    def process(self, queue: WorkQueue, values: Any, priors: Any) -> tuple[Any, bool]:
        """Back up and select in every group; the rows to be valued, and whether a group has ended or has an event."""
        rows, special = queue.process(self._plan_at, values, priors)
        return self._rows[:rows], special
