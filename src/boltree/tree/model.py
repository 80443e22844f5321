"""The exact model of a finite problem: its reachable states and all outcomes of every action, listed piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.exact import model as kernels
from ..errors import ProblemError, note
from ..problem.problem import Problem
from ..problem.state import PlainState
from .failures import plain_outcome

ALL = np.iinfo(np.int64).max
"""More rows than there can be."""


class Model:
    """The reachable states of a problem and every outcome of every action (core/exact/model.py says how it lies).

    Args:
        problem: one that lists its outcomes.
        state: where it begins.
        horizon: how many steps there are.
        max_states: it is given up where there are more.
        others: further states where it may begin; all are different.
        chances: how probable it is to begin in `state` and in each of the `others`; all the same if None.

    Attributes:
        starts: how many states it begins in: the first ones.
        chances: how probable each of these is.
        closed: whether every state that can be reached is listed, with what may follow.
        full: whether there are more states than `max_states`.
    """

    def __init__(
        self,
        problem: Problem,
        state: Any,
        horizon: int,
        max_states: int,
        others: Sequence[Any] = (),
        chances: NDArray[np.float64] | None = None,
    ) -> None:
        self.problem, self.horizon, self.max_states = problem, horizon, max_states
        self.closed = self.full = False
        words = problem.state_layout().itemsize // 8
        self.starts = 1 + len(others)
        self.chances = np.full(self.starts, 1.0 / self.starts) if chances is None else chances
        room = max(1024, 2 * self.starts)
        self.states = np.zeros((room, words), np.uint64)
        for i, one in enumerate((state, *others)):
            self.states[i] = np.frombuffer(one.tobytes(), np.uint64)
        self.table = np.full(4096, -1, np.int64)
        self.depth = np.zeros(room, np.int64)
        self.player = np.zeros(room, np.uint8)
        self.rows = np.zeros(room + 1, np.int64)
        self.action = np.zeros(8192, np.int32)
        self.first = np.zeros(8193, np.int64)
        self.probability = np.zeros(16384)
        self.reward = np.zeros(16384)
        self.successor = np.zeros(16384, np.int64)
        self._counts = np.zeros(8, np.int64)
        self._counts[0] = self.starts
        self._mask = np.zeros(problem.actions, np.uint8)
        self._out = np.zeros(max(problem.actions, 4) + words + 2)
        names = ("legal", "player", "count_outcomes", "outcomes")
        self._functions = [problem.params_at, *(problem.address(name) for name in names), problem.actions, horizon]
        self._rehash(self.starts)

    @property
    def size(self) -> int:
        """States found so far."""
        return int(self._counts[0])

    @property
    def expanded(self) -> int:
        """States whose actions are listed; they are the first ones."""
        return int(self._counts[1])

    @property
    def row_count(self) -> int:
        """Pairs of a state and a legal action that are listed."""
        return int(self._counts[2])

    @property
    def outcome_count(self) -> int:
        """Outcomes that are listed."""
        return int(self._counts[3])

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """The number of each state; to be asked for when it is closed."""
        return {self.states[i].tobytes(): i for i in range(self.size)}

    @cached_property
    def layers(self) -> list[NDArray[np.int64]]:
        """The states that can occur at each depth; to be asked for when it is closed."""
        layers = [np.arange(self.starts)]
        stamp = np.zeros(self.size, np.int64)
        out = np.zeros(self.size, np.int64)
        for number in range(1, self.horizon + 1):
            count = kernels.next_layer(layers[-1], self.rows, self.first, self.successor, stamp, number, out)
            if count == 0:
                break
            layers.append(np.sort(out[:count]))
        return layers

    def extend(self, rows: int = ALL) -> None:
        """List states until there are `rows` pairs of a state and an action, or all."""
        if self.closed or self.full or self.row_count >= rows:
            return
        with self.problem.exclusive:
            self._explore(rows)

    def make_ready(self) -> None:
        """Compile what `extend` calls, if need be, and list nothing: the problem may be slow."""
        self._explore(0)

    def _explore(self, most: int) -> None:
        counts = self._counts
        while True:
            places = (self.states.ctypes.data, self._mask.ctypes.data, self._out.ctypes.data)
            code = kernels.explore(
                counts, (*map(int, self._functions), *places), self.states, self.table, self.depth, self.player,
                self.rows, self.action, self.first, self.probability, self.reward, self.successor, self._mask,
                self._out, most,
            )  # fmt: skip
            self.full = self.size > self.max_states
            if self.full or code == kernels.PAUSED:
                return
            if code == kernels.DONE:
                self.closed = True
                return
            if code == kernels.STATES_FULL:
                self.full = self.size >= self.max_states
                if self.full:
                    return
                for name in ("states", "depth", "player", "rows"):
                    setattr(self, name, _doubled(getattr(self, name)))
                self._rehash(self.size)
            elif code == kernels.ROWS_FULL:
                self.action, self.first = _doubled(self.action), _doubled(self.first)
            elif code == kernels.OUTCOMES_FULL:
                for name in ("probability", "reward", "successor"):
                    setattr(self, name, _doubled(getattr(self, name)))
            else:
                self._fail(int(code), int(counts[4]), int(counts[5]), float(self._out[3]))

    def _rehash(self, known: int) -> None:
        self.table = np.full(1 << (4 * len(self.states) - 1).bit_length(), -1, np.int64)
        kernels.enter_states(self.states, self.table, known)

    def _fail(self, code: int, state: int, action: int, number: float) -> None:
        problem = self.problem
        memory = self.states[state].copy().view(problem.state_layout())
        name, where = problem.display_name(), f"in state {problem.written(memory)}"
        if code == kernels.RAISED:
            try:
                problem.reraise()
                plain_outcome(problem, PlainState(memory), action)
            except ProblemError:
                raise
            except Exception as error:
                at = f"action {action} " if action >= 0 else ""
                note(error, f"in {name}.{'outcomes' if action >= 0 else 'legal'}, {at}{where}")
                raise
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


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    larger = np.zeros((2 * array.shape[0], *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger
