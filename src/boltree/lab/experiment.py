"""An experiment: problems, algorithms with their parameters, repeats, a budget of trials and when to evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..jobs.settings import Setting


@dataclass(frozen=True)
class Experiment:
    """What is to be run; every combination of a problem, a setting and a repeat is one job.

    Args:
        name: what its files are called.
        title: what its figures are called.
        problems: names of the catalogue, ``Class(arguments)`` of `bt.problems`, or ``module:object``.
        settings: the algorithms, grids expanded.
        trials: of every search.
        evaluate_every: the trials between two evaluations.
        repeats: searches of every setting, with different seeds.
        seed: all seeds derive from it.
        growth: of the trees.
        evaluation: ``"exact"``, ``"sampled"``, or ``"auto"``: exact where the problem can be solved.
        root: also keep the root's action values and visits at every evaluation.
        quick: fields to replace for a run at about a tenth of the work.
    """

    name: str
    problems: tuple[str, ...]
    settings: tuple[Setting, ...]
    trials: int
    evaluate_every: int
    repeats: int = 5
    title: str = ""
    seed: int = 0
    growth: Literal["leaf", "trial"] = "trial"
    evaluation: str = "auto"
    root: bool = False
    quick: Mapping[str, Any] = field(default_factory=dict)

    def at_a_tenth(self) -> Experiment:
        """The same experiment with its quick settings."""
        return replace(self, **self.quick)

    @property
    def checkpoints(self) -> NDArray[np.int64]:
        """The numbers of trials after which a search is evaluated; the last is the whole budget."""
        points = np.arange(self.evaluate_every, self.trials + 1, self.evaluate_every)
        return points if points.size and points[-1] == self.trials else np.append(points, self.trials)
