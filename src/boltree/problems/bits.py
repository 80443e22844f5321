"""Sets of a board's cells as the bits of one 64-bit word: counting them, picking one, and the edges of a board."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

# All constants are uint64: mixed with int64, Numba would go on in float64.
ONE, NOTHING = np.uint64(1), np.uint64(0)
_U2, _U4, _U56 = (np.uint64(n) for n in (2, 4, 56))
_PAIRS, _FOURS, _BYTES = (np.uint64(0x0101010101010101 * byte) for byte in (0x55, 0x33, 0x0F))
_SUM = np.uint64(0x0101010101010101)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def count(cells: Any) -> Any:
    """How many cells are in a set. (The compiler makes one instruction of it.)"""
    cells = np.uint64(cells)
    cells -= (cells >> ONE) & _PAIRS
    cells = (cells & _FOURS) + ((cells >> _U2) & _FOURS)
    cells = (cells + (cells >> _U4)) & _BYTES
    return np.int64((cells * _SUM) >> _U56)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def nth(cells: Any, n: Any) -> Any:
    """The cell that has n lower ones in a set of more than n cells."""
    cells = np.uint64(cells)
    for _ in range(n):
        cells &= cells - ONE
    return count((cells & (~cells + ONE)) - ONE)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def write_plane(out: Any, plane: Any, size: Any, cells: Any) -> None:
    """Write a set of cells as one plane of features of this size: 1 where a cell is in the set, else 0."""
    cells = np.uint64(cells)
    for cell in range(size):
        out[size * plane + cell] = np.int64((cells >> np.uint64(cell)) & ONE)


def row(rows: int, columns: int, number: int) -> int:
    """The cells of one row, bit ``columns * row + column``; -1 is the last row."""
    return ((1 << columns) - 1) << columns * (number % rows)


def column(rows: int, columns: int, number: int) -> int:
    """The cells of one column; -1 is the last column."""
    return sum(1 << columns * r + number % columns for r in range(rows))


def squares(rows: int, columns: int) -> list[str]:
    """The cells' names, row by row from the top: "a1" is at the upper left."""
    return [f"{'abcdefgh'[c]}{r + 1}" for r in range(rows) for c in range(columns)]


def letters(sets: dict[str, int], rows: int, columns: int) -> list[str]:
    """The rows of a board as text: the letter of the set that a cell is in, else a dot."""
    cells = range(rows * columns)
    text = "".join(next((letter for letter, cell_set in sets.items() if cell_set >> c & 1), ".") for c in cells)
    return [text[start : start + columns] for start in range(0, rows * columns, columns)]
