"""Algorithms as data: a name, parameters that are numbers or short texts, and how they are written for a person.

A temperature is a number or a text as in Python: ``"log_decay(1.0)"``, ``"sqrt_decay(1.0)"``, ``"spectrum()"``,
``"spectrum(0.01, 10.0)"``, ``"spread(0.35)"``. ``"log_decay(alpha)"`` and ``"alpha"`` stand for the setting's own
alpha, so that a grid over alpha moves both.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from inspect import signature
from itertools import product
from typing import Any

from ..algorithms.anchored import Anchored, anchored
from ..algorithms.schedules import Auto, Decay, Spectrum, log_decay, spectrum, spread, sqrt_decay
from ..algorithms.table import ALGORITHMS, Algorithm, algorithm
from ..errors import ParameterError

_CALL = re.compile(r"(\w+)\(\s*(.*?)\s*\)")
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    one.__name__: one for one in (log_decay, sqrt_decay, spectrum, spread, anchored)
}
_SYMBOLS = {"alpha": "α", "beta": "β", "epsilon": "ε", "q_init": "Q₀", "threshold": "threshold", "c": "bias"}
_NAMES = {"hmcts": "H-MCTS", "poweruct": "Power-UCT"} | {
    name: f"AR-{cls.__name__[2:]}" for name, cls in ALGORITHMS.items() if cls.__name__.startswith("AR")
}


@dataclass(frozen=True)
class Setting:
    """One algorithm with its parameters, and the label its curve carries."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    label: str = ""

    def algorithm(self) -> Algorithm:
        """The algorithm itself."""
        alpha = self.parameters.get("alpha")
        return algorithm(self.name, **{key: _value(key, value, alpha) for key, value in self.parameters.items()})

    @property
    def title(self) -> str:
        """The algorithm's name as the paper writes it."""
        return title_of(self.name)

    def canonical(self) -> str:
        """The setting as text that is the same for the same search: every parameter, in order."""
        found = self.algorithm()
        values = {item.name: _number(_plain(getattr(found, item.name))) for item in fields(found)}
        return json.dumps([type(found).__name__, values], sort_keys=True)


def title_of(name: str) -> str:
    """An algorithm's name as the paper writes it."""
    plain = name.lower().replace("-", "").replace("_", "")
    found = ALGORITHMS.get(plain)
    return _NAMES.get(plain, found.__name__ if found else name)


def setting_of(found: Algorithm) -> Setting:
    """An algorithm as data."""
    default = type(found)()
    changed = {
        item.name: _plain(getattr(found, item.name))
        for item in fields(found)
        if getattr(found, item.name) != getattr(default, item.name) or item.name in ("alpha", "beta", "epsilon")
    }
    return Setting(type(found).__name__.lower(), changed)


def expanded(name: str, parameters: Mapping[str, Any], label: str = "") -> list[Setting]:
    """One setting for every combination of the parameters that are lists."""
    grids = [value if isinstance(value, (list, tuple)) else [value] for value in parameters.values()]
    return [Setting(name, dict(zip(parameters, values, strict=True)), label) for values in product(*grids)]


def labelled(settings: Sequence[Setting]) -> list[Setting]:
    """The settings with labels that tell them apart: the name, and the parameters in which its namesakes differ."""
    result = []
    for one in settings:
        if one.label:
            result.append(one)
            continue
        namesakes = [other for other in settings if other.title == one.title and not other.label]
        differing = [
            key for key in one.parameters
            if len({json.dumps(_plain(other.parameters.get(key)), default=repr) for other in namesakes}) > 1
        ]  # fmt: skip
        parts = [f"{_SYMBOLS.get(key, key)}={_short(one.parameters[key])}" for key in differing]
        result.append(Setting(one.name, one.parameters, " ".join([one.title, *parts])))
    repeated = [label for label, count in Counter(one.label for one in result).items() if count > 1]
    if repeated:
        raise ParameterError(f"algorithms: {repeated[0]!r} stands there twice; change a parameter or give it a label")
    return result


def parameter_text(settings: Iterable[tuple[str, Any]]) -> str:
    """Parameters for a person: ``α=0.1 β=log_decay(1) ε=1``."""
    return " ".join(f"{_SYMBOLS.get(key, key)}={_short(value)}" for key, value in settings)


def _value(key: str, value: Any, alpha: Any) -> Any:
    """A parameter as the algorithm takes it."""
    if not isinstance(value, str):
        return value
    if value == "alpha" and key != "alpha":
        return _value(key, alpha, None)
    found = _CALL.fullmatch(value)
    if found is None or found[1] not in _FUNCTIONS:
        return value
    given = [alpha if text == "alpha" else text for text in re.split(r"\s*,\s*", found[2]) if text != ""]
    try:
        numbers = [float(one) for one in given]
        made = _FUNCTIONS[found[1]]
        signature(made).bind(*numbers)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{key}={value!r}: must be a number, log_decay(x), sqrt_decay(x), spectrum(), spectrum(low, high), "
            "spread(x) or anchored(slope), where alpha stands for the setting's own if that is a number"
        ) from None
    return made(*numbers)


def _plain(value: Any) -> Any:
    """A parameter as it is written in a file."""
    if isinstance(value, Decay):
        return f"{value.kind}_decay({value.x!r})"
    if isinstance(value, Spectrum):
        return f"spectrum({value.low!r}, {value.high!r})"
    if isinstance(value, Anchored):
        return f"anchored({value.slope!r})"
    if isinstance(value, Auto):
        return "spectrum()" if value.kind == "spectrum" else f"spread({value.x!r})"
    if callable(value):
        raise ParameterError(
            f"{value!r}: a function cannot be kept as data; use a number, log_decay, sqrt_decay, spectrum or spread"
        )
    return value


def _number(value: Any) -> Any:
    """1 and 1.0 are the same parameter."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _short(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:g}"
    return str(_plain(value)).replace("alpha", "α")
