"""What happened on a grid, in words made from the recorded numbers: what it is worth, and where the trials went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..exact.evaluate import simple_regret, value_of
from ..problem.scene import Grid
from .grids import GridPainter
from .recording import Recording
from .verdict import recommendation

NEAR = 0.1  # a tenth, as the sentences say


def grid_story(recordings: Sequence[Recording]) -> dict[str, Any] | None:
    """What the grid is, and a verdict and some sentences for each search; None for other problems."""
    painters = [recording.painter for recording in recordings]
    grids = [painter for painter in painters if isinstance(painter, GridPainter)]
    if not grids:
        return None
    optima = {recording.optimum for recording in recordings}
    intro = f"A grid of {grids[0].grid.rows} x {grids[0].grid.columns} cells."
    if len(optima) == 1 and None not in optima:
        intro += f" The best policy is worth {recordings[0].optimum:.4g}, exactly, from where the searches begin."
    said = [_said(recording, painter) for recording, painter in zip(recordings, grids, strict=True)]
    return {"intro": intro, "searches": said}


def _said(recording: Recording, painter: GridPainter) -> dict[str, Any]:
    optimum = recording.optimum
    if optimum is None or recording.moments[-1].recommended is None:
        verdict, sentences = recommendation(recording)
    else:
        verdict, sentences = _judged(recording, optimum)
    return {"label": recording.label, "verdict": verdict, "sentences": [*sentences, _spread(painter)]}


def _judged(recording: Recording, optimum: float) -> tuple[str, list[str]]:
    """How good the recommendations are, and how good the search believes the root to be."""
    search, regret = recording.search, simple_regret(recording.search)
    best = regret <= 1e-9 * max(1.0, abs(optimum))
    verdict = f"{recording.label} {'recommends what is best' if best else f'is {regret:.4g} below the best'}"
    worth = f"What it recommends is worth {value_of(search):.4g}, exactly, and the best {optimum:.4g}"
    return verdict, [f"{worth}; its own estimate of the root is {recording.moments[-1].value:.4g}.", *_near(recording)]


def _near(recording: Recording) -> list[str]:
    """From when on the estimate was near the optimum; nothing where that cannot be said."""
    optimum = recording.optimum
    if not optimum or len(recording.moments) == 1:
        return []
    far = [abs(moment.value - optimum) > NEAR * abs(optimum) for moment in recording.moments]
    if far[-1]:
        return ["This estimate is off by more than a tenth of the optimum."]
    first = 0 if True not in far else len(far) - far[::-1].index(True)
    return [f"This estimate is within a tenth of the optimum from trial {recording.trials[first]:,} on."]


def _spread(painter: GridPainter) -> str:
    """How many cells the visits went to."""
    visits = np.sort(painter.last.visits)[::-1]
    half = int(np.searchsorted(np.cumsum(visits), visits.sum() / 2)) + 1
    came = f"It came to {int((visits > 0).sum()):,} of the {_cells(painter.grid):,} cells"
    return f"{came}; half of its visits, summed over all depths, lie in {half:,} of them."


def _cells(grid: Grid) -> int:
    return grid.rows * grid.columns - sum(row.count(" ") for row in grid.letters)
