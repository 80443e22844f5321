"""Figures as PNG and SVG files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..extras import needs
from ..web.colours import Style, styles
from .curves import Curve, Figure, Panel
from .page import caption, thin

POINTS, FEW_POINTS = 600, 240
"""The most points of a curve that are drawn in a large and in a small panel: about what print can show."""

INK, PALE = "#222222", "#777777"
MINUS = "\u2212"  # as long as a digit
LOOK = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "text.color": INK,
    "text.parse_math": False,  # a label is text, whatever it holds
    "axes.edgecolor": "#999999",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "xtick.color": "#999999",
    "ytick.color": "#999999",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "svg.fonttype": "none",  # words stay words: small files that can be searched and edited
    "svg.hashsalt": "boltree",  # the same figure gives the same file
}


def draw(figure: Figure, path: Path) -> list[Path]:
    """Write a figure to `path`.png and `path`.svg and return both names."""
    if not figure.panels:
        raise ParameterError(f"figure {figure.title!r}: has no panels")
    matplotlib = needs("matplotlib")
    path.parent.mkdir(parents=True, exist_ok=True)
    files = [path.with_name(f"{path.name}.{kind}") for kind in ("png", "svg")]
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a user's own settings do not change a report
        matplotlib.rcParams.update(LOOK)
        drawn = _drawn(figure)
        drawn.savefig(files[0], dpi=200, metadata={"Software": None})
        drawn.savefig(files[1], metadata={"Date": None, "Creator": None})
    return files


def number(value: float, _place: object = None) -> str:
    """A tick's number, thousands and millions by letter.

    >>> number(100_000), number(2_500_000), number(0.25), number(-13)
    ('100k', '2.5M', '0.25', '−13')
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return number(value / size) + letter
    return f"{value:.6g}".replace("-", MINUS)


def _drawn(figure: Figure) -> Any:
    columns = min(figure.columns, len(figure.panels))
    rows = math.ceil(len(figure.panels) / columns)
    small = columns > 3
    width, height = {1: (6.4, 4.4), 2: (4.2, 3.1), 3: (3.1, 2.4)}.get(columns, (2.1, 1.75))
    width, height = width * columns, height * rows + 0.4
    looks = styles(curve.label for panel in figure.panels for curve in panel.curves)
    entries = _entries(figure, looks, small)
    longest = max((len(label) for _, label in entries), default=0)
    make = needs("matplotlib.figure").Figure
    if columns == 1:
        # the legend stands beside a single column of panels, else below
        drawn = make(figsize=(width + 1.1 + 0.06 * longest, height), layout="constrained")
        above, below, across = drawn, drawn, 1
    else:
        across = max(1, min(len(entries), int(width / (0.6 + 0.078 * longest))))
        room = 0.3 + 0.2 * math.ceil(len(entries) / across)
        drawn = make(figsize=(width, height + room), layout="constrained")
        above, below = drawn.subfigures(2, 1, height_ratios=(height, room))
    drawn.get_layout_engine().set(w_pad=0.05, h_pad=0.05, wspace=0.02, hspace=0.02)
    _panels(above, figure, looks, rows, columns, small)
    words = 9 + 2 * (width > 10)
    above.suptitle(figure.title, fontsize=words + 2, fontweight="bold")
    above.supxlabel(figure.x_label, fontsize=words)
    above.supylabel(figure.y_label, fontsize=words)
    _legend(below, figure, entries, across, beside=columns == 1)
    return drawn


def _panels(drawn: Any, figure: Figure, looks: dict[str, Style], rows: int, columns: int, small: bool) -> None:
    all_axes = drawn.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    for axes, panel in zip(all_axes, figure.panels, strict=False):
        _panel(axes, panel, looks, small)
    for place, axes in enumerate(all_axes):
        if place >= len(figure.panels):
            axes.set_visible(False)
        elif place + columns >= len(figure.panels):
            axes.tick_params(labelbottom=True)  # the lowest of its column, which need not be in the last row
    _axes(all_axes[0], figure, small)


def _panel(axes: Any, panel: Panel, looks: dict[str, Style], small: bool) -> None:
    if panel.title:
        axes.set_title(panel.title, fontsize=8 if small else 9.5, pad=4)
    for curve in panel.curves:
        _curve(axes, thin(curve, FEW_POINTS if small else POINTS), looks[curve.label], 1.1 if small else 1.6)
    if panel.optimum is not None and math.isfinite(panel.optimum):
        axes.axhline(panel.optimum, color=PALE, linewidth=0.9, dashes=(4, 3), zorder=1.5)
        if not small:
            # at the left, where the curves are still far below
            text = f"optimum {panel.optimum:.4g}".replace("-", MINUS)
            place = {"textcoords": "offset points", "xytext": (4, 3), "xycoords": ("axes fraction", "data")}
            axes.annotate(text, (0, panel.optimum), **place, fontsize=8, color=PALE)
    axes.tick_params(labelsize=7 if small else 8.5)


def _curve(axes: Any, curve: Curve, look: Style, width: float) -> None:
    trials, mean, low, high = (
        np.where(np.isfinite(values), values, np.nan)
        for values in (np.asarray(part, float) for part in (curve.trials, curve.mean, curve.low, curve.high))
    )
    axes.fill_between(trials, low, high, color=look.colour, alpha=0.15, linewidth=0)
    axes.plot(trials, mean, **_line(look, width))


def _line(look: Style, width: float) -> dict[str, Any]:
    style = (0, look.dash) if look.dash else "solid"
    return {"color": look.colour, "linewidth": width, "linestyle": style, "solid_joinstyle": "round"}


def _axes(axes: Any, figure: Figure, small: bool) -> None:
    ticker = needs("matplotlib.ticker")
    trials = [float(x) for panel in figure.panels for curve in panel.curves for x in curve.trials if math.isfinite(x)]
    first, last = min(trials, default=0.0), max(trials, default=0.0)
    if last > first:
        axes.set_xlim(0.0 if 0 < first < 0.1 * last else first, last)
    axes.margins(y=0.08)
    steps = [1, 2, 2.5, 5, 10]
    axes.xaxis.set_major_locator(ticker.MaxNLocator(3 if small else 5, steps=steps))
    axes.yaxis.set_major_locator(ticker.MaxNLocator(6 if small else 8, steps=steps))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(number))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(number))


def _entries(figure: Figure, looks: dict[str, Style], small: bool) -> list[tuple[Any, str]]:
    line = needs("matplotlib.lines").Line2D
    entries = [(line([], [], **_line(look, 1.8)), label) for label, look in looks.items()]
    if small and any(panel.optimum is not None for panel in figure.panels):
        entries.append((line([], [], color=PALE, linewidth=0.9, dashes=(4, 3)), "optimum"))
    return entries


def _legend(drawn: Any, figure: Figure, entries: list[tuple[Any, str]], across: int, beside: bool) -> None:
    if not entries:
        return
    legend = drawn.legend(
        [handle for handle, _ in entries],
        [label for _, label in entries],
        loc="outside right center" if beside else "upper center",
        borderaxespad=0.5 if beside else 0.0,
        ncols=across,
        frameon=False,
        handlelength=2.8,
        fontsize=9,
        title=caption(figure, "\n" if beside else " "),
        title_fontproperties={"size": 8},
        alignment="left" if beside else "center",
    )
    legend.get_title().set_color(PALE)
