"""A colour and a dash for every algorithm, the same in all figures and on the page."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How a curve is drawn; `dash` gives lengths of lines and gaps in line widths, and is empty for a solid line."""

    colour: str
    dash: tuple[float, ...] = ()


SOLID: tuple[float, ...] = ()
LONG = (7.0, 1.8)
SHORT = (3.0, 1.6)
MIXED = (8.0, 1.5, 1.5, 1.5)
DOTS = (1.2, 1.4)

# Okabe and Ito's colours, which people who confuse red and green can tell apart; baselines are grey.
ALGORITHMS = {
    "uct": Style("#3a3a3a"),
    "hmcts": Style("#8a8a8a", LONG),
    "uniform": Style("#a6a6a6", DOTS),
    "ments": Style("#d55e00"),
    "rents": Style("#e69f00", LONG),
    "tents": Style("#cc79a7", MIXED),
    "bts": Style("#0072b2"),
    "dents": Style("#009e73"),
    "ants": Style("#56b4e9", SHORT),
    "puct": Style("#7b4fa3"),
    "poweruct": Style("#8c5a2b", LONG),
    "brue": Style("#a01f44", MIXED),
}
CYCLE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7b4fa3", "#3a3a3a", "#8c5a2b", "#a01f44")
DASHES = (SOLID, SHORT, MIXED, DOTS, LONG)
SHADES = (0.0, 0.45, -0.4, 0.25, -0.65)
"""Towards white, or black where negative: the curves of one algorithm, in order."""


def base(label: str) -> str:
    """The algorithm that a label begins with, in lower case without hyphens, or nothing if there is none.

    >>> base("AR-DENTS α=0.1"), base("H-MCTS"), base("mine")
    ('ardents', 'hmcts', '')
    """
    found = re.match(r"[A-Za-z_-]+", label)
    name = re.sub("[_-]", "", found.group()).lower() if found else ""
    return name if name in ALGORITHMS or (name.startswith("ar") and name[2:] in ALGORITHMS) else ""


def shade(colour: str, share: float) -> str:
    """A colour moved towards white by a share, or towards black if the share is negative.

    >>> shade("#808080", 0.5), shade("#808080", -0.5)
    ('#c0c0c0', '#404040')
    """
    goal = 255 if share > 0 else 0
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(part + (goal - part) * abs(share)):02x}" for part in parts)


def on_dark(colour: str) -> str:
    """The colour that stands for this one on a dark ground: light for dark, and less saturated.

    >>> on_dark("#3a3a3a"), on_dark("#0072b2")
    ('#bdbdbd', '#6ab8e5')
    """
    hue, light, strong = colorsys.rgb_to_hls(*(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)))
    parts = colorsys.hls_to_rgb(hue, max(light, 0.9 - 0.7 * light), 0.7 * strong)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def styles(labels: Iterable[str]) -> dict[str, Style]:
    """A style for each label of a figure, in order: an algorithm's own, a variation of it for its further curves."""
    distinct = list(dict.fromkeys(labels))
    taken = {ALGORITHMS[base(label)].colour for label in distinct if base(label) in ALGORITHMS}
    free = [colour for colour in CYCLE if colour not in taken] or list(CYCLE)
    seen: dict[str, int] = {}
    chosen = {}
    for label in distinct:
        name = base(label)
        place = seen[name] = seen.get(name, -1) + 1
        chosen[label] = _variation(_own(name), place) if name else _unknown(free, place)
    return chosen


def _own(name: str) -> Style:
    if name in ALGORITHMS:
        return ALGORITHMS[name]
    return Style(shade(ALGORITHMS[name[2:]].colour, -0.35), SHORT)  # average returns: its relative, darker and dashed


def _variation(style: Style, place: int) -> Style:
    if place == 0:
        return style
    others = [dash for dash in DASHES if dash != style.dash]
    return Style(shade(style.colour, SHADES[place % len(SHADES)]), others[(place - 1) % len(others)])


def _unknown(colours: Sequence[str], place: int) -> Style:
    return Style(colours[place % len(colours)], DASHES[place // len(colours) % len(DASHES)])
