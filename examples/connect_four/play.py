"""A match: searches with the network against UCT with rollouts, with equal trials or equal time for every move.

python -m examples.connect_four.play --games 100 --trials 200
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import boltree as bt
from boltree.jobs.statistics import mean_result
from boltree.terminal import HelpFormatter, table

from .network import FILE, ConnectFourNetwork

PROBLEM = bt.problems.ConnectFour()
PUCT = bt.PUCT()
ARBTS = bt.ARBTS(alpha=bt.log_decay(0.15), epsilon=0.1, epsilon_prior=0.5, q_init=0.0)
"""As it plays with the network, whose values are from -1 to 1: a low temperature, and a prior that is only sampled."""


class Limit(NamedTuple):
    """How long a player searches for a move."""

    trials: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.trials} trials" if self.trials else f"{self.seconds:g} s"


@dataclass
class Player:
    """A search that plays, with a new tree for every move; it counts its trials and seconds."""

    name: str
    algorithm: bt.Algorithm
    evaluator: Any = "rollout"
    trials: int = 0
    seconds: float = 0.0

    def move(self, state: Any, limit: Limit, seed: int) -> int:
        """The column it plays."""
        began = time.perf_counter()
        search = bt.Search(PROBLEM, self.algorithm, state=state, evaluator=self.evaluator, seed=seed)
        search.run(trials=limit.trials, seconds=limit.seconds)
        self.trials += search.trials
        self.seconds += time.perf_counter() - began
        return int(search.recommend())


def play_game(
    players: Sequence[Player], opening: Sequence[int], limit: Limit, seed: int, *, show: bool = False
) -> float:
    """A game after some moves, and its result for the player who began: 1, 0 or -1."""
    state, result, done, moves = PROBLEM.present(PROBLEM.start_state()), 0.0, False, 0
    while not done:
        player = players[moves % 2]
        move = opening[moves] if moves < len(opening) else player.move(state, limit, seed + moves)
        result, done = PROBLEM.plain_step(state, move, None)
        moves += 1
        if show:
            print(f"\n{moves}. {player.name} plays column {move}\n{PROBLEM.show_state(state)}")
    return result


def play_match(one: Player, other: Player, games: int, limit: Limit, seed: int = 0) -> NDArray[np.float64]:
    """The results of one player, [openings, 2]: four random moves, then a game with either side."""
    rng = np.random.default_rng(seed)
    results = np.zeros((games // 2, 2))
    for pair in results:
        opening, first = rng.integers(0, 7, 4).tolist(), int(rng.integers(2**32))
        pair[0] = play_game((one, other), opening, limit, first)
        pair[1] = -play_game((other, one), opening, limit, first)
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """Play what the command line asks for."""
    parser = argparse.ArgumentParser(description="The network against rollouts.", formatter_class=HelpFormatter)
    parser.add_argument("--network", type=Path, metavar="FILE", help="what train.py wrote; the one here if left out")
    parser.add_argument("--batch", type=int, default=8, help="leaves that the network is given at a time")
    parser.add_argument("--games", type=int, default=100, help="for each algorithm; an even number")
    thinking = parser.add_mutually_exclusive_group()
    thinking.add_argument("--trials", type=int, help="for a move; 200 where no seconds are given")
    thinking.add_argument("--seconds", type=float, help="for a move, instead of trials")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="one game of PUCT's, board by board, instead of a match")
    given = parser.parse_args(arguments)
    if given.games < 2 or given.games % 2:
        parser.error(f"--games {given.games}: must be an even number, since every opening is played by either side")
    for name in ("batch", "trials", "seconds"):
        if (value := getattr(given, name)) is not None and not value > 0:
            parser.error(f"--{name} {value}: must be above 0")
    path = given.network or FILE
    if not path.is_file():
        parser.error(f"--network {path}: no such file")
    limit = Limit(seconds=given.seconds) if given.seconds else Limit(trials=given.trials or 200)
    network = ConnectFourNetwork.load(path, given.batch)
    players = [Player("PUCT with the network", PUCT, network), Player("AR-BTS with the network", ARBTS, network)]
    if given.show:
        play_game((players[0], Player("UCT with rollouts", bt.UCT())), [], limit, given.seed, show=True)
        return
    rows = []
    for player in players:
        other = Player("UCT with rollouts", bt.UCT())
        results = play_match(player, other, given.games, limit, given.seed)
        mean, low, high = mean_result(((results.mean(1) + 1.0) / 2.0).tolist())
        counts = [str(int((results == result).sum())) for result in (1.0, 0.0, -1.0)]
        speeds = [f"{one.trials / one.seconds:,.0f}" for one in (player, other)]
        rows.append([player.name, f"{mean:.3f} [{low:.3f}, {high:.3f}]", *counts, *speeds])
    print(f"Against UCT with rollouts, {limit} a move, {given.games} games each:\n")
    print(table(["player", "score [95 %]", "won", "drawn", "lost", "trials/s", "rollouts/s"], rows))


if __name__ == "__main__":
    main()
