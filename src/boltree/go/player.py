"""Players: who is given a game and chooses a move; and the one that searches.

>>> from boltree.go import Game
>>> from boltree.go.settings import go_setting
>>> player = SearchPlayer(go_setting("uct").algorithm(), seed=0)
>>> player.choose(Game(5, 0.5, "no-suicide"), Limit(trials=500)).trials
500
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from ..algorithms.table import Algorithm
from ..core.memory.arena import physical_memory
from ..errors import ParameterError
from ..jobs.settings import title_of
from ..problems.go import Go
from ..search.search import Search
from .board.points import move_name
from .game import Game
from .settings import SCALE

RESIGN = "resign"

MOVING_SECONDS_PER_BYTE = 4e-9
"""About how long moving a tree's root on takes, for each byte of the tree."""


@dataclass(frozen=True)
class Limit:
    """How long a player may think about a move: in trials, in seconds, or both; whichever ends first."""

    trials: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.trials is None and self.seconds is None:
            raise ParameterError("a limit: give trials, seconds or both")
        if self.trials is not None and (not isinstance(self.trials, int) or self.trials < 1):
            raise ParameterError(f"trials={self.trials!r}: must be a whole number of at least 1")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise ParameterError(f"seconds={self.seconds!r}: must be a number greater than 0")


class Choice(NamedTuple):
    """A move (or "resign"), what it took, and Black's chance to win as the player sees it (None: it does not say)."""

    move: str
    trials: int
    seconds: float
    black_wins: float | None = None


class Player(Protocol):
    """Chooses moves; it may remember the game from one move to the next."""

    name: str

    def choose(self, game: Game, limit: Limit) -> Choice:
        """A move for whose turn it is; the game is not changed."""
        ...

    def close(self) -> None:
        """End its processes, if it has any."""
        ...


class SearchPlayer:
    """Searches, and keeps what it knows of the position that the game comes to.

    Args:
        algorithm: how to search; it should recommend the most visited move.
        evaluator: what values leaves: ``"rollout"``, or a network's evaluator.
        seed: of the random numbers. With a limit by trials the same games are played again.
        name: what tables and records call it.
        max_bytes: of the tree; an eighth of the memory if None, for several players may share a machine.
        reuse: keep the tree from move to move; else every move is searched anew.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        *,
        evaluator: Any = "rollout",
        seed: int | None = None,
        name: str | None = None,
        max_bytes: int | None = None,
        reuse: bool = True,
    ) -> None:
        self.name = name or title_of(algorithm.name)
        self.algorithm, self.evaluator, self.reuse = algorithm, evaluator, reuse
        self._seed, self._begun = seed, 0
        self.max_bytes = max_bytes or physical_memory() // 8
        self.search: Search | None = None  # at the position that it thought about last
        self._known: Game | None = None  # the game up to the search's root

    def choose(self, game: Game, limit: Limit) -> Choice:
        """The recommended move; where only one is legal, that one at once."""
        legal = game.legal_actions()
        if not legal:
            raise ParameterError("the game is over: there is no move to choose")
        if len(legal) == 1:
            return Choice(move_name(legal[0], game.size), 0, 0.0)
        if not self.reuse:
            self.forget()
        self._make_light(game, limit)
        began, known = time.perf_counter(), self.search
        search = self.search_at(game)
        if search is not known:
            began = time.perf_counter()  # compiling is not thinking; moving a large tree on is
        before, seconds = search.trials, limit.seconds
        if seconds is not None:
            seconds = max(seconds - (time.perf_counter() - began), seconds / 10)
        search.run(trials=limit.trials, seconds=seconds)
        if search.root.recommended is None:
            search.run(trials=1)  # the time was too short for a single one
        spent = time.perf_counter() - began
        move = move_name(search.recommend(), game.size)
        return Choice(move, search.trials - before, spent, winning_chance(search.root.value))

    def _make_light(self, game: Game, limit: Limit) -> None:
        """Forget a tree that would take more than half of the time to move on: to search anew gives more."""
        if self.search is None or self._known is None or limit.seconds is None:
            return
        if game.length > self._known.length and self.search.nbytes * MOVING_SECONDS_PER_BYTE > limit.seconds / 2:
            self.forget()

    def search_at(self, game: Game) -> Search:
        """The search at the game's position: the one from before, moved on by the moves played since, or a new one."""
        if self.search is None or not self._follow(game):
            self.search = None
            self.search = self._begin(game)
            self.search.run(trials=0)  # what must be compiled is, before any clock runs
        self._known = game.copy()
        return self.search

    def forget(self) -> None:
        """Forget the tree."""
        self.search = self._known = None

    def close(self) -> None:
        """Forget the tree; there are no processes to end."""
        self.forget()

    def _begin(self, game: Game) -> Search:
        problem = Go(game.size, game.komi, game.rules, scale=SCALE)
        seed = None if self._seed is None else self._seed + self._begun
        self._begun += 1
        return Search(
            problem, self.algorithm, state=game.state, seed=seed, evaluator=self.evaluator, max_bytes=self.max_bytes
        )

    def _follow(self, game: Game) -> bool:
        """Move the search on to the game's position; False where the game is another one, or was taken back."""
        known, search = self._known, self.search
        if known is None or search is None:
            return False
        count = len(known.played)
        alike = (known.size, known.komi, known.rules) == (game.size, game.komi, game.rules)
        if not alike or game.played[:count] != known.played:
            return False
        if known.states[-1].tobytes() != game.states[count].tobytes():  # other stones, or the other's turn
            return False
        turn, since = search.root.player, game.played[count:]
        if any(player != (turn + i) % 2 for i, (player, _) in enumerate(since)):  # a move out of turn
            return False
        if since:
            states = game.states[count + 1 :]
            search.advance_along([(action, state[0]) for (_, action), state in zip(since, states, strict=True)])
        return True


def winning_chance(value: float) -> float:
    """The probability to win that a value on the scale stands for; soft values may lie beyond the scale."""
    return min(max((1 + value / SCALE) / 2, 0.0), 1.0)
