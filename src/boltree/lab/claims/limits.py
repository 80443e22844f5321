"""The claims about what searches converge to, and how fast: C32 to C35."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...exact.solution import Solution
from ...exact.solve import solve
from ...jobs.settings import Setting, labelled
from ...jobs.statistics import interval
from ..experiment import Experiment
from ..random_mdps import ACTIONS, HORIZON, name_of, random_mdp, smallest_gap
from .claim import Part
from .results import MOST, Result, Results
from .theory import STRAIGHT, line

ORDER_SEEDS = range(100)
SEEDS = range(3)
WIDE, NARROW = 0.1, 0.05
"""Errors of the root's value whose probability is looked at."""
CHAINS = (6, 8, 10, 12, 14)
"""Lengths of the adapted chain."""
FIXED = {2.0: 4, 1.0: 6, 0.7: 9, 0.5: 10}
"""Lengths of the counter-example by temperature: such that averages prefer the worse action, but for the last.

At 0.5 they would only from 18 states on, whose end a search meets about once in 2^17 trials that go on.
"""


def _same_order(standard: Solution, soft: Solution) -> bool:
    """Whether values of actions that differ are in the same order, at every state and depth."""
    problem = standard.model.problem
    for depth, layer in enumerate(standard.model.layers[: problem.horizon]):
        for state in layer:
            record = standard.model.states[state].view(problem.state_layout())[0]
            q, other = standard.q(record, depth), soft.q(record, depth)
            apart = np.subtract.outer(q, q)
            if (np.sign(np.subtract.outer(other, other)) != np.sign(apart))[np.abs(apart) > 1e-12].any():
                return False
    return True


def _c32(results: Results) -> list[Part]:
    same = {0.999: 0, 10.0: 0}
    for seed in ORDER_SEEDS:
        problem = random_mdp(seed)
        bound = smallest_gap(problem) / (HORIZON * math.log(ACTIONS))
        for factor in same:
            same[factor] += _same_order(solve(problem), solve(problem, "soft", factor * bound))
    return [
        Part(
            "exact soft values with α = 0.999 Δ/(H log A): on every one of 100 random MDPs, at every state and depth, "
            "actions whose values differ are in the same order as by the standard values",
            same[0.999] == len(ORDER_SEEDS),
            f"on {same[0.999]} of {len(ORDER_SEEDS)}; with ten times that α on {same[10.0]}",
            {"same": same[0.999], "at_ten_times": same[10.0]},
        )
    ]


def concentration(quick: bool) -> Experiment:
    """BTS and DENTS on small random MDPs, looked at often, with the root's values."""
    settings = [
        Setting("bts", {"alpha": 1.0, "epsilon": 1.0}),
        Setting("dents", {"alpha": 1.0, "beta": "log_decay(1.0)", "epsilon": 1.0}),
    ]
    return Experiment(
        name="concentration",
        title="The root's value on small random MDPs",
        problems=tuple(name_of(seed) for seed in SEEDS),
        settings=tuple(labelled(settings)),
        trials=1_500,
        evaluate_every=5,
        repeats=60 if quick else 200,
        root=True,
    )


def _roots(result: Result, setting: Setting, problem: str, column: str) -> NDArray[np.float64]:
    """(repeats, checkpoints, actions) of a column of the root."""
    rows = result.frame.filter(label=setting.label, problem=problem).sort("repeat", "trials")[column].to_list()
    points = result.checkpoints.size
    return np.array(rows, float).reshape(-1, points, len(rows[0]))


