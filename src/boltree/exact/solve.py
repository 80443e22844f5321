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
from ..problem.state import PlainState
from ..tree.failures import plain_outcome

Objective = Literal["reward", "soft", "uniform"]

_OBJECTIVES = {"reward": kernels.REWARD, "soft": kernels.SOFT, "uniform": kernels.UNIFORM}


class Model:
    """Every reachable state of a problem and every outcome of every action (core/exact/model.py says how it lies)."""

    def __init__(self, problem: Problem, state: Any, horizon: int, max_states: int) -> None:
        if not (problem.has("outcomes") and problem.has("count_outcomes")):
            raise ProblemError(
                f"{problem.display_name()}: exact solving needs {problem.outcomes_wanted}, or deterministic = True; "
                "bt.sample_value works without them"
            )
        self.problem, self.horizon = problem, horizon
        words = problem.state_layout().itemsize // 8
        self.states = np.zeros((1024, words), np.uint64)
        self.states[0] = np.frombuffer(state.tobytes(), np.uint64)
        self.table = np.full(4096, -1, np.int64)
        self.depth = np.zeros(1024, np.int64)
        self.player = np.zeros(1024, np.uint8)
        self.rows = np.zeros(1025, np.int64)
        self.action = np.zeros(8192, np.int32)
        self.first = np.zeros(8193, np.int64)
        self.probability = np.zeros(16384)
        self.reward = np.zeros(16384)
        self.successor = np.zeros(16384, np.int64)
        with problem.exclusive:
            self._explore(max_states)
        self.ids = {self.states[i].tobytes(): i for i in range(self.size)}
        self.layers = self._find_layers()

    def _explore(self, max_states: int) -> None:
        problem = self.problem
        mask = np.zeros(problem.actions, np.uint8)
        out = np.zeros(max(problem.actions, 4) + self.states.shape[1] + 2)
        counts = np.zeros(8, np.int64)
        counts[0] = 1
        self._rehash(1)
        too_many = (
            f"{problem.display_name()}: more than {max_states} reachable states; too many to solve exactly "
            "(raise max_states, or use bt.sample_value)"
        )
        names = ("legal", "player", "count_outcomes", "outcomes")
        addresses = [problem.params_at, *(problem.address(name) for name in names)]
        while True:
            functions = np.array(
                [*addresses, problem.actions, self.horizon, self.states.ctypes.data, mask.ctypes.data, out.ctypes.data],
                np.int64,
            )
            code = kernels.explore(
                counts, tuple(functions.tolist()), self.states, self.table, self.depth, self.player, self.rows,
                self.action, self.first, self.probability, self.reward, self.successor, mask, out,
            )  # fmt: skip
            if code == kernels.DONE:
                break
            if code == kernels.STATES_FULL:
                if counts[0] >= max_states:
                    raise ProblemError(too_many)
                for name in ("states", "depth", "player", "rows"):
                    setattr(self, name, _doubled(getattr(self, name)))
                self._rehash(int(counts[0]))
            elif code == kernels.ROWS_FULL:
                self.action, self.first = _doubled(self.action), _doubled(self.first)
            elif code == kernels.OUTCOMES_FULL:
                for name in ("probability", "reward", "successor"):
                    setattr(self, name, _doubled(getattr(self, name)))
            else:
                self._fail(int(code), int(counts[4]), int(counts[5]), float(out[3]))
        self.size = int(counts[0])
        if self.size > max_states:
            raise ProblemError(too_many)

    def _rehash(self, known: int) -> None:
        self.table = np.full(1 << (4 * len(self.states) - 1).bit_length(), -1, np.int64)
        kernels.enter_states(self.states, self.table, known)

    def _fail(self, code: int, state: int, action: int, number: float) -> None:
        problem = self.problem
        memory = self.states[state].copy().view(problem.state_layout())
        name, where = problem.display_name(), f"in state {problem.written(memory)}"
        if code == kernels.RAISED:
            problem.reraise()
            plain_outcome(problem, PlainState(memory), action)
            raise ProblemError(
                f"{name}: a function raised when compiled {where}, but not in plain Python; run bt.check(problem)"
            )
        if code == kernels.NO_ACTION:
            raise ProblemError(
                f"{name}: no legal action {where}; a state without legal actions must be terminal (done=True)"
            )
        if code == kernels.NO_OUTCOME:
            raise ProblemError(f"{name}.count_outcomes: below 1 for action {action} {where}")
        if code == kernels.BAD_REWARD:
            raise ProblemError(f"{name}.outcomes: reward={number} for action {action} {where}; rewards must be finite")
        raise ProblemError(
            f"{name}.outcomes: probabilities of action {action} {where} sum to {number}, must be 1 (each at least 0)"
        )

    def _find_layers(self) -> list[NDArray[np.int64]]:
        layers = [np.zeros(1, np.int64)]
        stamp = np.zeros(self.size, np.int64)
        out = np.zeros(self.size, np.int64)
        for number in range(1, self.horizon + 1):
            count = kernels.next_layer(layers[-1], self.rows, self.first, self.successor, stamp, number, out)
            if count == 0:
                break
            layers.append(np.sort(out[:count]))
        return layers

    def solve(self, objective: Objective, alpha: float) -> list[NDArray[np.float64]]:
        """Values by layer, in the order of the layer's states; 0 at the horizon."""
        values: list[NDArray[np.float64]] = [np.zeros(layer.size) for layer in self.layers]
        position = np.zeros(self.size, np.int64)
        for depth in range(len(self.layers) - 1, -1, -1):
            if depth >= self.horizon:
                continue
            below = np.zeros(0)
            if depth + 1 < len(self.layers):
                below = values[depth + 1]
                position[self.layers[depth + 1]] = np.arange(below.size)
            kernels.back_layer(
                self.layers[depth], values[depth], position, below, self.rows, self.first, self.probability,
                self.reward, self.successor, self.player, _OBJECTIVES[objective], alpha, self.problem.discount,
            )  # fmt: skip
        return values


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    larger = np.zeros((2 * array.shape[0], *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


class Solution:
    """Exact values of a problem. Depths count from the start state."""

    def __init__(self, model: Model, objective: Objective, alpha: float) -> None:
        self.model, self.objective, self.alpha = model, objective, alpha
        self.values = model.solve(objective, alpha)

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
    with rescued() if isinstance(problem, PythonProblem) else nullcontext():
        model = Model(problem, start, problem.horizon if horizon is None else horizon, most)
    return Solution(model, objective, float(alpha))
