"""The claims about the D-chains: C1 to C8, C24 to C26."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algorithms.schedules import uniform_until
from ...exact.solve import solve
from ...jobs.settings import Setting
from ...problems import DChain
from .claim import Part
from .criteria import hits_by_chance, miss, pooled, reach
from .results import MOST, Result, Results, difference

TEN, MODIFIED = "d-chain", "d-chain-modified"
TWENTY, TWENTY_MODIFIED = "d-chain-20", "d-chain-20-modified"
DIP, NO_DIP = 0.1, 0.05
"""A mean value that falls by at least the first dips; one that falls by at most the second does not."""


def _c1(results: Results) -> list[Part]:
    sweep = results["10-chain"]
    settings = sweep.settings("uct")
    return [
        reach(sweep, settings, 0.9, TEN, "10-chain, every bias"),
        reach(sweep, settings, 0.9, MODIFIED, "modified 10-chain, every bias"),
    ]


def _c2(results: Results) -> list[Part]:
    figure = results["figure-2"]
    ments = figure.settings("ments", alpha=1.0)
    return [
        reach(figure, ments, 1.0, TEN, "10-chain, α=1"),
        reach(figure, ments, 0.5, MODIFIED, "modified 10-chain, α=1 (the wrong action)"),
    ]


def _c3(results: Results) -> list[Part]:
    sweep = results["10-chain"]
    warm, cool = sweep.settings("ments", alpha=0.15), sweep.settings("ments", alpha=0.1)
    struggling = sweep.setting("ments", alpha=0.1, epsilon=0.01)
    share = sweep.share(struggling, 1.0, TEN)
    return [
        pooled(sweep, warm, 1.0, TEN, "α=0.15, 10-chain", 0.75),
        pooled(sweep, warm, 0.5, MODIFIED, "α=0.15, modified 10-chain (wrong)", 0.75),
        pooled(sweep, cool, 0.9, MODIFIED, "α=0.1, modified 10-chain (right)", 0.75),
        Part(
            "α=0.1, 10-chain, ε=0.01: at most half of the repeats end at 1",
            share <= 0.5,
            f"{share:.0%} do",
            {"share": share},
        ),
    ]


def _c4(results: Results) -> list[Part]:
    sweep = results["10-chain"]
    return [
        reach(sweep, sweep.settings(name), 0.9, MODIFIED, f"{name.upper()}, every α and ε") for name in ("bts", "dents")
    ]


def _first_time(result: Result, setting: Setting, value: float, problem: str) -> NDArray[Any]:
    """When each repeat first recommends a policy of this value; the whole budget if it never does."""
    there = result.curves(setting, problem) >= value - 1e-9
    when = np.where(there.any(axis=1), there.argmax(axis=1), result.checkpoints.size - 1)
    return result.checkpoints[when]


def _c5(results: Results) -> list[Part]:
    sweep = results["10-chain"]
    trials = sweep.experiment.trials

    def helped(name: str) -> list[Setting]:
        return [s for s in sweep.settings(name) if s.parameters["alpha"] == 1.0 or s.parameters["epsilon"] == 10.0]

    def differing(name: str) -> list[Setting]:
        return [s for s in sweep.settings(name, alpha=1.0) if uniform_until(s.parameters["epsilon"]) < trials]

    def sooner(settings: Callable[[str], list[Setting]], which: str) -> Part:
        def times(name: str) -> NDArray[Any]:
            return np.concatenate([_first_time(sweep, setting, 1.0, TEN) for setting in settings(name)])

        found = difference(times("bts").astype(float), times("dents").astype(float))
        return Part(
            "DENTS first recommends the policy worth 1 sooner than BTS: the mean difference over the settings with "
            f"{which} is above 0 with its 95 % interval",
            found.low > 0,
            f"by {found.mean:.0f} trials (95 %: {found.low:.0f} to {found.high:.0f}); "
            f"BTS {times('bts').mean():.0f}, DENTS {times('dents').mean():.0f}",
            {"sooner": found},
        )

    return [
        reach(sweep, helped("bts"), 1.0, TEN, "BTS with α=1 or ε=10"),
        sooner(differing, "α=1, but for those that are uniform search to the end"),
        sooner(helped, "α=1 or ε=10").replaced_because(
            f"at ε=10 λ is 1 for the first {uniform_until(10.0):,.0f} visits, more than there are trials, so in 7 of "
            "these 10 settings both algorithms are the same uniform search"
        ),
    ]


def _c6(results: Results) -> list[Part]:
    sweep = results["10-chain"]
    shares = {
        (s.parameters["alpha"], s.parameters["epsilon"]): sweep.share(s, 1.0, TEN) for s in sweep.settings("rents")
    }
    half = {key for key, share in shares.items() if share >= 0.5}
    seen = ", ".join(f"α={a:g} ε={e:g}: {shares[a, e]:.0%}" for a, e in sorted(half)) or "at none"
    return [
        reach(sweep, sweep.settings("tents", alpha=10.0), 1.0, TEN, "TENTS, highest α, 10-chain"),
        reach(sweep, sweep.settings("tents", alpha=10.0), 0.5, MODIFIED, "TENTS, highest α, modified (wrong)"),
        reach(sweep, sweep.settings("tents", alpha=0.01), 0.9, MODIFIED, "TENTS, lowest α, modified (right)"),
        Part(
            "RENTS: at least half of the repeats end at 1 on the 10-chain at α=0.01, ε=10, and at no other setting",
            half == {(0.01, 10.0)},
            seen,
            {"shares": {f"alpha={a:g} epsilon={e:g}": share for (a, e), share in shares.items()}},
        ),
    ]


def _c7(results: Results) -> list[Part]:
    sweep = results["20-chain"]
    high = sweep.settings("ments", alpha=[10.0, 1.0], epsilon=[0.01, 0.1])
    low = sweep.settings("ments", alpha=[0.1, 0.05])
    found = [s for s in sweep.settings("ments") if sweep.share(s, 1.0, TWENTY) >= MOST]
    twins = [
        sweep.setting("dents", beta="alpha", alpha=s.parameters["alpha"], epsilon=s.parameters["epsilon"])
        for s in found
    ]
    alike = sum(sweep.share(s, 1.0, TWENTY) >= MOST for s in twins)
    bts = sweep.settings("bts")
    tuned = [s for s in sweep.settings("dents") if s.label == "DENTS tuned"]
    return [
        reach(sweep, high, 1.0, TWENTY, "MENTS, α=10 and 1, ε=0.01 and 0.1"),
        miss(sweep, low, 1.0, TWENTY, "MENTS, α=0.1 and 0.05, every ε"),
        _by_chance(sweep, bts, "BTS, every α and ε"),
        reach(sweep, tuned, 1.0, TWENTY, "DENTS, α=0.5, β=10/log(e+m), ε=0.01"),
        Part(
            "DENTS with β=α: it reaches 1 in at least 90 % of the settings in which MENTS does",
            bool(found) and alike >= 0.9 * len(found),
            f"in {alike} of {len(found)}",
            {"ments": [s.label for s in found], "both": alike},
        ),
        reach(sweep, sweep.settings("dents", beta="alpha"), 0.95, TWENTY_MODIFIED, "DENTS with β=α, modified 20-chain"),
        miss(sweep, bts, 1.0, TWENTY, "BTS, every α and ε").replaced_because(
            f"a uniform search meets the end in {_luck(sweep):.1%} of the runs, so that one of 28 settings is "
            "likely to have 2 of 10 repeats that do"
        ),
    ]


def _luck(sweep: Result) -> float:
    """The probability that a uniform search meets the end of the 20-chain within the trials of the sweep."""
    return 1.0 - (1.0 - 2.0**-20) ** sweep.experiment.trials


def _hits(sweep: Result, setting: Setting) -> int:
    """How many repeats end at the end of the 20-chain."""
    return round(sweep.share(setting, 1.0, TWENTY) * sweep.ends(setting, TWENTY).size)


def _by_chance(sweep: Result, settings: list[Setting], what: str) -> Part:
    """No setting meets the end of the 20-chain more often than a uniform search does by chance, nor do all together."""
    hits = {setting.label: _hits(sweep, setting) for setting in settings}
    repeats = sweep.ends(settings[0], TWENTY).size
    each = hits_by_chance(repeats, _luck(sweep), len(settings))
    together = hits_by_chance(repeats * len(settings), _luck(sweep))
    most = max(hits, key=lambda label: hits[label])
    return Part(
        f"{what}: no more repeats end at 1 than a uniform search meets the end by chance ({_luck(sweep):.1%} of the "
        f"repeats; at most {each} of {repeats} in any setting, {together} in all, or p < 0.001)",
        hits[most] <= each and sum(hits.values()) <= together,
        f"at most {hits[most]} of {repeats} ({most}), {sum(hits.values())} of {repeats * len(settings)} in all",
        {"hits": hits},
    )


def _c8(results: Results) -> list[Part]:
    left, right = solve(DChain(10, 0.5), "soft", 1.0).q().tolist()
    run = results["soft-values"]
    (ments,) = run.settings("ments")
    qs = np.array(run.frame.filter(trials=run.experiment.trials)["root_q"].to_list())
    off = np.abs(qs - [left, right]).max(axis=1)
    assert ments.parameters["alpha"] == 1.0
    return [
        Part(
            "exact soft values at α=1: 2.74 (right) and 0.90 (left)",
            round(right, 2) == 2.74 and round(left, 2) == 0.9,
            f"{right:.4f} and {left:.4f}",
            {"right": right, "left": left},
        ),
        Part(
            f"after {run.experiment.trials:,} trials every repeat of MENTS is within 0.02 of both",
            bool((off <= 0.02).all()),
            f"the farthest of {len(off)} is {off.max():.4f} away; means {qs[:, 1].mean():.4f} and "
            f"{qs[:, 0].mean():.4f}",
            {"right": float(qs[:, 1].mean()), "left": float(qs[:, 0].mean()), "farthest": float(off.max())},
        ),
    ]


def _c24(results: Results) -> list[Part]:
    sweep = results["10-chain"]
    return [
        reach(sweep, sweep.settings("ments", alpha=0.01, epsilon=10.0), 1.0, TEN, "MENTS, α=0.01, ε=10"),
        miss(
            sweep, sweep.settings("ments", alpha=0.01, epsilon=[0.01, 0.1]), 1.0, TEN, "MENTS, α=0.01, ε=0.01 and 0.1"
        ),
        reach(sweep, sweep.settings("ments", alpha=0.01), 0.9, MODIFIED, "MENTS, α=0.01, every ε, modified 10-chain"),
    ]


def _c25(results: Results) -> list[Part]:
    sweep = results["20-chain"]

    def decaying(**wanted: Any) -> list[Setting]:
        return sweep.settings("dents", beta="log_decay(alpha)", **wanted)

    high, low = decaying(alpha=[10.0, 1.0], epsilon=[0.01, 0.1]), decaying(alpha=[0.1, 0.05])
    hits = {setting.label: _hits(sweep, setting) for setting in high}
    repeats = sweep.ends(high[0], TWENTY).size
    chance = hits_by_chance(repeats, _luck(sweep), len(high))
    found = sum(hit > chance for hit in hits.values())
    whole = sum(hit >= MOST * repeats for hit in hits.values())
    return [
        Part(
            f"α=10 or 1, ε=0.01 or 0.1: in some setting more repeats end at 1 than by chance (more than {chance} of "
            f"{repeats}), and not every setting ends there in {MOST:.0%} of them",
            found > 0 and whole < len(high),
            ", ".join(f"{label}: {hit} of {repeats}" for label, hit in hits.items()),
            {"hits": hits},
        ),
        _by_chance(sweep, low, "α=0.1 or 0.05, every ε"),
    ]


def _before_any_trial(length: int) -> float:
    """What the policy is worth that a search recommends before its first trial on a D-chain: either action, evenly."""
    value = 1.0
    for d in range(length, 0, -1):
        value = ((length - d) / length + value) / 2
    return value


def _c26(results: Results) -> list[Part]:
    chain = results["dents-as-ments-chain"]
    start = _before_any_trial(10)
    least = {name: chain.curves(chain.setting(name, alpha=1.0)).mean(axis=0).min() for name in ("ments", "dents")}
    falls = {name: max(start - float(value), 0.0) for name, value in least.items()}
    return [
        Part(
            f"MENTS with α=1: its mean value falls by at least {DIP} below the {start:.3f} of before the first trial",
            falls["ments"] >= DIP,
            f"by {falls['ments']:.3f}",
            {"fall": falls["ments"]},
        ),
        Part(
            f"DENTS with α=β=1: its mean value never falls below that by more than {NO_DIP}",
            falls["dents"] <= NO_DIP,
            f"by {falls['dents']:.3f} at most",
            {"fall": falls["dents"]},
        ),
    ]


JUDGES = {
    "C1": _c1, "C2": _c2, "C3": _c3, "C4": _c4, "C5": _c5, "C6": _c6, "C7": _c7, "C8": _c8,
    "C24": _c24, "C25": _c25, "C26": _c26,
}  # fmt: skip
