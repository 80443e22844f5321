"""Expressions of a grounded RDDL problem, simplified as they are built.

A term is a tuple ``(operator, type, ...)``; its type is ``"b"`` (boolean), ``"i"`` (whole) or ``"f"`` (real):

* ``("const", type, value)``
* ``("fluent", type, place, store, slot)``: the place is ``state``, ``next``, ``interm``, ``observ`` or ``action``; its
  values of one store lie in one array, and the slot is where.
* ``("at", type, place, store, (first, strides), *indices)``: a fluent of objects that depend on the state.
* ``("look", type, values, strides, *indices)``: a constant of objects that depend on the state; values is a tuple.
* ``(operator, type, *terms)`` for all else: operators on any number of terms (`MANY`), ``if``, ``not``, relations,
  functions of `rddl_functions`, and draws (`DRAWS`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Term = tuple[Any, ...]

MANY = ("and", "or", "sum", "prod", "min", "max")
"""Operators on any number of terms, whose order does not matter."""

LEAVES = ("const", "fluent")

DRAWS = {
    "Bernoulli": "b", "Discrete": "i", "UnnormDiscrete": "i",
    "Uniform": "f", "Normal": "f", "Exponential": "f", "Weibull": "f", "Gamma": "f", "Beta": "f", "Pareto": "f",
    "Student": "f", "Gumbel": "f", "Laplace": "f", "Cauchy": "f", "Gompertz": "f", "ChiSquare": "f",
    "Kumaraswamy": "f", "Poisson": "i", "Binomial": "i", "NegativeBinomial": "i", "Geometric": "i",
}  # fmt: skip
"""The distributions, and the type of what they give."""

RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

TRUE: Term = ("const", "b", True)
FALSE: Term = ("const", "b", False)


class UncompiledError(Exception):
    """What is not compiled: a construct, and the fluent (or constraint) in which it stands."""


def const(value: Any) -> Term:
    """A constant."""
    if isinstance(value, (bool, np.bool_)):
        return TRUE if value else FALSE
    return ("const", "i", int(value)) if isinstance(value, (int, np.integer)) else ("const", "f", float(value))


def is_const(term: Term) -> bool:
    """Whether a term is a constant."""
    return bool(term[0] == "const")


def kids(term: Term) -> tuple[Term, ...]:
    """The terms that a term is made of."""
    if term[0] in LEAVES:
        return ()
    return term[5:] if term[0] == "at" else term[4:] if term[0] == "look" else term[2:]


def walk(term: Term) -> Iterator[Term]:
    """A term and all that it is made of."""
    yield term
    for kid in kids(term):
        yield from walk(kid)


def is_random(term: Term) -> bool:
    """Whether something is drawn in it."""
    return term[0] in DRAWS or any(map(is_random, kids(term)))


def wider(*types: str) -> str:
    """The type of a number that holds numbers of these types."""
    return "f" if "f" in types else "i"


def number(term: Term) -> Term:
    """A boolean as 0 or 1."""
    if term[1] != "b":
        return term
    return const(int(term[2])) if is_const(term) else ("number", "i", term)


def truth(term: Term) -> Term:
    """A number as whether it is not 0."""
    if term[1] == "b":
        return term
    return const(bool(term[2])) if is_const(term) else ("!=", "b", term, const(0))


def conjunction(terms: list[Term]) -> Term:
    """All of them."""
    return _joined("and", terms, FALSE, TRUE)


def disjunction(terms: list[Term]) -> Term:
    """Any of them."""
    return _joined("or", terms, TRUE, FALSE)


def _joined(name: str, terms: list[Term], deciding: Term, neutral: Term) -> Term:
    parts: list[Term] = []
    seen: set[Term] = set()
    for term in terms:
        for part in kids(term) if term[0] == name else (truth(term),):
            if part == deciding:
                return deciding
            if part != neutral and (part not in seen or is_random(part)):
                parts.append(part)
                seen.add(part)
    return neutral if not parts else parts[0] if len(parts) == 1 else (name, "b", *parts)


def negation(term: Term) -> Term:
    """Its opposite."""
    term = truth(term)
    if is_const(term):
        return const(not term[2])
    return term[2] if term[0] == "not" else ("not", "b", term)


def total(terms: list[Term]) -> Term:
    """Their sum."""
    parts: list[Term] = []
    for term in map(number, terms):
        parts += kids(term) if term[0] == "sum" else (term,)
    kind = wider(*(part[1] for part in parts))
    fixed = sum(part[2] for part in parts if is_const(part))
    parts = [part for part in parts if not is_const(part)]
    if fixed != 0 or not parts:
        parts.append(const(float(fixed) if kind == "f" and not parts else fixed))
    return parts[0] if len(parts) == 1 else ("sum", kind, *parts)


def product(terms: list[Term]) -> Term:
    """Their product."""
    parts: list[Term] = []
    for term in map(number, terms):
        parts += kids(term) if term[0] == "prod" else (term,)
    kind = wider(*(part[1] for part in parts))
    fixed = math.prod(part[2] for part in parts if is_const(part))
    parts = [part for part in parts if not is_const(part)]
    if fixed == 0:
        return const(fixed)
    if fixed != 1 or not parts:
        parts.append(const(float(fixed) if kind == "f" and not parts else fixed))
    return parts[0] if len(parts) == 1 else ("prod", kind, *parts)


def extreme(name: str, terms: list[Term]) -> Term:
    """The least (``min``) or the greatest (``max``)."""
    numbers = list(map(number, terms))
    parts = [one for k, one in enumerate(numbers) if one not in numbers[:k] or is_random(one)]
    kind = wider(*(part[1] for part in parts))
    fixed = [part[2] for part in parts if is_const(part)]
    parts = [part for part in parts if not is_const(part)]
    if fixed:
        parts.append(const(min(fixed) if name == "min" else max(fixed)))
    return parts[0] if len(parts) == 1 else (name, kind, *parts)


def negative(term: Term) -> Term:
    """Minus it."""
    return product([const(-1), term])


def choice(condition: Term, then: Term, other: Term) -> Term:
    """One of two, by a condition."""
    condition = truth(condition)
    if is_const(condition):
        return then if condition[2] else other
    if then[1] != other[1]:
        then, other = number(then), number(other)
    if then == other and not is_random(then):
        return then
    if then == TRUE and other == FALSE:
        return condition
    if then == FALSE and other == TRUE:
        return negation(condition)
    kind = then[1] if then[1] == other[1] else wider(then[1], other[1])
    return ("if", kind, condition, then, other)


def relation(name: str, left: Term, right: Term) -> Term:
    """A comparison."""
    left, right = number(left), number(right)
    if is_const(left) and is_const(right):
        return const(bool(RELATIONS[name](left[2], right[2])))
    return (name, "b", left, right)


def same(left: Term, right: Term) -> Term:
    """Whether two booleans are the same."""
    left, right = truth(left), truth(right)
    if is_const(left) or is_const(right):
        known, other = (left, right) if is_const(left) else (right, left)
        return other if known[2] else negation(other)
    return ("same", "b", left, right)


def draw(name: str, arguments: list[Term]) -> Term:
    """A draw from a distribution."""
    terms = [number(term) for term in arguments]
    if name == "Bernoulli" and is_const(terms[0]) and terms[0][2] in (0, 1):
        return const(bool(terms[0][2]))
    return (name, DRAWS[name], *terms)


def rebuilt(term: Term, leaf: Callable[[Term], Term]) -> Term:
    """A term whose leaves are replaced, simplified again."""
    name = term[0]
    if name in LEAVES:
        return leaf(term)
    parts = [rebuilt(kid, leaf) for kid in kids(term)]
    if all(new is old for new, old in zip(parts, kids(term), strict=True)):
        return term
    if name in ("and", "or"):
        return conjunction(parts) if name == "and" else disjunction(parts)
    if name in ("sum", "prod"):
        return total(parts) if name == "sum" else product(parts)
    if name in ("min", "max"):
        return extreme(name, parts)
    if name == "not":
        return negation(parts[0])
    if name == "number":
        return number(parts[0])
    if name == "if":
        return choice(*parts)
    if name == "same":
        return same(*parts)
    if name in RELATIONS:
        return relation(name, *parts)
    if name in DRAWS:
        return draw(name, parts)
    return (*term[: len(term) - len(parts)], *parts)


def interval(term: Term) -> tuple[float, float]:
    """The least and the most that a number can be, as far as that is seen without knowing the fluents."""
    name, kind = term[:2]
    if kind == "b":
        return (float(term[2]), float(term[2])) if name == "const" else (0.0, 1.0)
    if name == "const":
        return float(term[2]), float(term[2])
    if name == "look":
        return float(min(term[2])), float(max(term[2]))
    parts = [interval(part) for part in kids(term)]
    if name == "number":
        return parts[0]
    if name == "if":
        return min(parts[1][0], parts[2][0]), max(parts[1][1], parts[2][1])
    if name == "sum":
        return sum(low for low, _ in parts), sum(high for _, high in parts)
    if name in ("min", "max"):
        chosen = min if name == "min" else max
        return chosen(low for low, _ in parts), chosen(high for _, high in parts)
    if name == "abs":
        low, high = parts[0]
        return max(low, -high, 0.0), max(-low, high)
    if name in ("prod", "/"):
        if name == "/" and parts[1][0] <= 0.0 <= parts[1][1]:
            return -math.inf, math.inf
        low, high = parts[0]
        for other in parts[1:]:
            ends = other if name == "prod" else (1.0 / other[0], 1.0 / other[1])
            corners = [0.0 if 0.0 in (x, y) else x * y for x in (low, high) for y in ends]
            low, high = min(corners), max(corners)
        return low, high
    return -math.inf, math.inf
