"""Known outcomes give way to samples where a problem is too large for exact values, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt

MILLION = 1_000_003


class Drift(bt.Problem):
    """A number that wanders over very many values, or over a few; the reward depends on its last digit."""

    state = bt.record(x="i8")
    params = bt.record(size="i8")
    actions = 3
    horizon = 12

    @staticmethod
    def start(params, state, rng):
        state.x = 1

    @staticmethod
    def step(params, state, action, rng):
        state.x = (state.x * 8 + action * 3 + bt.integer(rng, 8)) % params.size
        return (1.0 if state.x % 3 == action else 0.0), False

    @staticmethod
    def count_outcomes(params, state, action):
        return 8

    @staticmethod
    def outcomes(params, state, action, k):
        state.x = (state.x * 8 + action * 3 + k) % params.size
        return 0.125, (1.0 if state.x % 3 == action else 0.0), False


def test_a_small_problem_is_proven():
    small = Drift(size=100)
    search = bt.Search(small, seed=0)
    assert search.run(trials=1_000) == "proven"
    assert search.outcomes == "known"
    assert search.root.value == pytest.approx(bt.solve(small).root_value, abs=1e-12)
    assert search.trials <= 64


def test_a_large_problem_is_sampled():
    search = bt.Search(Drift(size=MILLION), seed=0)
    search.run(trials=1)
    assert (search.outcomes, search.proofs) == ("known", True)
    search.run(trials=1_999)
    assert (search.outcomes, search.proofs) == ("pooled", False)
    assert search.trials == 2_000
    assert 1_000 < search.root.visits.sum() < 2_000  # it began anew


def test_when_it_turns_depends_on_trials_alone():
    one, other = (bt.Search(Drift(size=MILLION), seed=3) for _ in range(2))
    one.run(trials=600)
    for _ in range(60):
        other.run(trials=10)
    assert one.root.q.tolist() == other.root.q.tolist()
    assert one.size == other.size


def test_it_goes_on_after_moves_and_files(tmp_path):
    problem = Drift(size=MILLION)
    search = bt.Search(problem, seed=1)
    state = problem.new_state()
    state["x"] = 9
    search.run(trials=10)
    search.advance(0, state[0])
    search.save(tmp_path / "known")
    again = bt.Search.load(tmp_path / "known", problem)
    for one in (search, again):
        one.run(trials=500)
        assert one.outcomes == "pooled"
    assert search.root.q.tolist() == again.root.q.tolist()
    assert (search.horizon, search.root.depth) == (12, 1)
    search.save(tmp_path / "pooled")
    again = bt.Search.load(tmp_path / "pooled", problem)
    for one in (search, again):
        one.run(trials=100)
    assert search.root.q.tolist() == again.root.q.tolist()


def test_who_asks_for_known_outcomes_keeps_them():
    for options in ({"outcomes": "known"}, {"proofs": True}, {"algorithm": bt.BTS(), "outcomes": "known"}):
        growth = {"growth": "trial", "transpositions": True}
        search = bt.Search(Drift(size=MILLION), seed=0, **growth, **options)
        search.run(trials=400)
        assert search.outcomes == "known"


def test_values_are_as_good():
    """Both come to the same values where the tree is small enough."""
    problem = Drift(size=MILLION, horizon=3)
    exact = bt.solve(problem)
    found = []
    for seed in range(5):
        search = bt.Search(problem, seed=seed)
        search.run(trials=20_000)
        found.append(search.root.value)
    assert np.mean(found) == pytest.approx(exact.root_value, abs=0.02)


def test_it_turns_back_when_all_values_are_known(tmp_path, monkeypatch):
    """States are listed beside the samples: at last the root is proven, and so are later ones."""
    monkeypatch.setattr("boltree.tree.exact_values.LARGEST", 10_000)
    problem = Drift(size=2_003)
    exact = bt.solve(problem)
    search = bt.Search(problem, seed=0)
    search.run(trials=200)
    assert search.outcomes == "pooled"
    search.save(tmp_path / "pooled")
    again = bt.Search.load(tmp_path / "pooled", problem)
    for one in (search, again):
        assert one.run(trials=50_000) == "proven"
        assert one.outcomes == "known"
        assert one.root.value == pytest.approx(exact.root_value, abs=1e-12)
    assert search.trials == again.trials
    state = problem.new_state()
    state["x"] = (8 + 3 * search.recommend() + 5) % 2_003
    search.advance(search.recommend(), state[0])
    assert search.proven
    assert search.root.value == pytest.approx(exact.value(state[0], depth=1), abs=1e-12)
