"""Temperatures that change with a count: a number, ``log_decay(x)``, ``sqrt_decay(x)``, or a function of the count."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np

from ..core.formulas import space
from ..errors import ParameterError


@dataclass(frozen=True)
class Decay:
    """x / log(e + m) or x / sqrt(m), where m is how often the node was visited."""

    kind: str
    x: float

    def __post_init__(self) -> None:
        if isinstance(self.x, bool) or not isinstance(self.x, (int, float, np.number)) or not 0 <= self.x < math.inf:
            raise ParameterError(f"{self.kind}_decay({self.x!r}): must be a finite number of at least 0")

    def __call__(self, m: float) -> float:
        """The value at the count m."""
        return self.x / (math.log(math.e + m) if self.kind == "log" else math.sqrt(max(m, 1)))

    def __repr__(self) -> str:
        return f"{self.kind}_decay({self.x:g})"


@dataclass(frozen=True)
class Spectrum:
    """A temperature that is drawn anew for each trial, between two numbers, uniform in its logarithm."""

    low: float
    high: float

    def __post_init__(self) -> None:
        for name, given in (("low", self.low), ("high", self.high)):
            if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not 0 < given < math.inf:
                raise ParameterError(f"spectrum: {name}={given!r}, must be a finite number greater than 0")
        if self.low > self.high:
            raise ParameterError(f"spectrum: low={self.low!r}, must be at most high={self.high!r}")

    def __repr__(self) -> str:
        return f"spectrum({self.low:g}, {self.high:g})"


@dataclass(frozen=True)
class Auto:
    """A temperature in units of the returns that the search sees: x of them, constant or decaying as `Decay` does.

    Of the kind ``"spectrum"`` it is drawn for each trial, between x and `high` of them.
    """

    kind: str
    x: float
    high: float = math.inf

    def scaled(self, scale: float) -> float | Decay:
        """The schedule that it stands for while x units are `scale`."""
        return scale if self.kind == "constant" else Decay(self.kind, scale)

    def __repr__(self) -> str:
        if self.kind == "spectrum":
            usual = (self.x, self.high) == SPECTRUM_AUTO
            return "spectrum()" if usual else f"Auto('spectrum', {self.x:g}, {self.high:g})"
        return f"spread({self.x:g})" if self.kind == "constant" else f"Auto({self.kind!r}, {self.x:g})"


Schedule = Union[float, Decay, Auto, Spectrum, Callable[[int], float]]
"""What a temperature is, once it was checked."""

Temperature = Union[float, Decay, Auto, Spectrum, Callable[[int], float], Literal["auto"]]
"""What a user may give as a temperature."""

SPECTRUM_AUTO = 0.003, 3.0
"""The lowest and the highest temperature of `spectrum()`, in units of the returns seen, unless numbers are given."""


def at_count(schedule: Schedule, m: int, scale: float = 1.0) -> float:
    """A schedule's value at the count m; `scale` is what an automatic one's x units are now.

    NaN for a temperature that each trial has of its own.

    >>> at_count(0.5, 9), at_count(sqrt_decay(1.0), 4), at_count(Auto("sqrt", 0.1), 4, scale=6.0)
    (0.5, 0.5, 3.0)
    """
    if isinstance(schedule, Spectrum) or (isinstance(schedule, Auto) and schedule.kind == "spectrum"):
        return math.nan
    if isinstance(schedule, Auto):
        schedule = schedule.scaled(scale)
    return float(schedule(m) if callable(schedule) else schedule)


def log_decay(x: float) -> Decay:
    """The schedule x / log(e + m).

    >>> log_decay(1.0)(0)
    1.0
    """
    return Decay("log", x)


def sqrt_decay(x: float) -> Decay:
    """The schedule x / sqrt(m), m at least 1.

    >>> sqrt_decay(1.0)(4)
    0.5
    """
    return Decay("sqrt", x)


def spectrum(low: float | None = None, high: float | None = None) -> Spectrum | Auto:
    """A temperature drawn for each trial, uniform in its logarithm; without numbers, in units of the returns seen.

    Bellman backups do not depend on who chose the actions, so trials at different temperatures may share one tree:
    hot ones explore, cold ones look closely at what is good. For algorithms whose values do not depend on a
    temperature.

    >>> spectrum(0.01, 10.0)
    spectrum(0.01, 10)
    """
    if low is None and high is None:
        return Auto("spectrum", *SPECTRUM_AUTO)
    if low is None or high is None:
        raise ParameterError(f"spectrum(low={low!r}, high={high!r}): give both, or neither")
    return Spectrum(low, high)


def spread(x: float) -> Auto:
    """A temperature or UCT's bias in units of the returns seen: x times the highest less the lowest of a trial so far.

    >>> spread(0.35)
    spread(0.35)
    """
    if isinstance(x, bool) or not isinstance(x, (int, float, np.number)) or not 0 < x < math.inf:
        raise ParameterError(f"spread(x={x!r}): must be a finite number greater than 0")
    return Auto("constant", float(x))


def uniform_until(epsilon: float) -> float:
    """The visits of a node up to which λ = ε / log(e + N) is 1 or more: so long the search there is uniform.

    >>> round(uniform_until(10.0)), round(uniform_until(1.0))
    (22024, 0)
    """
    return math.exp(epsilon) - math.e


def as_real(given: Any) -> float:
    """A number as a float; infinity for an integer beyond the largest float."""
    try:
        return float(given)
    except OverflowError:
        return math.inf


def check_schedule(name: str, given: Any, *, positive: bool) -> None:
    """Raise ParameterError unless `given` is a schedule with finite values that are positive (or not negative)."""
    allowed = "greater than 0" if positive else "at least 0"
    values: list[tuple[int | None, float]] = []
    if isinstance(given, (int, float, np.number)) and not isinstance(given, bool):
        values.append((None, as_real(given)))
    elif isinstance(given, Decay):
        values.append((None, as_real(given.x)))
    elif isinstance(given, (Auto, Spectrum)) or (isinstance(given, str) and given == "auto"):
        return
    elif callable(given):
        for m in (1, 2, 10, 1000, 10**6):
            try:
                values.append((m, float(given(m))))
            except Exception as error:
                raise ParameterError(f"{name}: the function failed at count {m}: {error!r}") from error
    else:
        raise ParameterError(
            f"{name}={given!r}: must be a number, log_decay(x), sqrt_decay(x), spectrum(low, high), "
            "a function of a count, or 'auto'"
        )
    for count, value in values:
        if not math.isfinite(value) or value < 0 or (positive and value == 0):
            at = "" if count is None else f" at count {count} is {value!r}"
            raise ParameterError(f"{name}={given!r}{at}: must be finite and {allowed}")


_KINDS = {
    "constant": space.CONSTANT,
    "log": space.LOG_DECAY,
    "sqrt": space.SQRT_DECAY,
    "spectrum": space.SPECTRUM,
}


def span_of(given: Schedule) -> float:
    """log(highest / lowest) of a temperature that is drawn for each trial; else 0."""
    if isinstance(given, Spectrum):
        return math.log(given.high / given.low)
    return math.log(given.high / given.x) if isinstance(given, Auto) and given.kind == "spectrum" else 0.0


def native_schedule(name: str, given: Schedule) -> tuple[int, float, int, Any]:
    """A schedule for the kernel: its kind, its scale, a function's address, and what must be kept alive."""
    if isinstance(given, Auto):
        return _KINDS[given.kind], given.x, 0, None
    if isinstance(given, Spectrum):
        return space.SPECTRUM, float(given.low), 0, None
    if isinstance(given, Decay):
        return (space.LOG_DECAY if given.kind == "log" else space.SQRT_DECAY), float(given.x), 0, None
    if isinstance(given, (int, float, np.number)):
        return space.CONSTANT, float(given), 0, None
    import numba
    from numba.core.errors import NumbaError

    from ..core.jit import JIT_DISABLED
    from ..core.native import address_of_compiled, address_of_python, array_at

    real = np.dtype(np.float64)
    function: Any = given if JIT_DISABLED else numba.njit(given)

    def schedule(m, out):  # type: ignore[no-untyped-def]
        result = array_at(out, 1, real)
        result[0] = function(m)
        return 0

    if JIT_DISABLED:
        return (space.FUNCTION, 0.0, *address_of_python(schedule, 2))
    try:
        return (space.FUNCTION, 0.0, *address_of_compiled(schedule, 2))
    except NumbaError as error:
        raise ParameterError(
            f"{name}={given!r}: the function does not compile; write it with numbers and math. Numba says:\n{error}"
        ) from None
