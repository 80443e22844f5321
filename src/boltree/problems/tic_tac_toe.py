"""Tic-tac-toe, the smallest game of two players."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.random import integer
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Board

LINES = (0b000000111, 0b000111000, 0b111000000, 0b001001001, 0b010010010, 0b100100100, 0b100010001, 0b001010100)
"""Rows, columns and diagonals, bit i for square i."""

FULL = 0b111111111
_WON = [any(board & line == line for line in LINES) for board in range(FULL + 1)]
_ODD = [board.bit_count() % 2 for board in range(FULL + 1)]


class TicTacToe(Problem):
    """Tic-tac-toe: player 0 (X) begins; rewards are player 0's: +1 for a win, -1 for a loss, 0 for a draw.

    Squares, and so actions, are 0..8, row by row from the upper left. The state is one set of squares per player, bit i
    for square i.

    Args:
        horizon: steps until a game is cut off; 9 is a whole game.
    """

    state = record(crosses="u2", noughts="u2")
    params = record(won="u1[:]", odd="u1[:]")  # for every set of squares: has a line, has an odd number of squares
    actions = 9
    horizon = 9
    deterministic = True
    action_names = (
        *("top left", "top", "top right"),
        *("left", "centre", "right"),
        *("bottom left", "bottom", "bottom right"),
    )

    def __init__(self, *, horizon: int = 9) -> None:
        super().__init__(won=_WON, odd=_ODD, horizon=horizon)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.crosses = 0
        state.noughts = 0

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return params.odd[state.crosses | state.noughts]

    @staticmethod
    def bounds(params, state):  # type: ignore[no-untyped-def]
        return -1.0, 1.0

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        taken = np.int64(state.crosses) | np.int64(state.noughts)
        for a in range(9):
            mask[a] = (taken >> a) & 1 == 0

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        taken = np.int64(state.crosses) | np.int64(state.noughts)
        count = np.int64(0)
        for a in range(9):
            count += 1 - ((taken >> a) & 1)
        k = integer(rng, count)
        for a in range(9):
            if (taken >> a) & 1 == 0:
                if k == 0:
                    return a
                k -= 1
        raise ValueError("no square is free")

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        crosses, noughts = np.int64(state.crosses), np.int64(state.noughts)
        square = 1 << action
        if (crosses | noughts) & square != 0:
            raise ValueError("this square is taken")
        if params.odd[crosses | noughts] == 0:
            crosses |= square
            state.crosses = crosses
            if params.won[crosses] != 0:
                return 1.0, True
        else:
            noughts |= square
            state.noughts = noughts
            if params.won[noughts] != 0:
                return -1.0, True
        return 0.0, crosses | noughts == FULL

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        squares = ["X" if state.crosses >> a & 1 else "O" if state.noughts >> a & 1 else "." for a in range(9)]
        board = [" ".join(squares[i : i + 3]) for i in (0, 3, 6)]
        if params.won[state.crosses]:
            word = "X has won"
        elif params.won[state.noughts]:
            word = "O has won"
        elif state.crosses | state.noughts == FULL:
            word = "draw"
        else:
            word = "O to move" if params.odd[state.crosses | state.noughts] else "X to move"
        return "\n".join([*board, word])

    def scene(self) -> Board:
        def stones(state: Any) -> list[str]:
            return self.show_state(state).replace(" ", "").splitlines()[:3]

        return Board(rows=3, columns=3, stones=stones, place=lambda state, action: divmod(action, 3))

    def recipe(self) -> dict[str, Any]:
        return {"horizon": self.horizon}
