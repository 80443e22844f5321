"""The picture of a grid: visits, values and recommended actions of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..messages import shortened
from ..problem.problem import Problem
from ..problem.scene import Grid, checked_cell, checked_moves
from ..search.search import Search
from ..web.page import numbers
from .painter import Painter
from .places import NOWHERE, Gathered, Places, gather

CELLS = 2_500
"""The most cells that are drawn, those visited most."""

DRAWN = 60_000
"""How many cells are kept on a page, about, over all moments and searches; large grids have fewer moments."""


class GridPainter(Painter):
    """Gathers the nodes of a search in the cells of its grid."""

    def __init__(self, search: Search, grid: Grid) -> None:
        super().__init__(search)
        self.grid = grid
        self.moves = checked_moves(f"{type(search.problem).__name__}.scene", grid.moves, search.problem.actions)
        self._places = Places(search, self._place_of)
        self.noted: list[Gathered] = []

    def _place_of(self, state: Any) -> int:
        return place_of(self.grid, self.search.problem, self.grid.cell(state), state)

    @property
    def last(self) -> Gathered:
        """What was gathered last."""
        return self.noted[-1]

    def note(self) -> None:
        """Gather visits, values and recommendations."""
        self._places.update()
        self.noted.append(gather(self.search.survey(), self._places, self.search.horizon))

    @classmethod
    def page(cls, painters: Sequence[GridPainter]) -> tuple[dict[str, Any] | None, list[Any]]:
        """The grid, cut to the cells that are drawn, and their numbers at each moment."""
        grid = painters[0].grid
        last = [painter.noted[-1] for painter in painters]
        shown = most_seen([one.places for one in last], [one.visits for one in last])
        moves = {str(action): list(move) for action, move in painters[0].moves.items()}
        scene = {"kind": "grid", "moves": moves} | drawn_part(grid, shown)
        every = max(1, -(-shown.size * sum(len(painter.noted) for painter in painters) // DRAWN))
        return scene, [_numbers(painter.noted, shown, every, painter.search.proofs) for painter in painters]


def place_of(grid: Grid, problem: Problem, given: Any, state: Any) -> int:
    """The number of a cell that the scene gave for a state."""
    where = f"{type(problem).__name__}.scene: cell of {shortened(state)}"
    cell = checked_cell(where, given, grid.rows, grid.columns)
    return NOWHERE if cell is None else cell[0] * grid.columns + cell[1]


def most_seen(places: Sequence[Any], weights: Sequence[Any]) -> Any:
    """The cells of any search, such as those visited; those of most weight if there are too many."""
    found, which = np.unique(np.concatenate(places), return_inverse=True)
    total = np.bincount(which, np.concatenate(weights), found.size)
    return np.sort(found[np.argsort(-total, kind="stable")[:CELLS]])


def drawn_part(grid: Grid, shown: Any) -> dict[str, Any]:
    """The grid as a page has it, cut to some cells if it is large."""
    rows, columns = np.divmod(shown, grid.columns)
    top, left, bottom, right = _frame(grid, rows, columns)
    return {
        "rows": bottom - top + 1,
        "columns": right - left + 1,
        "cells": [[int(r) - top, int(c) - left] for r, c in zip(rows, columns, strict=True)],
        "letters": [row[left : right + 1] for row in grid.letters[top : bottom + 1]],
        "solid": grid.solid,
        "legend": dict(grid.legend),
        "cut": (bottom - top + 1, right - left + 1) != (grid.rows, grid.columns),
    }


def _frame(grid: Grid, rows: Any, columns: Any) -> tuple[int, int, int, int]:
    """What of the grid is drawn: all of it, or where visits are if it is large."""
    if grid.rows * grid.columns <= CELLS or not rows.size:
        return 0, 0, min(grid.rows, CELLS) - 1, min(grid.columns, CELLS) - 1
    return int(rows.min()), int(columns.min()), int(rows.max()), int(columns.max())


def _numbers(noted: Sequence[Gathered], shown: Any, every: int, proofs: bool) -> dict[str, Any]:
    """The numbers of the shown cells at each moment, or at every n-th of them; None at the others."""
    data: dict[str, Any] = {"visits": [], "value": [], "action": []}
    counts = ("nodes", "proven") if proofs else ()
    data.update({name: [] for name in counts})
    for i, moment in enumerate(noted):
        if (len(noted) - 1 - i) % every:
            for column in data.values():
                column.append(None)
            continue
        at = np.searchsorted(shown, moment.places).clip(0, max(shown.size - 1, 0))
        kept = shown[at] == moment.places
        at = at[kept]
        visits, action, value = np.zeros(shown.size, np.int64), np.full(shown.size, -1), np.full(shown.size, np.nan)
        visits[at], action[at], value[at] = moment.visits[kept], moment.action[kept], moment.value[kept]
        data["visits"].append(visits.tolist())
        data["action"].append(action.tolist())
        data["value"].append(numbers(value, 4))
        for name in counts:
            count = np.zeros(shown.size, np.int64)
            count[at] = getattr(moment, name)[kept]
            data[name].append(count.tolist())
    return data
