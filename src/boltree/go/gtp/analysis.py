"""Live analysis over GTP, for Sabaki, Lizzie and others: commands whose answers come piece by piece."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ...problems.go import Go
from ...search.search import Search
from ..board.points import PASS, move_name
from ..game import Game
from ..player import Limit
from ..settings import SCALE
from .report import Reporter
from .session import Session
from .wish import Wish, wish_of

STYLES = {"lz-": "lz", "kata-": "kata", "": "kata"}
"""What analysis commands begin with, and the style of their reports; those without a prefix are Sabaki's."""


class AnalysisCommands(Session):
    """Analysis: until the next line comes, or of the move that is then played."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.streams: dict[str, Callable[[list[str], str], None]] = {}
        for prefix, style in STYLES.items():
            self.streams[f"{prefix}analyze"] = partial(self._analyze, style)
            self.streams[f"{prefix}genmove_analyze"] = partial(self._genmove_analyze, style)

    def _analyze(self, style: str, words: list[str], number: str) -> None:
        wish = wish_of(words)
        game = self._turned(wish.colour or self.game.to_move)
        search = self._search_for(game, wish)
        self._begin_answer(number)
        watch(search, Reporter(search, game.size, style, wish), wish.seconds, self._write, self._interrupted)
        self._write("\n")

    def _genmove_analyze(self, style: str, words: list[str], number: str) -> None:
        wish = wish_of(words)
        colour = wish.colour or self.game.to_move
        limit, began, over = self._limit_for(colour), time.perf_counter(), self.game.is_over
        game = self.game if over else self._turned(colour)
        search = None if over or len(game.legal_moves()) == 1 else self._search_for(game, wish)
        self._begin_answer(number)
        if search is None:
            move = PASS if over else game.legal_moves()[0]
        else:
            think_aloud(search, Reporter(search, game.size, style, wish), limit, wish.seconds, self._write)
            move = move_name(search.recommend(), game.size)
        self.clock.spend(colour, time.perf_counter() - began)
        self.game.play(move, colour, play_on=True)
        self._write(f"play {move}\n\n")

    def _search_for(self, game: Game, wish: Wish) -> Search:
        """The player's search; one of its own where moves are left out, because its tree is of another problem."""
        barred = wish.barred(game)
        if not barred:
            return self.player.search_at(game)
        problem = Go(game.size, game.komi, game.rules, scale=SCALE, barred=barred)
        player = self.player
        search = Search(
            problem, player.algorithm, state=game.state, seed=0, evaluator=player.evaluator,
            max_bytes=player.max_bytes,
        )  # fmt: skip
        search.run(trials=0)  # compiled before the answer begins
        return search


def watch(
    search: Search,
    reporter: Reporter,
    seconds: float,
    write: Callable[[str], Any],
    interrupted: Callable[[], bool],
) -> None:
    """Search and report until interrupted; a search whose memory is full only waits."""
    full = False
    while True:
        if full:
            time.sleep(0.05)
        else:
            full = search.run(seconds=seconds, stop=lambda _: interrupted()) == "memory"
            _tell(reporter, write)
        if interrupted():
            return


def think_aloud(search: Search, reporter: Reporter, limit: Limit, seconds: float, write: Callable[[str], Any]) -> None:
    """Search up to a limit, but at least one trial, and report meanwhile."""
    left, ends = limit.trials or math.inf, time.perf_counter() + (limit.seconds or math.inf)
    reason = "seconds"
    while reason == "seconds" and left > 0 and time.perf_counter() < ends:
        before = search.trials
        part = min(seconds, max(ends - time.perf_counter(), 0.0))
        reason = search.run(trials=None if left == math.inf else int(left), seconds=part)
        left -= search.trials - before
        _tell(reporter, write)
    if search.root.recommended is None:
        search.run(trials=1)  # the time was too short for a single one


def _tell(reporter: Reporter, write: Callable[[str], Any]) -> None:
    line = reporter.line()
    if line:
        write(f"{line}\n")
