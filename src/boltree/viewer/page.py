"""The page that shows searches: its data put together, within a size, and what a user holds in hand."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

from ..keeping import put_whole
from ..web.colours import styles
from ..web.page import Resource, look, number, numbers, page_text
from .branches import branches_of
from .curves import ACTIONS as SHOWN
from .curves import figures_of
from .explanation import explained
from .labels import parameters_of
from .recording import Recording

VIEWER = __package__ or "boltree.viewer"
STYLES: tuple[Resource, ...] = ((VIEWER, "watch.css"),)
SCRIPTS: tuple[Resource, ...] = tuple(
    (VIEWER, f"{name}.js") for name in ("pictures", "grid", "chain", "board", "tree", "watch")
)

LIMIT = 2_900_000
"""Bytes of a page, at most."""

ACTIONS = 400
"""At most so many of the root's actions are kept, the most visited ones."""


class Watched:
    """Searches as a page that needs nothing else: shown by a notebook, or written to a file.

    >>> import boltree as bt
    >>> search = bt.Search(bt.problems.DChain(10), bt.DENTS(), seed=0, growth="trial")
    >>> search.watch(trials=100)
    <Watched DENTS on DChain: 100 trials; .save("search.html") writes the page>
    """

    def __init__(self, recordings: Sequence[Recording], title: str) -> None:
        self.recordings = recordings
        self.title = title
        self._text: str | None = None

    @property
    def html(self) -> str:
        """The page."""
        if self._text is None:
            self._text = page_text(self.title, data_of(self.recordings, self.title), STYLES, SCRIPTS)
        return self._text

    def save(self, path: Union[str, Path]) -> Path:
        """Write the page to a file."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        put_whole(path, self.html.encode())
        return path

    def _repr_html_(self) -> str:
        frame = 'style="width:100%;height:900px;border:1px solid #8884;border-radius:8px"'
        return f'<iframe srcdoc="{html.escape(self.html)}" title="{html.escape(self.title)}" {frame}></iframe>'

    def __repr__(self) -> str:
        labels = ", ".join(recording.label for recording in self.recordings)
        problem = type(self.recordings[0].search.problem).__name__
        trials = max(recording.moments[-1].trials for recording in self.recordings)
        return f'<Watched {labels} on {problem}: {trials:,} trials; .save("search.html") writes the page>'


def data_of(recordings: Sequence[Recording], title: str) -> dict[str, Any]:
    """What the page's scripts draw; the trees fill what room the rest leaves."""
    problem = recordings[0].search.problem
    painter = recordings[0].painter
    scene, pictures = type(painter).page([recording.painter for recording in recordings])
    looks = styles(recording.label for recording in recordings)
    searches = [
        {
            "label": recording.label,
            "parameters": parameters_of(recording.search.algorithm),
            "look": look(recording.label, looks[recording.label]),
            **_moments(recording),
            "picture": picture,
        }
        for recording, picture in zip(recordings, pictures, strict=True)
    ]
    data: dict[str, Any] = {
        "title": title,
        "names": [problem.action_name(action) for action in range(problem.actions)] if problem.actions <= 4096 else [],
        "scene": scene,
        "searches": searches,
        "said": explained(recordings),
        "figures": figures_of(recordings),
        "tables": [] if any(len(recording.moments) > 1 for recording in recordings) else _tables(recordings),
    }
    used = len(page_text(title, data, STYLES, SCRIPTS).encode())
    for recording, shown in zip(recordings, searches, strict=True):
        shown["tree"] = branches_of(recording.search, (LIMIT - used) // len(recordings))
    return data


def _moments(recording: Recording) -> dict[str, Any]:
    """The root at each moment; its most visited actions, if it has too many."""
    moments = recording.moments
    kept = np.sort(np.argsort(-moments[-1].visits, kind="stable")[:ACTIONS])
    return {
        "trials": [moment.trials for moment in moments],
        "nodes": [moment.nodes for moment in moments],
        "value": [number(moment.value, 5) for moment in moments],
        "recommended": [moment.recommended for moment in moments],
        "line": [moment.line for moment in moments],
        "actions": [recording.actions[i] for i in kept],
        "visits": [moment.visits[kept].tolist() for moment in moments],
        "q": [numbers(moment.q[kept], 5) for moment in moments],
        "policy": [numbers(moment.policy[kept], 3) for moment in moments],
        "steps": recording.painter.steps,
    }


def _tables(recordings: Sequence[Recording]) -> list[dict[str, Any]]:
    """The root's actions, for searches of which only one moment is known; so many as curves would show."""
    tables = []
    for recording in recordings:
        moment, problem = recording.moments[-1], recording.search.problem
        rows = [
            [
                problem.action_name(recording.actions[i]),
                f"{moment.visits[i]:,}",
                f"{moment.q[i]:.4g}",
                f"{moment.policy[i]:.3f}",
            ]
            for i in np.argsort(-moment.visits, kind="stable")[:SHOWN]
        ]
        tables.append(
            {"title": f"{recording.label}: the root's actions", "heads": ["", "visits", "Q", "policy"], "rows": rows}
        )
    return tables
