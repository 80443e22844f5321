"""The commands of GTP: each method ``do_...`` is one, named as GTP names it with ``_`` for ``-``."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import ParameterError
from ..board.board import LARGEST, SMALLEST
from ..board.handicap import fixed_handicap
from ..board.points import PASS
from ..game import Game
from .analysis import AnalysisCommands
from .score import ScoreCommands
from .words import GtpError, colour_of, first, real, seconds_of, whole

LARGEST_KOMI = 1000.0
"""A larger komi is refused, as a slip of the keyboard."""


class Commands(AnalysisCommands, ScoreCommands):
    """What GTP can do with a game, a player and a clock."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        methods = [name for name in dir(self) if name.startswith("do_")]
        self._known = {name.removeprefix("do_").replace("kgs_", "kgs-"): name for name in methods}

    def call(self, name: str, words: list[str]) -> str:
        """Do a command; what it answers."""
        if name not in self._known:
            raise GtpError(f"unknown command: {name[:40]}")
        method: Callable[[list[str]], str | None] = getattr(self, self._known[name])
        return method(words) or ""

    # About the engine

    def do_protocol_version(self, words: list[str]) -> str:
        """The version of GTP."""
        return "2"

    def do_name(self, words: list[str]) -> str:
        """Who this is."""
        return f"Boltree {self.player.name}"

    def do_version(self, words: list[str]) -> str:
        """The version of the package, or what was asked to be said instead."""
        return self.version

    def do_list_commands(self, words: list[str]) -> str:
        """Every command, one to a line."""
        return "\n".join(sorted([*self._known, *self.streams]))

    def do_known_command(self, words: list[str]) -> str:
        """Whether a command is known."""
        return "true" if words and (words[0] in self._known or words[0] in self.streams) else "false"

    def do_stop(self, words: list[str]) -> None:
        """Nothing: any line ends an analysis, and this is the one that some programs send."""

    def do_quit(self, words: list[str]) -> None:
        """The end."""
        self.ended = True

    # The board

    def do_boardsize(self, words: list[str]) -> None:
        """A new game on a board of another size."""
        size = whole("boardsize", first(words, "boardsize SIZE"))
        if not SMALLEST <= size <= LARGEST:
            raise GtpError(f"unacceptable size: must be {SMALLEST} to {LARGEST}")
        self._begin(Game(size, self.game.komi, self.game.rules))

    def do_clear_board(self, words: list[str]) -> None:
        """A new game."""
        self._begin(Game(self.game.size, self.game.komi, self.game.rules))

    def do_komi(self, words: list[str]) -> None:
        """Another komi, for the game as it stands."""
        komi = real("komi", first(words, "komi NUMBER"))
        if abs(komi) > LARGEST_KOMI:
            raise GtpError(f"komi {komi:g}: must be between {-LARGEST_KOMI:g} and {LARGEST_KOMI:g}")
        old = self.game
        black, white = old.setup
        game = Game(old.size, komi, old.rules, black=black, white=white, to_move=old.first_to_move)
        for mover, move in zip(old.movers, old.moves, strict=True):
            game.play(move, mover, play_on=True)
        self.game = game

    def do_get_komi(self, words: list[str]) -> str:
        """The komi."""
        return f"{self.game.komi:g}"

    def do_fixed_handicap(self, words: list[str]) -> str:
        """Handicap stones on their usual points."""
        points = fixed_handicap(self.game.size, whole("handicap", first(words, "fixed_handicap NUMBER")))
        self._set_handicap(points)
        return " ".join(points)

    do_place_free_handicap = do_fixed_handicap

    def do_set_free_handicap(self, words: list[str]) -> None:
        """Handicap stones on given points."""
        points = [word.upper() for word in words]
        if len(points) < 2 or len(set(points)) < len(points):
            raise GtpError("bad vertex list: at least two points, each named once")
        self._set_handicap(points)

    def _set_handicap(self, points: list[str]) -> None:
        if self.game.moves or any(self.game.setup):
            raise GtpError("board not empty")
        self._begin(Game(self.game.size, self.game.komi, self.game.rules, black=points, to_move="white"))

    def do_showboard(self, words: list[str]) -> str:
        """The board as text."""
        return "\n" + str(self.game)

    # Playing

    def do_play(self, words: list[str]) -> None:
        """Play a move of either colour, also after two passes."""
        if len(words) != 2:
            raise GtpError("syntax: play COLOUR MOVE")
        try:
            self.game.play(words[1], colour_of(words[0]), play_on=True)
        except ParameterError as error:
            raise GtpError(f"illegal move: {error}") from None

    def do_undo(self, words: list[str]) -> None:
        """Take a move back."""
        if not self.game.moves:
            raise GtpError("cannot undo")
        self.game.undo()

    def do_genmove(self, words: list[str]) -> str:
        """Choose a move and play it."""
        colour = colour_of(first(words, "genmove COLOUR"))
        move = self._choose(colour)
        self.do_play([colour, move])
        return move

    def do_reg_genmove(self, words: list[str]) -> str:
        """Choose a move without playing it."""
        return self._choose(colour_of(first(words, "reg_genmove COLOUR")))

    def _choose(self, colour: str) -> str:
        if self.game.is_over:
            return PASS
        began = time.perf_counter()
        move = self.player.choose(self._turned(colour), self._limit_for(colour)).move
        self.clock.spend(colour, time.perf_counter() - began)
        return move

    # Time

    def do_time_settings(self, words: list[str]) -> None:
        """Main time, byo-yomi time, byo-yomi stones."""
        if len(words) != 3:
            raise GtpError("syntax: time_settings MAIN_SECONDS BYO_YOMI_SECONDS BYO_YOMI_STONES")
        main, byo_yomi = (seconds_of("time_settings", word) for word in words[:2])
        self.clock.set_times(main, byo_yomi, whole("time_settings", words[2]))
        self._get_ready()

    def _get_ready(self) -> None:
        """Compile what must be compiled, before the clock runs."""
        if not self.game.is_over:
            self.player.search_at(self.game)

    def do_kgs_time_settings(self, words: list[str]) -> None:
        """Time settings as KGS names them."""
        kind, *rest = [word.lower() for word in words] or [""]
        numbers = [seconds_of("kgs-time_settings", word) for word in rest]
        if kind == "none" and not numbers:
            self.clock.stop()
        elif kind == "absolute" and len(numbers) == 1:
            self.clock.set_times(numbers[0], 0, 0)
        elif kind == "byoyomi" and len(numbers) == 3:
            self.clock.set_times(numbers[0], numbers[1], 1)  # a period for every stone
        elif kind == "canadian" and len(numbers) == 3:
            self.clock.set_times(numbers[0], numbers[1], int(numbers[2]))
        else:
            raise GtpError("syntax: kgs-time_settings none | absolute S | byoyomi S S PERIODS | canadian S S STONES")
        self._get_ready()

    def do_time_left(self, words: list[str]) -> None:
        """What a colour has left."""
        if len(words) != 3:
            raise GtpError("syntax: time_left COLOUR SECONDS STONES")
        self.clock.tell(colour_of(words[0]), seconds_of("time_left", words[1]), whole("time_left", words[2]))

    # Records

    def do_loadsgf(self, words: list[str]) -> None:
        """The position of a record before a move; after the last one if none is named."""
        path = first(words, "loadsgf FILE [MOVE]")
        before = whole("move number", words[1]) if len(words) > 1 else None
        if before == 0:
            raise GtpError("move number 0: must be at least 1")
        try:
            game = Game.from_sgf(Path(path).read_bytes(), rules=self.game.rules)
        except (OSError, ParameterError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise GtpError(f"cannot load file {path}: {reason}") from None
        while before is not None and game.length >= before:
            game.undo()
        self._begin(game)

    def do_printsgf(self, words: list[str]) -> str:
        """The game as a record: in the answer, or in a file."""
        text = self.game.to_sgf()
        if not words:
            return text.strip()
        try:
            Path(words[0]).write_text(text, encoding="utf-8")
        except OSError as error:
            raise GtpError(f"cannot write {words[0]}: {error.strerror}") from None
        return ""
