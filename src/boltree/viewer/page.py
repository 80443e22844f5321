"""The page that shows searches: its data put together, within a size, and the object that `bt.watch` returns."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

from ..errors import ParameterError
from ..files import put_whole
from ..web.colours import styles
from ..web.page import Resource, look, number, numbers, page_text
from .branches import branches_of
from .curves import figures_of
from .labels import names_of
from .painter import LINE
from .recording import Recording
from .story import story

VIEWER = __package__ or "boltree.viewer"
STYLES: tuple[Resource, ...] = ((VIEWER, "watch.css"),)
SCRIPTS: tuple[Resource, ...] = tuple(
    (VIEWER, f"{name}.js") for name in ("pictures", "grid", "belief", "chain", "board", "tree", "watch")
)

LIMIT = 2_900_000
"""Bytes of a page, at most."""

NUMBERS = 50_000
"""How many visits of the root's actions are kept, about, over all moments and searches; the most visited actions'."""


NAMES = 4_096
"""The most actions that have their names on a page; further ones are called by their numbers."""


class Watched:
    """Searches as a page that needs nothing else: shown by a notebook, or written to a file.

    >>> import boltree as bt
    >>> search = bt.Search(bt.problems.DChain(10), bt.DENTS(), seed=0, growth="trial")
    >>> search.watch(trials=100)
    <Watched DENTS on DChain: 100 trials; .save("search.html") writes the page>
    """

    def __init__(self, recordings: Sequence[Recording], title: str) -> None:
        self.recordings, self.title = recordings, title
        self.html = page_text(title, data_of(recordings, title), STYLES, SCRIPTS)  # now: the searches may go on

    def save(self, path: Union[str, Path]) -> Path:
        """Write the page to a file."""
        path = checked_page(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        put_whole(path, self.html.encode())
        return path

    def _repr_html_(self) -> str:
        frame = 'style="width:100%;height:900px;border:1px solid #8884;border-radius:8px"'
        return f'<iframe srcdoc="{html.escape(self.html)}" title="{html.escape(self.title)}" {frame}></iframe>'

    def __repr__(self) -> str:
        labels = ", ".join(recording.label for recording in self.recordings)
        problem = self.recordings[0].search.problem.display_name()
        trials = max(recording.moments[-1].trials for recording in self.recordings)
        return f'<Watched {labels} on {problem}: {trials:,} trials; .save("search.html") writes the page>'


def checked_page(path: Union[str, Path]) -> Path:
    """Where a page may be written to: a file that says what it is by its ending.

    >>> checked_page("search.png")
    Traceback (most recent call last):
    ...
    boltree.errors.ParameterError: search.png: the page is HTML; its name must end in .html, such as search.html
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        meant = path.with_suffix(".html") if path.suffix else path / "search.html"
        raise ParameterError(f"{path}: the page is HTML; its name must end in .html, such as {meant}")
    return path


def data_of(recordings: Sequence[Recording], title: str) -> dict[str, Any]:
    """What the page's scripts draw; the trees fill what room the rest leaves."""
    problem = recordings[0].search.problem
    painter = recordings[0].painter
    scene, pictures = type(painter).page([recording.painter for recording in recordings])
    looks = styles(recording.label for recording in recordings)
    searches = [
        {
            "label": recording.label,
            "parameters": recording.parameters,
            "look": look(recording.label, looks[recording.label]),
            **_moments(recording, NUMBERS // sum(len(one.moments) for one in recordings)),
            "optimum": None if recording.optimum is None else number(recording.optimum, 5),
            "picture": picture,
        }
        for recording, picture in zip(recordings, pictures, strict=True)
    ]
    data: dict[str, Any] = {
        "title": title,
        "names": names_of(recordings[0].search, min(problem.actions, NAMES)),
        "steps": LINE,
        "scene": scene,
        "searches": searches,
        "said": story(recordings),
        "figures": figures_of(recordings),
    }
    used = len(page_text(title, data, STYLES, SCRIPTS).encode())
    for recording, shown in zip(recordings, searches, strict=True):
        shown["tree"] = branches_of(recording.search, (LIMIT - used) // len(recordings), data["names"])
    return data


def _moments(recording: Recording, actions: int) -> dict[str, Any]:
    """The root at each moment, with its most visited actions, up to a number."""
    moments, names = recording.moments, recording.actions
    kept = np.sort(np.argsort(-moments[-1].visits, kind="stable")[:actions])
    found = {
        "trials": [moment.trials for moment in moments],
        "nodes": [moment.nodes for moment in moments],
        "value": [number(moment.value, 5) for moment in moments],
        "recommended": [moment.recommended for moment in moments],
        "line": [moment.names[:LINE] for moment in moments],
        "actions": [names[i] for i in kept],
        "visits": [moment.visits[kept].tolist() for moment in moments],
        "q": [numbers(moment.q[kept], 5) for moment in moments],
        "policy": [numbers(moment.policy[kept], 3) for moment in moments],
    }
    if recording.search.proofs:
        found["bounds"] = [moment.bounds for moment in moments]
        found["inside"] = [[moment.action_bounds[i] for i in kept] for moment in moments]
    return found
