"""The claims that are theorems: C14 to C16."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...exact.solve import solve
from ...jobs.settings import Setting, labelled
from ...jobs.statistics import Interval
from ...problems import AdaptedChain
from ..experiment import Experiment
from ..random_mdps import ACTIONS, HORIZON, name_of, random_mdp, smallest_gap
from .claim import Part
from .criteria import miss, reach
from .results import FEW, MOST, Result, Results, difference

ALPHAS = (0.1, 1.0, 10.0)
CONSTANT_BETAS = (0.0, 1.0, 10.0)
LENGTH = 20
"""D and K of the adapted chain."""
SEEDS, QUICK_SEEDS = range(6), range(2)
STRAIGHT = 0.9
"""The least coefficient of determination of a line."""
DRAWS = 500
"""Draws of the bootstrap."""


def convergence(quick: bool) -> Experiment:
    """BTS and DENTS on small random MDPs, many repeats, so that the mean regret can be seen to fall."""
    settings = [Setting("bts", {"alpha": alpha, "epsilon": 1.0}) for alpha in ALPHAS]
    betas = ("log_decay(1.0)", *CONSTANT_BETAS)
    settings += [Setting("dents", {"alpha": a, "beta": beta, "epsilon": 1.0}) for beta in betas for a in ALPHAS]
    return Experiment(
        name="convergence",
        title="Simple regret on small random MDPs",
        problems=tuple(name_of(seed) for seed in (QUICK_SEEDS if quick else SEEDS)),
        settings=tuple(labelled(settings)),
        trials=3_000,
        evaluate_every=20,
        repeats=100 if quick else 200,
    )


def line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """The slope of the best line and its coefficient of determination."""
    slope, intercept = np.polyfit(x, y, 1)
    rest = float(np.sum((y - slope * x - intercept) ** 2))
    return float(slope), 1.0 - rest / max(float(np.sum((y - y.mean()) ** 2)), 1e-300)


def slope_interval(n: NDArray[np.float64], regret: NDArray[np.float64]) -> Interval:
    """The slope of log mean regret in n, with its 95 % interval by bootstrap over repeats (rows)."""
    repeats = len(regret)
    weights = np.random.default_rng(0).multinomial(repeats, np.full(repeats, 1 / repeats), DRAWS) / repeats
    means = np.maximum(np.vstack([regret.mean(axis=0), weights @ regret]), 1e-12)
    centred = n - n.mean()
    slopes = np.log(means) @ centred / (centred @ centred)
    low, high = np.percentile(slopes[1:], [2.5, 97.5])
    return Interval(float(slopes[0]), float(low), float(high))


def _tail(regret: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The checkpoints beyond the first half of the errors at which they are still seen well enough."""
    wrong = (regret > 1e-9).mean(axis=0)
    return np.asarray((wrong <= 0.5) & (wrong >= 0.05))


