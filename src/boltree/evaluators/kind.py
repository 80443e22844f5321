"""Which searches may share a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Problem


class Kind:
    """What searches must have in common to share a batch."""

    def __init__(self, problem: Any) -> None:
        self.problem, self.actions = problem, int(problem.actions)
        self.with_features = bool(problem.has("features"))
        self.shape = tuple(problem.features_shape) if self.with_features else ()
        self.items = int(np.prod(self.shape)) if self.with_features else 0
        self.layout = problem.state_layout()
        self.row_bytes = 4 * self.items if self.with_features else int(self.layout.itemsize)

    def fits(self, other: Kind) -> bool:
        """Whether the other's leaves may stand in one batch with these."""
        if self.problem is other.problem:
            return True
        if not self.with_features and type(self.problem).batch_of is not Problem.batch_of:
            return False  # what the states stand for, only their own problem knows
        mine, theirs = ((type(one.problem), one.actions, one.shape, one.layout) for one in (self, other))
        return mine == theirs

    def batch_of(self, rows: Any) -> Any:
        """Rows as an evaluator is given them."""
        if self.with_features:
            return rows.view(np.float32).reshape(len(rows), *self.shape)
        return self.problem.batch_of(rows.view(self.layout).reshape(len(rows)))