def _c33(results: Results) -> list[Part]:
    result = results["concentration"]
    n = result.checkpoints.astype(float)
    powers: list[float] = []
    fits: dict[float, list[tuple[float, float]]] = {WIDE: [], NARROW: []}
    ratios: list[float] = []
    below, fell = True, []
    short = 0.0
    for problem, seed in zip(result.experiment.problems, SEEDS, strict=True):
        solution = solve(random_mdp(seed))
        for setting in result.experiment.settings:
            q = _roots(result, setting, problem, "root_q")
            error = np.abs(np.nanmax(q, axis=2) - solution.root_value)
            late = n >= n[-1] / 20
            powers.append(line(np.log(n[late]), np.log(error.mean(axis=0)[late]))[0])
            rates = {}
            for size in (WIDE, NARROW):
                beyond = (error > size).mean(axis=0)
                tail = (beyond <= 0.5) & (beyond >= 0.05)
                if tail.sum() >= 8:
                    slope, fit = line(n[tail], np.log(beyond[tail]))
                    fits[size].append((slope, fit))
                    rates[size] = -slope
            if len(rates) == 2:
                ratios.append(rates[WIDE] / rates[NARROW])
            best = solution.q()
            immediate = solution.root_value - best[np.nanargmax(q, axis=2)]
            whole = result.curves(setting, problem, "regret")
            below = below and bool((immediate <= whole + 1e-9).all())
            fell.append(max(float(one[:, -20:].mean() / max(one[:, :20].mean(), 1e-12)) for one in (immediate, whole)))
            visits = _roots(result, setting, problem, "root_visits")[:, -1]
            least = sum(min(1.0, 1.0 / math.log(math.e + k)) for k in range(1, result.experiment.trials + 1)) / ACTIONS
            short = max(short, max(least - interval(visits[:, a]).high for a in range(ACTIONS)))
    lines = fits[WIDE] + fits[NARROW]
    straight = [slope < 0 and fit >= STRAIGHT for slope, fit in lines]
    return [
        Part(
            "the mean error of V(s0) falls as the root of n or faster: its slope over log n is at most -0.4 for "
            f"at least {MOST:.0%} of the curves",
            float(np.mean([power <= -0.4 for power in powers])) >= MOST,
            f"slopes {min(powers):.2f} to {max(powers):.2f}",
            {"slopes": powers},
        ),
        Part(
            f"where the error exceeds {WIDE} or {NARROW} in 50 % to 5 % of the repeats, the log of that share is "
            f"a falling straight line in n (R² at least {STRAIGHT}) for at least {MOST:.0%} of the curves",
            bool(lines) and float(np.mean(straight)) >= MOST,
            f"{sum(straight)} of {len(lines)}",
            {"straight": sum(straight), "curves": len(lines)},
        ),
        Part(
            "and the rate is as the square of the error: for twice the error it is 2 to 8 times as high (median "
            "over the curves)",
            bool(ratios) and 2 <= float(np.median(ratios)) <= 8,
            f"{np.median(ratios):.1f} times, of {len(ratios)} curves" if ratios else "no curve tells",
            {"ratios": ratios},
        ),
        Part(
            "the immediate regret of the root's action is never above the regret of the policy, and both fall to "
            "a tenth",
            below and max(fell) <= 0.1,
            f"{'never' if below else 'not always'} above; the worst falls to {max(fell):.3f}",
            {"fell": fell},
        ),
        Part(
            "every action of the root is tried as often as the uniform share of the search alone tries it: the sum of "
            "λ/A over the visits (within the 95 % interval)",
            short <= 0.0,
            "none is tried less often" if short <= 0.0 else f"one is tried {short:.1f} times less",
            {"short": short},
        ),
    ]


def slow_chain(length: int, quick: bool) -> Experiment:
    """MENTS on the adapted chain, at a temperature just low enough to be consistent, for about 2^D trials."""
    trials = 2**length
    return Experiment(
        name=f"slow-chain-{length}",
        title=f"MENTS on the adapted chain, D = K = {length}",
        problems=(f"AdaptedChain({length}, {length})",),
        settings=tuple(labelled([Setting("ments", {"alpha": 0.99 / (length * math.log(2)), "epsilon": 0.01})])),
        trials=trials,
        evaluate_every=trials // 32,
        repeats=5 if quick else 40,
    )


