"""Othello, also known as Reversi: discs between a new disc and another of the same colour are turned over."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from ..core.random import integer
from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Board
from .bits import NOTHING, ONE, column, count, letters, nth, squares, write_plane

SIZES = (4, 6, 8)
"""The sizes of boards; a player's discs are one 64-bit word."""


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _run_up(discs: Any, through: Any, by: Any) -> Any:
    """The cells just above unbroken runs, by steps to higher bits, that begin beside a set of discs."""
    run = (discs << by) & through
    run |= (run << by) & through
    twice, further = by + by, through & (through << by)
    run |= (run << twice) & further
    run |= (run << twice) & further
    return run << by


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _run_down(discs: Any, through: Any, by: Any) -> Any:
    """The same by steps to lower bits."""
    run = (discs >> by) & through
    run |= (run >> by) & through
    twice, further = by + by, through & (through >> by)
    run |= (run >> twice) & further
    run |= (run >> twice) & further
    return run >> by


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _moves(mover: Any, other: Any, size: Any, inner: Any, full: Any) -> Any:
    """The free cells where a disc would turn others over."""
    across = other & inner  # a run that turns a corner of the board would go on in the next row
    found = _run_up(mover, across, ONE) | _run_down(mover, across, ONE)
    found |= _run_up(mover, other, size) | _run_down(mover, other, size)
    found |= _run_up(mover, across, size + ONE) | _run_down(mover, across, size + ONE)
    found |= _run_up(mover, across, size - ONE) | _run_down(mover, across, size - ONE)
    return found & full & ~(mover | other)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _between_up(disc: Any, mover: Any, through: Any, by: Any) -> Any:
    """The run above a disc, by steps to higher bits, if a disc of the same colour ends it; else nothing."""
    run, end = NOTHING, disc << by
    while end & through != NOTHING:
        run |= end
        end <<= by
    return run if end & mover != NOTHING else NOTHING


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _between_down(disc: Any, mover: Any, through: Any, by: Any) -> Any:
    """The same by steps to lower bits."""
    run, end = NOTHING, disc >> by
    while end & through != NOTHING:
        run |= end
        end >>= by
    return run if end & mover != NOTHING else NOTHING


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _turned(disc: Any, mover: Any, other: Any, size: Any, inner: Any) -> Any:
    """The other player's discs that a new disc turns over."""
    across = other & inner
    found = _between_up(disc, mover, across, ONE) | _between_down(disc, mover, across, ONE)
    found |= _between_up(disc, mover, other, size) | _between_down(disc, mover, other, size)
    found |= _between_up(disc, mover, across, size + ONE) | _between_down(disc, mover, across, size + ONE)
    return found | _between_up(disc, mover, across, size - ONE) | _between_down(disc, mover, across, size - ONE)


