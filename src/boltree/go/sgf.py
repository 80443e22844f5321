"""Games from and to SGF, through sgfmill (whose rows count from the bottom)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from ..errors import ParameterError
from ..extras import needs
from .board.points import LETTERS, PASS

_WRITTEN = {"tromp-taylor": "Tromp-Taylor", "no-suicide": "Chinese"}
_READ = {"chinese": "no-suicide", "aga": "no-suicide", "ing": "tromp-taylor", "goe": "tromp-taylor"}
"""SGF's names of rules with area scoring; all others are read as "tromp-taylor"."""

Stones = tuple[str, ...]


@dataclass(frozen=True)
class SgfGame:
    """What an SGF text says of a game: its settings, its stones before the first move, and its moves.

    Attributes:
        setup: the points of Black's and of White's stones before the first move.
        moves: (colour, point) of each, the colour as its first letter; the point may be the pass.
        result: such as ``"B+3.5"``; empty while the game is not over.
    """

    size: int
    komi: float
    rules: str
    setup: tuple[Stones, Stones]
    first_to_move: str
    moves: tuple[tuple[str, str], ...]
    result: str = ""


def sgf_text(game: SgfGame) -> str:
    """A game as SGF text."""
    record: Any = needs("sgfmill.sgf", "go").Sgf_game(size=game.size)
    root = record.get_root()
    root.set("KM", game.komi)
    root.set("RU", _WRITTEN[game.rules])
    black, white = game.setup
    if black or white:
        root.set_setup_stones([_place(stone) for stone in black], [_place(stone) for stone in white])
        if len(black) > 1 and not white:
            root.set("HA", len(black))
    if black or white or game.first_to_move == "w":
        root.set("PL", game.first_to_move)
    if game.result:
        root.set("RE", game.result)
    for colour, move in game.moves:
        record.extend_main_sequence().set_move(colour, _place(move))
    return str(record.serialise().decode("utf-8"))


def read_sgf(text: Union[str, bytes]) -> SgfGame:
    """The main line of an SGF text; rules that it does not name, or that score territory, are "tromp-taylor"."""
    if not isinstance(text, (str, bytes)):
        raise ParameterError(f"SGF: {text!r} must be the text itself, as str or bytes")
    sgf, sgf_moves = needs("sgfmill.sgf", "go"), needs("sgfmill.sgf_moves", "go")
    try:
        record = sgf.Sgf_game.from_bytes(text) if isinstance(text, bytes) else sgf.Sgf_game.from_string(text)
        size, komi, root = record.get_size(), record.get_komi(), record.get_root()
        if any(node.has_setup_stones() for node in record.get_main_sequence()[1:]):
            raise ValueError("stones are set up after the first move, which cannot be played")
        _, moves = sgf_moves.get_setup_and_moves(record)
        black, white, _ = root.get_setup_stones()
        first = root.get("PL") if root.has_property("PL") else ""
        named = root.get("RU").strip().lower() if root.has_property("RU") else ""
    except ValueError as error:
        raise ParameterError(f"SGF: {error}") from None
    return SgfGame(
        size,
        komi,
        _READ.get(named, "tromp-taylor"),
        setup=(tuple(sorted(map(_name, black))), tuple(sorted(map(_name, white)))),
        first_to_move=first or (moves[0][0] if moves else "w" if black and not white else "b"),
        moves=tuple((colour, _name(place)) for colour, place in moves),
    )


def _place(move: str) -> tuple[int, int] | None:
    """A move's row from the bottom and column; None is the pass."""
    return None if move == PASS else (int(move[1:]) - 1, LETTERS.index(move[0]))


def _name(place: tuple[int, int] | None) -> str:
    return PASS if place is None else f"{LETTERS[place[1]]}{place[0] + 1}"
