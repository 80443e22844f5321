"""Criteria that several claims share."""

from __future__ import annotations

import numpy as np

from ...jobs.settings import Setting
from .claim import Part
from .results import FEW, MOST, Result


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
