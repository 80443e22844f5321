"""The claims about the D-chains: C1 to C8."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...exact.solve import solve
from ...jobs.settings import Setting
from ...problems import DChain
from .claim import Part
from .criteria import miss, pooled, reach
from .results import MOST, Result, Results, difference

TEN, MODIFIED = "d-chain", "d-chain-modified"
TWENTY, TWENTY_MODIFIED = "d-chain-20", "d-chain-20-modified"


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

    def helped(name: str) -> list[Setting]:
        return [s for s in sweep.settings(name) if s.parameters["alpha"] == 1.0 or s.parameters["epsilon"] == 10.0]

    def times(name: str) -> NDArray[Any]:
        return np.concatenate([_first_time(sweep, setting, 1.0, TEN) for setting in helped(name)])

    sooner = difference(times("bts").astype(float), times("dents").astype(float))
    return [
        reach(sweep, helped("bts"), 1.0, TEN, "BTS with α=1 or ε=10"),
        Part(
            "DENTS first recommends the policy worth 1 sooner than BTS: the mean difference over the settings with α=1 "
            "or ε=10 is above 0 with its 95 % interval",
            sooner.low > 0,
            f"by {sooner.mean:.0f} trials (95 %: {sooner.low:.0f} to {sooner.high:.0f}); "
            f"BTS {times('bts').mean():.0f}, DENTS {times('dents').mean():.0f}",
            {"sooner": sooner},
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
    tuned = [s for s in sweep.settings("dents") if s.label == "DENTS tuned"]
    return [
        reach(sweep, high, 1.0, TWENTY, "MENTS, α=10 and 1, ε=0.01 and 0.1"),
        miss(sweep, low, 1.0, TWENTY, "MENTS, α=0.1 and 0.05, every ε"),
        miss(sweep, sweep.settings("bts"), 1.0, TWENTY, "BTS, every α and ε"),
        reach(sweep, tuned, 1.0, TWENTY, "DENTS, α=0.5, β=10/log(e+m), ε=0.01"),
        Part(
            "DENTS with β=α: it reaches 1 in at least 90 % of the settings in which MENTS does",
            bool(found) and alike >= 0.9 * len(found),
            f"in {alike} of {len(found)}",
            {"ments": [s.label for s in found], "both": alike},
        ),
        reach(sweep, sweep.settings("dents", beta="alpha"), 0.95, TWENTY_MODIFIED, "DENTS with β=α, modified 20-chain"),
    ]


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


JUDGES = {"C1": _c1, "C2": _c2, "C3": _c3, "C4": _c4, "C5": _c5, "C6": _c6, "C7": _c7, "C8": _c8}
