"""One game of a match. It is a pure function of its row: who plays which colour, the opening, the limits, the seed.

With limits by trials a row gives the same game wherever it is played; with limits by seconds it
depends on the machine's speed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...errors import ParameterError
from ...extras import needs
from ...version import __version__
from ..game import Game
from ..player import RESIGN, Choice, Player
from .contender import Contender
from .openings import Opening

RULES = "no-suicide"
"""The paper's."""

Watcher = Callable[[int, float], None]


@dataclass(frozen=True)
class Pairing:
    """A game to be played; two with the same `pair` have the same opening, and the colours swapped."""

    black: Contender
    white: Contender
    size: int
    komi: float
    opening: Opening
    pair: int
    seed: int
    threads: int | None = None  # of a network; not part of the row

    problem = "go"  # what the lab's executors call it

    def row(self) -> dict[str, Any]:
        """What decides the game."""
        return {
            "black": self.black.row(), "white": self.white.row(), "size": self.size, "komi": self.komi,
            "opening": self.opening, "pair": self.pair, "seed": self.seed,
        }  # fmt: skip

    @cache  # noqa: B019 - a small constant
    def key(self) -> str:
        """A name for the game: the same row and the same version of the package have the same one."""
        text = json.dumps([__version__, self.row()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def player_seed(self, colour: str) -> int:
        """The seed of a player, from the row alone."""
        digest = hashlib.sha256(json.dumps([self.row(), colour], sort_keys=True).encode()).digest()
        return int.from_bytes(digest[:6], "big")

    def run(self, watch: Watcher | None = None) -> dict[str, Any]:
        """Play the game; its result, what it took, and its record."""
        players: dict[str, Player] = {}
        try:
            for colour, contender in (("black", self.black), ("white", self.white)):
                players[colour] = contender.player(self.player_seed(colour), self.threads)
            return self._play(players, watch)
        finally:
            for player in players.values():
                player.close()

    def _play(self, players: dict[str, Player], watch: Watcher | None) -> dict[str, Any]:
        game = Game(self.size, self.komi, RULES)
        for move in self.opening:
            game.play(move)
        choices: dict[str, list[Choice]] = {"black": [], "white": []}
        limits = {"black": self.black.limit, "white": self.white.limit}
        ended, loser = "score", ""
        while not game.is_over:
            mover = game.to_move
            choice = players[mover].choose(game, limits[mover])
            choices[mover].append(choice)
            if choice.move == RESIGN:
                ended, loser = RESIGN, mover
                break
            try:
                game.play(choice.move)
            except ParameterError as error:  # only an engine does so, by other rules; it forfeits the game
                ended, loser = f"forfeit: {error}", mover
                break
            if watch is not None:
                watch(game.length, 0.0)
        letter = "" if not loser else "W" if loser == "black" else "B"
        result = f"{letter}+{'R' if ended == RESIGN else 'F'}" if loser else game.result
        columns: dict[str, Any] = {
            "result": result, "black_score": _score(result), "ended": ended, "moves": game.length,
        }  # fmt: skip
        for colour, made in choices.items():
            searched = [one for one in made if one.trials]
            columns[f"{colour}_trials"] = sum(one.trials for one in searched)
            columns[f"{colour}_searches"] = len(searched)
            columns[f"{colour}_seconds"] = round(sum(one.seconds for one in made), 3)
        columns["sgf"] = _record(game, self.black.label, self.white.label, result)
        return columns


def _score(result: str) -> float:
    """1 for Black's win, 0 for White's, a half for a draw."""
    return {"B": 1.0, "W": 0.0}.get(result[0], 0.5)


def _record(game: Game, black: str, white: str, result: str) -> str:
    record: Any = needs("sgfmill.sgf", "go").Sgf_game.from_string(game.to_sgf())
    root = record.get_root()
    for name, value in (("PB", black), ("PW", white), ("RE", result)):
        root.set(name, value)
    return str(record.serialise().decode("utf-8"))
