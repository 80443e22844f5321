"""The games of the suite, each as a problem of ours and as OpenSpiel's, whose moves are told apart by their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np

from ... import problems
from ...adapters import from_openspiel
from ...core.random import new_generator
from ...errors import ParameterError
from ...extras import needs
from ...messages import did_you_mean
from ...problem.problem import Problem
from ...problem.state import PlainState

Through = Literal["problem", "openspiel"]
"""Whether our side plays by a compiled `bt.Problem` or through `bt.from_openspiel`."""


@dataclass(frozen=True)
class BoardGame:
    """A game for two.

    Args:
        name: of the game.
        make: makes our compiled problem.
        openspiel: what OpenSpiel calls the game.
        called: our name of a move from OpenSpiel's.
        opening: random moves before players play.
    """

    name: str
    make: Callable[[], Problem]
    openspiel: str
    called: Callable[[str], str] = str
    opening: int = 4

    def load(self) -> Any:
        """OpenSpiel's game."""
        return needs("pyspiel", "openspiel").load_game(self.openspiel)

    def problem(self, through: Through) -> Problem:
        """The problem that our side plays by; made anew, as one of OpenSpiel's keeps every state it has met."""
        return self.make() if through == "problem" else from_openspiel(self.openspiel)


def _column(move: str) -> str:
    return f"column {move[1:]}"


def _without_star(move: str) -> str:
    return move.rstrip("*")


GAMES = {
    game.name: game
    for game in (
        BoardGame("connect-four", problems.ConnectFour, "connect_four", _column),
        BoardGame("breakthrough-6x6", problems.Breakthrough, "breakthrough(rows=6,columns=6)", _without_star),
        BoardGame("hex-7x7", problems.Hex, "hex(board_size=7)"),
        BoardGame("othello", problems.Othello, "othello"),
    )
}
"""The games by name."""


def game_named(name: str) -> BoardGame:
    """A game of the suite by its name."""
    if name not in GAMES:
        raise ParameterError(f"game={name!r}: must be one of {', '.join(GAMES)}{did_you_mean(name, GAMES)}")
    return GAMES[name]


def chosen_games(patterns: Sequence[str] | None) -> list[str]:
    """The names of the games that match one of these patterns, as file names match ``*``; all if None."""
    found = [name for name in GAMES if patterns is None or any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not found:
        raise ParameterError(f"--problems {' '.join(patterns or ())}: must match a game: {', '.join(GAMES)}")
    return found


class Board:
    """A position of a game, kept in our problem and in OpenSpiel's game at once.

    Args:
        game: the game; it begins at its start.
        problem: our problem of it.
        theirs: OpenSpiel's game, as `BoardGame.load` gives it.

    ``theirs`` is OpenSpiel's state, ``ours`` the state as a search of our problem takes it.
    """

    def __init__(self, game: BoardGame, problem: Problem, theirs: Any) -> None:
        self.theirs = theirs.new_initial_state()
        self._problem, self._called = problem, game.called
        self._same = hasattr(problem, "game")  # our problem's states are OpenSpiel's own
        self._memory = None if self._same else PlainState(problem.start_state(0).reshape(1).copy())

    @property
    def ours(self) -> Any:
        """The state, as a search of our problem takes it."""
        return self.theirs.clone() if self._memory is None else self._memory.memory[0].copy()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.theirs.is_terminal())

    @property
    def player(self) -> int:
        """Who moves."""
        return int(self.theirs.current_player())

    @property
    def result(self) -> float:
        """What player 0 has scored, 1 for a win and 0.5 for a draw."""
        return (float(self.theirs.returns()[0]) + 1.0) / 2.0

    def moves(self) -> dict[int, int]:
        """Every legal move of OpenSpiel's, and our action for it."""
        legal = self.theirs.legal_actions()
        if self._memory is None:
            return {move: move for move in legal}
        here = self._memory
        ours = {self._problem.action_name_in(here, a): a for a in self._problem.legal_actions(here)}
        return {move: ours[self._called(self.theirs.action_to_string(self.player, move))] for move in legal}

    def play(self, move: int) -> int:
        """Play a move of OpenSpiel's on both boards; returns our action for it."""
        action = self.moves()[move]
        if self._memory is not None:
            self._problem.plain_step(self._memory, action, new_generator(0))
        self.theirs.apply_action(move)
        return action

    def open(self, moves: int, seed: int) -> None:
        """Play a number of random moves, always the same for a seed."""
        rng = np.random.default_rng(seed)
        for _ in range(moves):
            self.play(int(rng.choice(self.theirs.legal_actions())))
