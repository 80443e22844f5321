"""What ``print`` says of a problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ..messages import counted, shortened
from .boxes import Boxes

MOST_NAMES = 12
"""A problem's summary names this many of its actions at most."""


class ProblemFacts(Protocol):
    """What a problem's text is made of; `Problem` says what each means."""

    actions: Any
    boxes: Boxes | None
    horizon: int
    discount: float
    deterministic: bool
    action_names: tuple[str, ...]

    def display_name(self) -> str:
        """Its name."""

    def has(self, name: str) -> bool:
        """Whether it defines a function."""

    @classmethod
    def functions(cls) -> Mapping[str, Any]:
        """The functions that it defines, by name."""


def problem_text(problem: ProblemFacts) -> str:
    """A problem in a few lines: its parameters, actions, horizon, discount, players, outcomes and functions."""
    name, call = problem.display_name(), shortened(problem)
    title = call if name in call else f"{name}: {call}"
    if problem.deterministic:
        outcomes = "deterministic"
    elif problem.has("outcomes"):
        outcomes = "random with known probabilities"
    else:
        outcomes = "random, drawn by step"
    facts = [
        _actions_text(problem),
        f"horizon {problem.horizon}",
        f"discount {problem.discount:g}",
        "two players" if problem.has("player") else "one player",
        outcomes,
        *(["hidden state"] if problem.has("observe") else []),
    ]
    return "\n".join([title, f"  {', '.join(facts)}", f"  functions: {', '.join(problem.functions())}"])


def _actions_text(problem: ProblemFacts) -> str:
    if problem.boxes is not None:
        return f"actions {problem.actions}"
    return counted(int(problem.actions), "action") + _names(problem.action_names)


def _names(names: Iterable[str]) -> str:
    known = list(names)
    if not known:
        return ""
    return f" ({', '.join(known[:MOST_NAMES])}{', ...' if len(known) > MOST_NAMES else ''})"
