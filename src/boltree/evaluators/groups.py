"""The searches of a cohort as compiled code sees them: their records, and memory for the rows of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import records
from ..core.together import PLAN
from .crowd import Board
from .kind import Kind

if TYPE_CHECKING:
    from ..search import Search


class Groups:
    """A group for each search, in the order in which they were added."""

    def __init__(self) -> None:
        self.records = np.zeros(0, records.GROUP)
        self._plan = np.zeros(1, PLAN)
        self._plan_at = self._plan.ctypes.data
        self._rows = np.zeros((0, 0), np.uint8)
        self._leaves = self._places = np.zeros(0, np.int64)

    def add(self, search: Search, end: int) -> None:
        """Add a search that shall have so many trials in the end."""
        group, problem = np.zeros(1, records.GROUP), search.problem
        group["tree"] = search._handle.ctypes.data
        group["end"], group["size"], group["trials"] = end, search._batch, search.trials
        if problem.has("features"):
            group["features"], group["params"] = problem.address("features"), problem.params_at
        self.records = np.concatenate([self.records, group])

    def lay_out(self, kind: Kind) -> None:
        """Make room for the rows of a batch, and write the plan; whenever groups have come or gone."""
        groups, plan = self.records, self._plan
        size = int(groups["size"].max())
        places = len(groups) * size
        if self._rows.shape[0] < places or self._rows.shape[1] != kind.row_bytes:
            self._rows = np.zeros((places, kind.row_bytes), np.uint8)
        if self._leaves.size < places:
            self._leaves, self._places = np.zeros(places, np.int64), np.zeros(places, np.int64)
        arrays = {"groups": groups, "rows": self._rows, "leaves": self._leaves, "places": self._places}
        for name, array in arrays.items():
            plan[f"{name}_at"] = array.ctypes.data
        plan["count"], plan["size"] = len(groups), size
        plan["row_bytes"], plan["row_items"] = kind.row_bytes, kind.items

    def advance(self, board: Board, values: Any, priors: Any) -> tuple[Any, bool]:
        """Let every group back up and select; the rows to be valued, and whether one has ended or must be seen to."""
        rows, special = board.advance(self._plan_at, values, priors)
        return self._rows[:rows], special
