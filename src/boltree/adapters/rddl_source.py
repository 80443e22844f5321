"""From terms to the source of functions that Numba compiles.

Terms of the same shape, which differ in the fluents and constants at their leaves only, become one loop over tables of
these: the source, and with it the time to compile, grows with what is different and not with the number of objects.
Where terms are few they are written out, which runs faster: leaves are then part of the code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from .rddl_functions import FUNCTIONS
from .rddl_terms import DRAWS, LEAVES, MANY, RELATIONS, Term, UncompiledError, kids

WRITTEN_OUT = 700
"""Up to this number of operators and leaves, the terms of a function are written out."""

FEW = 24
"""From this number of operators and leaves on, terms under one operator are a loop, if terms are not written out."""

BRIEF = 60
"""Up to this number of operators and leaves, a condition is worked out whether or not it matters."""

NESTED = 40
"""How deep an expression may be before a part of it gets a name."""

SAMPLERS = {
    "Uniform": "uniform_between", "Normal": "normal", "Exponential": "exponential", "Weibull": "weibull",
    "Gamma": "gamma", "Beta": "beta", "Pareto": "pareto", "Student": "student", "Gumbel": "gumbel",
    "Laplace": "laplace", "Cauchy": "cauchy", "Gompertz": "gompertz", "ChiSquare": "chi_square",
    "Kumaraswamy": "kumaraswamy", "Poisson": "poisson", "Binomial": "binomial",
    "NegativeBinomial": "negative_binomial", "Geometric": "geometric",
}  # fmt: skip
"""The samplers of `boltree.problem.sampling`, by distribution."""

NEUTRAL = {"and": "True", "or": "False", "sum": "0", "prod": "1"}

Shape = tuple[Any, ...]
Row = list[Any]


@dataclass
class Tables:
    """What loops look up: the parameters of the problem."""

    places: list[int] = field(default_factory=list)
    wholes: list[int] = field(default_factory=list)
    reals: list[float] = field(default_factory=list)
    kept: dict[Any, int] = field(default_factory=dict)

    def put(self, name: str, values: Iterable[Any]) -> int:
        """Where these values lie in a table; the same ones lie there once."""
        row = tuple(values)
        table: list[Any] = getattr(self, name)
        if (name, row) not in self.kept:
            self.kept[name, row] = len(table)
            table.extend(row)
        return self.kept[name, row]


def size_of(term: Term) -> int:
    """How many operators and leaves a term has."""
    return 1 + sum(map(size_of, kids(term)))


def split(term: Term) -> tuple[Shape, Row]:
    """A term's shape, and what is at its leaves, in order. Terms of one shape under one operator become a list."""
    name = term[0]
    if name == "const":
        return ("const", term[1]), [term[2]]
    if name == "fluent":
        return term[:4], [term[4]]
    if name == "at":
        inner = [split(kid) for kid in kids(term)]
        return ("at", *term[1:4], term[4][1], tuple(s for s, _ in inner)), [term[4][0], *(row for _, row in inner)]
    if name == "look":
        inner = [split(kid) for kid in kids(term)]
        return ("look", term[1], term[3], tuple(s for s, _ in inner)), [term[2], *(row for _, row in inner)]
    if name in MANY or name in ("Discrete", "UnnormDiscrete"):
        groups: dict[Shape, list[Row]] = {}
        parts = [split(kid) for kid in kids(term)]
        if name not in MANY:  # the order matters: one group, or none
            if len({shape for shape, _ in parts}) > 1:
                return (name, term[1], tuple(s for s, _ in parts)), [row for _, row in parts]
            return (name, term[1], "list", parts[0][0]), [[row for _, row in parts]]
        for shape, row in parts:
            groups.setdefault(shape, []).append(row)
        shapes = tuple(sorted(groups, key=lambda s: (_weight(s), repr(s))))
        return (name, term[1], shapes), [groups[shape] for shape in shapes]
    parts = [split(kid) for kid in kids(term)]
    return (name, term[1], tuple(s for s, _ in parts)), [row for _, row in parts]


def _weight(shape: Any) -> int:
    return 1 + sum(_weight(part) for part in shape if isinstance(part, tuple))


