"""From RDDL's expressions about objects to simplified terms about single fluents.

What depends on non-fluents alone is worked out for all objects at once, as an array. Of an aggregation over objects,
only those are visited that can make a difference: `Grounder._mask` says which a body can be true (or not 0) for.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from . import rddl_functions as functions
from .rddl_terms import (
    DRAWS,
    RELATIONS,
    Term,
    UncompiledError,
    choice,
    conjunction,
    const,
    disjunction,
    draw,
    extreme,
    is_const,
    is_random,
    negation,
    negative,
    number,
    product,
    relation,
    same,
    total,
    truth,
    wider,
)  # fmt: skip

MOST_CELLS = 30_000_000
"""The most cells of an array of what depends on objects alone."""

DELTAS = ("KronDelta", "DiracDelta")

PLACES = {"state-fluent": "state", "action-fluent": "action", "observ-fluent": "observ"}
"""Where fluents lie; all others among the interm-fluents."""


class Place(NamedTuple):
    """Where the values of a fluent lie: in the array of this place and store, from `first` on."""

    place: str
    store: str
    type: str
    first: int
    extents: tuple[int, ...]

    @property
    def strides(self) -> tuple[int, ...]:
        """How far apart neighbours of each parameter lie."""
        return tuple(math.prod(self.extents[d + 1 :]) for d in range(len(self.extents)))

    @property
    def size(self) -> int:
        """How many values there are."""
        return math.prod(self.extents)


class Grounder:
    """Grounds the expressions of one instance.

    Args:
        model: pyRDDLGym's model of it.
        values: initial values of all fluents and non-fluents, as its simulator has them.
    """

    def __init__(self, model: Any, values: dict[str, Any]) -> None:
        self.model, self.values = model, values
        self.places: dict[str, Place] = {}
        self.sizes: dict[tuple[str, str], int] = {}
        following = set(model.next_state.values())
        for name, kind in model.variable_types.items():
            if kind != "non-fluent" and name not in following:
                self._place(name, PLACES.get(kind, "interm"))
        for name, primed in model.next_state.items():
            self.places[primed] = self.places[name]._replace(place="next")
        self.where = ""
        self._types: dict[str, str] = {}
        self._kept: dict[tuple[int, str], Any] = {}

    def _place(self, name: str, place: str) -> None:
        given = self.model.variable_ranges[name]
        extents = tuple(self.model.object_counts(self.model.variable_params[name] or []))
        kind = {"bool": "b", "real": "f"}.get(given, "i")
        enum = given in self.model.type_to_objects
        small = enum and len(self.model.type_to_objects[given]) <= 256 and place in ("state", "observ")
        found = Place(place, "e" if small else kind, kind, self.sizes.get((place, "e" if small else kind), 0), extents)
        self.places[name] = found
        self.sizes[place, found.store] = found.first + found.size

    # What is asked from outside

    def cells(self, name: str) -> Iterator[tuple[Term, Term]]:
        """Each fluent that a conditional probability function says, with its term."""
        parameters, expression = self.model.cpfs[name]
        place = self.places[name]
        for slot, objects in enumerate(itertools.product(*map(range, place.extents))):
            self.where = name
            term = self._ground(
                expression, dict(parameters), dict(zip((p for p, _ in parameters), objects, strict=True))
            )
            term = truth(term) if place.type == "b" else number(term)
            if place.type == "i" and term[1] == "f":
                raise UncompiledError(f"{name} is whole, but set to a real number")
            yield ("fluent", place.type, place.place, place.store, place.first + slot), term

    def closed(self, expression: Any, where: str) -> Term:
        """An expression in which no object is free: a reward, a constraint."""
        self.where = where
        return self._ground(expression, {}, {})

    def _ground(self, expression: Any, types: dict[str, str], objects: dict[str, int]) -> Term:
        self._types = types
        return self._term(expression, objects)

    # Terms

    def _refuse(self, construct: str) -> UncompiledError:
        return UncompiledError(f"{construct} in {self.where}")

    def _term(self, expression: Any, objects: dict[str, int]) -> Term:
        if self._is_static(expression):
            return self._known(expression, objects)
        kind, name = expression.etype
        if kind == "pvar":
            return self._fluent(expression, objects)
        if kind == "aggregation":
            return self._aggregation(name, expression, objects)
        if kind == "control":
            return self._control(name, expression, objects)
        if kind == "randomvar":
            return self._draw(name, expression, objects)
        if kind in ("boolean", "arithmetic", "relational", "func"):
            terms = []
            for one in expression.args:
                terms.append(self._term(one, objects))
                if name in "^&|" and terms[-1] == const(name == "|"):
                    return terms[-1]
            return self._operator(kind, name, terms)
        raise self._refuse(name if kind in ("randomvector", "matrix", "pyfunc") else f"{kind} {name}")

    def _operator(self, kind: str, name: str, terms: list[Term]) -> Term:
        if kind == "boolean":
            if name in "^&|":
                return (disjunction if name == "|" else conjunction)(terms)
            if name == "~":
                return negation(terms[0]) if len(terms) == 1 else negation(same(*terms))
            return disjunction([negation(terms[0]), terms[1]]) if name == "=>" else same(*terms)
        if kind == "relational":
            return relation("!=" if name == "~=" else name, *terms)
        if kind == "arithmetic":
            if name == "-":
                return negative(terms[0]) if len(terms) == 1 else total([terms[0], negative(terms[1])])
            if name == "/":
                return self._function("/", [number(term) for term in terms])
            return total(terms) if name == "+" else product(terms)
        if name in ("min", "max"):
            return extreme(name, terms)
        return self._function(name, [number(term) for term in terms])

    def _function(self, name: str, terms: list[Term]) -> Term:
        if name not in functions.FUNCTIONS:
            raise self._refuse(f"function {name}")
        called, kind = functions.FUNCTIONS[name]
        if name == "/" and is_const(terms[1]) and terms[1][2] != 0 and math.frexp(terms[1][2])[0] in (0.5, -0.5):
            return product([terms[0], const(1.0 / terms[1][2])])  # exact: by a power of 2
        kind = kind or wider(*(term[1] for term in terms))
        if all(map(is_const, terms)):
            with np.errstate(all="ignore"):
                return const((float if kind == "f" else int)(called(*(term[2] for term in terms))))
        return (name, kind, *terms)

    def _fluent(self, expression: Any, objects: dict[str, int]) -> Term:
        name, arguments = expression.args
        indices = [self._index(argument, objects) for argument in arguments or []]
        fixed = all(map(is_const, indices))
        if name not in self.places:  # a non-fluent, of objects that depend on the state
            values = np.asarray(self.values[name])
            kind = {"b": "b", "f": "f"}.get(values.dtype.kind, "i")
            strides = tuple(math.prod(values.shape[d + 1 :]) for d in range(values.ndim))
            return ("look", kind, tuple(values.ravel().tolist()), strides, *indices)
        place = self.places[name]
        if fixed:
            slot = sum(i[2] * stride for i, stride in zip(indices, place.strides, strict=True))
            return ("fluent", place.type, place.place, place.store, place.first + slot)
        return ("at", place.type, place.place, place.store, (place.first, place.strides), *indices)

    def _index(self, argument: Any, objects: dict[str, int]) -> Term:
        if not isinstance(argument, str):
            return number(self._term(argument, objects))
        if argument in objects:
            return const(objects[argument])
        return const(self._literal(argument))

    def _literal(self, name: str) -> int:
        if name == "_":
            raise self._refuse("a vector of objects, _,")
        return int(self.model.object_to_index[self.model.strip_literal(name)])

    def _control(self, name: str, expression: Any, objects: dict[str, int]) -> Term:
        if name == "if":
            condition, then, other = expression.args
            asked = truth(self._term(condition, objects))
            if is_const(asked):
                return self._term(then if asked[2] else other, objects)
            return choice(asked, self._term(then, objects), self._term(other, objects))
        asked, *cases = expression.args
        by_name = dict(case if kind == "case" else (kind, case) for kind, case in cases)
        by_name = {self.model.strip_literal(key): value for key, value in by_name.items()}
        where = number(self._term(asked, objects))
        enum = self.model.type_to_objects[self.model.variable_ranges[asked.args[0]]]
        options = [by_name.get(value, by_name.get("default")) for value in enum]
        if is_const(where):
            return self._term(options[where[2]], objects)
        terms = [self._term(option, objects) for option in options]
        found = terms[-1]
        for value in range(len(terms) - 2, -1, -1):
            found = choice(relation("==", where, const(value)), terms[value], found)
        return found

    def _draw(self, name: str, expression: Any, objects: dict[str, int]) -> Term:
        arguments = list(expression.args)
        if name in DELTAS:
            return self._term(arguments[0], objects)
        if name in ("Discrete", "UnnormDiscrete"):
            enum = self.model.type_to_objects[arguments[0][1]]
            cases = {self.model.strip_literal(key): value for _, (key, value) in arguments[1:]}
            terms = [const(0.0) if cases.get(value) is None else self._term(cases[value], objects) for value in enum]
            return draw(name, terms)
        if name in ("Discrete(p)", "UnnormDiscrete(p)"):
            *iterated, (weight,) = arguments
            bodies = [self._term(weight, inner) for inner in self._bindings(iterated, objects)]
            return draw(name.removesuffix("(p)"), bodies)
        if name not in DRAWS:
            raise self._refuse(f"distribution {name}")
        return draw(name, [self._term(one, objects) for one in arguments])

    def _bindings(self, iterated: list[Any], objects: dict[str, int]) -> Iterator[dict[str, int]]:
        names = [name for _, (name, _) in iterated]
        self._types.update({name: kind for _, (name, kind) in iterated})
        for chosen in itertools.product(*(range(self._extent(name)) for name in names)):
            yield {**objects, **dict(zip(names, chosen, strict=True))}

    def _aggregation(self, name: str, expression: Any, objects: dict[str, int]) -> Term:
        *iterated, body = expression.args
        names = [one for _, (one, _) in iterated]
        self._types.update({one: kind for _, (one, kind) in iterated})
        mask = None
        if name in ("sum", "exists", "forall"):
            mask = self._mask(body, name != "forall")
        if mask is None:
            bindings = list(self._bindings(iterated, objects))
        else:
            outer = [one for one in self._free(body) if one not in names]
            bindings = self._masked(body, name != "forall", outer, names, objects)
        terms: list[Term] = []
        for inner in bindings:
            terms.append(self._term(body, inner))
            if name in ("exists", "forall") and terms[-1] == const(name == "exists"):
                return terms[-1]
        if name == "exists":
            return disjunction(terms)
        if name == "forall":
            return conjunction(terms)
        if name in ("sum", "prod"):
            return (total if name == "sum" else product)(terms)
        if name == "avg":
            return self._function("/", [total(terms), const(len(terms))])
        if name in ("minimum", "maximum"):
            return extreme(name[:3], terms)
        return self._function_of_many(name, terms)

    def _function_of_many(self, name: str, terms: list[Term]) -> Term:
        if name not in ("argmin", "argmax"):
            raise self._refuse(f"aggregation {name}")
        terms = [number(term) for term in terms]
        if any(is_random(term) for term in terms):
            raise self._refuse(f"{name} of random numbers")
        best, place = terms[0], const(0)
        for k, term in enumerate(terms[1:], 1):
            better = relation("<" if name == "argmin" else ">", term, best)
            place = choice(better, const(k), place)
            best = extreme(name[3:], [best, term])
        return place

    def _masked(
        self, body: Any, wanted: bool, outer: list[str], names: list[str], objects: dict[str, int]
    ) -> list[dict[str, int]]:
        key = (id(body), f"of {wanted}")
        if key not in self._kept:
            axes = [*outer, *names]
            mask = self._mask(body, wanted)
            order = self._free(body)
            full = np.broadcast_to(mask, [self._extent(one) for one in order])
            missing = [one for one in names if one not in order]
            full = np.broadcast_to(
                full[(..., *[None] * len(missing))], [*full.shape, *(self._extent(one) for one in missing)]
            )
            self._kept[key] = np.transpose(full, [[*order, *missing].index(one) for one in axes])
        table = self._kept[key]
        rows = np.argwhere(table[tuple(objects[one] for one in outer)])
        return [{**objects, **dict(zip(names, row, strict=True))} for row in rows.tolist()]

    # What depends on objects alone

    def _extent(self, name: str) -> int:
        return len(self.model.type_to_objects[self._types[name]])

    def _keep(self, expression: Any, what: str, make: Callable[[], Any]) -> Any:
        key = (id(expression), what)
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def _is_static(self, expression: Any) -> bool:
        return bool(self._keep(expression, "static", lambda: self._decide_static(expression)))

    def _decide_static(self, expression: Any) -> bool:
        kind, _ = expression.etype
        if kind == "constant":
            return True
        if kind == "pvar":
            name, arguments = expression.args
            nested = [one for one in arguments or [] if not isinstance(one, str)]
            return name not in self.places and "_" not in (arguments or []) and all(map(self._is_static, nested))
        if kind == "randomvar" and expression.etype[1] not in DELTAS:
            return False
        if kind in ("randomvar", "arithmetic", "relational", "boolean", "func", "aggregation") or (
            kind == "control" and expression.etype[1] == "if"
        ):
            return all(self._is_static(part) for part in expression.args if not isinstance(part, tuple))
        return False

    def _free(self, expression: Any) -> list[str]:
        """The free objects of an expression, in alphabetical order."""
        found: list[str] = self._keep(expression, "free", lambda: sorted(self._find_free(expression)))
        return found

    def _find_free(self, expression: Any) -> set[str]:
        kind, _ = expression.etype
        if kind == "constant":
            return set()
        if kind == "pvar":
            name, arguments = expression.args
            found = {name} if name.startswith("?") else set()
            for one in arguments or []:
                found |= ({one} if one.startswith("?") else set()) if isinstance(one, str) else set(self._free(one))
            return found
        found, bound = set(), set()
        for part in _parts(expression.args):
            if isinstance(part, tuple):
                bound.add(part[1][0])
                self._types[part[1][0]] = part[1][1]
            else:
                found |= set(self._free(part))
        return found - bound

    def _known(self, expression: Any, objects: dict[str, int]) -> Term:
        """The value of a static expression."""
        if expression.etype[0] == "constant":
            return const(expression.args)
        free = self._free(expression)
        if math.prod(self._extent(one) for one in free) > MOST_CELLS:
            raise self._refuse(f"an expression of {len(free)} objects with more than {MOST_CELLS} cells")
        table = self._keep(expression, "table", lambda: np.asarray(self._array(expression, free)))
        place = tuple(objects[one] if table.shape[axis] > 1 else 0 for axis, one in enumerate(free))
        return const(table[place].item())

    def _array(self, expression: Any, axes: list[str]) -> Any:
        """A static expression as an array over these objects; of length 1 along those that it does not have."""
        kind, name = expression.etype
        if kind == "constant":
            return np.full((1,) * len(axes), expression.args)
        if kind == "pvar":
            return self._array_of_values(expression, axes)
        if kind == "aggregation":
            *iterated, body = expression.args
            self._types.update({one: of for _, (one, of) in iterated})
            inner = [*axes, *(one for _, (one, _) in iterated)]
            if math.prod(self._extent(one) for one in inner) > MOST_CELLS:
                raise self._refuse(f"an aggregation with more than {MOST_CELLS} cells")
            values = np.asarray(self._array(body, inner))
            extents = [self._extent(one) for one in inner[len(axes) :]]
            values = np.broadcast_to(values, (*values.shape[: len(axes)], *extents))
            over = tuple(range(len(axes), len(inner)))
            return functions.AGGREGATIONS[name](values if name in ("exists", "forall") else 1 * values, over)
        parts = [np.asarray(self._array(part, axes)) for part in expression.args]
        if kind == "control":
            return np.where(*parts)
        if kind == "randomvar":
            return parts[0]
        if kind == "boolean":
            return functions.BOOLEANS[name](*parts)
        parts = [1 * part for part in parts]
        if kind == "relational":
            return RELATIONS["!=" if name == "~=" else name](*parts)
        with np.errstate(all="ignore"):
            return functions.on_arrays(name, parts)

    def _array_of_values(self, expression: Any, axes: list[str]) -> Any:
        name, arguments = expression.args
        if name.startswith("?"):
            return self._along(name, axes)
        if name not in self.values:
            return np.full((1,) * len(axes), self._literal(name))
        indices = []
        for one in arguments or []:
            if not isinstance(one, str):
                indices.append(self._array(one, axes))
            elif one.startswith("?"):
                indices.append(self._along(one, axes))
            else:
                indices.append(np.full((1,) * len(axes), self._literal(one)))
        values = np.asarray(self.values[name])
        return values[tuple(indices)] if indices else values.reshape((1,) * len(axes))

    def _along(self, name: str, axes: list[str]) -> Any:
        place = axes.index(name)
        return np.arange(self._extent(name)).reshape([-1 if axis == place else 1 for axis in range(len(axes))])

    def _mask(self, expression: Any, wanted: bool) -> Any:
        """For which of its free objects an expression can be true (not 0), or else false; None for all."""
        free = self._free(expression)
        if math.prod(self._extent(one) for one in free) > MOST_CELLS:
            return None
        return self._keep(expression, f"mask {wanted}", lambda: self._find_mask(expression, wanted, free))

    def _find_mask(self, expression: Any, wanted: bool, free: list[str]) -> Any:
        if self._is_static(expression):
            return (np.asarray(self._array(expression, free)) != 0) == wanted
        kind, name = expression.etype
        if kind == "aggregation" and name in (("sum", "exists") if wanted else ("forall",)):
            *iterated, body = expression.args
            self._types.update({one: of for _, (one, of) in iterated})
            mask = self._mask(body, wanted)
            if mask is None:
                return None
            inner = self._free(body)
            mask = np.broadcast_to(mask, [self._extent(one) for one in inner])
            return mask.any(axis=tuple(k for k, one in enumerate(inner) if one not in free))
        if kind in ("boolean", "arithmetic", "control") or (kind == "randomvar" and name in (*DELTAS, "Bernoulli")):
            return self._combined(name, [*expression.args], wanted, free)
        return None

    def _combined(self, name: str, parts: list[Any], wanted: bool, free: list[str]) -> Any:
        def mask(k: int, of: bool) -> Any:
            found = self._mask(parts[k], of)
            if found is None:
                return np.ones((1,) * len(free), np.bool_)
            own = self._free(parts[k])
            shape = [found.shape[own.index(one)] if one in own else 1 for one in free]
            return np.asarray(found).reshape(shape)

        every = range(len(parts))
        if name in ("^", "&", "*"):
            if name == "*" and not wanted:
                return None
            return _fold(np.logical_and if wanted else np.logical_or, [mask(k, wanted) for k in every])
        if name == "|":
            return _fold(np.logical_or if wanted else np.logical_and, [mask(k, wanted) for k in every])
        if name == "~" and len(parts) == 1:
            return mask(0, not wanted)
        if name == "=>":
            return mask(0, False) | mask(1, True) if wanted else mask(0, True) & mask(1, False)
        if name in ("+", "-") and wanted:
            return _fold(np.logical_or, [mask(k, True) for k in every])
        if name == "if":
            return (mask(0, True) & mask(1, wanted)) | (mask(0, False) & mask(2, wanted))
        if name in (*DELTAS, "Bernoulli", "/") and wanted:
            return mask(0, True)
        return mask(0, False) if name in DELTAS else None


def _fold(join: Any, masks: list[Any]) -> Any:
    found = masks[0]
    for mask in masks[1:]:
        found = join(found, mask)
    return found


def _parts(arguments: Any) -> Iterator[Any]:
    """The expressions and typed variables among the arguments of an expression, also those inside of cases."""
    for part in arguments:
        if isinstance(part, tuple):
            if part[0] == "typed_var":
                yield part
            elif part[0] in ("case", "lconst"):
                yield from _parts(part[1])
            elif part[0] == "default":
                yield part[1]
        elif isinstance(part, list):
            yield from _parts(part)
        elif not isinstance(part, str):
            yield part
