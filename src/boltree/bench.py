"""``boltree bench``: how fast the search is on this machine, and against what a Python user would otherwise install.

Times are the best of several interleaved repeats, in nanoseconds per node visit (a trial of n steps makes n + 1).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import problems
from .algorithms import BTS, DENTS, MENTS, UCT, Algorithm
from .problem import Problem
from .python_problem import PythonProblem
from .schedules import log_decay
from .search import Search
from .text import table


@dataclass
class Case:
    """One line of the table."""

    name: str
    problem: Problem
    algorithm: Algorithm
    trials: int
    options: dict[str, Any]
    target: str = ""
    best: float = float("inf")  # seconds a visit
    rate: float = 0.0  # trials a second
    bytes_per_node: float = 0.0

    def measure(self, seed: int) -> None:
        """One repeat: a fresh search, a little warm-up, then timed."""
        search = Search(self.problem, self.algorithm, seed=seed, **self.options)
        search.run(trials=10)
        visits = int(search._tree.visits_made)
        began = time.perf_counter()
        search.run(trials=self.trials)
        spent = time.perf_counter() - began
        each = spent / (int(search._tree.visits_made) - visits)
        if each < self.best:
            self.best, self.rate = each, self.trials / spent
        self.bytes_per_node = search.nbytes / search.size


class Grid(PythonProblem):
    """A deterministic grid in plain Python."""

    actions, horizon, deterministic = 4, 40, True

    def start(self, rng: Any) -> Any:
        """The corner."""
        return (0, 0)

    def step(self, state: Any, action: int, rng: Any) -> tuple[Any, float, bool]:
        """One cell in one of four directions."""
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[action]
        x, y = min(max(state[0] + dx, 0), 9), min(max(state[1] + dy, 0), 9)
        return (x, y), -1.0, (x, y) == (9, 9)


class SlipperyGrid(PythonProblem):
    """A grid in plain Python that lists its outcomes: straight on, or to one of the sides."""

    actions, horizon = 4, 40

    def start(self, rng: Any) -> Any:
        """The corner."""
        return (0, 0)

    def outcomes(self, state: Any, action: int) -> list[tuple[float, Any, float, bool]]:
        """Three cells."""
        found = []
        for chance, direction in ((0.8, action), (0.1, action ^ 2), (0.1, action ^ 3)):
            following, reward, done = Grid.step(self, state, direction, None)  # type: ignore[arg-type]
            found.append((chance, following, reward, done))
        return found


def cases(scale: float) -> list[Case]:
    """What is measured, with the project's targets in nanoseconds a visit."""
    chain, lake, sea = problems.DChain(10), problems.FrozenLake("8x12-test"), problems.Sailing(6, "SE")
    wide = problems.SyntheticTree(362, 6, seed=0)
    leaf, trial = {"evaluator": 0.0}, {"growth": "trial"}
    slow: dict[str, Any] = {"alpha": 10.0, "q_init": -200.0}
    listed = [
        Case("D-chain 10, leaf", chain, UCT(), 400_000, leaf, "30"),
        Case("D-chain 10, leaf", chain, BTS(alpha=1.0, epsilon=0.1), 400_000, leaf, "60"),
        Case("D-chain 10, leaf", chain, DENTS(alpha=1.0, beta=log_decay(1.0), epsilon=0.1), 400_000, leaf, "75"),
        Case("D-chain 10, leaf", chain, MENTS(alpha=1.0, epsilon=0.1), 200_000, leaf, "80"),
        Case("Frozen Lake 8x12, trial", lake, UCT(), 100_000, trial, "80"),
        Case("Frozen Lake 8x12, trial", lake, BTS(alpha=0.1, epsilon=2.0), 100_000, trial, "110"),
        Case("Frozen Lake 8x12, trial", lake, DENTS(alpha=0.1, beta=log_decay(1.0)), 100_000, trial, "150"),
        Case("Frozen Lake 8x12, trial", lake, MENTS(alpha=0.001), 100_000, trial, "150"),
        Case("Sailing 6x6, trial", sea, UCT(), 30_000, trial, "150"),
        Case("Sailing 6x6, trial", sea, BTS(**slow), 30_000, trial, "150"),
        Case("Sailing 6x6, trial", sea, DENTS(beta=log_decay(10.0), **slow), 30_000, trial, "160"),
        Case("362 actions, alias", wide, BTS(alpha=0.1, alias=True), 60_000, leaf, "220"),
        Case("362 actions, alias", wide, DENTS(alpha=0.1, beta=log_decay(1.0), alias=True), 60_000, leaf, "260"),
        Case("362 actions, direct", wide, BTS(alpha=0.1, alias=False), 10_000, leaf, "3,600"),
        Case("362 actions, direct", wide, DENTS(alpha=0.1, beta=log_decay(1.0), alias=False), 5_000, leaf, "7,000"),
        Case("Connect Four, rollouts", problems.ConnectFour(), UCT(c=1.4), 100_000, {}, "250 k trials/s"),
        Case("Python grid, leaf", Grid(), BTS(), 50_000, leaf, "200 k trials/s"),
        Case("Python grid with chance, leaf", SlipperyGrid(), BTS(), 50_000, leaf, "80 k trials/s"),
    ]
    for case in listed:
        case.trials = max(100, int(case.trials * scale))
    return listed


