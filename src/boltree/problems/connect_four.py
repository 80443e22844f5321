"""Connect Four on the usual board of 7 columns and 6 rows."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from ..core.random import integer
from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Board

# Bit 7 * column + row, row 0 at the bottom; the seventh bit of a column stays 0, so that no line runs on from the top
# of one column into the bottom of the next. All constants are uint64: mixed with int64, Numba would go on in float64.
_ONE, _TWO = np.uint64(1), np.uint64(2)
_UP, _ACROSS, _FALLING, _RISING = np.uint64(1), np.uint64(7), np.uint64(6), np.uint64(8)
_COLUMN = 0b111111
FULL = np.uint64(sum(_COLUMN << 7 * c for c in range(7)))
_TOP = np.uint64(sum(0b100000 << 7 * c for c in range(7)))  # the top row
_NOTHING = np.uint64(0)
_U4, _U8, _U16, _U32 = (np.uint64(n) for n in (4, 8, 16, 32))
_PARITIES, _LOW = np.uint64(0x6996), np.uint64(15)  # bit i of 0x6996: whether i has an odd number of bits


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _won(board: Any) -> Any:
    """Whether a set of stones has four in a row."""
    pairs = board & (board >> _UP)
    lines = pairs & (pairs >> (_TWO * _UP))
    pairs = board & (board >> _ACROSS)
    lines |= pairs & (pairs >> (_TWO * _ACROSS))
    pairs = board & (board >> _FALLING)
    lines |= pairs & (pairs >> (_TWO * _FALLING))
    pairs = board & (board >> _RISING)
    lines |= pairs & (pairs >> (_TWO * _RISING))
    return lines != _NOTHING


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def winning_cells(board: Any, stones: Any) -> Any:
    """The free cells, whether a stone can be dropped there yet or not, that would make four of a set of stones.

    Args:
        board: the set of stones.
        stones: all stones on the board.
    """
    cells = _NOTHING
    for by in (_UP, _ACROSS, _FALLING, _RISING):
        two, three = by + by, by + by + by
        pairs = board & (board >> by)
        triples = pairs & (board >> two)
        cells |= (triples << three) | (triples >> by)  # an end is missing
        cells |= ((pairs & (board >> three)) << two) | ((board & (pairs >> two)) << by)  # one in the middle
    return cells & FULL & ~stones


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _dropped(stones: Any, column: Any) -> Any:
    """The bit where a stone dropped into a column comes to rest; 0 if the column is full."""
    # adding to a column's lowest bit carries to its first free one; in a full column that is the bit above the board
    return (stones + (_ONE << (_ACROSS * column))) & ~stones & FULL


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _odd(stones: Any) -> Any:
    """1 if the number of stones is odd, so that player 1 is to move; else 0."""
    folded = stones ^ (stones >> _U32)
    folded ^= folded >> _U16
    folded ^= folded >> _U8
    folded ^= folded >> _U4
    return np.int64((_PARITIES >> (folded & _LOW)) & _ONE)


class ConnectFour(Problem):
    """Connect Four: player 0 (X) begins; rewards are player 0's: +1 for a win, -1 for a loss, 0 for a draw.

    Actions are the columns 0..6 from the left. The state holds the stones of the player to move and of the other one,
    bit 7 * column + row, row 0 at the bottom. Features are four planes of 6 x 7, row 0 at the bottom: the stones of the
    player to move, the other one's, then the free cells where a stone would make four of the first, and of the second.

    Args:
        moves: the columns played before the start, as digits: "3344" (player 0 has 3 and 4, player 1 above them).
        horizon: steps until a game is cut off; 42 is a whole game.
    """

    state = record(mover="u8", other="u8")
    params = record(mover="u8", other="u8")
    actions = 7
    horizon = 42
    deterministic = True
    action_names = tuple(f"column {c}" for c in range(7))
    features_shape = (4, 6, 7)

    def __init__(self, moves: str = "", *, horizon: int = 42) -> None:
        mover, other = _position(moves)
        self._moves = moves
        super().__init__(mover=mover, other=other, horizon=horizon)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.mover = params.mover
        state.other = params.other

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return _odd(np.uint64(state.mover) | np.uint64(state.other))

    @staticmethod
    def bounds(params, state):  # type: ignore[no-untyped-def]
        return -1.0, 1.0

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        top = (np.uint64(state.mover) | np.uint64(state.other)) & _TOP
        for c in range(7):
            mask[c] = (top >> np.uint64(7 * c + 5)) & _ONE == _NOTHING

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        top = (np.uint64(state.mover) | np.uint64(state.other)) & _TOP
        if top == _NOTHING:  # no column is full, as for most of a game
            return integer(rng, 7)
        count = 0
        for c in range(7):
            count += 1 if (top >> np.uint64(7 * c + 5)) & _ONE == _NOTHING else 0
        k = integer(rng, count)
        for c in range(7):
            if (top >> np.uint64(7 * c + 5)) & _ONE == _NOTHING:
                if k == 0:
                    return c
                k -= 1
        raise ValueError("the board is full")

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        mover, other = np.uint64(state.mover), np.uint64(state.other)
        stone = _dropped(mover | other, np.uint64(action))
        if stone == _NOTHING:
            raise ValueError("this column is full")
        mover |= stone
        state.mover = other
        state.other = mover
        if _won(mover):
            return (1.0 if _odd(mover | other) == 1 else -1.0), True
        return 0.0, mover | other == FULL

    @staticmethod
    def features(params, state, out):  # type: ignore[no-untyped-def]
        mover, other = np.uint64(state.mover), np.uint64(state.other)
        planes = (mover, other, winning_cells(mover, mover | other), winning_cells(other, mover | other))
        for plane in range(4):
            for row in range(6):
                for column in range(7):
                    bit = np.uint64(7 * column + row)
                    out[42 * plane + 7 * row + column] = np.int64((np.uint64(planes[plane]) >> bit) & _ONE)

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        mover, other = int(state.mover), int(state.other)
        moved = (mover | other).bit_count()
        first, second = (mover, other) if moved % 2 == 0 else (other, mover)
        lines = []
        for row in range(5, -1, -1):
            bits = [7 * column + row for column in range(7)]
            lines.append(" ".join("X" if first >> b & 1 else "O" if second >> b & 1 else "." for b in bits))
        if _won(np.uint64(other)):
            word = f"{'XO'[(moved - 1) % 2]} has won"
        else:
            word = "draw" if moved == 42 else f"{'XO'[moved % 2]} to move"
        return "\n".join([*lines, "0 1 2 3 4 5 6", word])

    def scene(self) -> Board:
        def stones(state: Any) -> list[str]:
            return self.show_state(state).replace(" ", "").splitlines()[:6]

        def place(state: Any, action: int) -> tuple[int, int]:
            return max(row for row in range(6) if stones(state)[row][action] == "."), action

        return Board(rows=6, columns=7, stones=stones, place=place)

    def recipe(self) -> dict[str, Any]:
        return {"moves": self._moves, "horizon": self.horizon}


def _position(moves: Any) -> tuple[int, int]:
    """The stones of the player to move and of the other one after some moves from the empty board."""
    if not isinstance(moves, str):
        raise ProblemError(f"ConnectFour: moves={moves!r}, must be a text of column digits from 0 to 6, such as '3344'")
    mover, other = 0, 0
    for i, digit in enumerate(moves, 1):
        here = f"ConnectFour: moves={moves!r}: move {i} is {digit!r}"
        if digit not in tuple("0123456"):
            raise ProblemError(f"{here}, must be a column from 0 to 6")
        stone = int(_dropped(np.uint64(mover | other), np.uint64(digit)))
        if stone == 0:
            raise ProblemError(f"{here}, must be a column that is not full")
        mover, other = other, mover | stone
        if _won(np.uint64(other)) or mover | other == FULL:
            raise ProblemError(f"{here} and ends the game, must leave a position to play on from")
    return mover, other
