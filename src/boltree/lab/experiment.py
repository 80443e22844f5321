"""An experiment: problems, algorithms with their parameters, repeats, a budget of trials and when to evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..jobs.settings import Setting

TIMES = 10
"""Evaluations of a search that is given seconds, evenly spaced."""


@dataclass(frozen=True)
class Options:
    """How searches are made beside their algorithm: what `bt.Search` calls by these names.

    Args:
        evaluator: ``"rollout"``, ``"heuristic"`` or a number.
        transpositions: False, True, ``"state"`` or ``"auto"``.
        threads: of one search; several are deterministic.
    """

    evaluator: str | float = "rollout"
    transpositions: bool | str = False
    threads: int = 1

    def given(self) -> dict[str, Any]:
        """Those that are not the usual ones."""
        return {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}

    def arguments(self) -> dict[str, Any]:
        """The same, as a search takes them."""
        return self.given() | ({"deterministic": True} if self.threads > 1 else {})


@dataclass(frozen=True)
class Experiment:
    """What is to be run; every combination of a problem, a setting and a repeat is one job.

    Args:
        name: what its files are called.
        title: what its figures are called.
        problems: names of the catalogue, ``Class(arguments)`` of `bt.problems`, or ``module:object``.
        settings: the algorithms, grids expanded.
        trials: of every search; in a closed loop, before each step.
        evaluate_every: the trials between two evaluations; in a closed loop, an episode is played for each.
        repeats: searches of every setting, with different seeds.
        seed: all seeds derive from it.
        growth: of the trees.
        evaluation: ``"exact"``, ``"sampled"``, or ``"auto"``: exact where the problem can be solved.
        options: of every search.
        seconds: of every search, or before each step, in place of trials, which are then 0.
        closed_loop: a job plays an episode and plans anew at each step; its value is the episode's return.
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
    options: Options = Options()
    seconds: float | None = None
    closed_loop: bool = False
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

    @property
    def times(self) -> NDArray[np.float64]:
        """The seconds after which a search is evaluated, where it is given seconds."""
        assert self.seconds is not None
        return self.seconds * (np.ones(1) if self.closed_loop else np.arange(1, TIMES + 1) / TIMES)

    @property
    def budget_text(self) -> str:
        """What a search is given, in words.

        >>> Experiment("", (), (), 0, 0, seconds=0.5, closed_loop=True).budget_text
        '0.5 s a step'
        """
        budget = f"{self.trials:,} trials" if self.seconds is None else f"{self.seconds:g} s"
        return f"{budget} a step" if self.closed_loop else budget
