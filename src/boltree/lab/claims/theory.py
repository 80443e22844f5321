"""The claims that are theorems: C14 to C16."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...jobs.settings import Setting, labelled
from ..experiment import Experiment
from ..random_mdps import ACTIONS, HORIZON, name_of, random_mdp, smallest_gap
from .claim import Part
from .criteria import miss, reach
from .results import MOST, Results

ALPHAS = (0.1, 1.0, 10.0)
SEEDS, QUICK_SEEDS = range(6), range(2)
STRAIGHT = 0.9
"""The least coefficient of determination of a line."""


def convergence(quick: bool) -> Experiment:
    """BTS and DENTS on small random MDPs, many repeats, so that the mean regret can be seen to fall."""
    settings = [Setting("bts", {"alpha": alpha, "epsilon": 1.0}) for alpha in ALPHAS]
    settings += [Setting("dents", {"alpha": alpha, "beta": "log_decay(1.0)", "epsilon": 1.0}) for alpha in ALPHAS]
    return Experiment(
        name="convergence",
        title="Simple regret on small random MDPs",
        problems=tuple(name_of(seed) for seed in (QUICK_SEEDS if quick else SEEDS)),
        settings=tuple(labelled(settings)),
        trials=3_000,
        evaluate_every=20,
        repeats=100 if quick else 200,
    )


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """The slope of the best line and its coefficient of determination."""
    slope, intercept = np.polyfit(x, y, 1)
    rest = float(np.sum((y - slope * x - intercept) ** 2))
    return float(slope), 1.0 - rest / max(float(np.sum((y - y.mean()) ** 2)), 1e-300)


def _c14(results: Results) -> list[Part]:
    result = results["convergence"]
    n = result.checkpoints.astype(float)
    fits, early = {}, 0
    for problem in result.experiment.problems:
        for setting in result.experiment.settings:
            regret = result.curves(setting, problem, "regret")
            wrong = (regret > 1e-9).mean(axis=0)
            tail = (wrong <= 0.5) & (wrong >= 0.05)  # beyond the first half of the errors, and still seen well enough
            if tail.sum() < 8:
                early += 1
                continue
            y = np.log(regret.mean(axis=0)[tail])
            fits[f"{problem} {setting.label}"] = (*_line(n[tail], y), _line(np.log(n[tail]), y)[1])
    straight = [slope < 0 and fit >= STRAIGHT for slope, fit, _ in fits.values()]
    better = [fit > power for _, fit, power in fits.values()]
    rates = sorted(-slope for slope, _, _ in fits.values())
    lines = sorted(fit for _, fit, _ in fits.values())
    pairs = [(problem, setting) for problem in result.experiment.problems for setting in result.experiment.settings]
    means = [result.curves(setting, problem, "regret").mean(axis=0) for problem, setting in pairs]
    first, last = [float(mean[0]) for mean in means], [float(mean[-1]) for mean in means]
    seen_all = f"of {len(fits)} curves ({early} end too early to tell)"
    return [
        Part(
            f"where 50 % to 5 % of the repeats still err, log mean regret is a falling straight line in n (R² at least "
            f"{STRAIGHT}) for at least {MOST:.0%} of the curves",
            bool(fits) and float(np.mean(straight)) >= MOST,
            f"{sum(straight)} {seen_all}; median R² {np.median(lines) if lines else math.nan:.3f}, rates "
            + (f"{rates[0]:.1e} to {rates[-1]:.1e} a trial" if rates else "none"),
            {"straight": sum(straight), "curves": len(fits), "early": early},
        ),
        Part(
            "a line in n fits better than a line in log n (a power law) for more than half of the curves",
            bool(fits) and float(np.mean(better)) > 0.5,
            f"{sum(better)} {seen_all}",
            {"better": sum(better)},
        ),
        Part(
            "at every α, on every MDP, the mean regret ends at most at a tenth of where it began",
            all(b <= a / 10 for a, b in zip(first, last, strict=True)),
            f"the worst ends at {max(b / max(a, 1e-12) for a, b in zip(first, last, strict=True)):.3f} of it",
            {"first": float(np.mean(first)), "last": float(np.mean(last))},
        ),
    ]


def bound(seed: int) -> float:
    """The temperature of Theorem 3.2 for a random MDP: gap / (3 H log A)."""
    return smallest_gap(random_mdp(seed)) / (3 * HORIZON * math.log(ACTIONS))


def low_temperature(seed: int, quick: bool) -> Experiment:
    """MENTS on a random MDP at that temperature."""
    return Experiment(
        name=f"low-temperature-{seed}",
        title="MENTS at the temperature of Theorem 3.2",
        problems=(name_of(seed),),
        settings=tuple(labelled([Setting("ments", {"alpha": bound(seed), "epsilon": 1.0})])),
        trials=100_000,
        evaluate_every=1_000,
        repeats=4 if quick else 20,
    )


def _c15(results: Results) -> list[Part]:
    low = {name: result for name, result in results.by_name.items() if name.startswith("low-temperature-")}
    regrets = {name: result.final(result.experiment.settings[0], None, "regret") for name, result in low.items()}
    chain = results["adapted-chain"]
    threshold = 1 / (20 * math.log(2))
    above = [s for s in chain.settings("ments") if s.parameters["alpha"] > threshold]
    below = [s for s in chain.settings("ments") if s.parameters["alpha"] <= threshold]
    worst = max(regret.mean for regret in regrets.values())
    return [
        Part(
            "Theorem 3.2: on every small MDP MENTS with α = Δ/(3H log A) has a mean regret of at most 0.001 after "
            "100,000 trials",
            worst <= 0.001,
            f"the largest of {len(regrets)} is {worst:.2g}",
            {"regret": regrets},
        ),
        miss(
            chain,
            above,
            1.0,
            chain.experiment.problems[0],
            f"adapted chain, MENTS with α above {threshold:.3f} (wrong)",
        ),
        miss(
            chain, below, 1.0, chain.experiment.problems[0], f"adapted chain, MENTS with α below {threshold:.3f} (slow)"
        ),
        reach(chain, chain.settings("dents"), 1.0, chain.experiment.problems[0], "adapted chain, DENTS"),
    ]


def _c16(results: Results) -> list[Part]:
    result = results["average-returns"]
    short, long = result.experiment.problems
    fixed = result.settings("ar-bts", alpha=1.0)
    parts = [
        miss(result, fixed, 2.0, short, "Proposition B.1: AR-BTS with α=1, D=10"),
        miss(result, fixed, 2.0, long, "Proposition B.1: AR-BTS with α=1, D=12"),
    ]
    for name, theorem in (("ar-bts", "Theorem B.2: AR-BTS"), ("ar-dents", "Theorem B.3: AR-DENTS")):
        for decay in ("log_decay(1.0)", "sqrt_decay(1.0)", "sqrt_decay(10.0)"):
            for problem in (short, long):
                length = "D=10" if problem == short else "D=12"
                settings = result.settings(name, alpha=decay)
                parts.append(reach(result, settings, 2.0, problem, f"{theorem} with α={decay}, {length}"))
    return parts


MADE = {"convergence": convergence} | {f"low-temperature-{seed}": partial(low_temperature, seed) for seed in SEEDS}
"""Experiments that are made rather than shipped: their parameters are computed."""

JUDGES = {"C14": _c14, "C15": _c15, "C16": _c16}
