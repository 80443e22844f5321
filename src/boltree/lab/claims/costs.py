"""The claims about cost: C17, the alias method; C18, how often a bandit's worse arm is pulled; C31, UCT's time."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ...algorithms.table import UCT, Algorithm, algorithm
from ...exact.evaluate import value_of
from ...problems import DChain, Tabular
from ...search.search import Search
from .claim import Part
from .results import Results

DEPTH = 16
WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
QUICK_WIDTHS = (64, 512, 4096)
NAMES = ("bts", "dents", "ar-bts", "ar-dents")
MAXIMA = ("bts", "dents", "ments")
"""Those whose backups take a maximum, which falls where outcomes are random."""
SLIPPERY = 0.95
"""How often the good action succeeds where outcomes are random."""
AT_MOST = 2.0
"""What the time of a visit may grow by from 64 to 4096 actions, with tables and random outcomes: log A grows by 2."""
LENGTHS = range(3, 9)
"""D of the chains that UCT is timed on."""
UCT_BIAS = 1.0
UCT_SEEDS = 15
MOST_TRIALS = 30_000_000


def corridor(width: int, success: float = 1.0) -> Tabular:
    """DEPTH states in a row: one action goes on and pays, or ends the trial without `success`; all others end it.

    A search comes back to the same few nodes again and again, so that what a visit costs is seen apart from what making
    a node costs, which is proportional to the actions however they are sampled.
    """
    transitions = np.zeros((DEPTH + 1, width, DEPTH + 1))
    transitions[:, :, DEPTH] = 1.0
    rewards = np.zeros((DEPTH + 1, width))
    for state in range(DEPTH):
        transitions[state, 0] = success * np.eye(DEPTH + 1)[state + 1] + (1.0 - success) * np.eye(DEPTH + 1)[DEPTH]
        rewards[state, 0] = 1.0
    return Tabular(transitions, rewards, horizon=DEPTH, terminal=(DEPTH,))


def _nanoseconds(chosen: Algorithm, width: int, success: float, seconds: float) -> float:
    """Nanoseconds that a trial spends on each of its visits."""
    search = Search(corridor(width, success), chosen, seed=0, evaluator=0.0)
    search.run(trials=2 * width)  # until alias tables are built and the first states have nodes
    before = int(search.tree.fields.visits_made)
    began = time.process_time()  # the processor's: another program's share is not the visits'
    search.run(seconds=seconds)
    return (time.process_time() - began) / (int(search.tree.fields.visits_made) - before) * 1e9


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
                    found[key] = min(found.get(key, np.inf), _nanoseconds(chosen, width, 1.0, seconds))
        for name in MAXIMA:
            for width in (64, 4096):
                chosen = algorithm(name, alpha=0.01, epsilon=0.1, alias=True)
                key = f"{name} slippery {width}"
                found[key] = min(found.get(key, np.inf), _nanoseconds(chosen, width, SLIPPERY, seconds))
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
    for name in MAXIMA:
        narrow, wide = (measured[f"{name} slippery {width}"] for width in (64, 4096))
        parts.append(
            Part(
                f"{name.upper()} with alias tables where the good action succeeds with probability {SLIPPERY:g}: "
                f"from 64 to 4096 actions the time of a visit grows at most {AT_MOST:g}-fold",
                wide <= AT_MOST * narrow,
                f"{wide / narrow:.1f}-fold, from {narrow:,.0f} ns to {wide:,.0f} ns",
                {"nanoseconds": [narrow, wide]},
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


def trials_to_the_end(length: int, most: int, seed: int) -> float:
    """How many trials UCT makes before it recommends the way to the end of a D-chain; infinity if more than `most`.

    Looked at after every hundredth part of the trials so far.
    """
    search = Search(DChain(length), UCT(c=UCT_BIAS), seed=seed)
    while search.trials < most:
        search.run(trials=max(1, search.trials // 100))
        if value_of(search) >= 1.0 - 1e-9:
            return search.trials
    return math.inf


def measure_uct(quick: bool) -> dict[str, Any]:
    """The median over seeds of those trials, by D, up to the first D at which it is more than the limit: None."""
    most = 100_000 if quick else MOST_TRIALS
    found: dict[str, Any] = {}
    for length in LENGTHS:
        median = float(np.median([trials_to_the_end(length, most, seed) for seed in range(UCT_SEEDS)]))
        found[str(length)] = None if math.isinf(median) else int(median)
        if found[str(length)] is None:
            break
    return found


def _c31(results: Results) -> list[Part]:
    measured = {int(length): trials for length, trials in results.measured.items()}
    found = [measured[length] for length in sorted(measured) if measured[length] is not None]
    steps = np.diff(np.log(found))
    faster = bool((np.diff(steps) > 0).all())
    return [
        Part(
            "UCT's trials until it recommends the way to the end of a D-chain grow faster than exponentially in D: the "
            "factor from each D to the next grows, over at least four D (undecided where fewer are reached)",
            None if len(found) < 4 else faster,
            "; ".join(f"D={d}: {'more' if n is None else format(n, ',')}" for d, n in sorted(measured.items())),
            {"trials": measured},
        )
    ]


MEASURES = {"C17": measure_alias, "C31": measure_uct}

JUDGES = {"C17": _c17, "C18": _c18, "C31": _c31}
