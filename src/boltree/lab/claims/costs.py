"""The claims about cost: C17, the alias method, and C18, how often a bandit's worse arm is pulled."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...algorithms.table import Algorithm, algorithm
from ...problems import Tabular
from ...search.search import Search
from .claim import Part
from .results import Results

DEPTH = 16
WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
QUICK_WIDTHS = (64, 512, 4096)
NAMES = ("bts", "dents", "ar-bts", "ar-dents")


def corridor(width: int) -> Tabular:
    """DEPTH states in a row: one action goes on and pays, all others end the trial.

    A search comes back to the same few nodes again and again, so that what a visit costs is seen apart from what making
    a node costs, which is proportional to the actions however they are sampled.
    """
    transitions = np.zeros((DEPTH + 1, width, DEPTH + 1))
    transitions[:, :, DEPTH] = 1.0
    rewards = np.zeros((DEPTH + 1, width))
    for state in range(DEPTH):
        transitions[state, 0] = np.eye(DEPTH + 1)[state + 1]
        rewards[state, 0] = 1.0
    return Tabular(transitions, rewards, horizon=DEPTH, terminal=(DEPTH,))


def _nanoseconds(chosen: Algorithm, width: int, seconds: float) -> float:
    """Nanoseconds that a trial spends on each of its visits."""
    search = Search(corridor(width), chosen, seed=0, evaluator=0.0)
    search.run(trials=2 * width)  # until alias tables are built and the first states have nodes
    before = int(search.tree.fields.visits_made)
    began = time.perf_counter()
    search.run(seconds=seconds)
    return (time.perf_counter() - began) / (int(search.tree.fields.visits_made) - before) * 1e9


def measure_alias(quick: bool) -> dict[str, Any]:
    """Nanoseconds a visit by algorithm, method of sampling and number of actions; the best of interleaved repeats."""
    widths, repeats, seconds = (QUICK_WIDTHS, 2, 0.1) if quick else (WIDTHS, 5, 0.2)
    found: dict[str, Any] = {}
    for _ in range(repeats):
        for name in NAMES:
            for alias in (True, False):
                for width in widths:
                    chosen = algorithm(name, alpha=0.01, epsilon=0.1, alias=alias)
                    key = f"{name} {'alias' if alias else 'direct'} {width}"
                    found[key] = min(found.get(key, np.inf), _nanoseconds(chosen, width, seconds))
    return found


def _c17(results: Results) -> list[Part]:
    measured = results.measured
    parts = []
    for name in NAMES:
        ends = {method: measured[f"{name} {method} 4096"] for method in ("alias", "direct")}
        growth = {method: end / measured[f"{name} {method} 64"] for method, end in ends.items()}
        parts.append(
            Part(
                f"{name.upper()}: from 64 to 4096 actions the time of a visit grows less than a quarter as much with "
                "alias tables as with direct sampling",
                growth["alias"] < growth["direct"] / 4,
                f"{growth['alias']:.1f}-fold against {growth['direct']:.1f}-fold; at 4096 actions "
                f"{ends['alias']:,.0f} ns against {ends['direct']:,.0f} ns",
                {"growth": growth, "nanoseconds": ends},
            )
        )
    return parts


def _c18(results: Results) -> list[Part]:
    bandit = results["bandit"]

    def pulls(name: str, trials: int) -> float:
        label = bandit.setting(name).label
        rows = bandit.frame.filter(label=label, trials=trials)["root_visits"].to_list()
        return float(np.mean([visits[0] for visits in rows]))

    first, later = pulls("uct", 1000), pulls("uct", 5000) - pulls("uct", 1000)
    boltzmann = pulls("bts", 5000) / 5
    rows = [
        ("UCB with bias 2 pulls the worse arm 20 times in the first 1000 pulls, give or take one", first, 20, 1),
        ("and 9 times in the next 4000, give or take one", later, 9, 1),
        ("a Boltzmann policy at temperature 1 pulls it 268 times in 1000, give or take 5", boltzmann, 268, 5),
    ]
    return [
        Part(criterion, abs(pulls - paper) <= room, f"{pulls:.2f}", {"pulls": pulls})
        for criterion, pulls, paper, room in rows
    ]


MEASURES = {"C17": measure_alias}

JUDGES = {"C17": _c17, "C18": _c18}
