"""From results to what a person looks at: curves, and a table of where they end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jobs.settings import parameter_text
from ..jobs.statistics import Interval, interval, intervals
from .curves import Curve, Panel
from .experiment import Experiment

_TITLES = {
    "d-chain": "10-chain",
    "d-chain-modified": "modified 10-chain",
    "d-chain-20": "20-chain",
    "d-chain-20-modified": "modified 20-chain",
    "frozen-lake": "Frozen Lake 8x12",
    "frozen-lake-8x8": "Frozen Lake 8x8",
    "sailing": "Sailing 6x6",
}


def problem_title(problem: str) -> str:
    """What a problem is called in figures."""
    return _TITLES.get(problem, problem)


def values_of(frame: Any, label: str, problem: str | None = None, column: str = "value") -> NDArray[Any]:
    """A column of a setting's results as (repeats, checkpoints)."""
    polars_filter = {"label": label} | ({} if problem is None else {"problem": problem})
    chosen = frame.filter(**polars_filter).sort("repeat", "trials")
    repeats = chosen["repeat"].n_unique()
    values: NDArray[Any] = chosen[column].to_numpy()
    return values.reshape(repeats, -1)


def curve_of(frame: Any, label: str, problem: str, shown: str | None = None, against: str = "trials") -> Curve:
    """A setting's mean value against trials, or seconds."""
    values = values_of(frame, label, problem)
    trials = values_of(frame, label, problem, against)[0]
    return Curve(shown or label, trials, *intervals(values), repeats=len(values))


def panel_of(
    frame: Any, experiment: Experiment, problem: str, title: str, labels: Sequence[str] | None = None
) -> Panel:
    """Some settings' curves on one problem; all of them if none is named."""
    chosen = labels or [setting.label for setting in experiment.settings]
    against = "trials" if experiment.seconds is None else "seconds"
    curves = [curve_of(frame, label, problem, against=against) for label in chosen]
    return Panel(title, curves, optimum_of(frame, problem))


def optimum_of(frame: Any, problem: str) -> float | None:
    """The optimal value of a problem, where it was solved; the mean, where searches start at random."""
    best = float(frame.filter(problem=problem)["optimum"].mean())
    return None if np.isnan(best) else best


def final(frame: Any, label: str, problem: str, column: str = "value") -> Interval:
    """Where a setting's repeats end."""
    return interval(values_of(frame, label, problem, column)[:, -1])


def table_rows(frame: Any, experiment: Experiment, problem: str) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: final value and regret with 95 % intervals; trials a second, or seconds a step."""
    solved, closed = optimum_of(frame, problem) is not None, experiment.closed_loop
    words = ("return", "regret", "s/step") if closed else ("value", "simple regret", "trials/s")
    heads = ["algorithm", "parameters", words[0], *([words[1]] if solved else []), words[2]]
    rows = []
    for setting in experiment.settings:
        seconds = values_of(frame, setting.label, problem, "search_seconds")[:, -1]
        done = values_of(frame, setting.label, problem, "steps" if closed else "trials")[:, -1]
        one = experiment.repeats == 1  # no interval to speak of
        value, regret = (final(frame, setting.label, problem, column) for column in ("value", "regret"))
        rows.append(
            [
                setting.label if len(setting.label) < 40 else setting.title,
                parameter_text(setting.parameters.items()),
                f"{value.mean:.4f}" if one else str(value),
                *([f"{regret.mean:.4f}" if one else str(regret)] if solved else []),
                f"{seconds.sum() / done.sum():.4g}" if closed else f"{done.mean() / seconds.mean():,.0f}",
            ]
        )
    return heads, rows
