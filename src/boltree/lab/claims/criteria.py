"""Criteria that several claims share."""

from __future__ import annotations

import math

import numpy as np

from ...jobs.settings import Setting
from ...jobs.statistics import Interval
from .claim import Part
from .results import FEW, MOST, Result

RARE = 0.001
"""What happens by chance with a smaller probability than this is not chance."""


def near(loss: Interval, margin: float) -> bool | None:
    """Whether a loss is at most a margin, with its whole 95 % interval; None where the interval does not tell."""
    if loss.high <= margin:
        return True
    return False if loss.low > margin else None


def hits_by_chance(repeats: int, chance: float, ways: int = 1) -> int:
    """The most of some repeats that are still chance, where each is a hit with a probability, and `ways` are looked at.

    >>> hits_by_chance(10, 0.0236), hits_by_chance(10, 0.0236, 28)
    (3, 4)
    """
    for hits in range(repeats):
        more = sum(
            math.comb(repeats, k) * chance**k * (1 - chance) ** (repeats - k) for k in range(hits + 1, repeats + 1)
        )
        if more < RARE / ways:
            return hits
    return repeats


def reach(result: Result, settings: list[Setting], value: float, problem: str, what: str) -> Part:
    """Every one of these settings ends at a value in at least MOST of its repeats."""
    shares = {setting.label: result.share(setting, value, problem) for setting in settings}
    missing = {label: share for label, share in shares.items() if share < MOST}
    worst = ", ".join(f"{label}: {share:.0%}" for label, share in sorted(missing.items(), key=lambda x: x[1])[:4])
    seen = f"{len(shares) - len(missing)} of {len(shares)} settings do" + (f"; not {worst}" if missing else "")
    criterion = f"{what}: at least {MOST:.0%} of the repeats of every setting end at {value:g}"
    return Part(criterion, bool(shares) and not missing, seen, {"shares": shares})


def miss(result: Result, settings: list[Setting], value: float, problem: str, what: str) -> Part:
    """Every one of these settings ends at a value in at most FEW of its repeats."""
    shares = {setting.label: result.share(setting, value, problem) for setting in settings}
    hits = {label: share for label, share in shares.items() if share > FEW}
    most = ", ".join(f"{label}: {share:.0%}" for label, share in sorted(hits.items(), key=lambda x: -x[1])[:4])
    seen = f"{len(shares) - len(hits)} of {len(shares)} settings do" + (f"; not {most}" if hits else "")
    criterion = f"{what}: at most {FEW:.0%} of the repeats of every setting end at {value:g}"
    return Part(criterion, bool(shares) and not hits, seen, {"shares": shares})


def pooled(result: Result, settings: list[Setting], value: float, problem: str, what: str, least: float) -> Part:
    """At least a share of all repeats of these settings end at a value."""
    share = result.share(settings, value, problem)
    each = ", ".join(f"{result.share(setting, value, problem):.0%}" for setting in settings)
    criterion = f"{what}: at least {least:.0%} of the repeats, over all ε, end at {value:g}"
    return Part(criterion, share >= least, f"{share:.0%} ({each} for ε = 0.01, 0.1, 1, 10)", {"share": share})


def finds_goal(lake: Result, name: str) -> Part:
    """At every temperature most repeats recommend a way to the goal."""
    arrives = 0.99**100  # the value of arriving with the last step
    shares = {s.label: float(np.mean(lake.ends(s) >= arrives)) for s in lake.settings(name)}
    lost = {label: share for label, share in shares.items() if share < MOST}
    return Part(
        f"{name.upper()} finds the goal at every α: at least {MOST:.0%} of the repeats end with a way to it (value at "
        f"least {arrives:.3f})",
        not lost,
        f"at {len(shares) - len(lost)} of {len(shares)} temperatures"
        + ("" if not lost else "; not " + ", ".join(f"{label} ({share:.0%})" for label, share in lost.items())),
        {"shares": shares},
    )
