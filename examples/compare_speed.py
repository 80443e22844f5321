"""Simulations a second: Boltree, OpenSpiel, mctx and searches in plain Python, side by side in one run.

pip install 'boltree[bench]' mctx mcts
python -m examples.compare_speed

Whatever is not installed is left out. Games are searched by UCT with random rollouts; many searches at once by PUCT and
by mctx's policies, with values and priors that cost nothing. Programs take turns, and of each the best time counts. All
but mctx use one core; XLA takes what it likes.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import boltree as bt
from boltree.bench.command import machine_name
from boltree.terminal import table

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
DEPTH, ACTIONS = 20, 8
OURS = ("Boltree", "Boltree, search_many")


class Rival(NamedTuple):
    """A program on a problem."""

    name: str
    problem: str
    simulations: int
    run: Callable[[], object]


# Tic-Tac-Toe in plain Python, the same rules for everybody who needs them so


def moved(board: str, action: int) -> str:
    """The board after a move; X begins."""
    return board[:action] + "XO"[board.count("X") > board.count("O")] + board[action + 1 :]


def result(board: str) -> float | None:
    """1 if X has won, -1 if O has, 0 for a draw, None while they play."""
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return 1.0 if board[a] == "X" else -1.0
    return None if "." in board else 0.0


class PlainTicTacToe(bt.PythonProblem):
    """Tic-Tac-Toe for Boltree, in plain Python."""

    actions, horizon, deterministic = 9, 9, True

    def start(self, rng):
        return "." * 9

    def step(self, state, action, rng):
        board = moved(state, action)
        ended = result(board)
        return board, ended or 0.0, ended is not None

    def legal(self, state):
        return [i for i in range(9) if state[i] == "."]

    def player(self, state):
        return int(state.count("X") > state.count("O"))


class McTsState:
    """Tic-Tac-Toe as the package mcts wants it."""

    def __init__(self, board: str = "." * 9) -> None:
        self.board = board

    def getCurrentPlayer(self) -> int:  # noqa: N802
        return -1 if self.board.count("X") > self.board.count("O") else 1

    def getPossibleActions(self) -> list[int]:  # noqa: N802
        return [i for i in range(9) if self.board[i] == "."]

    def takeAction(self, action: int) -> McTsState:  # noqa: N802
        return McTsState(moved(self.board, action))

    def isTerminal(self) -> bool:  # noqa: N802
        return result(self.board) is not None

    def getReward(self) -> float:  # noqa: N802
        return result(self.board) or 0.0


def there(module: str) -> bool:
    """Whether a package is installed."""
    return importlib.util.find_spec(module) is not None


def boltree_games(simulations: int) -> list[Rival]:
    """Boltree's own games, and the one in plain Python."""

    def search(problem: bt.Problem) -> Callable[[], object]:
        return lambda: bt.Search(problem, bt.UCT(c=1.4), seed=0).run(trials=simulations)

    return [
        Rival("Boltree", "Tic-Tac-Toe", simulations, search(bt.problems.TicTacToe())),
        Rival("Boltree", "Connect Four", simulations, search(bt.problems.ConnectFour())),
        Rival("Boltree, the game in Python", "Tic-Tac-Toe", simulations, search(PlainTicTacToe())),
    ]


