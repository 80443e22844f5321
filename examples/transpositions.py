"""What sharing nodes brings: regret after so many trials, nodes, memory and speed, as a tree and with transpositions.

Run ``python examples/transpositions.py``; ``--quick`` takes some seconds. Parameters are the paper's, which were
tuned for trees; DENTS also with a hundredth of its weight of entropies.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import boltree as bt

CHAIN: dict[str, Any] = {"alpha": 1.0, "epsilon": 0.1}
SEA: dict[str, Any] = {"alpha": 10.0, "q_init": -200.0}
CASES: dict[str, tuple[bt.Problem, tuple[int, ...], dict[str, bt.Algorithm]]] = {
    "D-chain 10": (
        bt.problems.DChain(10),
        (100, 1_000, 10_000),
        {
            "UCT": bt.UCT(),
            "MENTS": bt.MENTS(**CHAIN),
            "BTS": bt.BTS(**CHAIN),
            "DENTS": bt.DENTS(beta=bt.log_decay(1.0), **CHAIN),
        },
    ),
    "Frozen Lake 8x12": (
        bt.problems.FrozenLake("8x12-test"),
        (5_000, 50_000, 500_000),
        {
            "UCT": bt.UCT(),
            "MENTS": bt.MENTS(alpha=0.001),
            "BTS": bt.BTS(alpha=0.1, epsilon=2.0),
            "DENTS": bt.DENTS(alpha=0.1, beta=bt.log_decay(1.0)),
            "DENTS beta/100": bt.DENTS(alpha=0.1, beta=bt.log_decay(0.01)),
        },
    ),
    "Sailing 6x6": (
        bt.problems.Sailing(6),
        (3_000, 30_000, 300_000),
        {
            "UCT": bt.UCT(),
            "MENTS": bt.MENTS(**SEA),
            "BTS": bt.BTS(**SEA),
            "DENTS": bt.DENTS(beta=bt.log_decay(10.0), **SEA),
            "DENTS beta/100": bt.DENTS(beta=bt.log_decay(0.1), **SEA),
        },
    ),
}


@dataclass
class Row:
    """One problem and algorithm, with or without transpositions; means over the seeds."""

    regrets: list[list[float]] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    def add(self, problem: bt.Problem, algorithm: bt.Algorithm, points: tuple[int, ...], seed: int, how: Any) -> None:
        """Run one search to the last of the points, looking at each."""
        search = bt.Search(problem, algorithm, seed=seed, growth="trial", transpositions=how)
        regrets, spent = [], 0.0
        for trials in points:
            began = time.perf_counter()
            search.run(trials=trials - search.trials)
            spent += time.perf_counter() - began
            regrets.append(bt.simple_regret(search))
        self.regrets.append(regrets)
        self.nodes.append(search.size)
        self.megabytes.append(search.nbytes / 1e6)
        self.rates.append(points[-1] / spent)

    def __str__(self) -> str:
        regrets = "".join(f" {regret:9.4f}" for regret in np.mean(self.regrets, axis=0))
        return f"{regrets} {np.mean(self.nodes):11,.0f} {np.mean(self.megabytes):8.2f} {np.median(self.rates):11,.0f}"


def main(quick: bool) -> None:
    """Print the table."""
    for name, (problem, points, algorithms) in CASES.items():
        shown = tuple(trials // 10 for trials in points) if quick else points
        heads = "".join(f" {f'{trials:,}':>9}" for trials in shown)
        print(f"\n{name}: regret after so many trials\n{'':22}{heads} {'nodes':>11} {'MB':>8} {'trials/s':>11}")
        for label, algorithm in algorithms.items():
            for how in (False, True):
                row = Row()
                for seed in range(2 if quick else 5):
                    row.add(problem, algorithm, shown, seed, how)
                print(f"{label:15}{'shared' if how else 'tree':7}{row}", flush=True)


if __name__ == "__main__":
    main("--quick" in sys.argv)
