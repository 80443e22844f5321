"""``bt.solve``: exact values by backward induction over the reachable (state, depth) pairs.

reward   V(s) = max_a Q(s,a), min at an opponent
soft     V(s) = alpha log sum_a exp(Q(s,a)/alpha), the optimum of reward plus alpha times entropy
uniform  V(s) = mean_a Q(s,a) over the legal actions: the value of acting at random
with     Q(s,a) = sum over outcomes of p (r + discount V(s')).
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from ..core.interrupts import rescued
from ..errors import ParameterError, ProblemError
from ..problem.problem import Problem, not_a_problem
from ..problem.python.problem import PythonProblem
from ..tree.model import Model
from ..tree.outcomes import lists_outcomes
from .beliefs import solve_beliefs
from .solution import OBJECTIVES, Objective, Solution


def solve(
    problem: Problem,
    objective: Objective = "reward",
    alpha: float = 1.0,
    *,
    state: Any = None,
    horizon: int | None = None,
    max_states: int | None = None,
) -> Solution:
    """Solve a finite problem exactly.

    Where the state is hidden the values are those of beliefs (`BeliefSolution`), by backward induction over all beliefs
    that can be reached, for a few hundred states. The problem then needs ``observation`` as a number,
    ``observation_probability``, and ``start_states``.

    Args:
        problem: one with ``outcomes`` and ``count_outcomes``.
        objective: ``"reward"``, ``"soft"`` (reward plus alpha times entropy) or ``"uniform"`` (acting at random).
        alpha: the temperature of the soft objective.
        state: where to start; the problem's own start (drawn with seed 0) if None. Where the state is hidden a belief,
            a list of (probability, state); the problem's ``start_states()`` if None.
        horizon: how far; the problem's own if None.
        max_states: refuse larger problems; None for 5 million, or 200,000 where Python must be asked about each. Where
            the state is hidden the most beliefs; None for 500,000.

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
    if not lists_outcomes(problem):
        raise ProblemError(
            f"{problem.display_name()}: exact solving needs {problem.outcomes_wanted}, or deterministic = True; "
            "bt.sample_value works without them"
        )
    steps = problem.horizon if horizon is None else horizon
    if problem.hidden:
        return solve_beliefs(problem, objective, float(alpha), state, steps, max_states)
    start = problem.start_state(0) if state is None else problem.as_state(state)
    most = problem.solvable_states if max_states is None else max_states
    model = Model(problem, start, steps, most)
    with rescued() if isinstance(problem, PythonProblem) else nullcontext():
        model.extend()
    if not model.closed:
        raise ProblemError(
            f"{problem.display_name()}: more than {most} reachable states; too many to solve exactly "
            "(raise max_states, or use bt.sample_value)"
        )
    return Solution(model, objective, float(alpha))
