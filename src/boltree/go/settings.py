"""The algorithms as they play Go: the paper's tuned parameters, for results of ±100 and the most visited move.

A value of a network's policy starts as its logarithm, about 20 at most, so results are scaled to ±100; a temperature
is then about 100 times what it would be for ±1. Painter et al. tuned epsilon and the prior's weight for BTS and AR-
BTS, and used them for the other algorithms of the same kind. PUCT is that of AlphaGo Zero, where a move that is not
tried yet counts as 0; `puct:first_play=parent` lets it count as the position itself. That is stronger, as anchored
first values are for AR-BTS and AR-DENTS: `ar-bts:q_init=anchored(10),alpha=sqrt_decay(30)` (docs: go). Moves are
drawn from the policy itself, not from alias tables: at these temperatures a table stands for one move until it is
rebuilt, and nodes see too few visits for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..algorithms.table import ALGORITHMS, algorithm
from ..errors import ParameterError
from ..jobs.settings import Setting, title_of

SCALE = 100.0
"""The result of a won game."""

_BELLMAN = {"epsilon": 0.003, "epsilon_prior": 2.0, "alias": False}
_AVERAGE = {"epsilon": 0.001, "epsilon_prior": 1.0, "alias": False}

TUNED: dict[str, dict[str, Any]] = {
    "puct": {"c": 110.0, "first_play": 0.0},
    "bts": {"alpha": 0.1, **_BELLMAN},
    "dents": {"alpha": 0.1, "beta": "sqrt_decay(0.3)", **_BELLMAN},
    "ments": {"alpha": 1.0, **_BELLMAN},
    "rents": {"alpha": 1.0, **_BELLMAN},
    "tents": {"alpha": 100.0, **_BELLMAN},
    "arbts": {"alpha": "sqrt_decay(1.0)", **_AVERAGE},
    "ardents": {"alpha": "sqrt_decay(1.0)", "beta": "sqrt_decay(0.3)", **_AVERAGE},
    "arments": {"alpha": 0.3, **_AVERAGE},
    "arrents": {"alpha": 0.3, **_AVERAGE},
    "artents": {"alpha": 3.0, **_AVERAGE},
}
"""Parameters that differ from the algorithms' own defaults."""


def go_setting(name: str, parameters: Mapping[str, Any] | None = None, label: str = "") -> Setting:
    """An algorithm as it plays Go; `parameters` come before the paper's.

    >>> go_setting("ar-bts").algorithm().alpha, go_setting("puct", {"c": 50.0}).algorithm().c
    (sqrt_decay(1), 50.0)
    """
    plain = type(algorithm(name)).__name__.lower()
    values = {"recommend": "visits", **TUNED.get(plain, {}), **(parameters or {})}
    setting = Setting(plain, values, label or title_of(plain))
    setting.algorithm()  # a bad parameter is named now, not in the middle of a match
    return setting


def varied(setting: Setting, parameter: str, number: float) -> Setting:
    """The setting with another number for one parameter; a decay stays a decay, from that number.

    >>> varied(go_setting("ar-bts"), "alpha", 3.0).parameters["alpha"]
    'sqrt_decay(3.0)'
    """
    allowed = [field.name for field in fields(ALGORITHMS[setting.name])]
    if parameter not in allowed:
        raise ParameterError(f"--tune {parameter}: {setting.title} has {', '.join(allowed)}")
    before = setting.parameters.get(parameter)
    text = isinstance(before, str) and "_decay(" in before
    value = f"{str(before).split('(')[0]}({number!r})" if text else _as_before(setting, parameter, number)
    return go_setting(setting.name, {**setting.parameters, parameter: value}, f"{parameter}={number:g}")


def _as_before(setting: Setting, parameter: str, number: float) -> float:
    whole = isinstance(getattr(ALGORITHMS[setting.name](), parameter), int) and number == int(number)
    return int(number) if whole else number
