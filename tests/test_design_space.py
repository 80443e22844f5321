"""The design space: every row has its formulas in the kernel, and a number without one is an error."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import boltree as bt
from boltree.core.formulas import space
from mdps import random_mdp

PROBLEM = random_mdp(3, states=4, actions=3, horizon=4).problem()


@pytest.mark.parametrize("name", space.DISTRIBUTIONS)
def test_every_distribution_has_a_formula_with_every_value(name):
    row = space.DISTRIBUTIONS[name]
    for value, entropy in itertools.product(space.STATE_VALUES, space.ENTROPIES):
        try:
            algorithm = bt.Custom(search_distribution=name, state_value=value, entropy_bonus=entropy, c=1.0)
        except bt.ParameterError:
            assert not row.sampled or row.only_value
            continue
        for growth in ("leaf", "trial"):
            search = bt.Search(PROBLEM, algorithm, seed=0, growth=growth)
            search.run(trials=200)
            assert np.isfinite(search.root.value)
            assert np.isfinite(search.root.q).any()
            assert search.root.policy.sum() == pytest.approx(1.0)


def test_numbers_are_the_places_in_the_tables():
    for table in (space.DISTRIBUTIONS, space.STATE_VALUES, space.ENTROPIES):
        assert [row.number for row in table.values()] == sorted(row.number for row in table.values())
        assert len({row.number for row in table.values()}) == len(table)


@pytest.mark.parametrize("field", ["distribution", "state_value"])
def test_a_number_without_a_formula_is_an_error(field):
    search = bt.Search(PROBLEM, bt.UCT(), seed=0, growth="trial")
    search.tree.fields[field] = 99
    with pytest.raises(RuntimeError, match="has no formula for search distribution"):
        search.run(trials=100)


def test_relative_choices_need_one_parent():
    for algorithm in (bt.RENTS(), bt.ARRENTS(), bt.Custom(state_value="relative-soft"), bt.HMCTS(), bt.BRUE()):
        with pytest.raises(bt.ParameterError, match="must be False with"):
            bt.Search(PROBLEM, algorithm, transpositions=True)
