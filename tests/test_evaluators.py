"""Leaf values: numbers, rollouts, a problem's heuristic, objects that give values and priors."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from trees import check_invariants


class Walk(bt.Problem):
    """Walk to the right end; the heuristic and the features know the distance."""

    state = bt.record(x="i4")
    actions = 2
    horizon = 10
    deterministic = True
    discount = 0.9
    features_shape = (2,)

    @staticmethod
    def start(params, state, rng):
        state.x = 0

    @staticmethod
    def step(params, state, action, rng):
        state.x += 1 if action == 1 else -1
        return (1.0 if state.x == 5 else 0.0), state.x == 5

    @staticmethod
    def heuristic(params, state):
        return state.x / 5.0

    @staticmethod
    def features(params, state, out):
        out[0] = state.x
        out[1] = 1.0


class Oracle:
    """Knows that right is better."""

    gives_prior = True

    def __init__(self):
        self.batches = []

    def evaluate(self, batch):
        self.batches.append(np.array(batch))
        return np.array([[0.1, 0.9]] * len(batch)), batch[:, 0] / 5.0


def test_numbers_and_heuristics():
    for evaluator, value in ((0.5, 0.5), ("heuristic", 0.2)):
        search = bt.Search(Walk(), bt.BTS(), seed=0, evaluator=evaluator)
        search.run(trials=20)
        fresh = [c for out in search.children.values() for c in out if c.visits.sum() == 0]
        for child in fresh:
            assert child.value == pytest.approx(value if evaluator == 0.5 else int(child.state["x"]) / 5.0)
        check_invariants(search)


def test_rollouts_have_the_uniform_value():
    problem = bt.problems.Sailing(4, "N")
    exact = bt.solve(problem, "uniform")
    values = []
    for seed in range(3000):
        search = bt.Search(problem, bt.UCT(), seed=seed)
        search.run(trials=1)
        values.append(search.root.q[~np.isnan(search.root.q)][0])
    error = np.std(values) / np.sqrt(len(values))
    assert abs(np.mean(values) - exact.root_value) < 4.5 * error  # the first action is uniform, and so is the rollout


@pytest.mark.parametrize(
    "algorithm",
    [
        bt.PUCT(),
        bt.BTS(alpha=0.2),
        bt.DENTS(alpha=0.2),
        bt.ARDENTS(),
        bt.MENTS(alpha=0.2),
        bt.RENTS(alpha=0.2),
        bt.UCT(),
    ],
    ids=lambda a: a.name,
)
def test_an_object(algorithm):
    oracle = Oracle()
    search = bt.Search(Walk(), algorithm, seed=0, evaluator=oracle)
    search.run(trials=200)
    assert search.trials == 200
    assert search.recommend() == 1
    check_invariants(search)
    assert all(batch.shape == (1, 2) for batch in oracle.batches)
    if algorithm.name != "UCT":
        np.testing.assert_allclose(search.root.prior, [0.1, 0.9])
    again = bt.Search(Walk(), algorithm, seed=0, evaluator=Oracle())
    for _ in range(200):
        again.run(trials=1)
    assert again.root.visits.tolist() == search.root.visits.tolist()


def test_an_object_without_priors():
    class Values:
        gives_prior = False

        def evaluate(self, batch):
            return None, batch[:, 0] / 5.0

    by_object = bt.Search(Walk(), bt.BTS(alpha=0.2), seed=0, evaluator=Values())
    by_heuristic = bt.Search(Walk(), bt.BTS(alpha=0.2), seed=0, evaluator="heuristic")
    for search in (by_object, by_heuristic):
        search.run(trials=300)
    assert by_object.root.visits.tolist() == by_heuristic.root.visits.tolist()
    assert by_object.root.value == pytest.approx(by_heuristic.root.value, rel=1e-12)  # added up in another order


def test_an_object_that_fails():
    class Fails(Oracle):
        def evaluate(self, batch):
            if len(self.batches) == 30:
                self.batches.append(0)
                raise OSError("the network is gone")
            return super().evaluate(batch)

    search = bt.Search(Walk(), bt.BTS(alpha=0.2), seed=0, evaluator=Fails())
    with pytest.raises(OSError, match="the network is gone"):
        search.run(trials=200)
    check_invariants(search)
    search.run(trials=200)  # it came back
    check_invariants(search)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((np.ones((1, 2)), [np.nan]), "value=nan, must be finite"),
        ((np.ones((1, 3)), [0.0]), "a prior of 3 entries, must be 2"),
        ((None, [0.0]), "set gives_prior = False"),
        ((np.array([[-1.0, 2.0]]), [0.0]), "a prior must be finite and at least 0"),
    ],
)
def test_bad_answers(answer, message):
    class Bad:
        gives_prior = True
        count = 0

        def evaluate(self, batch):
            self.count += 1
            return answer if self.count > 5 else (np.ones((1, 2)), [0.0])

    search = bt.Search(Walk(), bt.BTS(), seed=0, evaluator=Bad())
    with pytest.raises(ValueError, match=message):
        search.run(trials=100)
    check_invariants(search)
    assert search.trials == 4


def test_priors_mix_into_the_policy():
    class Prior(Walk):
        @staticmethod
        def prior(params, state, out):
            out[0] = 3.0
            out[1] = 1.0

    search = bt.Search(Prior(), bt.BTS(alpha=1.0, epsilon=0.5, epsilon_prior=2.0), seed=0, evaluator=0.0)
    search.run(trials=50)
    n = search.root.count + 1
    lam, lam_p = (min(1.0, e / np.log(np.e + n)) for e in (0.5, 2.0))
    q = search.root.q
    rho = np.exp(q) / np.exp(q).sum()
    expected = lam_p * np.array([0.75, 0.25]) + (1 - lam_p) * ((1 - lam) * rho + lam / 2)
    np.testing.assert_allclose(search.policy(), expected, rtol=1e-12)
