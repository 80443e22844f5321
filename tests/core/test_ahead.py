"""Actions drawn ahead: they follow the policy of the visit that drew them, and there are as many as there should be."""

import numba
import numpy as np
import pytest
from scipy.stats import chi2

import boltree as bt
from boltree.core.formulas.ahead import draw_next, is_used_up, take_next
from boltree.core.memory.views import mixture_of, node_at
from test_fast_paths import planted


@numba.njit
def _take_many(handle, p, counts, drawn, draws):
    tree = handle[0]
    node = node_at(tree, 0)
    n = p.size
    for _ in range(draws):
        if is_used_up(tree, node):
            for i in range(n):
                mixture_of(tree)[i] = p[i]
            draw_next(tree, node, n)
            drawn[0] += 1
        counts[take_next(tree, node, n)] += 1


@pytest.mark.parametrize("factor", [1.0, 0.3, 5.0])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 9, 15])
def test_draws_follow_the_mixture(n, factor):
    rng = np.random.default_rng(n)
    p = rng.exponential(size=n) ** 2
    p[rng.integers(n)] = p[n - 1] = 0.0
    p[0] += 0.1
    p /= p.sum()
    storage = planted(n)
    t = storage.fields
    t.alias_from, t.ahead_from, t.rebuild_factor = 16, 2, factor
    storage.scratch["mixture"][n:] = 0.0
    storage.scratch["rng"][:] = [n, 7]
    counts, drawn, draws = np.zeros(n), np.zeros(1, np.int64), 60_000
    _take_many(storage.record, p, counts, drawn, draws)
    assert (counts[p == 0.0] == 0).all()
    held = p > 0.0
    expected = p[held] * draws
    assert ((counts[held] - expected) ** 2 / expected).sum() < chi2.ppf(1 - 1e-6, max(held.sum() - 1, 1))
    each = min(max(1, int(factor * n)), 15)
    assert drawn[0] == -(-draws // each)


def test_a_search_draws_ahead_only_where_it_may():
    lake = bt.problems.FrozenLake("8x8")
    for options, ahead in (
        ({}, True),
        ({"transpositions": True}, True),
        ({"transpositions": True, "outcomes": "known"}, False),
        ({"transpositions": True, "outcomes": "known", "proofs": True}, False),
    ):
        fields = bt.Search(lake, bt.BTS(alias=True), **options).tree.fields
        assert bool(fields.ahead_from <= lake.actions) == ahead
    assert bt.Search(lake, bt.BTS()).tree.fields.ahead_from > lake.actions
    assert bt.Search(lake, bt.RENTS(alias=True)).tree.fields.alias_from == 2
