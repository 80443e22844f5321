"""What is observed in a POMDP in RDDL: where observ-fluents come from, and how probable their values are.

Most observ-fluents are functions of the state that follows and of the action, perhaps with draws of their own. They are
drawn when the search asks what is observed, and the probability of what was observed is a product over the fluents,

    P(o | s, a, s') = product over the fluents of P(o_f | s, a, s'),

as RDDL draws each by itself. Those that depend on interm-fluents are drawn in the step, and carried in the state.
"""

from __future__ import annotations

from typing import Any

from .rddl_terms import (
    FALSE,
    TRUE,
    Term,
    UncompiledError,
    choice,
    const,
    is_random,
    kids,
    negation,
    negative,
    number,
    product,
    relation,
    same,
    total,
    truth,
    walk,
)  # fmt: skip

Cell = tuple[Term, Term]
"""A fluent, and the term that says its value."""


class Observations:
    """The observ-fluents of an instance.

    Args:
        cells: each with its term, in the order in which they are worked out.
        sizes: how many fluents there are by place and store; those that are carried in the state are added to it.
    """

    def __init__(self, cells: list[Cell], sizes: dict[tuple[str, str], int]) -> None:
        self.cells = cells
        self.stores = {store: size for (place, store), size in sizes.items() if place == "observ"}
        self.carried: list[Cell] = []
        if any(leaf[0] in ("fluent", "at") and leaf[2] == "interm" for _, term in cells for leaf in walk(term)):
            self._carry(sizes)

    def _carry(self, sizes: dict[tuple[str, str], int]) -> None:
        """Let the step work all of them out, into slots of the state behind those of its fluents."""
        first = {store: sizes.get(("state", store), 0) for store in self.stores}
        for store, size in self.stores.items():
            sizes["state", store] = first[store] + size
        copied = []
        for target, term in self.cells:
            if any(leaf[0] in ("fluent", "at") and leaf[2] == "observ" for leaf in walk(term)):
                raise UncompiledError("an observ-fluent that depends on interm-fluents and on other observ-fluents")
            behind = ("fluent", target[1], "next", target[3], first[target[3]] + target[4])
            self.carried.append((behind, term))
            copied.append((target, behind))
        self.cells = copied

    def probability(self) -> Term | None:
        """The probability of what is observed; None where it cannot be said, or is a density."""
        if self.carried:
            return None
        found = [likelihood(term, target) for target, term in self.cells]
        known = [one for one in found if one is not None]
        return product([const(1.0), *known]) if len(known) == len(found) else None


def likelihood(term: Term, value: Term) -> Term | None:
    """The probability that a term comes out as a value; None where that cannot be said.

    All draws in a term are independent, also those of equal parts.
    """
    name, kind = term[:2]
    if kind == "f":
        return None
    if not is_random(term):
        return number(same(term, value) if kind == "b" else relation("==", term, value))
    parts = kids(term)
    if name in ("Bernoulli", "Discrete", "UnnormDiscrete"):
        return None if any(map(is_random, parts)) else _of_draw(name, parts, value)
    if name == "if":
        return _of_choice(parts, value)
    if name == "not":
        return likelihood(parts[0], negation(value))
    if name == "number":
        return likelihood(parts[0], truth(value))
    if name in ("and", "or"):
        alike = [likelihood(part, TRUE if name == "and" else FALSE) for part in parts]
        if any(one is None for one in alike):
            return None
        every = product(alike)  # type: ignore[arg-type]
        return choice(value if name == "and" else negation(value), every, _other(every))
    return None


def _of_draw(name: str, parts: tuple[Term, ...], value: Term) -> Term:
    if name == "Bernoulli":
        return choice(value, parts[0], _other(parts[0]))
    drawn = total([product([number(relation("==", value, const(k))), part]) for k, part in enumerate(parts)])
    return ("/", "f", drawn, total(list(parts)))


def _of_choice(parts: tuple[Term, ...], value: Term) -> Term | None:
    condition, then, other = parts
    first, second = likelihood(then, value), likelihood(other, value)
    if first is None or second is None:
        return None
    if not is_random(condition):
        return choice(condition, first, second)
    holds = likelihood(condition, TRUE)
    return None if holds is None else total([product([holds, first]), product([_other(holds), second])])


def _other(chance: Term) -> Term:
    return total([const(1.0), negative(chance)])


def observed_levels(sampler: Any) -> tuple[list[list[str]], list[str]]:
    """The names that a step works out, by level, and the observ-fluents in order."""
    hidden = set(sampler.rddl.observ_fluents)
    levels = [names for _, names in sorted(sampler.levels.items())]
    return [[name for name in names if name not in hidden] for names in levels], [
        name for names in levels for name in names if name in hidden
    ]
