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
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.exact import model as kernels
from ..core.interrupts import rescued
from ..errors import ParameterError, ProblemError
from ..messages import counted, shortened
from ..problem.problem import Problem, not_a_problem
from ..problem.python.problem import PythonProblem
from ..tree.model import Model
from ..tree.outcomes import lists_outcomes
from .starts import DRAWN_STARTS, Starts, starts_of

FIRST_ROWS, PIECE_SECONDS = 1_000, 0.05
"""Pairs of a state and an action in the first piece of the listing, and about how long a piece takes."""

WALKED_FROM = 0.1
"""A problem in plain Python is asked for its size when this share of the most states is found."""

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
    """Exact values of a problem. Depths count from the start, which may be one of several states."""

    def __init__(self, model: Model, objective: Objective, alpha: float, *, drawn: bool = False) -> None:
        self.model, self.objective, self.alpha = model, objective, alpha
        self.values = backward(model, objective, alpha)
        self._drawn = drawn  # whether the starts were seen, not listed

    @property
    def root_value(self) -> float:
        """The value of the start state; the mean over the `starts` where there are several."""
        return float(self.model.chances @ self.values[0])

    @property
    def starts(self) -> list[tuple[float, Any, float]]:
        """The probability of each state where it may start, the state, and its value."""
        model = self.model
        records = model.states[: model.starts].copy().view(model.problem.state_layout()).reshape(-1)
        states = [model.problem.present(record) for record in records]
        return list(zip(model.chances.tolist(), states, self.values[0].tolist(), strict=True))

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def __str__(self) -> str:
        lines = [self._title()]
        if self.model.starts == 1:
            name = self.model.problem.action_name_in
            state = self.starts[0][1]
            for action, q in zip(self.actions().tolist(), self.q().tolist(), strict=True):
                lines.append(f"  {name(state, action):<12}  {q:.6g}")
        return "\n".join(lines)

    def _title(self) -> str:
        model, of = self.model, ""
        if model.starts > 1:
            drawn = f" that {DRAWN_STARTS:,} draws came to" if self._drawn else ""
            least, most = self.values[0].min(), self.values[0].max()
            of = f", the mean over {model.starts:,} starts{drawn} ({least:.6g} to {most:.6g})"
        if self.objective != "reward":
            of += f", {self.objective}" + (f" with alpha={self.alpha:g}" if self.objective == "soft" else "")
        size = f"{counted(model.size, 'state')}, {counted(model.horizon, 'step')}"
        return f"Solution of {model.problem.display_name()}: value {self.root_value:.6g}{of}; {size}"

    def _locate(self, state: Any, depth: int) -> tuple[int, int]:
        model = self.model
        if state is None and model.starts > 1:
            raise ParameterError(
                f"state=None: {model.problem.display_name()} may start in {model.starts:,} states; give one of them"
            )
        number = 0 if state is None else model.ids.get(model.problem.as_state(state).tobytes(), -1)
        if number >= 0 and 0 <= depth < len(model.layers):
            layer = model.layers[depth]
            i = int(np.searchsorted(layer, number))
            if i < layer.size and layer[i] == number:
                return number, i
        raise ParameterError(f"state {shortened(state)} at depth {depth}: cannot be reached from the start state")

    def value(self, state: Any = None, depth: int = 0) -> float:
        """The value of a state at a depth; of the start if None (`root_value`, the mean, where there are several)."""
        if state is None and depth == 0:
            return self.root_value
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
    progress: bool | Callable[[int, int], object] | None = None,
) -> Solution:
    """Solve a finite problem exactly.

    Args:
        problem: one with ``outcomes`` and ``count_outcomes``.
        objective: ``"reward"``, ``"soft"`` (reward plus alpha times entropy) or ``"uniform"`` (acting at random).
        alpha: the temperature of the soft objective.
        state: where to start; the problem's own start if None. Where that is random, `Solution.root_value` is the mean
            over all starts that the problem lists, or else over those that 1,000 draws come to.
        horizon: how far; the problem's own if None.
        max_states: refuse larger problems; None for 5 million, or 200,000 where Python must be asked about each. Such
            a problem is refused early where random walks show that it is larger.
        progress: True for a line on the terminal, or a function of how many states are found, and how many of these
            are listed with all that may follow; called about every 50 ms. Ctrl-C ends it at any time.

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
    most = problem.solvable_states if max_states is None else max_states
    if not lists_outcomes(problem):
        raise ProblemError(
            f"{problem.display_name()}: exact solving needs {problem.outcomes_wanted}, or deterministic = True; "
            "bt.sample_value works without them"
        )
    with rescued() if isinstance(problem, PythonProblem) else nullcontext():
        starts = starts_of(problem) if state is None else Starts([problem.as_state(state)], np.ones(1))
        first, *others = starts.states
        model = Model(problem, first, problem.horizon if horizon is None else horizon, most, others, starts.chances)
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
