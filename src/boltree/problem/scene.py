"""How a problem is drawn by `bt.watch`: as a grid of cells, a chain of states, or a board of a game.

A problem says so by a method that returns one of these; no kernel knows it. Functions of a state get it as users do:
with its fields as attributes, or the object itself for a `bt.PythonProblem`.

    class Maze(bt.Problem):
        ...
        def scene(self):
            return bt.Grid(rows=8, columns=8, cell=lambda state: (state.y, state.x), moves={0: (-1, 0), 1: (1, 0)})
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from ..checks import is_whole, whole
from ..errors import ProblemError

Cell = tuple[int, int]
"""A row, from the top, and a column, from the left; both from 0."""


@dataclass(frozen=True)
class Grid:
    """Cells in which states lie; visits, values and recommended actions are gathered over all states of a cell.

    Args:
        rows: of the grid.
        columns: of the grid.
        cell: the (row, column) of a state; None for a state that lies nowhere.
        letters: rows of text to draw in the cells: "." for nothing, a space where there is no cell.
        solid: letters whose cells are drawn dark, such as walls and holes.
        moves: the (rows, columns) that an action goes, for arrows; other actions are drawn by their names.
        legend: what letters mean, in words.
        hidden: where the state is hidden, the cells of a state in which what is hidden lies, such as an opponent;
            `bt.watch` draws how probable each is. The one `cell` if None.
    """

    rows: int
    columns: int
    cell: Callable[[Any], Union[Cell, None]]
    letters: Sequence[str] = ()
    solid: str = "#"
    moves: Mapping[int, Cell] = field(default_factory=dict)
    legend: Mapping[str, str] = field(default_factory=dict)
    hidden: Union[Callable[[Any], Sequence[Cell]], None] = None

    def __post_init__(self) -> None:
        _check_size("Grid", self.rows, self.columns)
        if self.letters:
            _check_rows("Grid: letters", self.letters, self.rows, self.columns)


@dataclass(frozen=True)
class Chain:
    """States 1..D in a row: one action goes on to the next and pays nothing, every other one leaves, pays and ends.

    `bt.watch` explains in words what searches do on such a chain, so it refuses a problem that does something else.
    States in a row with other rules are a `Grid` with one row.

    Args:
        rewards: what leaving pays at states 1, 2, ..., D.
        final_reward: what going on from D pays; it ends there.
        position: a state's place: 1..D, D+1 for the far end, anything else (or None) for a state off the chain.
        forward: the action that goes on.
    """

    rewards: Sequence[float]
    final_reward: float
    position: Callable[[Any], Union[int, None]]
    forward: int = 1

    def __post_init__(self) -> None:
        if not len(self.rewards):
            raise ProblemError("Chain: rewards is empty, must have a number for each state")
        for name, given in (("rewards", self.rewards), ("final_reward", [self.final_reward])):
            for one in given:
                if not isinstance(one, (int, float, np.number)) or not math.isfinite(one):
                    raise ProblemError(f"Chain: {name}: {one!r}, must be a finite number")

    @property
    def length(self) -> int:
        """D, the number of states."""
        return len(self.rewards)


@dataclass(frozen=True)
class Board:
    """A board of a game: the position at the root, and on it the visits and values of the root's moves.

    Args:
        rows: of the board.
        columns: of the board.
        stones: a state's board as rows of text, "." for an empty place.
        place: the (row, column) that an action plays on; None for one without a place, such as a pass.
        crossings: stones stand where lines cross, X black and O white, as in Go; else letters in squares.
    """

    rows: int
    columns: int
    stones: Callable[[Any], Sequence[str]]
    place: Callable[[Any, int], Union[Cell, None]]
    crossings: bool = False

    def __post_init__(self) -> None:
        _check_size("Board", self.rows, self.columns)


Scene = Union[Grid, Chain, Board]


def checked_cell(where: str, given: Any, rows: int, columns: int) -> Cell | None:
    """A cell that a user's function returned; ProblemError if it is none of the grid.

    >>> checked_cell("Maze.scene: cell", (3, 9), 8, 8)
    Traceback (most recent call last):
    ...
    boltree.errors.ProblemError: Maze.scene: cell: (3, 9) must be (row, column) within 8 x 8, or None
    """
    if given is None:
        return None
    try:
        row, column = (int(part) for part in given)
    except (TypeError, ValueError):
        row = column = -1
    if not (0 <= row < rows and 0 <= column < columns):
        raise ProblemError(f"{where}: {given!r} must be (row, column) within {rows} x {columns}, or None")
    return row, column


def checked_moves(where: str, moves: Mapping[Any, Any], actions: int) -> dict[int, Cell]:
    """The moves of a grid; ProblemError if one is of no action of the problem, or is no (rows, columns).

    >>> checked_moves("Maze.scene", {4: (0, 1)}, 4)
    Traceback (most recent call last):
    ...
    boltree.errors.ProblemError: Maze.scene: moves: 4 is none of its actions, which are 0 to 3
    """
    found = {}
    for action, move in moves.items():
        if not is_whole(action) or not 0 <= action < actions:
            raise ProblemError(f"{where}: moves: {action!r} is none of its actions, which are 0 to {actions - 1}")
        try:
            rows, columns = (int(part) for part in move)
        except (TypeError, ValueError):
            raise ProblemError(f"{where}: moves: {move!r} of action {action} must be (rows, columns)") from None
        found[int(action)] = rows, columns
    return found


def checked_board(board: Board, state: Any, where: str) -> list[str]:
    """The rows of text of a position."""
    rows = [str(row) for row in board.stones(state)]
    _check_rows(where, rows, board.rows, board.columns)
    return rows


def _check_size(name: str, rows: Any, columns: Any) -> None:
    for field_name, given in (("rows", rows), ("columns", columns)):
        whole(field_name, given, 1, of=name, error=ProblemError)


def _check_rows(where: str, given: Sequence[str], rows: int, columns: int) -> None:
    if len(given) != rows or any(len(row) != columns for row in given):
        raise ProblemError(f"{where}: {list(given)!r}, must be {rows} rows of {columns} letters")
