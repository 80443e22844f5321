"""The opponent of the suite's games: OpenSpiel's Monte-Carlo tree search in C++, limited by time."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from ...extras import needs

UCT_C = 2.0
"""The weight of UCB's bonus; what OpenSpiel's own example of a match takes."""

MOST_SIMULATIONS = 2**31 - 1
"""No limit: time is."""

MEGABYTES = 2048
"""What a search of the opponent's may take, more than it can use in the time of a move."""


class Move(NamedTuple):
    """A move, how many simulations were made for it, and how long it took."""

    move: int
    simulations: int
    seconds: float


class OpenSpielMCTS:
    """OpenSpiel's ``MCTSBot``: UCT with random rollouts and proven wins and losses, a new tree for every move.

    Args:
        game: OpenSpiel's game.
        seconds: for a move.
        seed: of its random numbers.
        c: the weight of UCB's bonus.
    """

    def __init__(self, game: Any, seconds: float, seed: int, c: float = UCT_C) -> None:
        pyspiel = needs("pyspiel", "openspiel")
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
        self._bot = pyspiel.MCTSBot(
            game, rollouts, c, MOST_SIMULATIONS, MEGABYTES, True, seed, False, max_wall_clock_time=seconds
        )

    def move(self, state: Any) -> Move:
        """Search a state and choose the best child, as the bot does."""
        began = time.perf_counter()
        root = self._bot.mcts_search(state)
        move = int(root.best_child().action)
        return Move(move, int(root.explore_count), time.perf_counter() - began)
