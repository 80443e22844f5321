"""What ``print`` says of a problem."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..messages import counted, shortened

if TYPE_CHECKING:
    from .problem import Problem


MOST_NAMES = 12
"""A problem's summary names this many of its actions at most."""


def problem_text(problem: Problem) -> str:
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
        counted(int(problem.actions), "action") + _names(problem.action_names),
        f"horizon {problem.horizon}",
        f"discount {problem.discount:g}",
        "two players" if problem.has("player") else "one player",
        outcomes,
    ]
    return "\n".join([title, f"  {', '.join(facts)}", f"  functions: {', '.join(problem.functions())}"])


def _names(names: Iterable[str]) -> str:
    known = list(names)
    if not known:
        return ""
    return f" ({', '.join(known[:MOST_NAMES])}{', ...' if len(known) > MOST_NAMES else ''})"