def machine_name() -> str:
    """The machine, as the table names it."""
    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def add_bench(commands: Any) -> None:
    """The words of ``boltree bench``."""
    bench = commands.add_parser(
        "bench",
        help="measure this machine",
        description="Measure the search on this machine: time per visit, memory per node, and open_spiel if installed.",
        epilog="example: boltree bench --repeats 5",
    )
    bench.add_argument("--repeats", type=int, default=3, help="interleaved repeats; the best counts (default 3)")
    bench.add_argument("--scale", type=float, default=1.0, help="trials of each repeat, relative to the usual number")
    bench.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers to a file")
    bench.set_defaults(call=run_bench)


def run_bench(options: argparse.Namespace) -> int:
    """Measure, and print the table."""
    listed = cases(options.scale)
    for repeat in range(options.repeats):
        for case in listed:
            case.measure(repeat)
    rows = [
        [
            c.name,
            c.algorithm.name,
            f"{c.best * 1e9:,.0f}",
            c.target,
            f"{c.rate / 1e3:,.0f} k",
            f"{c.bytes_per_node:.0f}",
        ]
        for c in listed
    ]
    print(machine_name())
    print(table(["problem", "algorithm", "ns/visit", "target", "trials/s", "bytes/node"], rows))
    spiel = open_spiel_rows(options.scale, options.repeats)
    if spiel:
        print()
        print(table(["game, random rollouts", "", "boltree sims/s", "open_spiel sims/s", "ratio"], spiel))
    else:
        print("\nopen_spiel is not installed: pip install 'boltree[bench]' to compare with its C++ search")
    if options.json:
        numbers = [
            {"name": c.name, "algorithm": c.algorithm.name, "seconds_per_visit": c.best, "trials_per_second": c.rate,
             "bytes_per_node": c.bytes_per_node} for c in listed
        ]  # fmt: skip
        options.json.write_text(json.dumps({"machine": machine_name(), "cases": numbers}, indent=1))
    return 0


def open_spiel_rows(scale: float, repeats: int) -> list[list[str]]:
    """open_spiel's C++ UCT bot against UCT here, on the same core in the same run; empty when it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return []
    rows = []
    for name, problem in (("tic_tac_toe", problems.TicTacToe()), ("connect_four", problems.ConnectFour())):
        trials = max(100, int(20_000 * scale))
        ours, theirs = 0.0, 0.0
        for repeat in range(repeats):
            search = Search(problem, UCT(c=1.4), seed=repeat)
            search.run(trials=10)
            began = time.perf_counter()
            search.run(trials=trials)
            ours = max(ours, trials / (time.perf_counter() - began))
            game = pyspiel.load_game(name)
            evaluator = pyspiel.RandomRolloutEvaluator(1, repeat)
            bot = pyspiel.MCTSBot(game, evaluator, 1.4, trials, 1000, False, repeat, False)
            state = game.new_initial_state()
            began = time.perf_counter()
            bot.mcts_search(state)
            theirs = max(theirs, trials / (time.perf_counter() - began))
        rows.append([name, "UCT", f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.1f}"])
    return rows
