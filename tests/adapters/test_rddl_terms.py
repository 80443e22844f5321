"""Terms of grounded RDDL: simplified without a change of what they mean."""

from __future__ import annotations

import itertools

import pytest

from boltree.adapters.rddl_terms import (
    FALSE,
    RELATIONS,
    TRUE,
    choice,
    conjunction,
    const,
    disjunction,
    draw,
    extreme,
    interval,
    negation,
    product,
    rebuilt,
    relation,
    same,
    total,
)  # fmt: skip

A, B = (("fluent", "b", "state", "b", slot) for slot in (0, 1))


def value(term, state):
    """The value of a term in plain Python."""
    name = term[0]
    if name == "const":
        return term[2]
    if name == "fluent":
        return state[term[4]]
    parts = [value(part, state) for part in term[2:]]
    if name in RELATIONS:
        return RELATIONS[name](*parts)
    found = {
        "and": all, "or": any, "sum": sum, "min": min, "max": max,
        "not": lambda p: not p[0], "number": lambda p: int(p[0]), "same": lambda p: p[0] == p[1],
        "if": lambda p: p[1] if p[0] else p[2], "prod": lambda p: p[0] * p[1] if len(p) == 2 else p[0] * p[1] * p[2],
    }  # fmt: skip
    return found[name](parts)


TERMS = [
    (conjunction([A, B, A]), lambda a, b: a and b),
    (disjunction([A, FALSE, negation(B)]), lambda a, b: a or not b),
    (choice(A, TRUE, B), lambda a, b: a or b),
    (choice(A, const(2), B), lambda a, b: 2 if a else int(b)),
    (choice(negation(A), FALSE, TRUE), lambda a, b: a),
    (total([A, B, A, const(1.5), const(-1.5)]), lambda a, b: 2 * a + b),
    (product([const(3), total([A, const(1)]), const(2)]), lambda a, b: 6 * (a + 1)),
    (product([const(0), A]), lambda a, b: 0),
    (extreme("max", [A, total([A, B]), const(1)]), lambda a, b: max(a + b, 1)),
    (relation("<=", A, B), lambda a, b: a <= b),
    (same(A, negation(B)), lambda a, b: a != b),
    (same(TRUE, B), lambda a, b: b),
]


@pytest.mark.parametrize("number", range(len(TERMS)))
def test_meanings(number):
    term, meaning = TERMS[number]
    for state in itertools.product([False, True], repeat=2):
        assert value(term, state) == meaning(*state)
        known = rebuilt(term, lambda leaf, state=state: const(state[leaf[4]]) if leaf[0] == "fluent" else leaf)
        assert known[0] == "const"
        assert known[2] == meaning(*state)
        if term[1] != "b":
            low, high = interval(term)
            assert low <= value(term, state) <= high


def test_draws_are_not_merged():
    """Two draws of one distribution are two numbers."""
    thrown = draw("Poisson", [const(1.5)])
    assert extreme("max", [thrown, thrown])[2:] == (thrown, thrown)
    coin = draw("Bernoulli", [const(0.5)])
    assert conjunction([coin, coin])[2:] == (coin, coin)
    assert choice(A, coin, coin)[0] == "if"
    assert draw("Bernoulli", [const(1)]) == TRUE
