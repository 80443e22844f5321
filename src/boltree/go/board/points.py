"""Names of points: letters without I from the left, numbers from the bottom, as every Go program writes them."""

from __future__ import annotations

from functools import cache

from ...errors import ParameterError

LETTERS = "ABCDEFGHJKLMNOPQRST"
COLOURS = ("black", "white")
PASS = "pass"


def move_name(action: int, size: int) -> str:
    """The name of an action.

    >>> move_name(0, 9), move_name(80, 9), move_name(81, 9)
    ('A9', 'J1', 'pass')
    """
    if action == size * size:
        return PASS
    return f"{LETTERS[action % size]}{size - action // size}"


@cache
def move_names(size: int) -> tuple[str, ...]:
    """The names of all actions."""
    return tuple(move_name(action, size) for action in range(size * size + 1))


def action_named(move: str, size: int) -> int:
    """The action that a name stands for.

    >>> action_named("j1", 9), action_named("Pass", 9)
    (80, 81)
    """
    text = move.strip().upper() if isinstance(move, str) else ""
    if text == PASS.upper():
        return size * size
    if text[:1] in tuple(LETTERS) and text[1:].isdecimal():
        column, row = LETTERS.index(text[0]), size - int(text[1:])
        if column < size and 0 <= row < size:
            return row * size + column
        raise ParameterError(f"move {move!r}: off the board, whose points are A1 to {LETTERS[size - 1]}{size}")
    raise ParameterError(f"move {move!r}: must be a point such as 'D4' (letters A to T without I) or 'pass'")
