"""Numbers as NumPy has them, for problems made from others' formulas: x / 0 is infinite, log(0) is -inf.

Every function gives the same compiled and in plain Python, and is compiled where it is used.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import for_problems


@for_problems
def divide(x: float, y: float) -> float:
    """x / y; infinite or not a number where y is 0."""
    return np.float64(x) / np.float64(y)


@for_problems
def divide_whole(x: int, y: int) -> int:
    """The whole number at most x / y; 0 where y is 0."""
    return x // y if y != 0 else 0


@for_problems
def modulo_whole(x: int, y: int) -> int:
    """What is left of x, with y's sign; 0 where y is 0."""
    return x % y if y != 0 else 0


@for_problems
def modulo(x: float, y: float) -> float:
    """What is left of x, with y's sign; not a number where y is 0."""
    return x % y if y != 0.0 else math.nan


@for_problems
def power(x: float, y: float) -> float:
    """x to the power of y, a real number."""
    return np.power(np.float64(x), np.float64(y))  # type: ignore[no-any-return]


@for_problems
def sign(x: float) -> int:
    """-1, 0 or 1."""
    return 1 if x > 0 else -1 if x < 0 else 0


@for_problems
def nearest(x: float) -> int:
    """The nearest whole number; the even one of two."""
    return np.int64(np.rint(np.float64(x)))  # type: ignore[return-value]


@for_problems
def below(x: float) -> int:
    """The greatest whole number that is not above."""
    return np.int64(np.floor(np.float64(x)))  # type: ignore[return-value]


@for_problems
def above(x: float) -> int:
    """The least whole number that is not below."""
    return np.int64(np.ceil(np.float64(x)))  # type: ignore[return-value]


@for_problems
def cosine(x: float) -> float:
    """The cosine."""
    return np.cos(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def sine(x: float) -> float:
    """The sine."""
    return np.sin(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def tangent(x: float) -> float:
    """The tangent."""
    return np.tan(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def arc_cosine(x: float) -> float:
    """The angle that has this cosine."""
    return np.arccos(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def arc_sine(x: float) -> float:
    """The angle that has this sine."""
    return np.arcsin(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def arc_tangent(x: float) -> float:
    """The angle that has this tangent."""
    return np.arctan(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def cosine_hyperbolic(x: float) -> float:
    """The hyperbolic cosine."""
    return np.cosh(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def sine_hyperbolic(x: float) -> float:
    """The hyperbolic sine."""
    return np.sinh(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def tangent_hyperbolic(x: float) -> float:
    """The hyperbolic tangent."""
    return np.tanh(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def exponential(x: float) -> float:
    """e to the power of x."""
    return np.exp(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def logarithm(x: float) -> float:
    """The natural logarithm; -inf of 0."""
    return np.log(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def square_root(x: float) -> float:
    """The square root; not a number of what is negative."""
    return np.sqrt(np.float64(x))  # type: ignore[no-any-return]


@for_problems
def log_gamma(x: float) -> float:
    """The logarithm of the gamma function, for x > 0."""
    return math.lgamma(x)


@for_problems
def gamma(x: float) -> float:
    """The gamma function, for x > 0."""
    return np.exp(np.float64(math.lgamma(x)))  # type: ignore[no-any-return]


@for_problems
def logarithm_to(x: float, y: float) -> float:
    """The logarithm of x to the base y."""
    return np.log(np.float64(x)) / np.log(np.float64(y))  # type: ignore[no-any-return]


@for_problems
def hypotenuse(x: float, y: float) -> float:
    """The length of the diagonal."""
    return np.hypot(np.float64(x), np.float64(y))  # type: ignore[no-any-return]
