"""How near searches come to the network's own speed: trials a second against positions a second."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..evaluators import Together
from ..evaluators.together import COHORTS
from .evaluation import GoEvaluator
from .game import Game
from .network import Network
from .openings import random_opening
from .player import Limit, SearchPlayer
from .settings import go_setting

MOVES = 30
"""A game begins again after so many."""

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
        self.calls = self.positions = 0
        self.kept: list[NDArray[np.float32]] = []

    def evaluate(self, batch: Any) -> tuple[Any, Any]:
        """As the other."""
        self.calls += 1
        self.positions += len(batch)
        if len(self.kept) < 64:
            self.kept.append(np.array(batch))
        return self._evaluator.evaluate(batch)


class _Playing:
    """One player's side of a game, move after move, with the tree kept."""

    def __init__(self, player: SearchPlayer, size: int, number: int, trials: int) -> None:
        self._player, self._size, self._number, self._limit = player, size, number, Limit(trials=trials)
        self._begin()

    def _begin(self) -> None:
        self._game = Game(self._size, 7.5, "no-suicide")
        for move in random_opening(self._size, 6, 0, self._number):
            self._game.play(move)

    def until(self, end: float) -> int:
        """Think and play until it is that late; how many trials that were."""
        trials = 0
        while time.perf_counter() < end:
            choice = self._player.choose(self._game, self._limit)
            trials += choice.trials
            self._game.play(choice.move)
            if self._game.is_over or len(self._game.moves) > MOVES:
                self._begin()
        return trials


def throughput(
    network: Network, algorithm: str, *, size: int, batch: int, games: int = 1, seconds: float = 3.0, trials: int = 400
) -> Throughput:
    """Play one game, or several together, so many trials a move; the network works alone between, for comparison."""
    counted = _Counted(GoEvaluator(network, batch=batch))
    evaluator: Any = Together(counted) if games > 1 else counted
    setting, askers = go_setting(algorithm), COHORTS if games > 1 else 1
    network.prepare(size, batch * -(-games // askers))
    playing = []
    for number in range(games):
        player = SearchPlayer(setting.algorithm(), evaluator=evaluator, seed=number, max_bytes=MOST_BYTES)
        playing.append(_Playing(player, size, number, trials))
    with ThreadPoolExecutor(games) as threads:

        def play(duration: float) -> float:
            began = time.perf_counter()
            made = sum(threads.map(lambda one: one.until(began + duration), playing))
            return float(made / (time.perf_counter() - began))

        play(seconds / 2)  # everything is compiled and recorded
        counted.calls = counted.positions = 0
        rates = [play(seconds)]
        mean = counted.positions / max(counted.calls, 1)
        features = np.concatenate(counted.kept)
        speeds = [_alone(network, features, round(mean), seconds / 2, askers)]
        rates.append(play(seconds))
        speeds.append(_alone(network, features, round(mean), seconds / 2, askers))
    if isinstance(evaluator, Together):
        evaluator.close()
    return Throughput(setting.title, sum(rates) / 2, sum(speeds) / 2, mean)


def _alone(network: Network, features: NDArray[np.float32], batch: int, seconds: float, askers: int) -> float:
    """Positions a second that a network values in batches of a size, so many of them asked for at the same time."""
    rows = np.resize(features, (max(batch, 1), features.shape[1]))
    network.run_rows(rows)
    began = time.perf_counter()

    def ask(_: int) -> int:
        count = 0
        while time.perf_counter() - began < seconds:
            network.run_rows(rows)
            count += len(rows)
        return count

    with ThreadPoolExecutor(askers) as threads:
        total = sum(threads.map(ask, range(askers)))
    return total / (time.perf_counter() - began)
