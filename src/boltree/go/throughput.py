"""How near searches come to the network's own speed: trials a second against positions a second."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..evaluators import Together
from ..problems.go import Go
from ..search import Search
from .evaluation import GoEvaluator, parts_of
from .game import Game
from .network import Network
from .openings import random_opening
from .settings import SCALE, go_setting

FIRST_MOVES = 6
"""Random moves before a position that is searched."""

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
            self.kept.append(batch)
        return self._evaluator.evaluate(batch)


def throughput(
    network: Network, algorithm: str, *, size: int, batch: int, games: int = 1, seconds: float = 3.0
) -> Throughput:
    """Search one position alone, or several together; the network works alone before and after, for comparison."""
    counted = _Counted(GoEvaluator(network, batch=batch))
    evaluator: Any = Together(counted) if games > 1 else counted
    setting = go_setting(algorithm)
    searches = [_search(setting.algorithm(), size, k, evaluator) for k in range(games)]
    with ThreadPoolExecutor(games) as threads:

        def run(duration: float) -> float:
            before, began = sum(one.trials for one in searches), time.perf_counter()
            list(threads.map(lambda one: one.run(seconds=duration), searches))
            return (sum(one.trials for one in searches) - before) / (time.perf_counter() - began)

        run(seconds / 2)  # compiled, recorded, and away from the root
        counted.calls = counted.positions = 0
        rate = run(seconds)
        mean = counted.positions / max(counted.calls, 1)
        features = np.concatenate(counted.kept)
        speeds = [_alone(network, features, round(mean), seconds / 2)]
        rate = (rate + run(seconds)) / 2
        speeds.append(_alone(network, features, round(mean), seconds / 2))
    if isinstance(evaluator, Together):
        evaluator.close()
    return Throughput(setting.title, rate, sum(speeds) / 2, mean)


def _search(algorithm: Any, size: int, number: int, evaluator: Any) -> Search:
    game = Game(size, 7.5, "no-suicide")
    for move in random_opening(size, FIRST_MOVES, 0, number):
        game.play(move)
    problem = Go(size, game.komi, game.rules, scale=SCALE)
    return Search(problem, algorithm, state=game.state, seed=number, evaluator=evaluator, max_bytes=MOST_BYTES)


def _alone(network: Network, features: NDArray[np.float32], batch: int, seconds: float) -> float:
    """Positions a second that a network values, in batches of a size."""
    rows = np.resize(features, (max(batch, 1), features.shape[1]))
    spatial, numbers, _ = parts_of(rows)
    network.run(spatial, numbers)
    began, count = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        network.run(spatial, numbers)
        count += len(rows)
    return count / (time.perf_counter() - began)
