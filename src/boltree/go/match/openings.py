"""How games begin, so that they differ: random first moves, or those of SGF files."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from ...errors import ParameterError
from ..board.points import PASS
from ..game import Game

Opening = tuple[str, ...]

INNER_FROM = 7
"""On boards from this size on, random moves are not on the edge, where no game begins."""


def random_opening(size: int, moves: int, seed: int, number: int) -> Opening:
    """A number of random legal moves, black first; the same for the same seed and number.

    >>> random_opening(9, 2, seed=0, number=3) == random_opening(9, 2, seed=0, number=3)
    True
    """
    draw = random.Random(f"{seed}/{number}/{size}/{moves}")
    game = Game(size, 0.5, "no-suicide")
    for _ in range(moves):
        legal = [move for move in game.legal_moves() if move != PASS]
        inner = [move for move in legal if not _on_edge(move, size)] if size >= INNER_FROM else legal
        if not (inner or legal):
            break
        game.play(draw.choice(inner or legal))
    return tuple(game.moves)


def _on_edge(move: str, size: int) -> bool:
    return move[0] in ("A", "ABCDEFGHJKLMNOPQRST"[size - 1]) or int(move[1:]) in (1, size)


def opening_files(paths: Sequence[Path], size: int) -> list[Opening]:
    """The moves of SGF files, in the order of their names; a folder stands for the files in it."""
    files = [file for path in paths for file in (sorted(path.glob("*.sgf")) if path.is_dir() else [path])]
    if not files:
        raise ParameterError(f"--openings {' '.join(map(str, paths))}: there is no .sgf file")
    return [_moves_of(file, size) for file in files]


def _moves_of(file: Path, size: int) -> Opening:
    try:
        game = Game.from_sgf(file.read_bytes(), rules="no-suicide")
    except OSError as error:
        raise ParameterError(f"--openings {file}: {error.strerror}") from None
    except ParameterError as error:
        raise ParameterError(f"--openings {file}: {error}") from None
    if game.size != size:
        raise ParameterError(f"--openings {file}: of a {game.size}x{game.size} board, must be {size}x{size}")
    alternating = all(mover == ("black", "white")[i % 2] for i, mover in enumerate(game.movers))
    if any(game.setup) or not alternating:
        raise ParameterError(f"--openings {file}: must be moves alone, black and white in turn")
    if game.is_over:
        raise ParameterError(f"--openings {file}: the game is over at its end")
    return tuple(game.moves)
