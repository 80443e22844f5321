"""A report as one HTML page that needs nothing else: figures to explore, tables, notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..web.colours import styles
from ..web.page import look, number, numbers, page_text
from .curves import Curve, Figure

POINTS = 300
"""The most points of a curve that are kept."""

ALL_POINTS = 60_000
"""The most points that are kept on a page, about, so that it stays small however many panels it has."""


@dataclass(frozen=True)
class Table:
    """Rows of text under heads."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def write_page(
    path: Path, title: str, figures: Sequence[Figure], tables: Sequence[Table], notes: Sequence[str]
) -> None:
    """Write the report to one file, with its style, its script and its data inside."""
    curves = sum(len(panel.curves) for figure in figures for panel in figure.panels)
    points = min(POINTS, max(40, ALL_POINTS // max(1, curves)))
    data = {
        "title": title,
        "notes": list(notes),
        "figures": [_figure(figure, points) for figure in figures],
        "tables": [
            {"title": table.title, "heads": list(table.heads), "rows": [list(row) for row in table.rows]}
            for table in tables
        ],
    }
    page = page_text(title, data, scripts=[("boltree.lab", "report.js")])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def thin(curve: Curve, points: int) -> Curve:
    """A curve with a limited number of its points: half lie evenly over trials, half over their logarithm."""
    trials = np.asarray(curve.trials, float)
    if len(trials) <= points:
        return curve
    wanted = [np.linspace(trials[0], trials[-1], points - points // 2)]
    positive = trials[trials > 0]
    if len(positive):
        wanted.append(np.geomspace(positive[0], positive[-1], points // 2))
    keep = np.unique(np.searchsorted(trials, np.concatenate(wanted)).clip(0, len(trials) - 1))
    kept = {name: np.asarray(getattr(curve, name))[keep] for name in ("trials", "mean", "low", "high")}
    return replace(curve, **kept)


def caption(figure: Figure, between: str = " ") -> str:
    """What the lines and bands are."""
    counts = {curve.repeats for panel in figure.panels for curve in panel.curves}
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    many = f"{least}" if least == most else f"{least} to {most}"
    return f"mean and 95 % interval{between}of {many} {'repeat' if most == 1 else 'repeats'}"


def _figure(figure: Figure, points: int) -> dict[str, Any]:
    looks = styles(curve.label for panel in figure.panels for curve in panel.curves)
    return {
        "title": figure.title,
        "caption": caption(figure),
        "columns": figure.columns,
        "x_label": figure.x_label,
        "y_label": figure.y_label,
        "looks": [look(label, style) for label, style in looks.items()],
        "panels": [
            {
                "title": panel.title,
                "optimum": None if panel.optimum is None else number(panel.optimum),
                "curves": [_curve(thin(curve, points)) for curve in panel.curves],
            }
            for panel in figure.panels
        ],
    }


def _curve(curve: Curve) -> dict[str, Any]:
    return {
        "label": curve.label,
        "x": numbers(curve.trials, 12),
        "mean": numbers(curve.mean),
        "low": numbers(curve.low),
        "high": numbers(curve.high),
    }
