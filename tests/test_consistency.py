"""Theorems 4.1, 4.2 and 3.2 on hundreds of random MDPs: the searches converge to the exact values they should."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from mdps import random_mdp

TEMPERATURES = (0.01, 0.1, 1.0, 10.0)


def bts(alpha):
    return bt.BTS(alpha=alpha)


def dents(alpha):
    return bt.DENTS(alpha=alpha, beta=bt.log_decay(alpha))


@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("make", [bts, dents])
@pytest.mark.parametrize("alpha", TEMPERATURES)
def test_regret_falls_and_the_root_is_right(make, alpha, growth):
    regrets, wrong, clear = [], [], 0
    for seed in range(100):
        mdp = random_mdp(seed)
        _, q = mdp.values()
        gap = np.diff(np.sort(q[0, 0][mdp.legal[0]])[-2:])
        search = bt.Search(mdp.problem(), make(alpha), seed=seed, growth=growth, evaluator=0.0)
        row = []
        for trials in (300, 2_700, 27_000):
            search.run(trials=trials)
            row.append(bt.simple_regret(search))
        assert min(row) > -1e-12
        regrets.append(row)
        if gap.size and gap[0] >= 0.1:
            clear += 1
            if q[0, 0, search.recommend()] < q[0, 0].max() - 1e-9:
                wrong.append(seed)
    few, more, most = np.mean(regrets, axis=0)
    assert clear > 50
    assert wrong == []
    assert more <= few / 3
    assert most <= more / 3


@pytest.mark.parametrize("make", [bts, dents])
@pytest.mark.parametrize("alpha", TEMPERATURES)
def test_deterministic_problems_are_solved_exactly(make, alpha):
    for seed in range(100):
        mdp = random_mdp(seed, deterministic=True, horizon=1 + seed % 3)
        search = bt.Search(mdp.problem(), make(alpha), seed=seed, evaluator=0.0)
        search.run(trials=5_000)
        assert abs(bt.simple_regret(search)) < 1e-12


@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_ments_approaches_the_soft_value(alpha):
    errors = []
    for seed in range(40):
        mdp = random_mdp(seed, horizon=3)
        exact = bt.solve(mdp.problem(), "soft", alpha).root_value
        search = bt.Search(mdp.problem(), bt.MENTS(alpha=alpha), seed=seed, evaluator=0.0)
        row = []
        for trials in (3_000, 297_000):
            search.run(trials=trials)
            row.append(abs(search.root.value - exact))
        errors.append(row)
    few, many = np.mean(errors, axis=0)
    assert many < 0.01
    assert many < few / 4  # like 1/sqrt(n): a factor 10 expected


def test_ments_is_not_consistent_on_the_modified_chain():
    search = bt.Search(bt.problems.DChain(10, 0.5), bt.MENTS(alpha=1.0, epsilon=0.1), seed=0, growth="trial")
    search.run(trials=20_000)
    assert search.recommend() == 1
    assert search.root.q[1] == pytest.approx(2.74, abs=0.01)
    assert bt.value_of(search) == 0.5
    for algorithm in (bt.BTS(alpha=1.0, epsilon=0.1), bt.DENTS(alpha=1.0, epsilon=0.1)):
        search = bt.Search(bt.problems.DChain(10, 0.5), algorithm, seed=0, growth="trial")
        search.run(trials=20_000)
        assert bt.value_of(search) == pytest.approx(0.9)


def test_average_returns_need_a_decaying_temperature():
    """Proposition B.1, theorem B.2; D = 10 is the shortest chain that the proposition's bound allows at alpha = 1."""
    problem = bt.problems.AverageReturnTrap(10)
    assert bt.solve(problem).root_value == pytest.approx(2.0)
    for alpha, regret in ((1.0, 1.0), (bt.log_decay(1.0), 0.0)):
        search = bt.Search(problem, bt.ARBTS(alpha=alpha, epsilon=1.0), seed=0, growth="trial")
        search.run(trials=1_000_000)
        assert bt.simple_regret(search) == pytest.approx(regret)


@pytest.mark.parametrize(
    "algorithm",
    [
        bt.UCT(c=1.0),
        bt.PUCT(c=1.0),
        bt.HMCTS(),
        bt.HMCTS(c=0.5, threshold=1000),
        bt.RENTS(alpha=0.05),
        bt.TENTS(alpha=0.05),
        bt.ARBTS(),
        bt.ARDENTS(),
        bt.ARMENTS(alpha=0.05),
        bt.ARRENTS(alpha=0.05),
        bt.ARTENTS(alpha=0.05),
        bt.PowerUCT(c=1.0, p=4.0),
        bt.StochasticPowerUCT(c=0.5, p=4.0),
        bt.BRUE(),
        bt.ANTS(target=0.3),
        bt.Uniform(),
        bt.Custom(search_distribution="boltzmann", state_value="power", p=8.0, alpha=0.2),
    ],
    ids=str,
)
def test_every_algorithm_finds_clear_optima(algorithm):
    right = clear = 0
    for seed in range(25):
        mdp = random_mdp(seed, horizon=3)
        _, q = mdp.values()
        gap = np.diff(np.sort(q[0, 0][mdp.legal[0]])[-2:])
        if gap.size == 0 or gap[0] < 0.3:
            continue
        clear += 1
        search = bt.Search(mdp.problem(), algorithm, seed=seed, growth="trial")
        search.run(trials=20_000)
        right += q[0, 0, search.recommend()] >= q[0, 0].max() - 1e-9
    assert clear >= 10
    assert right == clear
