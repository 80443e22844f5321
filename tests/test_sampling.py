"""Draws from distributions, against the distributions' own functions (SciPy)."""

from __future__ import annotations

import numpy as np
import pytest

from boltree.core.random import new_generator
from boltree.problem import sampling

stats = pytest.importorskip("scipy.stats", reason="pip install scipy")

DRAWS = 6_000

REAL = {
    "normal": ((1.5, 4.0), stats.norm(1.5, 2.0)),
    "uniform_between": ((-1.0, 3.0), stats.uniform(-1.0, 4.0)),
    "exponential": ((2.5,), stats.expon(scale=2.5)),
    "weibull": ((1.7, 3.0), stats.weibull_min(1.7, scale=3.0)),
    "gamma": ((2.5, 2.0), stats.gamma(2.5, scale=2.0)),
    "beta": ((0.7, 2.0), stats.beta(0.7, 2.0)),
    "chi_square": ((3.0,), stats.chi2(3.0)),
    "student": ((4.0,), stats.t(4.0)),
    "pareto": ((2.5, 3.0), stats.lomax(2.5, scale=3.0)),
    "gumbel": ((1.0, 2.0), stats.gumbel_r(1.0, 2.0)),
    "laplace": ((1.0, 2.0), stats.laplace(1.0, 2.0)),
    "cauchy": ((1.0, 2.0), stats.cauchy(1.0, 2.0)),
    "gompertz": ((0.8, 2.0), stats.gompertz(0.8, scale=0.5)),
}

WHOLE = {
    "poisson": [((0.7,), stats.poisson(0.7)), ((80.0,), stats.poisson(80.0))],
    "binomial": [((9, 0.3), stats.binom(9, 0.3)), ((700, 0.9), stats.binom(700, 0.9))],
    "negative_binomial": [((2.5, 0.4), stats.nbinom(2.5, 0.4))],
    "geometric": [((0.3,), stats.geom(0.3))],
}


@pytest.mark.parametrize("name", REAL)
def test_real_numbers(name):
    arguments, law = REAL[name]
    rng, draw = new_generator(1), getattr(sampling, name)
    found = [draw(rng, *arguments) for _ in range(DRAWS)]
    assert stats.kstest(found, law.cdf).pvalue > 1e-4


def test_gamma_with_a_small_shape_and_kumaraswamy():
    rng = new_generator(2)
    found = [sampling.gamma(rng, 0.4, 2.0) for _ in range(DRAWS)]
    assert stats.kstest(found, stats.gamma(0.4, scale=2.0).cdf).pvalue > 1e-4
    found = [sampling.kumaraswamy(rng, 2.0, 3.0) for _ in range(DRAWS)]
    assert stats.kstest(found, lambda x: 1.0 - (1.0 - x**2.0) ** 3.0).pvalue > 1e-4


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name):
    for arguments, law in WHOLE[name]:
        rng, draw = new_generator(3), getattr(sampling, name)
        found = np.array([draw(rng, *arguments) for _ in range(DRAWS)])
        edges = np.unique(law.ppf(np.linspace(0.0, 1.0, 12)[1:-1]))
        cells = np.searchsorted(edges, found)
        sums = np.concatenate([[0.0], law.cdf(edges), [1.0]])
        counts = np.bincount(cells, minlength=edges.size + 1)
        assert stats.chisquare(counts, DRAWS * np.diff(sums)).pvalue > 1e-4


def test_weights():
    rng, weights = new_generator(4), np.array([1.0, 0.0, 3.0])
    counts = np.bincount([sampling.categorical(rng, weights) for _ in range(DRAWS)], minlength=3)
    assert counts[1] == 0
    assert counts[0] / DRAWS == pytest.approx(0.25, abs=0.03)


def test_scripts_go_through_all_outcomes_once():
    """Two Bernoulli draws and one of three weights, one of which is 0: eight outcomes."""
    weights, found = np.array([0.25, 0.0, 0.75]), {}
    for k in range(8):
        script, weight = np.array([k, 1, 0]), np.ones(1)
        outcome = (
            sampling.list_bernoulli(script, weight, 0.25),
            sampling.list_bernoulli(script, weight, 1.0),
            sampling.list_categorical(script, weight, weights),
            sampling.list_bernoulli(script, weight, 0.5),
        )
        assert script.tolist()[:2] == [0, 8]
        found[outcome] = weight[0]
    assert len(found) == 8
    assert sum(found.values()) == pytest.approx(1.0)
    assert found[True, True, 2, False] == pytest.approx(0.25 * 0.75 * 0.5)


@pytest.mark.parametrize("name", ["normal", "gamma", "poisson", "binomial"])
def test_plain_python_draws_the_same(name):
    arguments = REAL[name][0] if name in REAL else WHOLE[name][0][0]
    draw, mine, theirs = getattr(sampling, name), new_generator(5), new_generator(5)
    plain = getattr(draw, "py_func", draw)
    for _ in range(50):
        assert plain(theirs, *arguments) == pytest.approx(draw(mine, *arguments), rel=1e-14)
    assert mine.tolist() == theirs.tolist()
