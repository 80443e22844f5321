"""Breakthrough: pawns race to the opposite side of the board."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from ..core.random import integer
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Board
from .bits import NOTHING, ONE, column, count, letters, nth, row, write_plane
from .checks import whole

DIRECTIONS = ("left", "ahead", "right")
"""Where a piece goes, as seen on the picture: towards column a, straight, away from column a."""

TWO_ROWS_FROM = 6
"""Boards of at least as many rows begin with two rows of pieces on each side, smaller ones with one."""


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _movable(own: Any, other: Any, player: Any, direction: Any, columns: Any, left: Any, right: Any) -> Any:
    """The pieces of a player that can go in a direction."""
    if direction == 1:
        taken = own | other
        return own & ~(taken >> columns if player == 0 else taken << columns)
    if player == 0:  # down the board, to higher bits
        return own & ~left & ~(own >> (columns - ONE)) if direction == 0 else own & ~right & ~(own >> (columns + ONE))
    return own & ~left & ~(own << (columns + ONE)) if direction == 0 else own & ~right & ~(own << (columns - ONE))


class Breakthrough(Problem):
    """Breakthrough: who first brings a piece to the other side of the board wins, +1 for player 0, -1 for player 1.

    A piece goes one cell ahead, straight or diagonally, captures only diagonally. A player without pieces loses; there
    are no draws. Player 0 (B) begins, at the top; player 1 (W) is at the bottom. It is OpenSpiel's `breakthrough`.

    Action 3 * cell + direction moves the piece on a cell (columns * row + column, row 0 at the top) to the left (0),
    ahead (1) or to the right (2), where left and right are those of the picture. The state is one set of cells per
    player, and who moves.

    Features are three planes of rows x columns: the pieces of the player to move, the other one's, and all 1 where
    player 0 is to move.

    Args:
        rows: of the board, 3 to 8; from 6 on each side begins with two rows of pieces, else with one.
        columns: of the board, 2 to 8.
        horizon: steps until a game is cut off; more than a game can have if None.

    Example:
        >>> import boltree as bt
        >>> problem = bt.problems.Breakthrough(rows=4, columns=3)
        >>> bt.solve(problem).root_value
        1.0
    """

    state = record(first="u8", second="u8", player="u1")
    params = record(rows="u8", columns="u8", top="u8", bottom="u8", left="u8", right="u8", first="u8", second="u8")
    deterministic = True

    def __init__(self, rows: int = 6, columns: int = 6, *, horizon: int | None = None) -> None:
        rows = whole("Breakthrough", "rows", rows, 3, 8)
        columns = whole("Breakthrough", "columns", columns, 2, 8)
        deep = range(2 if rows >= TWO_ROWS_FROM else 1)
        # a piece that has not won has gone from its row to the last but one at most
        longest = 1 + 2 * columns * sum(rows - 2 - r for r in deep)
        self.action_names = tuple(
            f"{_cell(rows, columns, a // 3)} {DIRECTIONS[a % 3]}" for a in range(3 * rows * columns)
        )
        self.features_shape = (3, rows, columns)
        super().__init__(
            rows=rows,
            columns=columns,
            top=row(rows, columns, 0),
            bottom=row(rows, columns, -1),
            left=column(rows, columns, 0),
            right=column(rows, columns, -1),
            first=sum(row(rows, columns, r) for r in deep),
            second=sum(row(rows, columns, -1 - r) for r in deep),
            actions=3 * rows * columns,
            horizon=longest if horizon is None else horizon,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.first = params.first
        state.second = params.second
        state.player = 0

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return state.player

    @staticmethod
    def bounds(params, state):  # type: ignore[no-untyped-def]
        return -1.0, 1.0

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        first, second = np.uint64(state.first), np.uint64(state.second)
        own, other = (first, second) if state.player == 0 else (second, first)
        columns, left, right = np.uint64(params.columns), np.uint64(params.left), np.uint64(params.right)
        lefts = np.uint64(_movable(own, other, state.player, 0, columns, left, right))
        aheads = np.uint64(_movable(own, other, state.player, 1, columns, left, right))
        rights = np.uint64(_movable(own, other, state.player, 2, columns, left, right))
        for cell in range(len(mask) // 3):
            here = ONE << np.uint64(cell)
            mask[3 * cell] = lefts & here != NOTHING
            mask[3 * cell + 1] = aheads & here != NOTHING
            mask[3 * cell + 2] = rights & here != NOTHING

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        first, second = np.uint64(state.first), np.uint64(state.second)
        own, other = (first, second) if state.player == 0 else (second, first)
        columns, left, right = np.uint64(params.columns), np.uint64(params.left), np.uint64(params.right)
        lefts = np.uint64(_movable(own, other, state.player, 0, columns, left, right))
        aheads = np.uint64(_movable(own, other, state.player, 1, columns, left, right))
        rights = np.uint64(_movable(own, other, state.player, 2, columns, left, right))
        to_left, ahead = count(lefts), count(aheads)
        k = integer(rng, to_left + ahead + count(rights))
        if k < to_left:
            return 3 * nth(lefts, k)
        k -= to_left
        if k < ahead:
            return 3 * nth(aheads, k) + 1
        return 3 * nth(rights, k - ahead) + 2

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        first, second = np.uint64(state.first), np.uint64(state.second)
        columns, left, right = np.uint64(params.columns), np.uint64(params.left), np.uint64(params.right)
        player, direction = np.int64(state.player), action % 3
        own, other = (first, second) if player == 0 else (second, first)
        movable = np.uint64(_movable(own, other, player, direction, columns, left, right))
        piece = ONE << np.uint64(action // 3)
        if movable & piece == NOTHING:
            raise ValueError("this move is illegal here")
        if player == 0:
            to = piece << (columns + np.uint64(direction) - ONE)
            won = to & np.uint64(params.bottom) != NOTHING or second == to
            state.first = (first ^ piece) | to
            state.second = second & ~to
        else:
            to = piece >> (columns + ONE - np.uint64(direction))
            won = to & np.uint64(params.top) != NOTHING or first == to
            state.second = (second ^ piece) | to
            state.first = first & ~to
        state.player = 1 - player
        return ((1.0 if player == 0 else -1.0) if won else 0.0), won

    @staticmethod
    def features(params, state, out):  # type: ignore[no-untyped-def]
        first, second = np.uint64(state.first), np.uint64(state.second)
        own, other = (first, second) if state.player == 0 else (second, first)
        cells = len(out) // 3
        write_plane(out, 0, cells, own)
        write_plane(out, 1, cells, other)
        write_plane(out, 2, cells, ~NOTHING if state.player == 0 else NOTHING)

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        rows, columns, first, second = int(params.rows), int(params.columns), int(state.first), int(state.second)
        lines = [f"{rows - r} {' '.join(text)}" for r, text in enumerate(_pieces(state, rows, columns))]
        if first & int(params.bottom) or not second:
            word = "B has won"
        elif second & int(params.top) or not first:
            word = "W has won"
        else:
            word = "BW"[state.player] + " to move"
        return "\n".join([*lines, "  " + " ".join("abcdefgh"[:columns]), word])

    def action_name_in(self, state: Any, action: int) -> str:
        """A move by the cells it goes from and to, such as "a5b4"."""
        rows, columns = int(self.plain_params.rows), int(self.plain_params.columns)
        to_row, to_column = _target(state, action, columns)
        return _cell(rows, columns, action // 3) + _cell(rows, columns, columns * to_row + to_column)

    def scene(self) -> Board:
        rows, columns = int(self.plain_params.rows), int(self.plain_params.columns)
        return Board(
            rows=rows,
            columns=columns,
            stones=lambda state: _pieces(state, rows, columns),
            place=lambda state, action: _target(state, action, columns),
        )

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {"rows": int(p.rows), "columns": int(p.columns), "horizon": self.horizon}


def _target(state: Any, action: int, columns: int) -> tuple[int, int]:
    """The row and column that a move goes to."""
    at_row, at_column = divmod(action // 3, columns)
    return at_row + (1 if state.player == 0 else -1), at_column + action % 3 - 1


def _cell(rows: int, columns: int, cell: int) -> str:
    """A cell as in OpenSpiel: "a1" is at the lower left."""
    return f"{'abcdefgh'[cell % columns]}{rows - cell // columns}"


def _pieces(state: Any, rows: int, columns: int) -> list[str]:
    return letters({"B": int(state.first), "W": int(state.second)}, rows, columns)
