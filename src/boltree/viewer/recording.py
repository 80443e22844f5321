"""Running a search and noting, at moments that lie evenly over the logarithm of trials, what a page shows of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..checks import whole
from ..errors import ParameterError, ProblemError
from ..jobs.settings import title_of
from ..problem.scene import Board, Chain, Grid
from ..search.search import Search
from ..tree.proof_text import bounds_text, bounds_text_of
from .beliefs import BeliefPainter
from .boards import BoardPainter
from .chains import ChainPainter
from .exactly import optimum_of
from .grids import GridPainter
from .labels import labels_of, parameters_of
from .painter import Painter

MOMENTS = 60
"""How many moments of a search are noted, about."""

EXACTLY = 20_000
"""Trials up to which a painter that wants to `glance` does so after each; later after every thousandth part of them."""


@dataclass(frozen=True)
class Moment:
    """The root at a moment; arrays are over its actions."""

    trials: int
    nodes: int
    value: float
    visits: NDArray[np.int64]
    q: NDArray[np.float64]
    policy: NDArray[np.float64]
    recommended: int | None
    line: list[int]
    """The actions recommended from the root on, through the likeliest outcomes."""
    names: list[str]
    """What they are called."""
    temperature: float
    entropy_weight: float
    lower: float
    upper: float
    """What the root is worth at least and at most, surely."""
    bounds: str
    """The same in words, such as "proven" or an interval."""
    action_bounds: list[str]
    """The bounds of each action in words."""


@dataclass
class Recording:
    """A search as it was at some moments."""

    search: Search
    label: str
    painter: Painter
    moments: list[Moment] = field(default_factory=list)
    full: bool = False
    """Whether it ended because memory was used up."""

    def __post_init__(self) -> None:
        self.actions: list[int] = self.search.root.actions.tolist()

    @property
    def parameters(self) -> str:
        """How it searches, as far as the label does not say it, such as the algorithm's parameters."""
        name, parameters = title_of(self.search.algorithm.name), parameters_of(self.search.algorithm)
        parts = ["" if self.label.startswith(name) else name, parameters, "proofs" if self.search.proofs else ""]
        return " ".join(part for part in parts if part)

    @cached_property
    def optimum(self) -> float | None:
        """The exact value of the root, where it is quickly found."""
        return optimum_of(self.search)

    @property
    def trials(self) -> list[int]:
        """The trials at each moment."""
        return [moment.trials for moment in self.moments]

    def run(self, trials: int, progress: Callable[[Search], object] | None = None) -> None:
        """Run `trials` trials and note about `MOMENTS` moments of them, or only the present one if 0."""
        search = self.search
        if progress is not None:
            progress(search)
        search.set_budget(trials)  # H-MCTS plans for all of them, not for those up to the first moment
        for point in points(search.trials, search.trials + trials):
            self._run_to(point)
            self._note()
            if progress is not None:
                progress(search)
            if self.full or search.proven:
                return

    def _run_to(self, point: int) -> None:
        search = self.search
        batch = int(getattr(search.evaluator, "batch", 1))
        while search.trials < point and not (self.full or search.proven):
            left = point - search.trials
            if self.painter.wants_glances:
                left = min(left, max(1 if search.trials < EXACTLY else search.trials // 1000, batch))
            self.full = search.run(trials=left) == "memory"
            self.painter.glance()

    def _note(self) -> None:
        root = self.search.root
        line = self.search.line(self.painter.steps)
        self.painter.note()
        self.moments.append(
            Moment(
                trials=self.search.trials,
                nodes=self.search.size,
                value=root.value,
                visits=root.visits,
                q=root.q,
                policy=root.policy,
                recommended=root.recommended,
                line=[step.action for step in line],
                names=[step.name for step in line],
                temperature=root.temperature,
                entropy_weight=root.entropy_weight,
                lower=root.lower,
                upper=root.upper,
                bounds=bounds_text_of(root),
                action_bounds=[bounds_text(*row) for row in root.action_bounds.tolist()],
            )
        )


def points(first: int, last: int, count: int = MOMENTS) -> list[int]:
    """Trial counts from `first` to `last`, evenly over their logarithm, and the one half way.

    >>> points(0, 1000, 4)
    [1, 10, 100, 500, 1000]
    >>> points(7, 7)
    [7]
    """
    if last <= first:
        return [last]
    begin = max(first, 1)
    spread = np.geomspace(begin, last, count).round().astype(np.int64).tolist()
    return sorted({begin, *spread, max((first + last) // 2, begin), last})


def painter_for(search: Search) -> Painter:
    """The painter of the scene that a search's problem describes; where states are hidden, of the belief on a grid."""
    scene = search.problem.scene()
    if search.problem.hidden:  # nodes have no states
        return BeliefPainter(search, scene) if isinstance(scene, Grid) else Painter(search)
    if isinstance(scene, Grid):
        return GridPainter(search, scene)
    if isinstance(scene, Chain):
        return ChainPainter(search, scene)
    if isinstance(scene, Board):
        return BoardPainter(search, scene)
    if scene is None:
        return Painter(search)
    name = type(search.problem).__name__
    raise ProblemError(f"{name}.scene returned {scene!r}; it must return a bt.Grid, bt.Chain or bt.Board, or None")


def record(
    searches: Sequence[Search],
    trials: int | None,
    progress: Callable[[Search], object] | None = None,
    labels: Sequence[str] | None = None,
) -> list[Recording]:
    """Run searches of the same problem one after the other, or look at them as they are if `trials` is None.

    They are called by their algorithms, or by the `labels` that are given.
    """
    if not searches or not all(isinstance(one, Search) for one in searches):
        raise ParameterError(f"searches={searches!r}: must be a bt.Search or a list of them")
    if len({id(one) for one in searches}) < len(searches):
        raise ParameterError("searches: the same search stands there twice; make one for each")
    whole("trials", trials, 1, none=True)
    if trials is None and any(one.trials == 0 for one in searches):
        raise ParameterError("watch(): a search has no trials yet; run it first, or give trials=...")
    first = searches[0].problem
    for one in searches[1:]:
        if type(one.problem) is not type(first) or one.problem.fingerprint() != first.fingerprint():
            raise ParameterError(f"searches: {one.problem!r} and {first!r} differ; they must be of the same problem")
    labels = labels or labels_of([one.algorithm for one in searches])
    recordings = [Recording(one, label, painter_for(one)) for one, label in zip(searches, labels, strict=True)]
    boards = [one.painter.scene for one in recordings if isinstance(one.painter, BoardPainter)]
    if any(board != boards[0] for board in boards):
        raise ParameterError("searches: they begin at different positions; those on one board must begin at the same")
    for recording in recordings:
        recording.run(int(trials or 0), progress)
    return recordings
