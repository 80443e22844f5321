"""A temperature drawn for each trial: its distribution, its unit, what it goes with, and what it is good for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import boltree as bt
from mdps import random_mdp


def temperatures(search: bt.Search, trials: int) -> list[float]:
    """The temperature of each of the next trials."""
    found = []
    for _ in range(trials):
        search.run(trials=1)
        found.append(float(search.tree.fields.trial_alpha))
    return found


def test_its_logarithm_is_uniform() -> None:
    search = bt.Search(random_mdp(0).problem(), bt.BTS(alpha=bt.spectrum(0.01, 10.0)), seed=0)
    logs = np.log(temperatures(search, 2_000))
    assert stats.kstest(logs, stats.uniform(math.log(0.01), math.log(1000.0)).cdf).pvalue > 1e-3


def test_one_temperature_is_that_of_every_trial() -> None:
    search = bt.Search(random_mdp(0).problem(), bt.BTS(alpha=bt.spectrum(0.3, 0.3)), seed=0)
    assert temperatures(search, 20) == pytest.approx([0.3] * 20)


@pytest.mark.parametrize("algorithm", [bt.BTS, bt.ARBTS, bt.DENTS])
def test_without_numbers_it_does_not_depend_on_the_scale_of_rewards(algorithm: Any) -> None:
    visits = []
    for scale in (1.0, 1024.0):
        search = bt.Search(random_mdp(3).problem(scale=scale), algorithm(alpha=bt.spectrum()), seed=0, growth="trial")
        search.run(trials=2_000)
        visits.append(search.root.visits.tolist())
    assert visits[0] == visits[1]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_bias_in_units_of_the_returns(threads: int) -> None:
    visits = []
    for scale in (1.0, 1024.0):
        problem = random_mdp(3).problem(scale=scale)
        search = bt.Search(problem, bt.UCT(c=bt.spread(0.3)), seed=0, threads=threads, deterministic=True)
        search.run(trials=2_000)
        visits.append(search.root.visits.tolist())
    assert visits[0] == visits[1]


def test_a_bias_in_units_is_that_number_where_returns_differ_by_one() -> None:
    """Rewards of 0 and 1 at the only step: after both were seen, the bias is x."""
    coin = bt.problems.OutcomeTable([[[(0.5, 1, 1.0, True), (0.5, 1, 0.0, True)]] * 3, []], horizon=1)
    search = bt.Search(coin, bt.UCT(c=bt.spread(0.3)), seed=0)
    search.run(trials=100)
    assert search.tree.fields.c == pytest.approx(0.3)
    assert search.algorithm.c == bt.spread(0.3)


def test_it_finds_the_end_of_chains_that_no_one_temperature_does() -> None:
    """Where one temperature must suit two chains whose rewards differ a thousandfold: nearly every search does."""
    for final in (1.0, 1000.0):
        table: list[Any] = []
        for d in range(10):
            stop = [(1.0, 10, final * (10 - d) / 11 if d else final * 0.9, True)]
            go = [(1.0, d + 1 if d < 9 else 10, final if d == 9 else 0.0, d == 9)]
            table.append([stop, go])
        chain = bt.problems.OutcomeTable([*table, []], horizon=20)
        searches = [bt.Search(chain, bt.BTS(alpha=bt.spectrum()), seed=seed, growth="trial") for seed in range(20)]
        for search in searches:
            search.run(trials=10_000)
        assert sum(search.root.value == pytest.approx(final) for search in searches) >= 14


def test_same_seed_same_tree_in_pieces() -> None:
    first, second = (bt.Search(random_mdp(5).problem(), bt.BTS(alpha=bt.spectrum()), seed=4) for _ in range(2))
    first.run(trials=500)
    for piece in (1, 99, 400):
        second.run(trials=piece)
    assert first.root.q.tolist() == second.root.q.tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_threads(threads: int) -> None:
    search = bt.Search(
        random_mdp(5).problem(), bt.BTS(alpha=bt.spectrum(0.01, 3.0)), seed=4, growth="trial", threads=threads
    )
    search.run(trials=20_000)
    assert search.root.count == 20_000
    assert bt.simple_regret(search) < 0.05


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.spectrum(1.0), "give both, or neither"),
        (lambda: bt.spectrum(0.0, 1.0), "low=0.0, must be a finite number greater than 0"),
        (lambda: bt.spectrum(1.0, math.inf), "high=inf, must be a finite number greater than 0"),
        (lambda: bt.spectrum(2.0, 1.0), "low=2.0, must be at most high=1.0"),
        (lambda: bt.MENTS(alpha=bt.spectrum()), "must be the same for every trial, because its values depend on it"),
        (lambda: bt.spread(0.0), r"spread\(x=0.0\): must be a finite number greater than 0"),
        (
            lambda: bt.UCT(c=bt.spectrum()),
            r"c=spectrum\(\), must be a finite number of at least 0, spread\(x\), or 'auto'",
        ),
        (lambda: bt.DENTS(beta=bt.spectrum()), "beta=spectrum.*must be the same for every trial"),
    ],
)
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        make()


def test_it_says_what_it_is() -> None:
    assert repr(bt.spectrum()) == "spectrum()"
    assert repr(bt.spectrum(0.5, 2)) == "spectrum(0.5, 2)"
