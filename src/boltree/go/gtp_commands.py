"""The commands of GTP: each method ``do_...`` is one, named as GTP names it with ``_`` for ``-``."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import ParameterError
from ..states import PlainState
from .board import LARGEST, SMALLEST
from .game import Game
from .gtp_analysis import think_aloud, watch, wish_of
from .gtp_clock import Clock
from .gtp_words import GtpError, colour_of, first, real, seconds_of, whole
from .handicap import fixed_handicap
from .player import Limit, SearchPlayer
from .points import COLOURS, PASS, move_name

KOMI = 1000.0
"""Komi beyond this is a slip."""


class Commands:
    """A game, a player and a clock, and what GTP can do with them."""

    def __init__(
        self,
        player: SearchPlayer,
        limit: Limit,
        size: int,
        komi: float,
        rules: str,
        write: Callable[[str], Any],
        interrupted: Callable[[], bool],
    ) -> None:
        self.player, self.limit, self.clock = player, limit, Clock()
        self.game = Game(size, komi, rules)
        self.ended = False
        self._write, self._interrupted = write, interrupted
        self._after_end = 0  # passes after the end of the game, which a Game does not take
        methods = [name for name in dir(self) if name.startswith("do_")]
        self._known = {name.removeprefix("do_").replace("kgs_", "kgs-"): name for name in methods}
        self.streams: dict[str, Callable[[list[str], str], None]] = {}
        for style in ("lz", "kata"):
            self.streams[f"{style}-analyze"] = partial(self._analyze, style)
            self.streams[f"{style}-genmove_analyze"] = partial(self._genmove_analyze, style)

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
        """The version of the package."""
        return __version__

    def do_list_commands(self, words: list[str]) -> str:
        """Every command, one to a line."""
        return "\n".join(sorted([*self._known, *self.streams]))

    def do_known_command(self, words: list[str]) -> str:
        """Whether a command is known."""
        return "true" if words and (words[0] in self._known or words[0] in self.streams) else "false"

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
        if abs(komi) > KOMI:
            raise GtpError(f"komi {komi:g}: must be between {-KOMI:g} and {KOMI:g}")
        old = self.game
        black, white = old.setup
        game = Game(old.size, komi, old.rules, black=black, white=white, to_move=old.first_to_move)
        for mover, move in zip(old.movers, old.moves, strict=True):
            game.play(move, mover)
        self.game = game

    def do_get_komi(self, words: list[str]) -> str:
        """The komi."""
        return f"{self.game.komi:g}"

    def _begin(self, game: Game) -> None:
        self.game, self._after_end = game, 0
        self.player.forget()

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
        """Play a move of either colour."""
        if len(words) != 2:
            raise GtpError("syntax: play COLOUR MOVE")
        colour, move = colour_of(words[0]), words[1]
        if self.game.is_over and move.lower() == PASS:
            self._after_end += 1
            return
        try:
            self.game.play(move, colour)
        except ParameterError as error:
            raise GtpError(f"illegal move: {error}") from None

    def do_undo(self, words: list[str]) -> None:
        """Take a move back."""
        if self._after_end:
            self._after_end -= 1
        elif not self.game.moves:
            raise GtpError("cannot undo")
        else:
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
        began = time.perf_counter()
        game = self._turned(colour)
        move = PASS if game.is_over else self.player.choose(game, self._limit_for(colour)).move
        self.clock.spend(colour, time.perf_counter() - began)
        return move

    def _turned(self, colour: str) -> Game:
        """The game if it is a colour's turn; else a copy in which it is."""
        if self.game.to_move == colour or self.game.is_over:
            return self.game
        game = self.game.copy()
        state = game._states[-1].copy()
        view = PlainState(state)
        view.player = COLOURS.index(colour)
        view.recent[:] = 0  # as a move out of turn leaves them
        game._states[-1] = state
        return game

    def _limit_for(self, colour: str) -> Limit:
        seconds = self.clock.seconds_for(colour, self.game.size, len(self.game.moves))
        return self.limit if seconds is None else Limit(self.limit.trials, seconds)

    # Time

    def do_time_settings(self, words: list[str]) -> None:
        """Main time, byo-yomi time, byo-yomi stones."""
        if len(words) != 3:
            raise GtpError("syntax: time_settings MAIN_SECONDS BYO_YOMI_SECONDS BYO_YOMI_STONES")
        main, byo_yomi = (seconds_of("time_settings", word) for word in words[:2])
        self.clock.settle(main, byo_yomi, whole("time_settings", words[2]))

    def do_kgs_time_settings(self, words: list[str]) -> None:
        """Time settings as KGS names them."""
        kind, *rest = [word.lower() for word in words] or [""]
        numbers = [seconds_of("kgs-time_settings", word) for word in rest]
        if kind == "none" and not numbers:
            self.clock.stop()
        elif kind == "absolute" and len(numbers) == 1:
            self.clock.settle(numbers[0], 0, 0)
        elif kind == "byoyomi" and len(numbers) == 3:
            self.clock.settle(numbers[0], numbers[1], 1)  # a period for every stone
        elif kind == "canadian" and len(numbers) == 3:
            self.clock.settle(numbers[0], numbers[1], int(numbers[2]))
        else:
            raise GtpError("syntax: kgs-time_settings none | absolute S | byoyomi S S PERIODS | canadian S S STONES")

    def do_time_left(self, words: list[str]) -> None:
        """What a colour has left."""
        if len(words) != 3:
            raise GtpError("syntax: time_left COLOUR SECONDS STONES")
        self.clock.tell(colour_of(words[0]), seconds_of("time_left", words[1]), whole("time_left", words[2]))

    # The score, and records

    def do_final_score(self, words: list[str]) -> str:
        """The score with the stones as they stand."""
        return self.game.result

    def do_final_status_list(self, words: list[str]) -> str:
        """Chains by their status: all stones on the board count, so all are alive."""
        status = first(words, "final_status_list alive | dead | seki").lower()
        if status not in ("alive", "dead", "seki"):
            raise GtpError(f"status {status!r}: must be alive, dead or seki")
        stones = [point for point in _points(self.game) if self.game.colour_at(point)] if status == "alive" else []
        return "\n".join(stones)

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
        while before is not None and len(game.moves) >= before:
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

    # Analysis: answers that come piece by piece

    def _analyze(self, style: str, words: list[str], number: str) -> None:
        wish = wish_of(words)
        game = self._turned(wish.colour or self.game.to_move)
        if game.is_over:
            raise GtpError("the game is over")
        search = self.player.search_at(game)
        self._write(f"={number}\n")
        watch(search, game.size, style, wish, self._write, self._interrupted)
        self._write("\n")

    def _genmove_analyze(self, style: str, words: list[str], number: str) -> None:
        wish = wish_of(words)
        colour = wish.colour or self.game.to_move
        game, limit, began = self._turned(colour), self._limit_for(colour), time.perf_counter()
        self._write(f"={number}\n")
        move = PASS
        if not game.is_over:
            if len(game.legal_moves()) > 1:
                think_aloud(self.player.search_at(game), limit, game.size, style, wish, self._write)
            move = self.player.choose(game, Limit(trials=1)).move
        self.clock.spend(colour, time.perf_counter() - began)
        self.do_play([colour, move])
        self._write(f"play {move}\n\n")


def _points(game: Game) -> list[str]:
    return [move_name(action, game.size) for action in range(game.size**2)]
