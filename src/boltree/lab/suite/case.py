"""A case: a problem by its name, and how decisions in it are measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ...problem.problem import Problem
from .planners import Planner

Group = Literal["provable", "large", "games"]

Watcher = Callable[[int, float], None]
"""Called with a number of answers and their regret so far."""

Numbers = dict[str, Any]
"""What was measured: always `regret`, `answers` (how often the planner was asked) and `seconds` (a decision's)."""


class Measure(Protocol):
    """How a planner's decisions in a problem are judged."""

    @property
    def answers(self) -> int:
        """About how often the planner is asked."""
        ...

    def run(
        self, problem: Problem, planner: Planner, trials: int | None, seconds: float | None, seed: int, watch: Watcher
    ) -> Numbers:
        """Ask the planner and judge its answers."""
        ...


@dataclass(frozen=True)
class Case:
    """A problem of the suite.

    Args:
        name: of the problem.
        family: problems alike, which count together as much as any other family.
        group: ``"provable"``, ``"large"`` or ``"games"``.
        make: makes the problem, always the same.
        measure: how decisions are judged.
    """

    name: str
    family: str
    group: Group
    make: Callable[[], Problem]
    measure: Measure
