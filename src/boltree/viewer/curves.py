"""The root over trials: the Q and visits of its actions, its temperatures and its entropy, as figures of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..web.colours import CYCLE, Style, styles
from ..web.page import look, number, numbers
from .recording import Moment, Recording

ACTIONS = len(CYCLE)
"""The number of actions that curves are drawn for, those visited most."""


def entropy_of(weights: NDArray[Any]) -> float:
    """The Shannon entropy, in nats, of weights as shares of their sum; 0 where there are none.

    >>> round(entropy_of(np.array([1.0, 1.0])), 3), entropy_of(np.array([3, 0]))
    (0.693, 0.0)
    """
    positive = weights[weights > 0].astype(float)
    shares = positive / positive.sum()
    return float(-(shares * np.log(shares)).sum()) + 0.0


def figures_of(recordings: Sequence[Recording]) -> list[dict[str, Any]]:
    """The figures below the pictures; none where there is only one moment."""
    if all(len(recording.moments) < 2 for recording in recordings):
        return []
    looks = styles(recording.label for recording in recordings)
    return [
        *_bounds(recordings, looks),
        *_by_action(recordings),
        *_by_search(recordings, "Temperatures at the root", "temperature", _TEMPERATURES, looks),
        *_by_search(recordings, "Entropy at the root", "entropy (nats)", _ENTROPIES, looks),
    ]


_Curve = tuple[str, list[int], list[float]]
_Reading = Callable[[Moment], float]
_TEMPERATURES: dict[str, _Reading] = {
    "search temperature α": lambda moment: moment.temperature,
    "weight β of the entropy": lambda moment: moment.entropy_weight,
}
_ENTROPIES: dict[str, _Reading] = {
    "of the search policy": lambda moment: entropy_of(moment.policy),
    "of the visits so far": lambda moment: entropy_of(moment.visits),
}


def _figure(title: str, caption: str, y_label: str, looks: list[Any], panels: list[Any]) -> dict[str, Any]:
    return {
        "title": title,
        "caption": caption,
        "columns": min(max(len(panels), 2), 3),
        "x_label": "trials",
        "y_label": y_label,
        "log": True,
        "looks": looks,
        "panels": panels,
    }


def _panel(title: str, curves: list[_Curve]) -> dict[str, Any]:
    shown = [{"label": label, "x": x, "mean": numbers(y)} for label, x, y in curves]
    return {"title": title, "optimum": None, "curves": shown}


def _bounds(recordings: Sequence[Recording], looks: dict[str, Style]) -> list[dict[str, Any]]:
    """The root's value of each search, in a band from its lower to its upper bound; none where none are kept."""
    if not any(recording.search.proofs for recording in recordings):
        return []
    curves = []
    for recording in recordings:
        moments = recording.moments
        curve = {"label": recording.label, "x": recording.trials, "mean": numbers(moment.value for moment in moments)}
        if recording.search.proofs:
            curve["low"] = numbers(moment.lower for moment in moments)
            curve["high"] = numbers(moment.upper for moment in moments)
        curves.append(curve)
    optima = {recording.optimum for recording in recordings}
    optimum = optima.pop() if len(optima) == 1 else None
    panel = {"title": "", "optimum": None if optimum is None else number(optimum), "curves": curves}
    without = [recording.label for recording in recordings if not recording.search.proofs]
    caption = "band: what it is surely worth, at least and at most; where the band closes, the value is proven"
    caption += f" ({' and '.join(without)}: no bounds are kept)" if without else ""
    drawn = [look(recording.label, looks[recording.label]) for recording in recordings]
    return [_figure("Value of the root, and its bounds", caption, "value", drawn, [panel]) | {"open": True}]


def _by_action(recordings: Sequence[Recording]) -> list[dict[str, Any]]:
    """A panel for each search with a curve for each action: their Q, and their share of the visits."""
    names = recordings[0].search.root.action_name
    total: Counter[int] = Counter()
    for recording in recordings:
        total.update(dict(zip(recording.actions, recording.moments[-1].visits.tolist(), strict=True)))
    most = sorted(action for action, _ in total.most_common(ACTIONS))
    looks = [look(names(a), Style(CYCLE[i])) for i, a in enumerate(most)]
    several = len(total) > ACTIONS
    caption = f"the {ACTIONS} most visited of {len(total)} actions" if several else "a curve for each action"

    def curves(recording: Recording, read: Callable[[Moment, int], float]) -> Iterator[_Curve]:
        slots = {action: slot for slot, action in enumerate(recording.actions)}
        for action in most:
            if action in slots:
                values = [read(moment, slots[action]) for moment in recording.moments]
                yield names(action), recording.trials, values

    def panels(read: Callable[[Moment, int], float]) -> list[Any]:
        return [_panel(recording.label, list(curves(recording, read))) for recording in recordings]

    values = panels(lambda moment, slot: float(moment.q[slot]))
    shares = panels(lambda moment, slot: float(moment.visits[slot] / max(moment.visits.sum(), 1)))
    return [
        _figure("Q of the root's actions", caption, "Q", looks, values),
        _figure("Visits of the root's actions", caption, "share of visits", looks, shares),
    ]


def _by_search(
    recordings: Sequence[Recording], title: str, y_label: str, readings: dict[str, _Reading], looks: dict[str, Style]
) -> list[dict[str, Any]]:
    """A panel for each reading with a curve for each search that has it."""
    panels = []
    for name, read in readings.items():
        curves = [(r.label, r.trials, [read(moment) for moment in r.moments]) for r in recordings]
        having = [curve for curve in curves if not np.isnan(curve[2]).all()]
        if having:
            panels.append(_panel(name, having))
    without = [r.label for r in recordings if not any(r.label == c["label"] for p in panels for c in p["curves"])]
    caption = f"{' and '.join(without)}: none" if without else ""
    if not panels:
        return []
    labels = {curve["label"] for panel in panels for curve in panel["curves"]}
    drawn = [look(label, style) for label, style in looks.items() if label in labels]
    return [_figure(title, caption, y_label, drawn, panels)]
