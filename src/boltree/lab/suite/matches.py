"""Games against OpenSpiel's search at equal time a move: a game is a job, a random opening is played from both sides.

Our side keeps the subtree below the moves that were played. Both sides run one after the other in one thread.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...jobs.executors import Watcher
from ...problem.problem import Problem
from ...search.search import Search
from ...version import __version__
from ..keepable import Columns
from .boards import Board, Through, game_named
from .case import Numbers
from .opponents import UCT_C, OpenSpielMCTS
from .planners import Contender

LEAST_TRIALS = 16
"""Trials of a move for which no time is left: enough to try an action."""

WARM_UP_SECONDS = 0.02
"""How long each search lasts that is only there to compile."""

MOST_MOVES = 128
"""More than a game of the suite has."""


class Player:
    """Our side of a game: one search, advanced along the moves of both sides.

    Args:
        problem: the game, as a problem.
        contender: who searches.
        seconds: for a move; what one takes longer is taken from the next, up to half of its time.
        seed: of the search.

    For every move, ``trials`` has how many were run, ``kept`` how many visits the root had before, ``spent`` seconds.
    """

    def __init__(self, problem: Problem, contender: Contender, seconds: float, seed: int) -> None:
        self._problem, self._contender, self._seconds, self._seed = problem, contender, seconds, seed
        self._search: Search | None = None
        self._played: list[tuple[int, Any]] = []
        self._debt = 0.0
        self.trials: list[int] = []
        self.kept: list[int] = []
        self.spent: list[float] = []

    def warm_up(self, board: Board) -> None:
        """Compile, or load what is compiled: whatever happens in a game happens once."""
        search = self._contender.search(self._problem, board.ours, self._seed)
        for _ in range(2):
            search.run(seconds=WARM_UP_SECONDS)
            action = search.recommend()
            names = {ours: theirs for theirs, ours in board.moves().items()}
            board.play(names[action])
            search.advance_along([(action, board.ours)])

    def played(self, action: int, state: Any) -> None:
        """Go on from a move of either side, in the state that it led to."""
        self._played.append((action, state))

    def move(self, state: Any) -> int:
        """Search a state for the time of a move and recommend an action."""
        if self._search is None:
            self._search, self._played = self._contender.search(self._problem, state, self._seed), []
        search, began = self._search, time.perf_counter()
        seconds = self._seconds - self._debt
        if self._played:
            search.advance_along(self._played)
        before = search.trials
        self.kept.append(int(search.root.count))
        search.run(seconds=max(seconds - (time.perf_counter() - began), 0.0))
        if search.root.recommended is None:  # nothing was tried in the time that was left
            search.run(trials=LEAST_TRIALS)
        action = search.recommend()
        self._played = []
        self.spent.append(time.perf_counter() - began)
        self._debt = min(max(self.spent[-1] - seconds, 0.0), self._seconds / 2)
        self.trials.append(search.trials - before)
        return int(action)


@dataclass(frozen=True)
class MatchJob:
    """A row: one game of a contender against OpenSpiel's search.

    Args:
        game: the name of a game.
        setting: who plays our side.
        seconds: of both sides, for a move.
        opening: the number of the random opening.
        seat: 0 where our side is the player who begins.
        through: whether our side plays by a compiled problem, or through `bt.from_openspiel`.
        c: of the opponent's UCT.
    """

    game: str
    setting: Contender
    seconds: float
    opening: int
    seat: int
    through: Through = "problem"
    c: float = UCT_C

    @property
    def problem(self) -> str:
        """What the suite's tables call the game."""
        return self.game if self.through == "problem" else f"{self.game} through OpenSpiel"

    @property
    def work(self) -> int:
        """Moves that a game may have, as its watcher counts them."""
        return MOST_MOVES

    @property
    def repeat(self) -> int:
        """The number of the game; there are two for each opening."""
        return 2 * self.opening + self.seat

    def row(self) -> dict[str, Any]:
        """What decides the result, apart from how much time allows."""
        return {
            "game": self.game,
            "setting": self.setting.canonical(),
            "seconds": self.seconds,
            "opening": self.opening,
            "seat": self.seat,
            "through": self.through,
            "c": self.c,
            "plies": game_named(self.game).opening,
        }

    @cache  # noqa: B019 - a job is a small constant
    def key(self) -> str:
        """A name for the result: the same row and the same version of the package have the same one."""
        text = json.dumps([__version__, self.row()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def seed(self) -> int:
        """The seed of both sides' random numbers, the same for every contender."""
        digest = hashlib.sha256(json.dumps([self.game, self.repeat]).encode()).digest()
        return int(np.frombuffer(digest, np.uint32)[0]) >> 1

    def facts(self) -> dict[str, Any]:
        """Columns that say which game it is."""
        return {
            "problem": self.problem,
            "family": "matches",
            "group": "games",
            "algorithm": self.setting.title,
            "label": self.setting.label,
            "contender": self.setting.canonical(),
            "repeat": self.repeat,
            "seed": np.int64(self.seed()),  # of one type in every file
            "move_seconds": self.seconds,
            "opponent_c": self.c,
        }

    def value(self, columns: Columns) -> float:
        """What the game scored."""
        return float(columns["score"])

    def run(self, watch: Watcher | None = None) -> Numbers:
        """Play the game: `score` is 1 where our side wins, and 0.5 for a draw; times are means of a move."""
        game = game_named(self.game)
        problem, theirs = game.problem(self.through), game.load()
        us = Player(problem, self.setting, self.seconds, self.seed())
        us.warm_up(Board(game, problem, theirs))
        board = Board(game, problem, theirs)
        board.open(game.opening, self.opening)
        them = OpenSpielMCTS(theirs, self.seconds, self.seed(), self.c)
        moves, simulations, seconds = 0, [0], [0.0]
        while not board.over:
            if board.player == self.seat:
                names = {action: move for move, action in board.moves().items()}
                move = names[us.move(board.ours)]
            else:
                found = them.move(board.theirs)
                move = found.move
                simulations.append(found.simulations)
                seconds.append(found.seconds)
            us.played(board.play(move), board.ours)
            moves += 1
            if watch is not None:
                watch(moves, 0.0)
        score = board.result if self.seat == 0 else 1.0 - board.result
        return {
            "score": score,
            "answers": float(len(us.spent)),
            "seconds": float(np.mean(us.spent)),
            "their_seconds": sum(seconds) / max(len(seconds) - 1, 1),
            "trials_run": float(np.mean(us.trials)),
            "their_trials": sum(simulations) / max(len(simulations) - 1, 1),
        }


def match(
    game: str, setting: Contender, games: int, seconds: float, through: Through = "problem", c: float = UCT_C
) -> list[MatchJob]:
    """The jobs of a match: pairs of games that share an opening, with sides exchanged."""
    return [MatchJob(game, setting, seconds, k // 2, k % 2, through, c) for k in range(games)]