def _c14(results: Results) -> list[Part]:
    result = results["convergence"]
    n = result.checkpoints.astype(float)
    decaying = [s for s in result.experiment.settings if s.parameters.get("beta") not in CONSTANT_BETAS]
    constant = [s for s in result.experiment.settings if s not in decaying]
    fits, early = {}, 0
    rates: dict[str, Interval] = {}
    for problem in result.experiment.problems:
        for setting in result.experiment.settings:
            regret = result.curves(setting, problem, "regret")
            tail = _tail(regret)
            name = f"{problem} {setting.label}"
            if tail.sum() >= 8:
                rates[name] = slope_interval(n[tail], regret[:, tail])
            if setting in constant:
                continue
            if tail.sum() < 8:
                early += 1
                continue
            y = np.log(regret.mean(axis=0)[tail])
            fits[name] = (*line(n[tail], y), line(np.log(n[tail]), y)[1])
    straight = [slope < 0 and fit >= STRAIGHT for slope, fit, _ in fits.values()]
    better = [fit > power for _, fit, power in fits.values()]
    lines = sorted(fit for _, fit, _ in fits.values())
    pairs = [(problem, setting) for problem in result.experiment.problems for setting in decaying]
    means = [result.curves(setting, problem, "regret").mean(axis=0) for problem, setting in pairs]
    first, last = [float(mean[0]) for mean in means], [float(mean[-1]) for mean in means]
    seen_all = f"of {len(fits)} curves ({early} end too early to tell)"
    return [
        Part(
            f"where 50 % to 5 % of the repeats still err, log mean regret is a falling straight line in n (R² at least "
            f"{STRAIGHT}) for at least {MOST:.0%} of the curves",
            bool(fits) and float(np.mean(straight)) >= MOST,
            f"{sum(straight)} {seen_all}; median R² {np.median(lines) if lines else math.nan:.3f}",
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
        _falling(rates, "the rate at which log mean regret falls is above 0 with its 95 % interval (bootstrap)"),
        _constant_betas(result, constant),
    ]


def _falling(rates: dict[str, Interval], what: str) -> Part:
    sure = sum(one.high < 0 for one in rates.values())
    slowest = max(rates.values(), key=lambda one: one.mean) if rates else Interval(math.nan, math.nan, math.nan)
    fastest = min(rates.values(), key=lambda one: one.mean) if rates else slowest
    return Part(
        f"{what}, for every curve that tells",
        bool(rates) and sure == len(rates),
        f"for {sure} of {len(rates)}; from {-slowest.mean:.1e} ({-slowest.high:.1e} to {-slowest.low:.1e}) to "
        f"{-fastest.mean:.1e} ({-fastest.high:.1e} to {-fastest.low:.1e}) a trial",
        {"rates": rates},
    )


def _constant_betas(result: Result, settings: list[Setting]) -> Part:
    """DENTS with a constant β: the theorem asks for a bounded one."""
    worst = {}
    for setting in settings:
        curves = [result.curves(setting, problem, "regret") for problem in result.experiment.problems]
        worst[setting.label] = max(
            float(one[:, -1].mean() / max(one[:, : one.shape[1] // 10].mean(), 1e-12)) for one in curves
        )
    slow = {label: share for label, share in worst.items() if share > 0.5}
    risen = {label: share for label, share in worst.items() if share > 1.0}
    return Part(
        f"DENTS with a constant β of {', '.join(f'{beta:g}' for beta in CONSTANT_BETAS)}: at every α, on every "
        "MDP, the mean regret ends at most at half of what it was in the first tenth (undecided if it only falls less)",
        False if risen else None if slow else True,
        "the largest share that is left: " + ", ".join(f"{label}: {share:.3f}" for label, share in worst.items()),
        {"left": worst},
    )


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


def rate_at_low_temperature(seed: int, quick: bool) -> Experiment:
    """The same search, looked at often, with many repeats, so that the mean regret can be seen to fall."""
    return replace(
        low_temperature(seed, quick),
        name=f"low-temperature-rate-{seed}",
        title="How fast MENTS' regret falls at the temperature of Theorem 3.2",
        trials=6_000,
        evaluate_every=30,
        repeats=50 if quick else 200,
    )


def _rate_of_ments(results: Results) -> Part:
    """Theorem 3.2's bound is C exp(-kn): log mean regret is a falling line in n."""
    rates, fits, early, late = {}, [], 0, 0
    for seed in SEEDS:
        result = results[f"low-temperature-rate-{seed}"]
        regret = result.curves(result.experiment.settings[0], None, "regret")
        tail, n = _tail(regret), result.checkpoints.astype(float)
        if tail.sum() < 8:
            still_wrong = bool((regret[:, -1] > 1e-9).mean() > 0.5)
            early, late = early + (not still_wrong), late + still_wrong
            continue
        rates[f"seed {seed}"] = slope_interval(n[tail], regret[:, tail])
        fits.append(line(n[tail], np.log(np.maximum(regret[:, tail].mean(axis=0), 1e-12)))[1])
    straight = [fit >= STRAIGHT and rate.high < 0 for fit, rate in zip(fits, rates.values(), strict=True)]
    each = ", ".join(f"{-rate.mean:.1e} ({-rate.high:.1e} to {-rate.low:.1e})" for rate in rates.values())
    return Part(
        "Theorem 3.2's rate: where 50 % to 5 % of the repeats still err, log mean regret of MENTS at that α is a "
        f"falling straight line in n (R² at least {STRAIGHT}, the rate above 0 with its 95 % interval by bootstrap) "
        f"for at least {MOST:.0%} of the curves (undecided where no curve tells)",
        float(np.mean(straight)) >= MOST if straight else None,
        f"{sum(straight)} of {len(fits)} curves ({early} end too early to tell, {late} not within the trials); rates "
        f"a trial: {each}; R² {', '.join(f'{fit:.3f}' for fit in fits)}",
        {"rates": rates, "fits": fits},
    )


def _c15(results: Results) -> list[Part]:
    low = {f"low-temperature-{seed}": results[f"low-temperature-{seed}"] for seed in SEEDS}
    regrets = {name: result.final(result.experiment.settings[0], None, "regret") for name, result in low.items()}
    chain = results["adapted-chain"]
    threshold = 1 / (LENGTH * math.log(2))
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
        _wrong(chain, above, threshold),
        _slow(chain, below, threshold),
        reach(chain, chain.settings("dents"), 1.0, chain.experiment.problems[0], "adapted chain, DENTS"),
        _rate_of_ments(results),
        miss(
            chain, above, 1.0, chain.experiment.problems[0],
            f"adapted chain, MENTS with α above {threshold:.3f} (wrong)",
        ).replaced_because("it does not tell a search that is wrong from one that is slow"),
    ]  # fmt: skip


def _limit(alpha: float) -> float:
    """What the policy is worth that MENTS converges to on the adapted chain: the best one by exact soft values."""
    problem = AdaptedChain(LENGTH, LENGTH)
    soft = solve(problem, "soft", alpha)
    at_choice = np.zeros(1, problem.state_layout())[0]
    at_choice["d"] = LENGTH + 1
    right, left = soft.q()[::-1].tolist()
    if right < left:
        return (LENGTH - 1) / LENGTH
    into_trap, out = soft.q(at_choice, LENGTH).tolist()
    return 0.0 if into_trap > out else 1.0


def _wrong(chain: Result, settings: list[Setting], threshold: float) -> Part:
    """Above the threshold the limit itself is wrong; a search that is not there yet is slow."""
    where = chain.experiment.problems[0]
    kinds = {}
    for setting in settings:
        limit = _limit(setting.parameters["alpha"])
        right, there = chain.share(setting, 1.0, where), chain.share(setting, limit, where)
        if limit == 1.0 or right > FEW:
            kinds[setting.label] = "right"
        else:
            kinds[setting.label] = "wrong" if there >= MOST else "slow"
    slow = [label for label, kind in kinds.items() if kind == "slow"]
    return Part(
        f"adapted chain, MENTS with α above {threshold:.3f} is wrong: by exact soft values the policy that it "
        f"converges to is worth less than 1, and at least {MOST:.0%} of the repeats end at what that is worth "
        "(undecided where they have not come there yet)",
        False if "right" in kinds.values() else None if slow else True,
        f"wrong at {sum(kind == 'wrong' for kind in kinds.values())} of {len(kinds)} temperatures"
        + (f"; slow: {', '.join(slow)}" if slow else ""),
        {"kinds": kinds},
    )


def _slow(chain: Result, settings: list[Setting], threshold: float) -> Part:
    """Below the threshold the limit is right, and far away."""
    where = chain.experiment.problems[0]
    shares = {s.label: chain.share(s, 1.0, where) for s in settings}
    limits = [_limit(s.parameters["alpha"]) for s in settings]
    return Part(
        f"adapted chain, MENTS with α below {threshold:.3f} is slow: by exact soft values the policy that it "
        f"converges to is worth 1, and at most {FEW:.0%} of the repeats of every setting end there after "
        f"{chain.experiment.trials:,} trials",
        all(limit == 1.0 for limit in limits) and max(shares.values()) <= FEW,
        f"limits {', '.join(f'{limit:g}' for limit in limits)}; at most {max(shares.values()):.0%} end there",
        {"shares": shares, "limits": limits},
    )


def _c16(results: Results) -> list[Part]:
    result = results["average-returns"]
    short, long = result.experiment.problems
    fixed = result.settings("ar-bts", alpha=1.0)
    parts = [
        miss(result, fixed, 2.0, short, "Proposition B.1: AR-BTS with α=1, D=10"),
        miss(result, fixed, 2.0, long, "Proposition B.1: AR-BTS with α=1, D=12"),
    ]
    old = []
    for name, theorem in (("ar-bts", "Theorem B.2: AR-BTS"), ("ar-dents", "Theorem B.3: AR-DENTS")):
        for decay in ("log_decay(1.0)", "sqrt_decay(1.0)", "sqrt_decay(10.0)"):
            settings = result.settings(name, alpha=decay)
            for problem in (short, long):
                length = "D=10" if problem == short else "D=12"
                parts.append(_trend(result, settings, problem, f"{theorem} with α={decay}, {length}"))
                old.append(reach(result, settings, 2.0, problem, f"{theorem} with α={decay}, {length}"))
    unmet = [part for part in old if not part.holds]
    return parts + [part.replaced_because("a limit is not refuted by one number of trials") for part in unmet]


def _trend(result: Result, settings: list[Setting], problem: str, what: str) -> Part:
    """Whether a limit is reached; if it is not, whether the value of the better action still rises towards it."""
    last = result.experiment.trials
    shares = {s.label: result.share(s, 2.0, problem) for s in settings}
    risen, texts = [], []
    for setting in settings:
        rows = result.frame.filter(label=setting.label, problem=problem)
        before, after = (
            np.array(rows.filter(trials=trials)["root_q"].to_list(), float)[:, 1] for trials in (last // 10, last)
        )
        rise = difference(after, before)
        risen.append(shares[setting.label] >= MOST or rise.low > 0)
        texts.append(
            f"{setting.label}: {shares[setting.label]:.0%}, value {before.mean():.2f} after {last // 10:,} trials, "
            f"{after.mean():.2f} after {last:,}"
        )
    reached = all(share >= MOST for share in shares.values())
    return Part(
        f"{what}: at least {MOST:.0%} of the repeats of every setting end at 2, or else the value of the better action "
        f"rises from a tenth of the trials to all of them (undecided; if it does not rise, no)",
        True if reached else None if all(risen) else False,
        "; ".join(texts),
        {"shares": shares},
    )


MADE = (
    {"convergence": convergence}
    | {f"low-temperature-{seed}": partial(low_temperature, seed) for seed in SEEDS}
    | {f"low-temperature-rate-{seed}": partial(rate_at_low_temperature, seed) for seed in SEEDS}
)
"""Experiments that are made rather than shipped: their parameters are computed."""

JUDGES = {"C14": _c14, "C15": _c15, "C16": _c16}
