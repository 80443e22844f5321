"""Which actions make a difference: those that do what a simpler action does, and pay no more, are left out at a state.

An action that sets several action-fluents is compared with those that set one of them less, down to doing nothing. It
is redundant where every fluent that follows has the same distribution, and the reward is no greater: then some simpler
action is at least as good, and optimal values stay what they are (Keller and Eyerich, PROST, ICAPS 2012, call the
others reasonable actions).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from .rddl_observations import likelihood
from .rddl_source import size_of
from .rddl_terms import (
    FALSE,
    TRUE,
    Term,
    conjunction,
    disjunction,
    interval,
    is_random,
    kids,
    negation,
    relation,
    same,
    total,
    walk,
)  # fmt: skip

LARGEST = 100_000
"""The most operators and leaves that the conditions of all actions may have; where there are more, none is left out."""

ROUNDING = 1e-9
"""How far apart probabilities that are worked out in two ways may lie."""


def simpler_actions(actions: dict[str, Any]) -> list[list[int]]:
    """For every action those that set one action-fluent less; the first action sets none."""
    stores = sorted(actions)
    rows = [
        tuple(np.concatenate([actions[store][k] for store in stores]).tolist()) for k in range(len(actions[stores[0]]))
    ]
    numbers, default = {row: k for k, row in enumerate(rows)}, rows[0]
    found = []
    for row in rows:
        reset = [(*row[:k], default[k], *row[k + 1 :]) for k in range(len(row)) if row[k] != default[k]]
        found.append([numbers[one] for one in reset if one in numbers])
    return found


def reasonable(
    legal: Sequence[Term],
    simpler: list[list[int]],
    first: list[Term],
    changed: list[dict[int, Term]],
    rewards: list[Term],
) -> list[Term]:
    """When each action is legal and not redundant.

    Args:
        legal: when it is legal.
        simpler: the actions that it is compared with.
        first: what the first action does: the terms of all fluents that follow, of those between, of observations.
        changed: those of these terms, by number, that are others for an action.
        rewards: the reward of every action.
    """
    found = []
    for action, needs in enumerate(legal):
        redundant = []
        for other in simpler[action]:
            pairs = [
                (changed[action].get(k, first[k]), changed[other].get(k, first[k]))
                for k in sorted(set(changed[action]) | set(changed[other]))
            ]
            alike = conjunction([equal(*pair) for pair in pairs])
            if alike != FALSE:
                redundant.append(conjunction([legal[other], alike, pays_no_more(rewards[action], rewards[other])]))
        found.append(conjunction([needs, negation(disjunction(redundant))]) if redundant else needs)
    return found if sum(map(size_of, found)) <= LARGEST else list(legal)


def equal(one: Term, other: Term) -> Term:
    """When two terms have the same distribution, as far as the state tells; else false."""
    if one == other:
        return TRUE
    if not (_is_of_state(one) and _is_of_state(other)) or one[1] != other[1]:
        return FALSE
    if not (is_random(one) or is_random(other)):
        return same(one, other) if one[1] == "b" else relation("==", one, other)
    mine, theirs = likelihood(one, TRUE), likelihood(other, TRUE)
    if one[1] != "b" or mine is None or theirs is None:
        return FALSE
    (low, high), (least, most) = interval(mine), interval(theirs)
    apart = high < least - ROUNDING or most < low - ROUNDING
    return FALSE if apart else relation("==", mine, theirs)


def pays_no_more(one: Term, other: Term) -> Term:
    """When a reward is at most another: their sums are compared without the parts that both have."""
    mine, theirs = (Counter(kids(term) if term[0] == "sum" else (term,)) for term in (one, other))
    common = mine & theirs
    left, right = (list((parts - common).elements()) for parts in (mine, theirs))
    if not all(_is_of_state(part) and not is_random(part) for part in (*left, *right)):
        return FALSE
    return relation("<=", total(left), total(right))


def _is_of_state(term: Term) -> bool:
    return all(leaf[2] == "state" for leaf in walk(term) if leaf[0] in ("fluent", "at"))
