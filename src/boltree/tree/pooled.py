"""Pooled outcomes: what was seen of a state and action at one depth tells of every other, in a model of all samples.

Nodes that are shared by state and depth are as many as there are states, times steps; in a simulator each sees few
samples of its actions, and the best of many noisy means is too high. What an action leads to does not depend on the
depth. So where states come again at other depths, a model is made of all samples, its values are computed step by step
from the horizon back, and the tree's estimates are set to them: wherever estimates are computed all together, which is
now and then while trials run, and when a user looks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.exact.pooled import back_pooled, describe_states, enter_pooled, number_states, pool_outcomes
from .outcomes import SHARE_OF_EXACT_VALUES
from .tree_like import TreeLike

NODES_A_STATE = 1.25
"""States are pooled where there are at least this number of nodes for each."""

OUTCOMES_PER_VISIT = 64
"""Outcomes that may be weighed for each visit of a node by trials: about as long as the visit takes."""


class PooledOutcomes:
    """The model of what a tree's trials saw.

    Args:
        tree: a tree with nodes shared by state and depth, and all states of a trial in it.
    """

    def __init__(self, tree: TreeLike) -> None:
        self._tree = tree

    def make_ready(self) -> None:
        """Compile, if need be, what is called only now and then: nothing is changed where no node has a number."""
        record, none = self._tree.record, np.zeros(0, np.int64)
        number_states(record, np.empty(self._tree.size, np.int64), _free(self._tree.size))
        number = np.full(self._tree.size, -1)
        describe_states(record, number, none, np.zeros(0, np.uint8))
        pool_outcomes(record, number, none, none, np.zeros(0), _free(0), none, none, none)
        model = PooledModel(np.zeros(1, np.int64), np.zeros(0, np.uint8), none, np.zeros(0), none, none, none)
        values, layers = model.values(1, 1.0)
        enter_pooled(record, number, none, none, *model.facts, values, layers, model.q)

    def enter(self) -> bool:
        """Set the tree's estimates to the values of the model; False where there is none, or it is too much work."""
        t, record = self._tree.fields, self._tree.record
        nodes = int(t.node_count)
        number = np.empty(nodes, np.int64)
        count = number_states(record, number, _free(nodes))
        if np.count_nonzero(number >= 0) < NODES_A_STATE * count:
            return False
        width, player = np.zeros(count, np.int64), np.zeros(count, np.uint8)
        describe_states(record, number, width, player)
        offset = np.concatenate([[0], np.cumsum(width)])
        visits, rewards = np.zeros(offset[-1], np.int64), np.zeros(offset[-1])
        pair, follower, seen = (np.empty(int(t.unit_count), np.int64) for _ in range(3))
        found = pool_outcomes(record, number, offset, visits, rewards, _free(pair.size), pair, follower, seen)
        model = PooledModel(offset, player, visits, rewards, pair[:found], follower[:found], seen[:found])
        steps = int(t.horizon) - int(self._tree.storage.node(int(t.root)).depth)
        room = SHARE_OF_EXACT_VALUES * self._tree.max_bytes
        if steps * found > OUTCOMES_PER_VISIT * int(t.visits_made) or 8 * (steps + 1) * (count + 1) > room:
            return False
        values, layers = model.values(steps, float(t.discount))
        enter_pooled(record, number, offset, model.row_of, *model.facts, values, layers, model.q)
        return True


class PooledModel:
    """Pairs that were tried are rows; the outcomes of a row are weighed by how often they were seen.

    A state of which no action was tried (it was seen at the horizon only) has no value. Outcomes that lead there are
    left out of a row's mean; where all do, the row is worth what the states that have values are worth on average.
    """

    def __init__(
        self,
        offset: NDArray[np.int64],
        player: NDArray[np.uint8],
        visits: NDArray[np.int64],
        rewards: NDArray[np.float64],
        pair: NDArray[np.int64],
        follower: NDArray[np.int64],
        seen: NDArray[np.int64],
    ) -> None:
        tried = visits > 0
        before = np.concatenate([[0], np.cumsum(tried)])
        self.rows, self.row_of = before[offset], before[:-1]
        has_value = np.diff(self.rows) > 0
        self.player = player
        self.q = np.zeros(before[-1])
        order = np.argsort(self.row_of[pair], kind="stable")
        row, follower, seen = self.row_of[pair][order], follower[order], seen[order]
        valued = (follower < 0) | has_value[follower]
        weight = np.where(valued, seen, 0.0)
        total = np.bincount(row, weight, before[-1])[row]
        self.probability = np.where(total > 0.0, weight, seen) / np.where(total > 0.0, total, visits[tried][row])
        self.successor = np.where(valued, follower, player.size)
        self.reward = (rewards[tried] / visits[tried])[row]
        self.first = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=before[-1]))])

    @property
    def facts(self) -> tuple[Any, Any, Any, Any, Any]:
        """The rows of every state and their outcomes, as kernels take them."""
        return self.rows, self.first, self.probability, self.reward, self.successor

    def values(self, steps: int, discount: float) -> tuple[NDArray[np.float64], int]:
        """The values of all states with 0, 1, ... steps left, one after the other, and how many there are of these."""
        values = np.zeros((steps + 1) * self.rows.size)
        for left in range(1, steps + 1):
            if back_pooled(left, *self.facts, self.player, values, discount, self.q) and left > 1:
                return values, left + 1  # the same with every further step left
        return values, steps + 1


def _free(entries: int) -> Any:
    return np.full(1 << (2 * entries + 1).bit_length(), -1, np.int64)
