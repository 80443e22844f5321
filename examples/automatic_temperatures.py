"""What it costs not to tune: ``alpha="auto"`` against the paper's tuned temperatures, and against the best of a grid.

Run ``python examples/automatic_temperatures.py``; ``--quick`` takes some seconds. Regret is given as a share of the
difference between the best and the worst policy's value.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import boltree as bt

GRID = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Temperatures as shares of a problem's width; the best of them for each problem is what tuning could reach."""


def regret(problem: bt.Problem, algorithm: bt.Algorithm, trials: int, seeds: int, **how: Any) -> float:
    """The mean simple regret of so many searches."""
    found = []
    for seed in range(seeds):
        search = bt.Search(problem, algorithm, seed=seed, **how)
        search.run(trials=trials)
        found.append(bt.simple_regret(search))
    return float(np.mean(found))


def random_mdp(seed: int) -> tuple[bt.Problem, float]:
    """A finite MDP of random size, with rewards of a random scale and shift; and its width."""
    rng = np.random.default_rng(seed)
    states, actions, horizon = (int(rng.integers(low, high)) for low, high in ((4, 9), (2, 6), (3, 6)))
    transitions = rng.dirichlet(np.full(states, 0.2), size=(states, actions))
    rewards = rng.random((states, actions)) * (rng.random((states, actions)) < 0.5) * 10 ** rng.uniform(-3, 3)
    rewards = rewards + rng.normal() * rewards.std()
    best = bt.solve(bt.problems.Tabular(transitions, rewards, horizon)).root_value
    worst = -bt.solve(bt.problems.Tabular(transitions, -rewards, horizon)).root_value
    return bt.problems.Tabular(transitions, rewards, horizon), best - worst


def main(quick: bool) -> None:
    """Print both tables."""
    leaf, trial = {"growth": "leaf", "evaluator": 0.0}, {"growth": "trial"}
    chain = {bt.BTS: {"alpha": 1.0}, bt.DENTS: {"alpha": 1.0, "beta": bt.log_decay(1.0)}, bt.MENTS: {"alpha": 1.0}}
    lake = {
        bt.BTS: {"alpha": 0.1, "epsilon": 2.0},
        bt.DENTS: {"alpha": 0.1, "beta": bt.log_decay(1.0)},
        bt.MENTS: {"alpha": 0.001},
    }
    sea = {"alpha": 10.0, "q_init": -200.0}
    sailing = {bt.BTS: sea, bt.DENTS: {**sea, "beta": bt.log_decay(10.0)}, bt.MENTS: sea}
    problems: dict[str, Any] = {  # the problem, trials, how, its width, and the paper's tuned parameters
        "10-chain": (bt.problems.DChain(10), 10_000, leaf, 1.0, chain),
        "modified 10-chain": (bt.problems.DChain(10, 0.5), 10_000, leaf, 0.9, chain),
        "lake 8x12": (bt.problems.FrozenLake("8x12-test"), 200_000, trial, 0.83, lake),
        "sailing 6x6": (bt.problems.Sailing(6), 200_000, trial, 185.0, sailing),
    }
    share = 10 if quick else 1
    print(f"{'problem':18} {'algorithm':9} {'auto':>8} {'tuned':>8}   regret / width")
    for name, (problem, trials, how, width, tuned) in problems.items():
        for kind, given in tuned.items():
            pair = [
                regret(problem, one, trials // share, 2 if quick else 10, **how) / width
                for one in (kind(), kind(**given))
            ]
            print(f"{name:18} {kind.__name__:9} {pair[0]:8.4f} {pair[1]:8.4f}", flush=True)
    count = 100 // share
    mdps = [random_mdp(seed) for seed in range(count)]
    print(f"\n{count} random MDPs, 5,000 trials: auto, the best of {len(GRID)} temperatures for each, alpha = 1")
    for kind in (bt.BTS, bt.DENTS, bt.MENTS, bt.ARBTS):
        auto = [regret(mdp, kind(), 5_000, 1) / width for mdp, width in mdps]
        best = [min(regret(mdp, kind(alpha=share * width), 5_000, 1) for share in GRID) / width for mdp, width in mdps]
        one = [regret(mdp, kind(alpha=1.0), 5_000, 1) / width for mdp, width in mdps]
        print(
            f"{kind.__name__:9} auto {np.mean(auto):.4f}  best {np.mean(best):.4f}  alpha=1 {np.mean(one):.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main("--quick" in sys.argv)
