"""Hex: two players each connect two opposite sides of a rhombus."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from ..core.random import integer
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Board
from .bits import NOTHING, ONE, column, count, letters, row, squares, write_plane
from .checks import whole

LARGEST = 8
"""The largest board's size: a player's stones are one 64-bit word."""


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _around(cells: Any, size: Any, left: Any, right: Any) -> Any:
    """The neighbours of a set of cells, six of each; some lie below the board, where no stone is."""
    rightwards, leftwards = cells & ~right, cells & ~left
    aslant = size - ONE
    found = (cells << size) | (cells >> size)
    found |= (rightwards << ONE) | (leftwards >> ONE)
    return found | (rightwards >> aslant) | (leftwards << aslant)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _connects(begin: Any, stones: Any, side: Any, opposite: Any, size: Any, left: Any, right: Any) -> Any:
    """Whether the stones connected to some of them, such as the last one, reach two sides."""
    if stones & side == NOTHING or stones & opposite == NOTHING:
        return False
    group, grown = NOTHING, begin
    while grown != group:
        group = grown
        grown |= _around(grown, size, left, right) & stones
    return group & side != NOTHING and group & opposite != NOTHING


class Hex(Problem):
    """Hex: player 0 (X) begins and connects top and bottom, player 1 (O) left and right; who does so wins, +1 or -1.

    There are no draws, and no swap of sides after the first move: it is OpenSpiel's `hex`. Actions are the cells, row
    by row from the upper left. Each row lies half a cell to the right of the one above, so that a cell touches two in
    its own row, those above and above to the right, and those below to the left and below. The state is one set of
    stones per player, bit size * row + column.

    Features are three planes of size x size: the stones of the player to move, the other one's, and all 1 where player
    0 is to move.

    Args:
        size: of the board, 2 to 8.
        horizon: steps until a game is cut off; a whole game if None.

    Example:
        >>> import boltree as bt
        >>> bt.solve(bt.problems.Hex(3)).root_value  # whoever begins wins
        1.0
    """

    state = record(first="u8", second="u8")
    params = record(size="u8", full="u8", top="u8", bottom="u8", left="u8", right="u8")
    deterministic = True

    def __init__(self, size: int = 7, *, horizon: int | None = None) -> None:
        size = whole("Hex", "size", size, 2, LARGEST)
        self.action_names = tuple(squares(size, size))
        self.features_shape = (3, size, size)
        super().__init__(
            size=size,
            full=(1 << size * size) - 1,
            top=row(size, size, 0),
            bottom=row(size, size, -1),
            left=column(size, size, 0),
            right=column(size, size, -1),
            actions=size * size,
            horizon=size * size if horizon is None else horizon,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.first = 0
        state.second = 0

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return count(np.uint64(state.first) | np.uint64(state.second)) & 1

    @staticmethod
    def bounds(params, state):  # type: ignore[no-untyped-def]
        return -1.0, 1.0

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        stones = np.uint64(state.first) | np.uint64(state.second)
        for a in range(len(mask)):
            mask[a] = stones & (ONE << np.uint64(a)) == NOTHING

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        stones = np.uint64(state.first) | np.uint64(state.second)
        if stones == np.uint64(params.full):
            raise ValueError("the board is full")
        cells = np.int64(params.size * params.size)
        while True:  # most cells are free for most of a game
            a = integer(rng, cells)
            if stones & (ONE << np.uint64(a)) == NOTHING:
                return a

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        first, second = np.uint64(state.first), np.uint64(state.second)
        size, left, right = np.uint64(params.size), np.uint64(params.left), np.uint64(params.right)
        stone = ONE << np.uint64(action)
        if ((first | second) | ~np.uint64(params.full)) & stone != NOTHING:
            raise ValueError("this cell is taken")
        if count(first | second) & 1 == 0:
            first |= stone
            state.first = first
            top, bottom = np.uint64(params.top), np.uint64(params.bottom)
            won = _connects(stone, first, top, bottom, size, left, right)
            return (1.0 if won else 0.0), won
        second |= stone
        state.second = second
        won = _connects(stone, second, left, right, size, left, right)
        return (-1.0 if won else 0.0), won

    @staticmethod
    def features(params, state, out):  # type: ignore[no-untyped-def]
        first, second = np.uint64(state.first), np.uint64(state.second)
        moved = count(first | second) & 1
        mover, other = (first, second) if moved == 0 else (second, first)
        cells = len(out) // 3
        write_plane(out, 0, cells, mover)
        write_plane(out, 1, cells, other)
        write_plane(out, 2, cells, np.uint64(params.full) if moved == 0 else NOTHING)

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        size, left, right = np.uint64(params.size), np.uint64(params.left), np.uint64(params.right)
        first, second, top = np.uint64(state.first), np.uint64(state.second), np.uint64(params.top)
        lines = [" " * r + " ".join(text) for r, text in enumerate(_stones(state, int(size)))]
        if _connects(first & top, first, top, np.uint64(params.bottom), size, left, right):
            word = "X has won"
        elif _connects(second & left, second, left, right, size, left, right):
            word = "O has won"
        else:
            word = "XO"[count(first | second) % 2] + " to move"
        return "\n".join([*lines, word])

    def scene(self) -> Board:
        size = int(self.plain_params.size)
        return Board(
            rows=size,
            columns=size,
            stones=lambda state: _stones(state, size),
            place=lambda state, action: divmod(action, size),
        )

    def recipe(self) -> dict[str, Any]:
        return {"size": int(self.plain_params.size), "horizon": self.horizon}


def _stones(state: Any, size: int) -> list[str]:
    return letters({"X": int(state.first), "O": int(state.second)}, size, size)
