"""How near searches come to the network's own speed: trials a second against positions a second."""

from __future__ import annotations

import math
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...batches.together import Together
from ...search.search import Search
from ..game import Game
from ..match.openings import random_opening
from ..player import Limit, SearchPlayer
from ..settings import go_setting
from .evaluation import GoEvaluator
from .network import Network

MOVES = 30
"""Moves after which a game begins again."""

TURNS, TURN_SECONDS = 3, 1.0
"""The least number of turns of the search and of the network alone, and the seconds of one: speeds change."""

MOST_BYTES = 1 << 30
"""Of a search's tree."""


class Throughput(NamedTuple):
    """What one algorithm reached."""

    algorithm: str
    trials: float  # a second
    positions: float  # a second, valued by the network alone in batches of the same size
    batch: float  # positions in a batch, on average

    @property
    def ratio(self) -> float:
        """1 where the search costs nothing beside the network."""
        return self.trials / self.positions


class _Counted:
    """An evaluator that counts, and keeps some of what it was given."""

    gives_prior = True

    def __init__(self, evaluator: GoEvaluator) -> None:
        self._evaluator, self.batch = evaluator, evaluator.batch
        self.sizes: list[int] = []  # of the batches so far
        self.kept: list[NDArray[np.float32]] = []

    def evaluate(self, batch: Any) -> tuple[Any, Any]:
        """As the other."""
        self.sizes.append(len(batch))
        if len(self.kept) < 64:
            self.kept.append(np.array(batch))
        return self._evaluator.evaluate(batch)


class _Playing:
    """One player's side of a game, move after move, with the tree kept."""

    def __init__(self, player: SearchPlayer, size: int, number: int, trials: int) -> None:
        self._player, self._size, self._number, self._trials = player, size, number, trials
        self._over: tuple[int, Search | None] = 0, None  # trials of games that are over, and a search among them
        self._begin()

    def _begin(self) -> None:
        self._game = Game(self._size, 7.5, "no-suicide")
        for move in random_opening(self._size, 6, 0, self._number):
            self._game.play(move)
        made = self.trials()
        self._over = made, self._player.search  # at once: another thread counts
        self._player.forget()
        self._over = made, None

    def trials(self) -> int:
        """How many were made so far, those of the running search included."""
        search = self._player.search  # before what is over: it may end now
        made, ended = self._over
        return made + (0 if search is None or search is ended else search.trials)

    def until(self, stopped: Event, share: float) -> None:
        """Think and play until the measurement ends; at first for a share of a move's trials only.

        Otherwise all games that begin together would move at the same time.
        """
        limit = Limit(trials=math.ceil(share * self._trials))
        while not stopped.is_set():
            choice = self._player.choose(self._game, limit)
            limit = Limit(trials=self._trials)
            self._game.play(choice.move)
            if self._game.is_over or self._game.length > MOVES:
                self._begin()


class _Games:
    """Games that are played at the same time, and how fast they are."""

    def __init__(self, playing: list[_Playing], counted: _Counted, threads: ThreadPoolExecutor) -> None:
        self._playing, self._counted, self._threads = playing, counted, threads

    def play(self, seconds: float) -> tuple[float, float]:
        """Play on; trials a second and positions a batch while all games run: not while they begin or the last end."""
        stopped = Event()
        games = len(self._playing)
        running = [self._threads.submit(one.until, stopped, (i + 1) / games) for i, one in enumerate(self._playing)]
        try:
            time.sleep(seconds / 4)
            before, began = self._so_far(), time.perf_counter()
            wait(running, seconds, FIRST_EXCEPTION)
            (trials, positions, calls), spent = self._so_far() - before, time.perf_counter() - began
        finally:
            stopped.set()
        for one in running:
            one.result()
        return float(trials / spent), float(positions / max(calls, 1))

    def _so_far(self) -> NDArray[np.int64]:
        trials, sizes = sum(one.trials() for one in self._playing), self._counted.sizes
        return np.array([trials, sum(sizes), len(sizes)])


def throughput(
    network: Network, algorithm: str, *, size: int, batch: int, games: int = 1, seconds: float = 3.0, trials: int = 400
) -> Throughput:
    """Play one game, or several together, at `trials` a move; the network works alone between, for comparison."""
    counted = _Counted(GoEvaluator(network, batch=batch))
    evaluator: Any = Together(counted) if games > 1 else counted
    setting, askers = go_setting(algorithm), min(games, evaluator.at_once) if games > 1 else 1
    network.prepare(size, batch * -(-games // askers))
    playing = []
    for number in range(games):
        player = SearchPlayer(setting.algorithm(), evaluator=evaluator, seed=number, max_bytes=MOST_BYTES)
        playing.append(_Playing(player, size, number, trials))
    with ThreadPoolExecutor(games) as threads:
        together = _Games(playing, counted, threads)
        together.play(seconds / 2)  # everything is compiled and recorded
        count, turns = max(TURNS, round(seconds / TURN_SECONDS)), []
        for _ in range(count):
            rate, mean = together.play(seconds / count)
            alone = _alone(network, np.concatenate(counted.kept), round(mean), seconds / count, askers)
            turns.append((rate, alone, mean))
    if isinstance(evaluator, Together):
        evaluator.close()
    return Throughput(setting.title, *np.mean(turns, axis=0).tolist())


def _alone(network: Network, features: NDArray[np.float32], batch: int, seconds: float, askers: int) -> float:
    """Positions a second that a network values in batches of a size, several of them asked for at the same time."""
    rows = np.resize(features, (max(batch, 1), features.shape[1]))
    network.judge_rows(rows)
    began = time.perf_counter()

    def ask(_: int) -> int:
        count = 0
        while time.perf_counter() - began < seconds:
            network.judge_rows(rows)
            count += len(rows)
        return count

    with ThreadPoolExecutor(askers) as threads:
        total = sum(threads.map(ask, range(askers)))
    return total / (time.perf_counter() - began)
