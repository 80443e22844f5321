"""Decisions measured against exact values: their regret, and what was proven and whether it is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from ...problem.problem import Problem
from .case import Numbers, Watcher
from .hiding import simulator_of
from .planners import Decision, Planner
from .regret import Examination, Position

TOLERANCE = 1e-9
"""How far, absolutely or relatively, a proven value may lie from the exact one."""


def is_false(decision: Decision, position: Position) -> bool:
    """Whether a decision is called proven, but its value is not the exact one or its action not a best one."""
    allowed = TOLERANCE * max(1.0, abs(position.value))
    wrong = not abs(decision.value - position.value) <= allowed or position.loss(decision.action) > allowed
    return decision.proven and wrong


_kept: WeakKeyDictionary[Problem, dict[int, Examination]] = WeakKeyDictionary()
"""The examinations of each problem by their number of positions, as long as the problem lives."""


@dataclass(frozen=True)
class Regret:
    """Ask at fixed positions of a problem that can be solved.

    Args:
        positions: how many of them there are.
        hidden: whether the planner is given the problem as a simulator, without its outcomes.
    """

    positions: int
    hidden: bool = False

    @property
    def answers(self) -> int:
        """One at each position."""
        return self.positions

    @property
    def reusable(self) -> bool:
        """Solved problems are compiled."""
        return True

    def examination(self, problem: Problem) -> Examination:
        """The positions of a problem; found once."""
        return _kept.setdefault(problem, {}).setdefault(self.positions, Examination(problem, self.positions))

    def run(
        self, problem: Problem, planner: Planner, trials: int | None, seconds: float | None, seed: int, watch: Watcher
    ) -> Numbers:
        """Ask at every position; `proven` and `false` count positions."""
        examination = self.examination(problem)
        seeds = np.random.SeedSequence(seed).generate_state(len(examination.positions), np.uint32).tolist()
        decisions: list[Decision] = []
        for position, its_seed in zip(examination.positions, seeds, strict=True):
            asked = simulator_of(position.problem) if self.hidden else position.problem
            decisions.append(planner(asked, position.state, trials, seconds, its_seed))
            watch(len(decisions), 0.0)
        return _numbers(examination, decisions)


@dataclass(frozen=True)
class Proof:
    """Ask at the start only, and see whether the answer is proven in time."""

    @property
    def answers(self) -> int:
        """One."""
        return 1

    @property
    def reusable(self) -> bool:
        """Solved problems are compiled."""
        return True

    def run(
        self, problem: Problem, planner: Planner, trials: int | None, seconds: float | None, seed: int, watch: Watcher
    ) -> Numbers:
        """Ask once for a moment, so that everything is compiled, then for as long as is allowed."""
        examination = Examination(problem, 1)
        (start,) = examination.positions
        planner(start.problem, start.state, 1, None, seed)
        return _numbers(examination, [planner(start.problem, start.state, trials, seconds, seed)])


def _numbers(examination: Examination, decisions: Sequence[Decision]) -> Numbers:
    positions = examination.positions
    return {
        "regret": examination.regret([decision.action for decision in decisions]),
        "answers": len(decisions),
        "seconds": float(np.mean([decision.seconds for decision in decisions])),
        "proven": sum(decision.proven for decision in decisions),
        "false": sum(map(is_false, decisions, positions)),
        "error": abs(decisions[0].value - positions[0].value),
        "trials_run": float(np.mean([decision.trials for decision in decisions])),
    }
