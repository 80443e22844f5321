"""RDDL's functions, as plain Python and as arrays, with the results that pyRDDLGym gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..problem import arithmetic as a

_FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "/": (a.divide, "f"), "div": (a.divide_whole, "i"), "mod": (a.modulo_whole, "i"), "fmod": (a.modulo, "f"),
    "pow": (a.power, ""), "abs": (abs, ""), "sgn": (a.sign, "i"), "round": (a.nearest, "i"),
    "floor": (a.below, "i"), "ceil": (a.above, "i"), "cos": (a.cosine, "f"), "sin": (a.sine, "f"),
    "tan": (a.tangent, "f"), "acos": (a.arc_cosine, "f"), "asin": (a.arc_sine, "f"), "atan": (a.arc_tangent, "f"),
    "cosh": (a.cosine_hyperbolic, "f"), "sinh": (a.sine_hyperbolic, "f"), "tanh": (a.tangent_hyperbolic, "f"),
    "exp": (a.exponential, "f"), "ln": (a.logarithm, "f"), "sqrt": (a.square_root, "f"),
    "lngamma": (a.log_gamma, "f"), "gamma": (a.gamma, "f"), "log": (a.logarithm_to, "f"), "hypot": (a.hypotenuse, "f"),
}  # fmt: skip

FUNCTIONS = {name: (getattr(called, "py_func", called), kind) for name, (called, kind) in _FUNCTIONS.items()}
"""Each function, and the type of its result: that of its arguments where it says none."""

BOOLEANS: dict[str, Callable[..., Any]] = {
    "^": lambda *values: _folded(np.logical_and, values),
    "&": lambda *values: _folded(np.logical_and, values),
    "|": lambda *values: _folded(np.logical_or, values),
    "~": lambda *values: np.logical_not(*values) if len(values) == 1 else np.logical_xor(*values),
    "=>": lambda x, y: np.logical_or(np.logical_not(x), y),
    "<=>": np.equal,
}

AGGREGATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda values, over: values.sum(axis=over), "avg": lambda values, over: values.mean(axis=over),
    "prod": lambda values, over: values.prod(axis=over), "minimum": lambda values, over: values.min(axis=over),
    "maximum": lambda values, over: values.max(axis=over), "forall": lambda values, over: values.all(axis=over),
    "exists": lambda values, over: values.any(axis=over), "argmin": lambda values, over: values.argmin(axis=over[0]),
    "argmax": lambda values, over: values.argmax(axis=over[0]),
}  # fmt: skip


def on_arrays(name: str, values: list[Any]) -> Any:
    """An operator or a function, on arrays."""
    if name == "-" and len(values) == 1:
        return -values[0]
    if name in _OPERATORS:
        return _folded(_OPERATORS[name], values)
    function, kind = FUNCTIONS[name]
    made = np.vectorize(function, otypes=["f8"])(*values)
    whole = kind == "i" or (not kind and all(value.dtype.kind in "iu" for value in values))
    return made.astype(np.int64) if whole else made


_OPERATORS: dict[str, Any] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "min": np.minimum, "max": np.maximum,
}  # fmt: skip


def _folded(join: Any, values: Any) -> Any:
    found = values[0]
    for value in values[1:]:
        found = join(found, value)
    return found