class Writer:
    """Writes the body of one function.

    Args:
        tables: where loops look things up.
        single: for each boolean action-fluent, the number of the one action that sets it; None where that is not so.
        actions: the table of each store of actions, its width, and where it begins.
        listing: whether draws follow a script.
    """

    def __init__(
        self, tables: Tables, single: list[int] | None, actions: dict[str, tuple[str, int, int]],
        *, listing: bool = False,
    ) -> None:  # fmt: skip
        self.tables, self.single, self.actions, self.listing = tables, single, actions, listing
        self.lines: list[str] = []
        self.depth = 1
        self.names = 0
        self.used: set[str] = set()
        self.scratches: dict[str, tuple[int, str]] = {}

    # Lines

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append("    " * self.depth + text)

    def name(self) -> str:
        """A fresh name."""
        self.names += 1
        return f"t{self.names}"

    # Terms

    def cells(self, cells: list[tuple[Term, Term]]) -> None:
        """Set fluents to their terms; those of one shape in a loop, unless they are few."""
        groups: dict[Shape, list[Row]] = {}
        for target, term in cells:
            (shape, row), value = split(term), target[4]
            groups.setdefault((target[2], target[3], shape), []).append([value, row])
        loops = sum(size_of(term) for _, term in cells) > WRITTEN_OUT
        for (place, store, shape), rows in groups.items():
            chunks = [rows] if loops else [[row] for row in rows]
            for chunk in chunks:
                var = None
                if len(chunk) > 1:
                    var = self.name()
                    self.line(f"for {var} in range({len(chunk)}):")
                    self.depth += 1
                value = self.code(shape, [row[1] for row in chunk], var, loops)
                slot = self.look("places", [row[0] for row in chunk], var)
                self.line(f"{self.array(place, store)}[{slot}] = {value}")
                if var:
                    self.depth -= 1

    def term(self, term: Term) -> str:
        """The code of a term."""
        shape, row = split(term)
        return self.code(shape, [row], None, size_of(term) > WRITTEN_OUT)

    def array(self, place: str, store: str) -> str:
        """The array of a place and store."""
        if place == "mask":
            return place
        found = f"{place}_{store}"
        self.used.add(found)
        return found

    def look(self, table: str, values: list[Any], var: str | None) -> str:
        """One of these values, by the loop's variable."""
        if all(value == values[0] for value in values) and math.isfinite(values[0]):
            return repr(values[0])
        if table == "places":
            stride = values[1] - values[0]
            if stride > 0 and all(b - a == stride for a, b in pairwise(values)):
                scaled = f"{stride} * {var}" if stride > 1 else f"{var}"
                return f"{values[0]} + {scaled}" if values[0] else scaled
        self.used.add(table)
        return f"{table}[{self.tables.put(table, values)} + {var or 0}]"

    def code(self, shape: Shape, rows: list[Row], var: str | None, loops: bool, deep: int = 0) -> str:
        """The code of the terms of one shape: of the only one, or of the one that the loop's variable says."""
        name = shape[0]
        if name == "const":
            values = [row[0] for row in rows]
            if shape[1] == "b":
                return (
                    f"({self.look('places', [int(v) for v in values], var)} != 0)"
                    if len(set(values)) > 1
                    else repr(values[0])
                )
            return self.look("wholes" if shape[1] == "i" else "reals", values, var)
        if name == "fluent":
            return self._fluent(shape, rows, var)
        if name in ("at", "look"):
            return self._lookup(shape, rows, var, loops, deep)
        if name in ("Discrete", "UnnormDiscrete"):
            return self._discrete(shape, rows, var, loops)
        if name in MANY:
            found = self._many(shape, rows, var, loops, deep)
        elif name == "if":
            found = self._if(shape, rows, var, loops, deep)
        else:
            parts = [self.code(s, [row[k] for row in rows], var, loops, deep + 1) for k, s in enumerate(shape[2])]
            found = self._operation(name, parts)
        if deep and deep % NESTED == 0:
            given = self.name()
            self.line(f"{given} = {found}")
            return given
        return found

    def _operation(self, name: str, parts: list[str]) -> str:
        if name == "not":
            return f"(not {parts[0]})"
        if name == "number":
            return f"int({parts[0]})"
        if name == "same":
            return f"({parts[0]} == {parts[1]})"
        if name in RELATIONS:
            return f"({parts[0]} {name} {parts[1]})"
        if name == "Bernoulli":
            if self.listing:
                return f"sampling.list_bernoulli(script, weight, {parts[0]})"
            return f"(uniform(rng) < {parts[0]})"
        if name in DRAWS:
            return f"sampling.{SAMPLERS[name]}(rng, {', '.join(parts)})"
        if name == "/" and _nonzero(parts[1]):
            return f"({parts[0]} / {parts[1]})"
        called = FUNCTIONS[name][0]
        return f"{'abs' if called is abs else f'arithmetic.{called.__name__}'}({', '.join(parts)})"

    def _fluent(self, shape: Shape, rows: list[Row], var: str | None) -> str:
        _, kind, place, store = shape
        slots = [row[0] for row in rows]
        if place == "action":
            if store == "b" and self.single is not None:
                return f"(action == {self.look('places', [self.single[slot] for slot in slots], var)})"
            table, width, first = self.actions[store]
            self.used.add(table)
            found = f"{table}[{first} + action * {width} + {self.look('places', slots, var)}]"
        else:
            found = f"{self.array(place, store)}[{self.look('places', slots, var)}]"
        return f"({found} != 0)" if kind == "b" else f"int({found})" if store == "e" else found

    def _lookup(self, shape: Shape, rows: list[Row], var: str | None, loops: bool, deep: int) -> str:
        strides, inner = shape[-2:]
        parts = [
            f"{stride} * {self.code(s, [row[k + 1] for row in rows], var, loops, deep + 1)}"
            for k, (stride, s) in enumerate(zip(strides, inner, strict=True))
        ]
        if shape[0] == "look":
            table = {"b": "places", "i": "wholes", "f": "reals"}[shape[1]]
            firsts = [self.tables.put(table, map(int, row[0]) if shape[1] == "b" else row[0]) for row in rows]
            self.used.add(table)
            found = f"{table}[{self.look('places', firsts, var)} + {' + '.join(parts)}]"
        else:
            _, _, place, store = shape[:4]
            first = self.look("places", [row[0] for row in rows], var)
            if place == "action":
                raise UncompiledError("an action-fluent of objects that depend on the state")
            found = f"{self.array(place, store)}[{first} + {' + '.join(parts)}]"
        return f"({found} != 0)" if shape[1] == "b" else f"int({found})" if shape[1] == "i" else found

    def _block(self, shape: Shape, rows: list[Row], var: str | None, loops: bool, deep: int) -> tuple[list[str], str]:
        """The code of a term, and the lines that must come before it."""
        before, self.lines = self.lines, []
        self.depth += 1
        code = self.code(shape, rows, var, loops, deep + 1)
        self.depth -= 1
        lines, self.lines = self.lines, before
        return lines, code

    def _if(self, shape: Shape, rows: list[Row], var: str | None, loops: bool, deep: int) -> str:
        asked, then, other = shape[2]
        condition = self.code(asked, [row[0] for row in rows], var, loops, deep + 1)
        if shape[1] == "b" and _is_brief(then, rows[0][1]) and _is_brief(other, rows[0][2]):
            given = self.name()
            self.line(f"{given} = {condition}")
            code = self.code(then, [row[1] for row in rows], var, loops, deep + 1)
            other_code = self.code(other, [row[2] for row in rows], var, loops, deep + 1)
            known = {row[1][0] for row in rows} if then[0] == "const" else set()
            if known == {True}:
                return f"({given} | {other_code})"
            if known == {False}:
                return f"((not {given}) & {other_code})"
            return f"(({given} & {code}) | ((not {given}) & {other_code}))"
        lines, code = self._block(then, [row[1] for row in rows], var, loops, deep)
        other_lines, other_code = self._block(other, [row[2] for row in rows], var, loops, deep)
        if not lines and not other_lines:
            return f"({code} if {condition} else {other_code})"
        given = self.name()
        self.line(f"if {condition}:")
        self._nested(lines, f"{given} = {code}")
        self.line("else:")
        self._nested(other_lines, f"{given} = {other_code}")
        return given

    def _nested(self, lines: list[str], last: str) -> None:
        self.lines += lines
        self.depth += 1
        self.line(last)
        self.depth -= 1

    def _many(self, shape: Shape, rows: list[Row], var: str | None, loops: bool, deep: int) -> str:
        """An operator on many terms: in loops over those of one shape."""
        name, kind = shape[:2]
        written: list[str] = []
        given, lazy = "", False  # the name of what is gathered, once there is one
        for k, inner in enumerate(shape[2]):
            lists = [row[k] for row in rows]
            longest = max(map(len, lists))
            if var is None:
                looped = loops and longest > 1 and longest * _weight(inner) >= FEW
            else:
                looped = longest > 3 or min(map(len, lists)) < longest
            if looped:
                given = self._loop(name, kind, inner, lists, var, loops, given, written)
                continue
            for column in zip(*lists, strict=True):
                if name not in ("and", "or") or _is_brief(inner, column[0]):
                    written.append(self.code(inner, list(column), var, loops, deep + 1))
                    continue
                lazy = True
                lines, code = self._block(inner, list(column), var, loops, deep)
                if not lines:
                    written.append(code)
                    continue
                given = self._gather(name, kind, given, written)
                self.line(f"if {given if name == 'and' else f'not {given}'}:")
                self._nested(lines, f"{given} = {code}")
        if given:
            return self._gather(name, kind, given, written)
        return _joined(name, written, lazy)

    def _loop(
        self, name: str, kind: str, inner: Shape, lists: list[list[Row]], var: str | None, loops: bool, given: str,
        written: list[str],
    ) -> str:  # fmt: skip
        """Gather the terms of the lists (of one list, or of that which the loop's variable says)."""
        given = self._gather(name, kind, given, written)
        q = self.name()
        if name in ("and", "or"):
            self.line(f"if {given if name == 'and' else f'not {given}'}:")
            self.depth += 1
        flat, span = self._flat(lists, var)
        self.line(f"for {q} in range({span}):")
        self.depth += 1
        code = self.code(inner, flat, q, loops)
        if name in ("and", "or"):
            self.line(f"if {code if name == 'or' else f'not {code}'}:")
            self.line(f"    {given} = {name == 'or'}")
            self.line("    break")
            self.depth -= 1
        else:
            self._add(name, given, code)
        self.depth -= 1
        return given

    def _flat(self, lists: list[list[Row]], var: str | None) -> tuple[list[Row], str]:
        """All rows of the lists, and the range of those that are meant."""
        flat = [row for one in lists for row in one]
        lengths = {len(one) for one in lists}
        if len(lists) == 1:
            return flat, str(len(flat))
        if len(lengths) == 1:
            n = lengths.pop()
            return flat, f"{n} * {var}, {n} * {var} + {n}"
        first = self.tables.put("places", np.cumsum([0, *map(len, lists)]).tolist())
        self.used.add("places")
        return flat, f"places[{first} + {var}], places[{first + 1} + {var}]"

    def _gather(self, name: str, kind: str, given: str, written: list[str]) -> str:
        """The name of what is gathered, with what is written so far."""
        if not given:
            given = self.name()
            neutral = NEUTRAL.get(name) or ("np.inf" if name == "min" else "-np.inf")
            if kind == "f" and name in ("sum", "prod"):
                neutral += ".0"
            if kind == "i" and name in ("min", "max"):
                neutral = "2**62" if name == "min" else "-(2**62)"
            self.line(f"{given} = {_joined(name, written) if written else neutral}")
        elif written:
            if name in ("and", "or"):
                self.line(f"{given} = {_joined(name, [given, *written])}")
            else:
                self._add(name, given, _joined(name, written))
        written.clear()
        return given

    def _add(self, name: str, given: str, code: str) -> None:
        if name in ("sum", "prod"):
            self.line(f"{given} {'+' if name == 'sum' else '*'}= {code}")
        else:
            self.line(f"{given} = {name}({given}, {code})")

    def _discrete(self, shape: Shape, rows: list[Row], var: str | None, loops: bool) -> str:
        """A draw by weights, which are written into an array first."""
        listed = shape[2] == "list"
        count = {len(row[0]) for row in rows} if listed else {len(shape[2])}
        if len(count) > 1:
            raise UncompiledError("Discrete with several numbers of values")
        n = count.pop()
        weights = self.name().replace("t", "weights")
        self.scratches[weights] = (n, "REALS")
        if listed and loops:
            q = self.name()
            self.line(f"for {q} in range({n}):")
            self.depth += 1
            flat = [one for row in rows for one in row[0]]
            at = q
            if var is not None:
                at = self.name()
                self.line(f"{at} = {n} * {var} + {q}")
            code = self.code(shape[3], flat, at if len(flat) > 1 else None, loops)
            self.line(f"{weights}[{q}] = {code}")
            self.depth -= 1
        else:
            for k in range(n):
                inner = shape[3] if listed else shape[2][k]
                code = self.code(inner, [row[0][k] if listed else row[k] for row in rows], var, loops)
                self.line(f"{weights}[{k}] = {code}")
        given = self.name()
        drawn = "sampling.list_categorical(script, weight" if self.listing else "sampling.categorical(rng"
        self.line(f"{given} = {drawn}, {weights})")
        return given


