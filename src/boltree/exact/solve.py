"""``bt.solve``: exact values by backward induction over the reachable (state, depth) pairs.

reward   V(s) = max_a Q(s,a), min at an opponent
soft     V(s) = alpha log sum_a exp(Q(s,a)/alpha), the optimum of reward plus alpha times entropy
uniform  V(s) = mean_a Q(s,a) over the legal actions: the value of acting at random
with     Q(s,a) = sum over outcomes of p (r + discount V(s')).
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.exact import model as kernels
from ..core.interrupts import rescued
from ..errors import ParameterError, ProblemError
from ..messages import shortened
from ..problem.problem import Problem, not_a_problem
from ..problem.python.problem import PythonProblem
from ..tree.model import Model
from ..tree.outcomes import lists_outcomes

Objective = Literal["reward", "soft", "uniform"]

_OBJECTIVES = {"reward": kernels.REWARD, "soft": kernels.SOFT, "uniform": kernels.UNIFORM}


def backward(model: Model, objective: Objective, alpha: float) -> list[NDArray[np.float64]]:
    """Values by layer, in the order of the layer's states; 0 at the horizon."""
    values: list[NDArray[np.float64]] = [np.zeros(layer.size) for layer in model.layers]
    position = np.zeros(model.size, np.int64)
    for depth in range(len(model.layers) - 1, -1, -1):
        if depth >= model.horizon:
            continue
        below = np.zeros(0)
        if depth + 1 < len(model.layers):
            below = values[depth + 1]
            position[model.layers[depth + 1]] = np.arange(below.size)
        kernels.back_layer(
            model.layers[depth], values[depth], position, below, model.rows, model.first, model.probability,
            model.reward, model.successor, model.player, _OBJECTIVES[objective], alpha, model.problem.discount,
        )  # fmt: skip
    return values


class Solution:
    """Exact values of a problem. Depths count from the start state."""

    def __init__(self, model: Model, objective: Objective, alpha: float) -> None:
        self.model, self.objective, self.alpha = model, objective, alpha
        self.values = backward(model, objective, alpha)

    @property
    def root_value(self) -> float:
        """The value of the start state."""
        return float(self.values[0][0])

    def _locate(self, state: Any, depth: int) -> tuple[int, int]:
        model = self.model
        number = 0 if state is None else model.ids.get(model.problem.as_state(state).tobytes(), -1)
        if number >= 0 and 0 <= depth < len(model.layers):
            layer = model.layers[depth]
            i = int(np.searchsorted(layer, number))
            if i < layer.size and layer[i] == number:
                return number, i
        raise ParameterError(f"state {shortened(state)} at depth {depth}: cannot be reached from the start state")

    def value(self, state: Any = None, depth: int = 0) -> float:
        """The value of a state at a depth; of the start if None."""
        _, place = self._locate(state, depth)
        return float(self.values[depth][place])

    def actions(self, state: Any = None, depth: int = 0) -> NDArray[np.int64]:
        """The legal actions of a state."""
        model, (s, _) = self.model, self._locate(state, depth)
        return model.action[model.rows[s] : model.rows[s + 1]].astype(np.int64)

    def q(self, state: Any = None, depth: int = 0) -> NDArray[np.float64]:
        """The value of each legal action of a state at a depth, over ``actions(state, depth)``."""
        model, (s, _) = self.model, self._locate(state, depth)
        if depth >= model.horizon:
            return np.zeros(0)
        result = np.zeros(int(model.rows[s + 1] - model.rows[s]))
        for j, row in enumerate(range(int(model.rows[s]), int(model.rows[s + 1]))):
            for k in range(int(model.first[row]), int(model.first[row + 1])):
                follower, value = int(model.successor[k]), 0.0
                if follower >= 0 and depth + 1 < len(model.layers):
                    i = int(np.searchsorted(model.layers[depth + 1], follower))
                    value = float(self.values[depth + 1][i])
                result[j] += model.probability[k] * (model.reward[k] + model.problem.discount * value)
        return result


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

    Args:
        problem: one with ``outcomes`` and ``count_outcomes``.
        objective: ``"reward"``, ``"soft"`` (reward plus alpha times entropy) or ``"uniform"`` (acting at random).
        alpha: the temperature of the soft objective.
        state: where to start; the problem's own start (drawn with seed 0) if None.
        horizon: how far; the problem's own if None.
        max_states: refuse larger problems; None for 5 million, or 200,000 where Python must be asked about each.

    >>> import boltree as bt
    >>> round(bt.solve(bt.problems.DChain(10, final_reward=0.5)).root_value, 6)
    0.9
    """
    if not isinstance(problem, Problem):
        raise not_a_problem(problem)
    if objective not in _OBJECTIVES:
        raise ParameterError(f"objective={objective!r}: must be one of {', '.join(_OBJECTIVES)}")
    if not (isinstance(alpha, (int, float, np.number)) and 0 < alpha < np.inf):
        raise ParameterError(f"alpha={alpha!r}: must be finite and greater than 0")
    start = problem.start_state(0) if state is None else problem.as_state(state)
    most = problem.solvable_states if max_states is None else max_states
    if not lists_outcomes(problem):
        raise ProblemError(
            f"{problem.display_name()}: exact solving needs {problem.outcomes_wanted}, or deterministic = True; "
            "bt.sample_value works without them"
        )
    model = Model(problem, start, problem.horizon if horizon is None else horizon, most)
    with rescued() if isinstance(problem, PythonProblem) else nullcontext():
        model.extend()
    if not model.closed:
        raise ProblemError(
            f"{problem.display_name()}: more than {most} reachable states; too many to solve exactly "
            "(raise max_states, or use bt.sample_value)"
        )
    return Solution(model, objective, float(alpha))