def _c34(results: Results) -> list[Part]:
    parts = []
    for result in results.by_name.values():
        (setting,) = result.settings("ments")
        length = round(math.log2(result.experiment.trials))
        regret = result.curves(setting, None, "regret")
        bound = (1.0 - result.checkpoints * 2.0**-length) / length
        half = int(np.searchsorted(result.checkpoints, 2 ** (length - 1)))
        high = np.array([interval(regret[:, i]).high for i in range(regret.shape[1])])
        parts.append(
            Part(
                f"D = K = {length}: the mean regret of MENTS after n trials is at least (1 - n 2^-{length}) / {length} "
                f"(within its 95 % interval), for n up to 2^{length}",
                bool((high >= bound).all()),
                f"at n = 2^{length - 1}: {regret[:, half].mean():.4f} against {bound[half]:.4f}; at 2^{length}: "
                f"{regret[:, -1].mean():.4f}",
                {"regret": regret.mean(axis=0).tolist(), "bound": bound.tolist()},
            )
        )
    return parts


def fixed_temperature(alpha: float, quick: bool) -> Experiment:
    """AR-BTS with a fixed temperature on the counter-example, without uniform search."""
    return Experiment(
        name=f"average-returns-{alpha:g}",
        title=f"AR-BTS with α={alpha:g} on the counter-example",
        problems=(f"AverageReturnTrap({FIXED[alpha]})", "AverageReturnTrap(2)"),
        settings=tuple(labelled([Setting("ar-bts", {"alpha": alpha, "epsilon": 0.0})])),
        trials=100_000 if quick else 500_000,
        evaluate_every=50_000,
        repeats=3 if quick else 10,
        root=True,
    )


def limit_of_average(alpha: float, steps: int) -> float:
    """What the average return of going on converges to, `steps` choices before the reward of 2.

    At each of them going on, worth v, is chosen over stopping, worth 0, with the probability 1 / (1 + exp(-v / alpha)).

    >>> round(limit_of_average(1.0, 1), 4)
    1.7616
    """
    value = 2.0
    for _ in range(steps):
        value /= 1.0 + math.exp(-value / alpha)
    return value


def _c35(results: Results) -> list[Part]:
    parts = []
    for alpha, length in FIXED.items():
        result = results[f"average-returns-{alpha:g}"]
        (setting,) = result.settings("ar-bts")
        ends = {}
        for problem, steps in zip(result.experiment.problems, (length - 1, 1), strict=True):
            ends[steps] = _roots(result, setting, problem, "root_q")[:, -1, 1]
        for steps, found in ends.items():
            limit = limit_of_average(alpha, steps)
            parts.append(
                Part(
                    f"α={alpha:g}, {steps} choice{'s' * (steps > 1)} before the reward: the average return of "
                    f"going on ends within 1 % of its limit {limit:.4f}",
                    abs(float(found.mean()) - limit) <= 0.01 * limit,
                    f"{found.mean():.4f}",
                    {"end": float(found.mean()), "limit": limit},
                )
            )
        if limit_of_average(alpha, length - 1) > 1.0:
            continue
        values = result.ends(setting, result.experiment.problems[0])
        parts.append(
            Part(
                f"α={alpha:g}, D={length}: every repeat recommends the worse action",
                bool((values <= 1.0 + 1e-9).all()),
                f"{int((values <= 1.0 + 1e-9).sum())} of {values.size}",
                {"values": values.tolist()},
            )
        )
    return parts


MADE = (
    {"concentration": concentration}
    | {f"slow-chain-{length}": partial(slow_chain, length) for length in CHAINS}
    | {f"average-returns-{alpha:g}": partial(fixed_temperature, alpha) for alpha in FIXED}
)
"""Experiments that are made rather than shipped: their parameters are computed."""

JUDGES = {"C32": _c32, "C33": _c33, "C34": _c34, "C35": _c35}
