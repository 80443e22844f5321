"""``bt.box``: actions that are real numbers within bounds, alone or beside choices, and how they lie in memory.

An action is a few 64-bit real numbers: those of its boxes, and a choice's number as a real one. A problem's functions
are given a float where the actions are one box of a number, else an array of floats.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ..checks import is_whole
from ..core.jit import JIT_DISABLED
from ..core.native import array_at, plain_array_at
from ..core.trial.widening import LONGEST
from ..errors import ParameterError, ProblemError
from ..messages import shortened
from .random import uniform

MOST_NUMBERS = 64
"""The most numbers that an action may have."""

F8 = np.dtype(np.float64)


class Box:
    """Real numbers from `low` to `high`: one number, or an array with bounds for each; `box` makes one."""

    def __init__(self, low: Any, high: Any) -> None:
        try:
            lows, highs = np.array(low, F8), np.array(high, F8)
        except (TypeError, ValueError):
            raise ProblemError(f"{_call(low, high)}: must be numbers, or arrays of numbers of equal length") from None
        if lows.shape != highs.shape or lows.ndim > 1 or lows.size == 0:
            raise ProblemError(f"{_call(low, high)}: must be two numbers, or two arrays of equal length")
        if not (np.isfinite(lows).all() and np.isfinite(highs).all()):
            raise ProblemError(f"{_call(low, high)}: must be finite")
        if not (lows < highs).all():
            raise ProblemError(f"{_call(low, high)}: low must be below high")
        self.single = lows.ndim == 0
        self.low, self.high = lows.reshape(-1), highs.reshape(-1)

    def __repr__(self) -> str:
        low, high = (array.tolist() for array in (self.low, self.high))
        return f"box({low[0]}, {high[0]})" if self.single else f"box({low}, {high})"


def box(low: Any, high: Any) -> Box:
    """Actions that are real numbers: ``actions = bt.box(-2.0, 2.0)``, or with arrays of bounds for several numbers.

    With a tuple of boxes and choices an action has all of them: ``actions = (bt.box(0.0, 6.283), 2)`` is an angle and a
    choice of two.

    >>> import boltree as bt
    >>> bt.box(-2, 2), bt.box([0, 0], [1, 2])
    (box(-2.0, 2.0), box([0.0, 0.0], [1.0, 2.0]))
    """
    return Box(low, high)


def _call(low: Any, high: Any) -> str:
    return f"box({shortened(low)}, {shortened(high)})"


class Boxes:
    """All numbers of a problem's actions, and where their bounds lie.

    Attributes:
        single: whether an action is one number, and not an array of them.
        low, high: the bounds of each number.
        count: of each number, how many choices it stands for; 0 for a real number.
    """

    def __init__(self, parts: tuple[Any, ...], *, single: bool) -> None:
        self.single = single
        rows: list[tuple[float, float, float]] = []
        for part in parts:
            if isinstance(part, Box):
                rows += [(low, high, 0.0) for low, high in zip(part.low.tolist(), part.high.tolist(), strict=True)]
            else:
                rows.append((0.0, float(part - 1), float(part)))
        self._memory = np.array(rows)
        self.low, self.high, self.count = self._memory.T

    @property
    def size(self) -> int:
        """How many numbers an action has."""
        return len(self._memory)

    @property
    def kind(self) -> tuple[bool, int]:
        """What compiled functions depend on."""
        return self.single, self.size

    @property
    def address(self) -> int:
        """Where the lowest, the highest and the count of each number lie."""
        return int(self._memory.ctypes.data)

    def __getstate__(self) -> dict[str, Any]:
        return {"single": self.single, "_memory": self._memory}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.low, self.high, self.count = self._memory.T

    def __repr__(self) -> str:
        return f"Boxes({self._memory.tolist()})"

    def vector(self, given: Any, name: str = "action") -> NDArray[np.float64]:
        """The numbers of an action that a user gives; ParameterError if it is none."""
        try:
            found = np.array(given, F8).reshape(-1)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.size != self.size or not self.holds(found):
            raise ParameterError(f"{name}={shortened(given)}: must be {self.wanted}")
        return found

    def holds(self, vector: NDArray[np.float64]) -> bool:
        """Whether numbers are within the bounds, and those of choices whole."""
        within = (vector >= self.low) & (vector <= self.high) & ((self.count == 0) | (vector == np.floor(vector)))
        return bool(within.all())

    @property
    def wanted(self) -> str:
        """What an action must be, in words."""
        if self.single:
            return f"a number from {self.low[0]:g} to {self.high[0]:g}"
        ranges = [
            f"{low:g} to {high:g}" + (" (a whole number)" if count else "")
            for low, high, count in self._memory.tolist()
        ]
        return f"{self.size} numbers: {', '.join(ranges)}"

    def present(self, vector: Any) -> Any:
        """An action as users see it, and as functions in plain Python do: a float, or an array of floats."""
        return float(vector[0]) if self.single else np.array(vector, F8)

    def at(self, address: int) -> Any:
        """The action that lies at an address, as users see it."""
        return self.present(plain_array_at(address, self.size, F8))

    def draw(self, rng: Any) -> NDArray[np.float64]:
        """A uniform action, with the draws of compiled rollouts."""
        drawn = np.zeros(self.size)
        for d, (low, high, count) in enumerate(self._memory.tolist()):
            u = uniform(rng)
            drawn[d] = low + u * (high - low) if count == 0.0 else np.floor(u * count)
        return drawn

    def written(self, action: Any) -> str:
        """An action as messages and tables name it."""
        numbers = [f"{x:.4g}" for x in np.reshape(action, -1).tolist()]
        return numbers[0] if self.single else f"[{', '.join(numbers)}]"


class HeldActions:
    """Uniform actions of a rollout in plain Python, each held for a while, as in compiled rollouts (box_rollout.py)."""

    def __init__(self, boxes: Boxes, rng: Any) -> None:
        self._boxes, self._rng = boxes, rng
        self._hold = 1.0 - math.exp(-LONGEST * uniform(rng))
        self._vector: NDArray[np.float64] | None = None

    def next(self) -> Any:
        """The next action."""
        if self._vector is None or uniform(self._rng) >= self._hold:
            self._vector = self._boxes.draw(self._rng)
        return self._boxes.present(self._vector)


def boxes_of(actions: Any, name: str) -> Boxes | None:
    """The boxes that a problem's `actions` are; None where they are listed."""
    if isinstance(actions, Box):
        parts: tuple[Any, ...] = (actions,)
    elif isinstance(actions, tuple):
        parts = actions
        if not any(isinstance(part, Box) for part in parts) or not all(
            isinstance(part, Box) or (is_whole(part) and part >= 1) for part in parts
        ):
            raise ProblemError(
                f"{name}: actions={shortened(actions)}, must be a tuple of bt.box(low, high) and numbers of choices, "
                "with one box at least"
            )
    else:
        return None
    boxes = Boxes(parts, single=len(parts) == 1 and isinstance(actions, Box) and actions.single)
    if boxes.size > MOST_NUMBERS:
        raise ProblemError(f"{name}: actions={shortened(actions)}, must have at most {MOST_NUMBERS} numbers")
    return boxes


# What compiled functions are given for an action: `look(action, size, F8)`, by the kind of a problem's actions


def _itself(action: Any, size: int, dtype: Any) -> Any:
    return action


def _number(action: Any, size: int, dtype: Any) -> Any:
    return float(plain_array_at(int(action), 1, F8)[0])


@intrinsic
def _itself_native(typing_context, action, size, dtype):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return values[0]

    return action(action, size, dtype), code


@intrinsic
def _number_native(typing_context, action, size, dtype):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return builder.load(builder.inttoptr(values[0], ir.DoubleType().as_pointer()))

    return types.float64(action, size, dtype), code


def looker(boxes: Boxes | None) -> Any:
    """A function for compiled wrappers, from the integer that the kernel gives for an action to what functions see."""
    if boxes is None:
        return _itself if JIT_DISABLED else _itself_native
    if boxes.single:
        return _number if JIT_DISABLED else _number_native
    return array_at
