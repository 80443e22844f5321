"""A board as text."""

from __future__ import annotations

from typing import Any

from .board import BLACK, WHITE
from .points import COLOURS, LETTERS, move_name

_SIGNS = {BLACK: "X", WHITE: "O"}


def stars_of(size: int) -> set[int]:
    """The points that a wooden board marks."""
    if size < 7:
        return {size * size // 2} if size % 2 and size > 3 else set()
    edge = 2 if size < 13 else 3
    lines = [edge, size - 1 - edge]
    if size % 2:
        lines.append(size // 2)
    found = {row * size + column for row in lines for column in lines}
    if size < 13:
        found = {p for p in found if (p // size == size // 2) == (p % size == size // 2)}
    return found


def picture(state: Any) -> str:
    """The board of a state: X is Black, O is White, the last move stands in brackets; then whose turn it is."""
    size, colour = int(state.width), state.colour
    last = int(state.recent[0]) - 1
    stars = stars_of(size)
    letters = "   " + " ".join(LETTERS[:size])
    lines = [letters]
    for row in range(size):
        text = f"{size - row:2}"
        for column in range(size):
            p = row * size + column
            before = "(" if p == last else ")" if column and p - 1 == last else " "
            text += before + _SIGNS.get(int(colour[p]), "+" if p in stars else ".")
        lines.append(text + (")" if last == row * size + size - 1 else ""))
    turn = f"{COLOURS[int(state.player)].capitalize()} to move"
    if int(state.passes) >= 2:
        turn = "two passes: the game is over"
    said = f", after {move_name(last, size)}" if last >= 0 else ""
    return "\n".join([*lines, f"move {int(state.moves) + 1}{said}: {turn}"])
