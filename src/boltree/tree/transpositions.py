"""Searches that share nodes between the paths that lead to the same state: which can, and which estimates they show.

Trials go by estimates that are computed from what lies below when a node is visited, and now and then all together
(core/trial/graph.py), so an estimate may be older than what it rests on. What a user sees is computed throughout when a
run ends; the trials' own estimates are kept aside and put back before the next run. So looking never changes a search,
and two runs of 500 trials do what one run of 1,000 does.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
from numpy.typing import NDArray

from ..core.memory.layout import BY_DEPTH, BY_STATE
from ..core.trial.frontier import count_frontier, list_frontier
from ..core.trial.kept import keep_estimates, restore_estimates, size_of_estimates
from ..core.trial.sweep import MOST_SWEEPS, sweep
from ..errors import ParameterError
from .tree_like import TreeLike

if TYPE_CHECKING:
    from .pooled import PooledOutcomes

FRONTIER_SHARE = 0.5
"""The frontier is listed where it has become smaller than this share of the actions whose outcomes are listed."""

SECONDS_A_NODE = 2e-7
"""How long a node takes to be shown, about, until that is measured."""

MANY_NODES = 1_000
"""Nodes from which on the time that showing them takes tells that of each."""

Transpositions = Union[bool, Literal["state"]]


def transpositions_of(transpositions: Any, tree: TreeLike) -> int:
    """What a search shares its nodes by, as the kernel reads it; refuses what makes no sense with shared nodes."""
    if transpositions is False:
        return 0
    if transpositions is not True and transpositions != "state":
        raise ParameterError(f"transpositions={transpositions!r}: must be False, True or 'state'")
    problem, name = tree.problem, tree.algorithm.name
    given = f"transpositions={transpositions!r}"
    if transpositions == "state" and problem.discount >= 1.0:
        raise ParameterError(
            f"{given}: {problem.display_name()} has discount={problem.discount:g}, must be below 1, because nodes "
            "shared at all depths may lie on cycles; True shares them by state and depth"
        )
    reason = tree.algorithm.one_parent
    if reason:
        raise ParameterError(f"{given}: must be False with {name}, which {reason}")
    if tree.on_full == "recycle":
        raise ParameterError(
            f"{given}: must be False with on_full='recycle', because a shared node has several parents"
        )
    if tree.in_common_batches:
        raise ParameterError(f"{given}: must be False with bt.Together, whose batches are of trees")
    return BY_STATE if transpositions == "state" else BY_DEPTH


class Estimates:
    """The estimates of a search with shared nodes: the trials' own, and those that are shown.

    Args:
        tree: the search's tree.
        pooled: whether estimates are those of a model of all samples, where states come again.
    """

    def __init__(self, tree: TreeLike, *, pooled: bool = False) -> None:
        self._tree = tree
        self._pooled: PooledOutcomes | None = None
        if pooled:
            from .pooled import PooledOutcomes

            self._pooled = PooledOutcomes(tree)
        self._own: NDArray[np.float64] | None = None
        self._seconds_a_node = SECONDS_A_NODE

    def show(self) -> None:
        """Keep the trials' estimates aside and compute every node from those below it."""
        t, storage, began = self._tree.fields, self._tree.storage, time.perf_counter()
        self._tree.abandon()  # an interrupt came between a leaf and its evaluation
        if t.index_size == 0 or t.index_stale:
            storage.make_index(anyhow=True)
        if self._own is None:  # else an interrupt came while they were put back
            own = np.empty(size_of_estimates(self._tree.record))
            keep_estimates(self._tree.record, own)
            self._own = own
        due = int(t.next_sweep)
        self.compute(MOST_SWEEPS)
        t.next_sweep = due
        if self._tree.size >= MANY_NODES:
            self._seconds_a_node = (time.perf_counter() - began) / self._tree.size

    def make_ready(self) -> None:
        """Compile, if need be, what a run calls only now and then."""
        own = np.empty(size_of_estimates(self._tree.record))
        keep_estimates(self._tree.record, own)
        restore_estimates(self._tree.record, own)
        due = int(self._tree.fields.next_sweep)
        sweep(self._tree.record, np.zeros(0, np.int64), 1)
        self._tree.fields.next_sweep = due
        if self._pooled is not None:
            self._pooled.make_ready()
        if self._tree.fields.proofs:
            count_frontier(self._tree.record, np.zeros(2, np.int64))
            list_frontier(self._tree.record, np.zeros(2, np.int64), 0)

    def list_frontier(self) -> None:
        """List the outcomes of the frontier, if it is small: then all states that can be reached have bounds."""
        tree = self._tree
        counts, progress = np.zeros(2, np.int64), np.zeros(2, np.int64)
        count_frontier(tree.record, counts)
        if 0 < counts[1] <= FRONTIER_SHARE * counts[0]:
            tree.drive(lambda: list_frontier(tree.record, progress, int(counts[0])))

    def compute(self, most: int = 1) -> None:
        """Compute every node from those below it; where there are cycles repeatedly, at most `most` times."""
        t, storage = self._tree.fields, self._tree.storage
        depth = storage.nodes.view(np.ndarray)["depth"][: int(t.node_count)]
        sweep(self._tree.record, np.argsort(depth, kind="stable")[::-1].copy(), most)
        if self._pooled is not None:
            self._pooled.enter()

    @property
    def seconds_to_show(self) -> float:
        """How long `show` will take, as the last one did; a run that is limited by time ends sooner by that."""
        return self._seconds_a_node * self._tree.size

    def resume(self) -> None:
        """Put the trials' estimates back."""
        if self._own is not None:
            restore_estimates(self._tree.record, self._own)
            self._own = None
