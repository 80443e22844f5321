"""What ``print`` says of an algorithm."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Protocol

import numpy as np

from ..messages import shortened

WIDTH = 100
"""An algorithm's parameters are wrapped to lines of this many characters."""


class AlgorithmFacts(Protocol):
    """What an algorithm's texts are made of; `Algorithm` says what each means."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def search_distribution(self) -> str:
        """What actions are drawn from."""

    @property
    def state_value(self) -> str:
        """How a node's value is computed."""

    @property
    def entropy_bonus(self) -> str:
        """What entropy adds to values."""

    def parameters(self) -> Mapping[str, Any]:
        """Its parameters by name."""


def algorithm_text(algorithm: AlgorithmFacts) -> str:
    """An algorithm in a few lines: what it is, its choices in the design space, and every parameter."""
    about = _first_sentence(type(algorithm))
    choices = [
        f"search distribution {algorithm.search_distribution}",
        f"state value {algorithm.state_value}",
        f"entropy bonus {algorithm.entropy_bonus}",
    ]
    own = {"search_distribution", "state_value", "entropy_bonus"}  # parameters of bt.Custom
    parameters = [f"{key}={_value(value)}" for key, value in algorithm.parameters().items() if key not in own]
    lines = [f"{algorithm.name}: {about}" if about else algorithm.name, f"  {', '.join(choices)}"]
    wrapped = textwrap.wrap(", ".join(parameters), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, *(f"  {line}" for line in wrapped)])


def call_text(algorithm: AlgorithmFacts) -> str:
    """An algorithm as a call, with the parameters that differ from their defaults.

    >>> from boltree import DENTS, log_decay
    >>> call_text(DENTS(alpha=0.1, beta=log_decay(1.0), epsilon=1.0))
    'DENTS(alpha=0.1, beta=log_decay(1))'
    """
    given = {field.name: getattr(algorithm, field.name) for field in fields(algorithm)}
    defaults = {field.name: field.default for field in fields(algorithm)}
    changed = (f"{key}={_value(value)}" for key, value in given.items() if value != defaults[key])
    return f"{algorithm.name}({', '.join(changed)})"


def _value(value: Any) -> str:
    """A parameter as it is written."""
    if isinstance(value, np.generic):
        value = value.item()
    if inspect.isroutine(value):
        return value.__name__
    return shortened(value)


def _first_sentence(cls: type) -> str:
    """The first sentence of a class's own docstring; empty where it has none."""
    text = inspect.cleandoc(cls.__dict__.get("__doc__") or "").partition("\n\n")[0]
    if text.startswith(f"{cls.__name__}("):  # what a dataclass is given for want of a docstring
        return ""
    sentence, stop, _ = " ".join(text.split()).partition(". ")
    return sentence + "." if stop else sentence
