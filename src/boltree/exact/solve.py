"""``bt.solve``: exact values by backward induction over the reachable (state, depth) pairs.

reward   V(s) = max_a Q(s,a), min at an opponent
soft     V(s) = alpha log sum_a exp(Q(s,a)/alpha), the optimum of reward plus alpha times entropy
uniform  V(s) = mean_a Q(s,a) over the legal actions: the value of acting at random
with     Q(s,a) = sum over outcomes of p (r + discount V(s')).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..core.interrupts import rescued
from ..errors import ParameterError, ProblemError
from ..messages import counted
from ..problem.problem import Problem, not_a_problem
from ..problem.python.problem import PythonProblem
from ..tree.model import Model
from ..tree.outcomes import lists_outcomes
from .beliefs import solve_beliefs
from .solution import OBJECTIVES, Objective, Solution
from .starts import Starts, starts_of

FIRST_ROWS, PIECE_SECONDS = 1_000, 0.05
"""Pairs of a state and an action in the first piece of the listing, and about how long a piece takes."""

WALKED_FROM = 0.1
"""A problem in plain Python is asked for its size when this share of the most states is found."""


def solve(
    problem: Problem,
    objective: Objective = "reward",
    alpha: float = 1.0,
    *,
    state: Any = None,
    horizon: int | None = None,
    max_states: int | None = None,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Solution:
    """Solve a finite problem exactly.

    Where the state is hidden the values are those of beliefs (`BeliefSolution`), by backward induction over all beliefs
    that can be reached, for a few hundred states. The problem then needs ``observation`` as a number,
    ``observation_probability``, and ``start_states``.

    Args:
        problem: one with ``outcomes`` and ``count_outcomes``.
        objective: ``"reward"``, ``"soft"`` (reward plus alpha times entropy) or ``"uniform"`` (acting at random).
        alpha: the temperature of the soft objective.
        state: where to start; the problem's own start if None. Where that is random, `Solution.root_value` is the mean
            over all starts that the problem lists, or else over those that 1,000 draws come to. Where the state is
            hidden a belief, a list of (probability, state); the problem's ``start_states()`` if None.
        horizon: how far; the problem's own if None.
        max_states: refuse larger problems; None for 5 million, or 200,000 where Python must be asked about each. Such
            a problem is refused early where random walks show that it is larger. Where the state is hidden the most
            beliefs; None for 500,000.
        progress: True for a line on the terminal, or a function of how many states are found, and how many of these
            are listed with all that may follow; called about every 50 ms. Ctrl-C ends it at any time.

    >>> import boltree as bt
    >>> round(bt.solve(bt.problems.DChain(10, final_reward=0.5)).root_value, 6)
    0.9
    """
    if not isinstance(problem, Problem):
        raise not_a_problem(problem)
    if objective not in OBJECTIVES:
        raise ParameterError(f"objective={objective!r}: must be one of {', '.join(OBJECTIVES)}")
    if not (isinstance(alpha, (int, float, np.number)) and 0 < alpha < np.inf):
        raise ParameterError(f"alpha={alpha!r}: must be finite and greater than 0")
    problem.refuse_boxes("exact solving")
    if not lists_outcomes(problem):
        raise ProblemError(
            f"{problem.display_name()}: exact solving needs {problem.outcomes_wanted}, or deterministic = True; "
            f"{'bt.evaluate' if problem.hidden else 'bt.sample_value'} works without them"
        )
    steps = problem.horizon if horizon is None else horizon
    if problem.hidden:
        return solve_beliefs(problem, objective, float(alpha), state, steps, max_states)
    most = problem.solvable_states if max_states is None else max_states
    with rescued() if isinstance(problem, PythonProblem) else nullcontext():
        starts = starts_of(problem) if state is None else Starts([problem.as_state(state)], np.ones(1))
        first, *others = starts.states
        model = Model(problem, first, steps, most, others, starts.chances)
        line = _Line(problem, most) if progress is True else None
        try:
            _list_states(model, line or (progress if callable(progress) else None))
        finally:
            if line is not None:
                line.close()
    return Solution(model, objective, float(alpha), drawn=starts.drawn)


def _list_states(model: Model, watch: Callable[[int, int], object] | None) -> None:
    """List all states, piece by piece, so that Ctrl-C arrives and others can watch; refuse too many, soon if seen."""
    problem, most, rows, walked = model.problem, model.max_states, FIRST_ROWS, False
    name, instead = problem.display_name(), "too many to solve exactly (raise max_states, or use bt.sample_value)"
    while not (model.closed or model.full):
        began, before = time.perf_counter(), model.row_count
        model.extend(before + rows)
        if watch is not None:
            watch(model.size, model.expanded)
        spent = max(time.perf_counter() - began, 1e-6)
        rows = max(1, min(int((model.row_count - before) * PIECE_SECONDS / spent), 8 * rows))
        if isinstance(problem, PythonProblem) and not walked and model.size > WALKED_FROM * most:
            from .size import steps_to_more

            walked = True
            start = model.states[0].copy().view(problem.state_layout())
            steps = steps_to_more(problem, start, most)
            if steps is not None:
                raise ProblemError(
                    f"{name}: more than {most:,} reachable states, as random walks show, which are all in different "
                    f"states after {counted(steps, 'step')}; {instead}"
                )
    if not model.closed:
        raise ProblemError(f"{name}: more than {most} reachable states; {instead}")


class _Line:
    """A line on the terminal that shows how far the listing of states is."""

    def __init__(self, problem: Problem, most: int) -> None:
        self._name, self._most, self._began = problem.display_name(), most, time.perf_counter()

    def __call__(self, found: int, listed: int) -> None:
        """Show how many states are found and listed."""
        spent = time.perf_counter() - self._began
        sys.stderr.write(f"\r{self._name}: {listed:,} of {found:,} states (at most {self._most:,}), {spent:.0f} s   ")
        sys.stderr.flush()

    def close(self) -> None:
        """End the line."""
        sys.stderr.write("\n")
