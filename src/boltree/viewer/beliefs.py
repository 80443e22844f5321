"""The picture of a belief: how probable each cell of a grid is to be the hidden state's, where a search begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..problem.scene import Grid
from ..search.search import Search
from ..web.page import number
from .grids import drawn_part, most_seen, place_of
from .painter import Painter
from .places import NOWHERE


class BeliefPainter(Painter):
    """Gathers the particles of a search's belief in the cells of its grid; trials do not change them."""

    def __init__(self, search: Search, grid: Grid) -> None:
        super().__init__(search)
        self.grid = grid
        shares: dict[int, float] = {}
        for places, share in search.belief.histogram(self._places_of).items():
            for place in places:
                shares[place] = shares.get(place, 0.0) + share
        self.nowhere = shares.pop(NOWHERE, 0.0)
        self.places = np.array(list(shares), np.int64)
        self.shares = np.array(list(shares.values()), float)

    def _places_of(self, state: Any) -> tuple[int, ...]:
        """The numbers of the cells in which what is hidden of a state lies."""
        grid, problem = self.grid, self.search.problem
        found = [grid.cell(state)] if grid.hidden is None else list(grid.hidden(state))
        return tuple(sorted({place_of(grid, problem, cell, state) for cell in found}))

    @classmethod
    def page(cls, painters: Sequence[BeliefPainter]) -> tuple[dict[str, Any] | None, list[Any]]:
        """The grid, cut to the cells that are drawn, and how probable each is, with what lies in no cell."""
        grid = painters[0].grid
        shown = most_seen([painter.places for painter in painters], [painter.shares for painter in painters])
        return {"kind": "belief"} | drawn_part(grid, shown), [painter.picture(shown) for painter in painters]

    def picture(self, shown: Any) -> dict[str, Any]:
        """How probable each of the shown cells is."""
        probable = dict(zip(self.places.tolist(), self.shares.tolist(), strict=True))
        return {
            "probability": [number(probable.get(place, 0.0), 3) for place in shown.tolist()],
            "nowhere": number(self.nowhere, 3),
        }
