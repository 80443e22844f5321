"""What all GTP commands work on: the game, the player, the clock, and where answers go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...problem.state import PlainState
from ...version import __version__
from ..board.points import COLOURS
from ..game import Game
from ..player import Limit, SearchPlayer
from .clock import Clock
from .words import GtpError


class Session:
    """A game, a player and a clock.

    Args:
        player: who answers ``genmove``.
        limit: of a move, where no clock was set.
        size: of the board at first.
        komi: at first.
        rules: of all games.
        version: what ``version`` answers.
        write: takes every piece of an answer, as soon as it is there.
        interrupted: whether the next command waits, which ends an analysis.
    """

    def __init__(
        self,
        player: SearchPlayer,
        limit: Limit,
        *,
        size: int = 19,
        komi: float = 7.5,
        rules: str = "no-suicide",
        version: str = __version__,
        write: Callable[[str], Any],
        interrupted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.version = version
        self.player, self.limit, self.clock = player, limit, Clock()
        self.game = Game(size, komi, rules)
        self.ended = False
        self.answering = False  # whether an answer has begun that comes piece by piece
        self._write, self._interrupted = write, interrupted

    def _begin_answer(self, number: str) -> None:
        self._write(f"={number}\n")
        self.answering = True

    def _begin(self, game: Game) -> None:
        self.game = game
        self.player.forget()

    def _turned(self, colour: str) -> Game:
        """The game if it is a colour's turn to move; else a copy in which it is, also after two passes."""
        if self.game.to_move == colour and not self.game.is_over:
            return self.game
        game = self.game.copy()
        state = game.states[-1].copy()
        view = PlainState(state)
        if self.game.to_move != colour:
            view.player = COLOURS.index(colour)
            view.recent[:] = 0  # as a move out of turn leaves them
        view.passes = 0 if self.game.is_over else view.passes
        game.states[-1] = state
        if game.is_over:
            raise GtpError(f"the game is over: it has had {game.length} moves, as many as it may")
        return game

    def _limit_for(self, colour: str) -> Limit:
        seconds = self.clock.seconds_for(colour, self.game.size, self.game.length)
        return self.limit if seconds is None else Limit(self.limit.trials, seconds)
