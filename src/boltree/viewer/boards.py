"""The picture of a board: the position at the root; its moves' visits and values are the root's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..problem.scene import Board, checked_board, checked_cell
from ..search.search import Search
from .painter import Painter


class BoardPainter(Painter):
    """Draws the position at the root, and the root's visits and values at the places of its moves."""

    def __init__(self, search: Search, board: Board) -> None:
        super().__init__(search)
        where = f"{type(search.problem).__name__}.scene"
        root = search.root
        self.scene = {
            "kind": "board",
            "rows": board.rows,
            "columns": board.columns,
            "crossings": board.crossings,
            "stones": checked_board(board, root.state, f"{where}: stones"),
        }
        self.places = {}
        for action in root.actions.tolist():
            given = board.place(root.state, action)
            self.places[str(action)] = checked_cell(f"{where}: place of {action}", given, board.rows, board.columns)

    @classmethod
    def page(cls, painters: Sequence[BoardPainter]) -> tuple[dict[str, Any] | None, list[Any]]:
        """The position, and the place of each move."""
        first = painters[0]
        return first.scene | {"places": first.places}, [None for _ in painters]