class Othello(Problem):
    """Othello: who has more discs in the end wins; rewards are player 0's: +1 for a win, -1 for a loss, 0 for a draw.

    A disc must turn over at least one of the other player's: all in unbroken straight lines between it and another disc
    of the same colour. Who has no such move passes; when neither has one, the game is over. Player 0 (X) begins. On
    8 x 8 it is OpenSpiel's `othello`.

    Actions are the cells, row by row from the upper left, and size * size, the pass, which is legal only where nothing
    else is. The state holds the discs of the player to move and of the other one, bit size * row + column, the cells
    where the player to move can play, so that they are found once, and who moves.

    Features are three planes of size x size: the discs of the player to move, the other one's, and the legal cells.

    Args:
        size: of the board: 8, 6 or 4.
        horizon: steps until a game is cut off; more than a game can have if None.

    Example:
        >>> import boltree as bt
        >>> problem = bt.problems.Othello()
        >>> [problem.action_name(action) for action in problem.legal_actions(problem.start_state())]
        ['d3', 'c4', 'f5', 'e6']
    """

    state = record(mover="u8", other="u8", moves="u8", player="u1")
    params = record(size="u8", inner="u8", full="u8", mover="u8", other="u8")
    deterministic = True

    def __init__(self, size: int = 8, *, horizon: int | None = None) -> None:
        if isinstance(size, bool) or size not in SIZES:
            raise ProblemError(f"Othello: size={size!r}, must be one of {', '.join(map(str, SIZES))}")
        size, cells = int(size), int(size) ** 2
        low, high = size // 2 - 1, size // 2
        self.action_names = (*squares(size, size), "pass")
        self.features_shape = (3, size, size)
        super().__init__(
            size=size,
            inner=(1 << cells) - 1 - column(size, size, 0) - column(size, size, -1),
            full=(1 << cells) - 1,
            mover=1 << size * low + high | 1 << size * high + low,
            other=1 << size * low + low | 1 << size * high + high,
            actions=cells + 1,
            horizon=2 * (cells - 4) if horizon is None else horizon,  # no two passes in a row but the last
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        mover, other = np.uint64(params.mover), np.uint64(params.other)
        state.mover = mover
        state.other = other
        state.moves = _moves(mover, other, np.uint64(params.size), np.uint64(params.inner), np.uint64(params.full))
        state.player = 0

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return state.player

    @staticmethod
    def bounds(params, state):  # type: ignore[no-untyped-def]
        return -1.0, 1.0

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        moves = np.uint64(state.moves)
        cells = len(mask) - 1
        for a in range(cells):
            mask[a] = moves & (ONE << np.uint64(a)) != NOTHING
        mask[cells] = moves == NOTHING

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        moves = np.uint64(state.moves)
        if moves == NOTHING:
            return np.int64(params.size * params.size)
        return nth(moves, integer(rng, count(moves)))

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        mover, other, moves = np.uint64(state.mover), np.uint64(state.other), np.uint64(state.moves)
        size, inner, full = np.uint64(params.size), np.uint64(params.inner), np.uint64(params.full)
        if action == np.int64(size * size):
            if moves != NOTHING:
                raise ValueError("who can play must not pass")
        else:
            disc = ONE << np.uint64(action)
            if moves & disc == NOTHING:
                raise ValueError("this move is illegal here")
            turned = np.uint64(_turned(disc, mover, other, size, inner))
            mover |= disc | turned
            other &= ~turned
        player = 1 - np.int64(state.player)
        moves = np.uint64(_moves(other, mover, size, inner, full))
        state.mover = other
        state.other = mover
        state.moves = moves
        state.player = player
        if moves != NOTHING or _moves(mover, other, size, inner, full) != NOTHING:
            return 0.0, False
        lead = count(other) - count(mover)
        if player == 1:
            lead = -lead
        return (1.0 if lead > 0 else -1.0 if lead < 0 else 0.0), True

    @staticmethod
    def features(params, state, out):  # type: ignore[no-untyped-def]
        mover, other, moves = np.uint64(state.mover), np.uint64(state.other), np.uint64(state.moves)
        cells = len(out) // 3
        write_plane(out, 0, cells, mover)
        write_plane(out, 1, cells, other)
        write_plane(out, 2, cells, moves)

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        size, mover, other = int(params.size), int(state.mover), int(state.other)
        lines = [f"{r + 1} {' '.join(text)}" for r, text in enumerate(_discs(state, size))]
        numbers = (np.uint64(n) for n in (other, mover, size, params.inner, params.full))
        first, second = (mover, other) if state.player == 0 else (other, mover)
        if state.moves or _moves(*numbers) != NOTHING:
            word = "XO"[state.player] + " to move"
        elif first.bit_count() == second.bit_count():
            word = "draw"
        else:
            word = ("X" if first.bit_count() > second.bit_count() else "O") + " has won"
        score = f"X {first.bit_count()}, O {second.bit_count()}: {word}"
        return "\n".join(["  " + " ".join("abcdefgh"[:size]), *lines, score])

    def scene(self) -> Board:
        size = int(self.plain_params.size)
        return Board(
            rows=size,
            columns=size,
            stones=lambda state: _discs(state, size),
            place=lambda state, action: divmod(action, size) if action < size * size else None,
        )

    def recipe(self) -> dict[str, Any]:
        return {"size": int(self.plain_params.size), "horizon": self.horizon}


def _discs(state: Any, size: int) -> list[str]:
    mover, other = "XO"[state.player], "XO"[1 - state.player]
    return letters({mover: int(state.mover), other: int(state.other)}, size, size)
