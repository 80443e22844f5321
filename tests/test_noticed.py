"""Warnings after a run: nothing can be learnt as it is."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import boltree as bt


class Drift(bt.PythonProblem):
    """Noise makes every outcome another state, unless it is rounded."""

    actions, horizon, digits = 2, 4, 15

    def start(self, rng):
        return 0.0

    def step(self, state, action, rng):
        here = round(state + (1.0 if action else -1.0) * rng.random(), self.digits)
        return here, here, False


class Rounded(Drift):
    digits = 0


class Idle(bt.PythonProblem):
    """Nothing pays but the end of a long way."""

    actions, horizon, deterministic, cost = 2, 40, True, 0.0

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        return (state + 1 if action else 0), (1.0 if state == 38 and action else self.cost), False


class Costly(Idle):
    cost = -1.0


class Far(Idle):
    """Every step costs the same, but some ways are shorter."""

    def step(self, state, action, rng):
        return state + 1, -1.0, action == 1


def said(search, **limits):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.run(**(limits or {"trials": 1_000}))
    return [str(one.message) for one in caught]


@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("shared", [False, True])
def test_a_tree_of_one_step_is_noticed(growth, shared):
    search = bt.Search(Drift(), bt.DENTS(), seed=0, growth=growth, transpositions=shared)
    (message,) = said(search)
    assert "Drift: 1,000 of the 1,000 outcomes of the first actions were states that no trial had come to" in message
    assert said(search) == []  # once
    assert said(bt.Search(Rounded(), bt.DENTS(), seed=0, growth=growth, transpositions=shared)) == []


def test_few_trials_show_nothing():
    search = bt.Search(Drift(), bt.DENTS(), seed=0)
    assert said(search, trials=999) == []
    assert len(said(search, trials=1)) == 1


@pytest.mark.parametrize("algorithm", [bt.UCT(), bt.BTS(), bt.BTS(alpha=1.0)], ids=repr)
def test_equal_returns_are_noticed(algorithm):
    (message,) = said(bt.Search(Idle(), algorithm, seed=0))
    assert "Idle: all 1,000 trials returned the same" in message
    assert "horizon (it is 40)" in message


@pytest.mark.parametrize("algorithm", [bt.UCT(), bt.BTS(), bt.BTS(alpha=1.0)], ids=repr)
def test_equal_costs_are_noticed_and_rewards_that_differ_are_not(algorithm):
    assert len(said(bt.Search(Costly(), algorithm, seed=0))) == 1
    assert said(bt.Search(Far(), algorithm, seed=0)) == []
    assert said(bt.Search(bt.problems.DChain(6), algorithm, seed=0)) == []
    lake = bt.problems.FrozenLake("8x8")
    assert said(bt.Search(lake, algorithm, seed=0), trials=30_000) == []


def test_means_of_exploring_trials_with_shared_nodes():
    """Shared nodes carry trials to the horizon, where a tree ends them at a leaf: why means fall before they rise."""
    with pytest.warns(UserWarning, match="transpositions=True with UCT .*averages returns, and trials"):
        shared = bt.Search(Walk(), bt.UCT(c=20.0), seed=0, evaluator="heuristic", transpositions=True)
    tree = bt.Search(Walk(), bt.UCT(c=20.0), seed=0, evaluator="heuristic")
    values, lengths = [], []
    for search in (shared, tree):
        search.run(trials=4_000)
        values.append(search.root.value)
        lengths.append(float(np.average(search.survey().depth, weights=search.survey().visits)))
    assert lengths[0] > 2 * lengths[1]
    assert values[0] < values[1] - 1.0
    shared.run(trials=400_000)
    assert shared.root.value > values[0] + 1.0  # and rises again
    for algorithm in (bt.BTS(), bt.PUCT()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            bt.Search(Walk(), algorithm, seed=0, evaluator="heuristic", transpositions=True)


class Walk(bt.PythonProblem):
    """A walk on a line: a step costs 1 away from the goal, a heuristic knows the rest."""

    actions, horizon, deterministic = 2, 30, True

    def start(self, rng):
        return 4

    def step(self, state, action, rng):
        here = min(max(state + (1 if action else -1), 0), 8)
        return here, -abs(here - 4.0) if action or here < 4 else -1.0, False

    def heuristic(self, state):
        return -1.0