def _is_brief(shape: Shape, row: Row) -> bool:
    """Whether a term is worked out sooner than it takes to branch around it: it is short, and nothing is drawn."""
    return _cost(shape, row) <= BRIEF


def _cost(shape: Shape, row: Row) -> float:
    name = shape[0]
    if name in LEAVES:
        return 1
    if name in DRAWS:
        return math.inf
    if name in MANY:
        return 1 + sum(_cost(inner, one) for inner, rows in zip(shape[2], row, strict=True) for one in rows)
    inner, rows = (shape[-1], row[1:]) if name in ("at", "look") else (shape[2], row)
    return 1 + sum(map(_cost, inner, rows))


def _joined(name: str, codes: list[str], lazy: bool = False) -> str:
    """Codes with an operator between them; ``&`` and ``|`` make no branches, which take Numba long to compile."""
    if len(codes) == 1:
        return codes[0]
    if name in ("min", "max"):
        found = codes[0]
        for code in codes[1:]:
            found = f"{name}({found}, {code})"
        return found
    return (
        "("
        + {"and": " and " if lazy else " & ", "or": " or " if lazy else " | ", "sum": " + ", "prod": " * "}[name].join(
            codes
        )
        + ")"
    )


def _nonzero(code: str) -> bool:
    try:
        return float(code) != 0.0
    except ValueError:
        return False
