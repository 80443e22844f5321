"""Which of an algorithm's settings is best, and how many are as good as far as the repeats can tell.

A setting's score is the value of its recommended policy, averaged over the last tenth of the checkpoints, the problems
and the repeats; the paper says only that a search was performed. It asks how good the search ends, not how fast it got
there, and the last tenth has less noise than the last checkpoint alone, where one recommendation may just have flipped.
With two players the score is the value for the one who moves first.

Equal scores are common where a problem has an optimum to reach: then the higher mean over the whole curve, which got
there sooner, wins, and after that the earlier place in the grid. So the same results always give the same ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.table import Uniform
from ..catalogue import problem_named
from ..errors import ParameterError, ProblemError
from ..exact.solve import solve
from ..jobs.settings import Setting
from ..jobs.statistics import Interval, interval
from ..search.search import Search
from .jobs import SOLVABLE
from .summaries import values_of

LAST = 10
"""The part of the checkpoints, the last ones, that counts: one in this number, at least one."""


@dataclass(frozen=True)
class Standing:
    """How a setting did: its score, and its mean over the whole curve."""

    setting: Setting
    score: Interval
    along: float


@dataclass(frozen=True)
class Ranking:
    """An algorithm's settings, the best first."""

    standings: tuple[Standing, ...]

    @property
    def best(self) -> Standing:
        """The first."""
        return self.standings[0]

    def as_good(self, one: Standing) -> bool:
        """Whether a setting's 95 % interval overlaps the best one's."""
        best = self.best.score
        return one.score.high >= best.low - 1e-9 * max(1.0, abs(best.low))

    @property
    def alike(self) -> int:
        """How many settings are as good as the best, itself among them."""
        return sum(self.as_good(one) for one in self.standings)

    def place(self, one: Standing) -> int:
        """A setting's rank: 1 plus how many have a higher score."""
        return 1 + sum(_rounded(other.score.mean) > _rounded(one.score.mean) for other in self.standings)


def ranking(standings: Iterable[Standing]) -> Ranking:
    """Some settings in order; one that stands there twice is taken once."""
    unique: dict[Any, Standing] = {}
    for one in standings:
        unique.setdefault(one.setting.algorithm(), one)
    ordered = sorted(unique.values(), key=lambda one: (-_rounded(one.score.mean), -_rounded(one.along)))
    return Ranking(tuple(ordered))


def standing(frame: Any, setting: Setting, signs: Mapping[str, float]) -> Standing:
    """How a setting did in an experiment's results, given the `sign` of each problem."""
    curves = [sign * values_of(frame, setting.label, problem) for problem, sign in signs.items()]
    return Standing(
        setting,
        interval(np.mean([ending(curve) for curve in curves], axis=0)),
        float(np.mean([curve.mean() for curve in curves])),
    )


def ending(curves: NDArray[Any]) -> NDArray[Any]:
    """The mean over the last tenth of the checkpoints of (repeats, checkpoints)."""
    return np.asarray(curves[:, -max(curves.shape[1] // LAST, 1) :].mean(axis=1))


def sign(problem: str) -> float:
    """1, or -1 where the player who moves first wants low values."""
    made = problem_named(problem)
    if not made.has("player"):
        return 1.0
    try:
        solve(made, max_states=SOLVABLE)
    except ProblemError as error:
        raise ParameterError(
            f"{problem}: cannot be tuned on: with two players a move is judged by the solved game, and {error}"
        ) from error
    return -1.0 if Search(made, Uniform(), seed=0).root.player == 1 else 1.0


def _rounded(value: float) -> float:
    """A value without its last digits, in which sums of the same numbers may differ between machines."""
    return float(f"{value:.9g}")
