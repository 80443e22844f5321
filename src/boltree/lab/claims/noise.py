"""The claim about noisy values of leaves: C30."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algorithms.table import algorithm
from ...exact.solution import Solution
from ...exact.solve import solve
from ...jobs.statistics import interval
from ...problems import SyntheticTree
from ...search.search import Search
from .claim import Part
from .results import Results, difference

PAIRS = (("bts", "ar-bts"), ("dents", "ar-dents"))
NOISE = 0.3
"""Standard deviation of the error of a leaf's value; returns lie between 0 and 1."""
BRANCHING, DEPTH, TRIALS = 8, 4, 1_000
SEEDS, QUICK_SEEDS = 40, 10


class NoisyValues:
    """Values states by what they are exactly worth, with an error that belongs to the state."""

    gives_prior = False

    def __init__(self, solution: Solution, noise: float) -> None:
        self._solution, self._noise = solution, noise

    def evaluate(self, batch: Any) -> tuple[None, Any]:
        """The exact value and the error of each state."""
        values = [
            self._solution.value(state, int(state["depth"]))
            + self._noise * float(np.random.default_rng(int(state["path"])).normal())
            for state in batch
        ]
        return None, np.array(values)


def measure_noise(quick: bool) -> dict[str, Any]:
    """By algorithm and noise: how far the root's value is above the truth, and the regret, one number a tree."""
    found: dict[str, Any] = {}
    for seed in range(QUICK_SEEDS if quick else SEEDS):
        problem = SyntheticTree(BRANCHING, DEPTH, seed)
        solution = solve(problem)
        for name in (name for pair in PAIRS for name in pair):
            for noise in (0.0, NOISE):
                search = Search(problem, algorithm(name), seed=seed, evaluator=NoisyValues(solution, noise))
                search.run(trials=TRIALS)
                above = float(search.root.value) - solution.root_value
                q = solution.q()
                regret = float(q.max() - q[search.recommend()])
                row = found.setdefault(f"{name} {noise:g}", {"above": [], "regret": []})
                row["above"].append(above)
                row["regret"].append(regret)
    return found


def _c30(results: Results) -> list[Part]:
    measured = results.measured
    parts = []
    for bellman, average in PAIRS:
        above, regret = (
            {
                name: np.array(measured[f"{name} {NOISE:g}"][column]) - np.array(measured[f"{name} 0"][column])
                for name in (bellman, average)
            }
            for column in ("above", "regret")
        )
        for what, found in (("the root's value above the truth", above), ("the regret of the root's action", regret)):
            more = difference(found[bellman], found[average])
            parts.append(
                Part(
                    f"errors of {NOISE:g} in the values of leaves raise {what} more in {bellman.upper()} than in "
                    f"{average.upper()}, with the 95 % interval (undecided where it is not told apart)",
                    True if more.low > 0 else False if more.high < 0 else None,
                    f"{bellman.upper()} by {interval(found[bellman])}, {average.upper()} by {interval(found[average])}",
                    {"more": more},
                )
            )
    return parts


MEASURES = {"C30": measure_noise}

JUDGES = {"C30": _c30}