def openspiel_games(simulations: int) -> list[Rival]:
    """OpenSpiel's search in C++, and its search in Python."""
    import pyspiel
    from open_spiel.python.algorithms import mcts

    found = []
    for name, problem in (("tic_tac_toe", "Tic-Tac-Toe"), ("connect_four", "Connect Four")):
        game = pyspiel.load_game(name)

        def fast(game: Any = game) -> None:
            evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
            bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, 0, False)
            bot.mcts_search(game.new_initial_state())

        few = max(simulations // 50, 1)

        def slow(game: Any = game, few: int = few) -> None:
            rng = np.random.RandomState(0)
            bot = mcts.MCTSBot(game, 1.4, few, mcts.RandomRolloutEvaluator(1, rng), solve=False, random_state=rng)
            bot.mcts_search(game.new_initial_state())

        found += [Rival("OpenSpiel, C++", problem, simulations, fast), Rival("OpenSpiel, Python", problem, few, slow)]
    return found


def plain_games(simulations: int) -> list[Rival]:
    """The package mcts."""
    import mcts

    few = max(simulations // 50, 1)
    searcher = mcts.mcts(iterationLimit=few)
    return [Rival("mcts, Python", "Tic-Tac-Toe", few, lambda: searcher.search(initialState=McTsState()))]


def boltree_batches(batch: int, simulations: int) -> list[Rival]:
    """Many searches at once, in one thread, with values and priors that cost nothing."""
    problem = bt.problems.SyntheticTree(ACTIONS, DEPTH, seed=0)
    states = np.zeros(batch, problem.state_layout())
    states["path"] = np.arange(batch)

    def run() -> object:
        return bt.search_many(states, bt.PUCT(), simulations, problem=problem, seed=0, evaluator=0.0)

    return [Rival("Boltree, search_many", batches_of(batch, simulations), batch * simulations, run)]


def mctx_batches(batch: int, simulations: int) -> list[Rival]:
    """The same by both searches of mctx: a tree whose rewards are a hash of the actions so far."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import jax.numpy as jnp
    import mctx

    def below(path: Any, action: Any) -> Any:
        path = (path ^ (action.astype(jnp.uint32) + 1)) * jnp.uint32(0x85EBCA6B)
        return (path ^ (path >> 13)) * jnp.uint32(0xC2B2AE35)

    def step(params: Any, key: Any, action: Any, path: Any) -> Any:
        path = below(path, action)
        reward = (path >> 8).astype(jnp.float32) / (1 << 24) / DEPTH
        prior, ones, zeros = jnp.zeros((batch, ACTIONS)), jnp.ones(batch), jnp.zeros(batch)
        return mctx.RecurrentFnOutput(reward=reward, discount=ones, prior_logits=prior, value=zeros), path

    def compiled(policy: Any) -> Callable[[], object]:
        def search(key: Any) -> Any:
            paths, prior = jnp.arange(batch, dtype="uint32"), jnp.zeros((batch, ACTIONS))
            root = mctx.RootFnOutput(prior_logits=prior, value=jnp.zeros(batch), embedding=paths)
            return policy(None, key, root, step, simulations, max_depth=DEPTH).action

        ready = jax.jit(search)
        return lambda: ready(jax.random.PRNGKey(0)).block_until_ready()

    problem, all_of_them = batches_of(batch, simulations), batch * simulations
    return [
        Rival("mctx, Gumbel MuZero", problem, all_of_them, compiled(mctx.gumbel_muzero_policy)),
        Rival("mctx, MuZero", problem, all_of_them, compiled(mctx.muzero_policy)),
    ]


def batches_of(batch: int, simulations: int) -> str:
    """What the problem is called."""
    return f"{batch} searches of {simulations}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure everybody who is there, and print the table."""
    parser = argparse.ArgumentParser(description="Simulations a second, side by side in one run.")
    parser.add_argument("--simulations", type=int, default=20_000, help="of a search of a game (default 20000)")
    parser.add_argument("--repeats", type=int, default=5, help="the best counts (default 5)")
    parser.add_argument("--batches", type=int, nargs="*", default=[64, 1024], help="searches at once (default 64 1024)")
    given = parser.parse_args(arguments)
    rivals = boltree_games(given.simulations)
    if there("pyspiel"):
        rivals += openspiel_games(given.simulations)
    if there("mcts"):
        rivals += plain_games(given.simulations)
    for batch in given.batches:
        rivals += boltree_batches(batch, 64)
        if there("mctx"):
            rivals += mctx_batches(batch, 64)
    best = [0.0] * len(rivals)
    for rival in rivals:
        rival.run()  # compiles
    for _ in range(given.repeats):
        for i, rival in enumerate(rivals):
            began = time.perf_counter()
            rival.run()
            best[i] = max(best[i], rival.simulations / (time.perf_counter() - began))
    ours = {r.problem: rate for r, rate in zip(rivals, best, strict=True) if r.name in OURS}
    rows = []
    for rival, rate in zip(rivals, best, strict=True):
        rows.append([rival.problem, rival.name, f"{rate:,.0f}", f"{ours[rival.problem] / rate:,.1f}"])
    print(machine_name())
    print(table(["problem", "program", "simulations/s", "Boltree is faster by"], sorted(rows)))


if __name__ == "__main__":
    main()
