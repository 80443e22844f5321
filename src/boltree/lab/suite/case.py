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
"""What was measured: `answers` (how often the planner was asked), `seconds` (a decision's), and either `regret`
or, where no exact values are known, `score` and what the `random` policy scores."""


class Measure(Protocol):
    """How a planner's decisions in a problem are judged."""

    @property
    def answers(self) -> int:
        """About how often the planner is asked."""
        ...

    @property
    def reusable(self) -> bool:
        """Whether other jobs may go on with the same problem; problems in plain Python keep every state they met."""
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
