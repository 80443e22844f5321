"""What to search over: a range for every parameter of an algorithm, scaled to the returns of the problem.

Temperatures and biases are compared with returns, so their ranges are multiples of the span between the lowest and the
highest return of random play. Everything positive is searched on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Union

import numpy as np

from ...algorithms.schedules import Decay
from ...algorithms.table import Algorithm, Uniform
from ...errors import ParameterError
from ...exact.evaluate import sample_value
from ...jobs.settings import setting_of
from ...problem.problem import Problem
from ...search.search import Search

PAIRS = 500
"""Pairs of random episodes by which returns are measured."""


@dataclass(frozen=True)
class Range:
    """Numbers between two bounds, log-uniform; `decay` makes x stand for such a schedule, `auto` allows ``"auto"``."""

    low: float
    high: float
    whole: bool = False
    decay: str = ""
    auto: bool = False


@dataclass(frozen=True)
class Choice:
    """One of some values."""

    values: tuple[Any, ...]


Space = Mapping[str, Union[Range, Choice]]


@dataclass(frozen=True)
class Returns:
    """The lowest and the highest return of random play."""

    low: float
    high: float

    @property
    def span(self) -> float:
        """How far apart returns lie; where all are the same, how large they are."""
        return self.high - self.low or abs(self.low) or 1.0


def random_returns(problem: Problem, seed: int = 0) -> Returns:
    """Estimate the returns of random play from `PAIRS` pairs of episodes."""
    search = Search(problem, Uniform(), seed=seed)
    low, high = np.inf, -np.inf
    for pair in range(PAIRS):
        # of two episodes, mean - error and mean + error are the two returns themselves
        mean, error = sample_value(search, 2, seed=seed * PAIRS + pair)
        low, high = min(low, mean - error), max(high, mean + error)
    return Returns(float(f"{low:.4g}"), float(f"{high:.4g}"))


def space_of(start: Algorithm, problem: Problem, returns: Returns, trials: int) -> Space:
    """The parameters of an algorithm to search over; each range holds the value that `start` has."""
    span, prior = returns.span, problem.has("prior")
    row = start.distribution_row
    sampled = row.sampled
    temperature = Range(1e-3 * span, 10 * span)
    known: dict[str, tuple[bool, Union[Range, Choice]]] = {
        "alpha": (sampled and not hasattr(start, "target"), temperature),  # ANTS finds its own
        "beta": (start.entropy_bonus != "none", temperature),
        "epsilon": (sampled, Range(0.01, 10.0)),
        "epsilon_prior": (sampled and prior, Range(0.01, 10.0)),
        "q_init": (sampled and not prior, Choice((getattr(start, "q_init", None), returns.low))),
        "c": (
            row.bounded,
            Range(0.01 * span, 10 * span, auto=not row.takes_prior),
        ),
        "p": (start.state_value_row.shifted, Range(1.0, 64.0)),
        "threshold": (hasattr(start, "budget") and row.counts_trials, Range(1, max(trials, 2), whole=True)),
        "target": (True, Range(0.05, 0.95)),
    }
    space: dict[str, Union[Range, Choice]] = {}
    for key, value in start.parameters().items():
        used, one = known.get(key, (False, None))
        if not used or one is None:
            continue
        if isinstance(one, Range):
            space[key] = _around(one, value, f"{start.name}: {key}")
        elif (value or 0.0) != returns.low:
            space[key] = one
    if not any(isinstance(one, Range) for one in space.values()):
        raise ParameterError(f"{start.name}: has no parameter to tune")
    return space


def _around(one: Range, value: Any, name: str) -> Range:
    """A range that holds a value too."""
    if value == "auto":
        return one
    if isinstance(value, Decay):
        one, value = replace(one, decay=value.kind), value.x
    if not isinstance(value, (int, float)):
        raise ParameterError(f"{name}={value!r}: only a number, log_decay or sqrt_decay can be tuned")
    if value <= 0:  # has no place on a logarithmic scale; the search begins at the lower bound instead
        return one
    return replace(one, low=min(one.low, value), high=max(one.high, value))


def point_of(start: Algorithm, space: Space) -> dict[str, Any]:
    """An algorithm's parameters as a point of the space."""
    point: dict[str, Any] = {}
    for key, one in space.items():
        value = getattr(start, key)
        if isinstance(one, Range) and one.auto:
            point[f"{key} is auto"] = value == "auto"
        if isinstance(one, Range) and value != "auto":
            point[key] = max(value.x if isinstance(value, Decay) else value, one.low)
        elif isinstance(one, Choice):
            point[key] = value
    return point


def explicit(start: Algorithm, space: Space) -> dict[str, Any]:
    """An algorithm's parameters as data, with those to be searched over even where they have their defaults."""
    searched = {key: getattr(start, key) for key in space}
    return searched | dict(setting_of(start).parameters)


def suggested(trial: Any, space: Space) -> dict[str, Any]:
    """The parameters that an Optuna trial proposes, as data; numbers are rounded to four digits, for people."""
    values: dict[str, Any] = {}
    for key, one in space.items():
        if isinstance(one, Choice):
            values[key] = trial.suggest_categorical(key, list(one.values))
        elif one.auto and trial.suggest_categorical(f"{key} is auto", [True, False]):
            values[key] = "auto"
        elif one.whole:
            values[key] = trial.suggest_int(key, int(one.low), int(one.high), log=True)
        else:
            number = float(f"{trial.suggest_float(key, one.low, one.high, log=True):.4g}")
            values[key] = f"{one.decay}_decay({number!r})" if one.decay else number
    return values
