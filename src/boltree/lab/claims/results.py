"""Reading results for a claim: where repeats end, and how many of them end where they should."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...jobs.settings import Setting, title_of
from ...jobs.statistics import Interval, interval
from ..experiment import Experiment
from ..summaries import values_of

NEAR = 0.005
"""A repeat ends at a value when it is this close to it."""
MOST, FEW = 0.9, 0.1
"""A setting reaches a value when at least this share of its repeats end there, and misses it when at most that."""


@dataclass
class Result:
    """An experiment and what came out of it."""

    experiment: Experiment
    frame: Any
    _curves: dict[tuple[str, str, str], NDArray[Any]] = field(default_factory=dict)

    def settings(self, name: str, **parameters: Any) -> list[Setting]:
        """The settings of an algorithm, with these parameters (a parameter may be one of several)."""
        found = []
        for setting in self.experiment.settings:
            fits = setting.title == title_of(name)
            for key, wanted in parameters.items():
                allowed = wanted if isinstance(wanted, (list, tuple)) else [wanted]
                fits = fits and setting.parameters.get(key) in allowed
            if fits:
                found.append(setting)
        return found

    def setting(self, name: str, **parameters: Any) -> Setting:
        """The one setting there is."""
        (only,) = self.settings(name, **parameters)
        return only

    def curves(self, setting: Setting, problem: str | None = None, column: str = "value") -> NDArray[Any]:
        """(repeats, checkpoints) of a column."""
        where = problem or self.experiment.problems[0]
        key = (setting.label, where, column)
        if key not in self._curves:
            self._curves[key] = values_of(self.frame, setting.label, where, column)
        return self._curves[key]

    def ends(self, setting: Setting, problem: str | None = None, column: str = "value") -> NDArray[Any]:
        """Where each repeat ends."""
        ends: NDArray[Any] = self.curves(setting, problem, column)[:, -1]
        return ends

    def final(self, setting: Setting, problem: str | None = None, column: str = "value") -> Interval:
        """The mean end, with its interval."""
        return interval(self.ends(setting, problem, column))

    def share(self, settings: Setting | Iterable[Setting], value: float, problem: str | None = None) -> float:
        """The share of repeats, over all these settings, that end at a value."""
        several = [settings] if isinstance(settings, Setting) else list(settings)
        ends = np.concatenate([self.ends(setting, problem) for setting in several])
        return float(np.mean(np.abs(ends - value) <= NEAR))

    @property
    def checkpoints(self) -> NDArray[np.int64]:
        """When it was evaluated."""
        return self.experiment.checkpoints


@dataclass(frozen=True)
class Results:
    """Everything a claim is judged by: results by the experiments' names, and what was measured alone."""

    by_name: Mapping[str, Result]
    measured: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Result:
        return self.by_name[name]


def difference(a: NDArray[Any], b: NDArray[Any]) -> Interval:
    """The difference of two means, with its 95 % interval (Welch)."""
    from ...jobs.statistics import student

    va, vb = (float(np.var(x, ddof=1)) / x.size if x.size > 1 else 0.0 for x in (a, b))
    mean, error = float(a.mean() - b.mean()), float(np.sqrt(va + vb))
    if error == 0.0:
        return Interval(mean, mean, mean)
    freedom = (va + vb) ** 2 / (va**2 / max(a.size - 1, 1) + vb**2 / max(b.size - 1, 1))
    half = student(max(int(freedom), 1)) * error
    return Interval(mean, mean - half, mean + half)
