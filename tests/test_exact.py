"""Exact values: the paper's anchors, and backward induction on random MDPs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boltree as bt
from mdps import random_mdp


@pytest.mark.parametrize(
    ("length", "final", "value"), [(10, 1.0, 1.0), (10, 0.5, 0.9), (20, 1.0, 1.0), (20, 0.5, 0.95)]
)
def test_d_chain_optima(length, final, value):
    assert bt.solve(bt.problems.DChain(length, final)).root_value == pytest.approx(value, abs=1e-12)


def test_soft_values_of_the_modified_chain():
    solution = bt.solve(bt.problems.DChain(10, 0.5), objective="soft", alpha=1.0)
    left, right = solution.q()
    by_hand = math.log(math.exp(0.5) + sum(math.exp(i / 10) for i in range(9)))  # section 3 of the paper
    assert right == pytest.approx(by_hand, abs=1e-12)
    assert round(right, 2) == 2.74
    assert left == pytest.approx(0.9)


@pytest.mark.parametrize(("name", "steps"), [("8x8", 14), ("8x12", 18), ("8x12-test", 18)])
def test_frozen_lake_optima(name, steps):
    assert bt.solve(bt.problems.FrozenLake(name)).root_value == pytest.approx(0.99**steps, abs=1e-12)


@pytest.mark.parametrize(("wind", "value"), [("SE", -15.0074), ("N", -11.0191)])
def test_sailing_optima(wind, value):
    assert round(bt.solve(bt.problems.Sailing(6, wind)).root_value, 4) == value


def test_sailing_at_random():
    assert round(bt.solve(bt.problems.Sailing(6, "SE"), objective="uniform").root_value, 1) == -118.8


def test_adapted_chain():
    length, trap = 4, 6
    problem = bt.problems.AdaptedChain(length, trap)
    assert bt.solve(problem).root_value == pytest.approx(1.0)
    alpha = 1e-3  # so small that the way to F decides: the trap is worth alpha K log 2
    assert bt.solve(problem, "soft", alpha).root_value == pytest.approx(1.0, abs=alpha * (length + trap + 2))


def test_tic_tac_toe_is_a_draw():
    assert bt.solve(bt.problems.TicTacToe()).root_value == 0.0


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    states=st.integers(2, 8),
    actions=st.integers(1, 4),
    horizon=st.integers(1, 6),
    deterministic=st.booleans(),
    discount=st.sampled_from([1.0, 0.9, 0.5]),
)
def test_solve_agrees_with_numpy(seed, states, actions, horizon, deterministic, discount):
    mdp = random_mdp(
        seed, states=states, actions=actions, horizon=horizon, deterministic=deterministic, discount=discount
    )
    problem = mdp.problem()
    for objective, alpha, (v, q) in (
        ("reward", 1.0, mdp.values()),
        ("soft", 0.7, mdp.values(alpha=0.7)),
        ("uniform", 1.0, mdp.values(uniform=True)),
    ):
        solution = bt.solve(problem, objective, alpha)
        assert solution.root_value == pytest.approx(v[0, 0], abs=1e-12)
        np.testing.assert_allclose(solution.q(), q[0, 0][mdp.legal[0]], atol=1e-12)
        for depth, layer in enumerate(solution.model.layers):
            for i, number in enumerate(layer):
                state = solution.model.states[number].copy().view(problem.state_layout())[0]
                where = int(state[problem.state_layout().names[0]])
                assert solution.values[depth][i] == pytest.approx(v[depth, where], abs=1e-12)


def test_two_players_minimax():
    class Duel(bt.Problem):
        """Player 0 picks a row, player 1 a column; the entry is paid."""

        state = bt.record(row="i4", turn="i4")
        params = bt.record(entries="f8[:,:]")
        actions = 3
        horizon = 2

        @staticmethod
        def start(params, state, rng):
            state.row = -1
            state.turn = 0

        @staticmethod
        def player(params, state):
            return state.turn

        @staticmethod
        def count_outcomes(params, state, action):
            return 1

        @staticmethod
        def outcomes(params, state, action, k):
            if state.turn == 0:
                state.row = action
                state.turn = 1
                return 1.0, 0.0, False
            return 1.0, params.entries[state.row, action], True

    entries = np.random.default_rng(0).normal(size=(3, 3))
    problem = Duel(entries=entries)
    assert bt.solve(problem).root_value == pytest.approx(entries.min(axis=1).max())
    alpha = 0.5
    soft_min = -alpha * np.log(np.exp(-entries / alpha).sum(axis=1))
    soft = alpha * np.log(np.exp(soft_min / alpha).sum())
    assert bt.solve(problem, "soft", alpha).root_value == pytest.approx(soft)
    for algorithm in (bt.BTS(alpha=0.5), bt.DENTS(alpha=0.5), bt.UCT(c=1.0)):
        search = bt.Search(problem, algorithm, seed=0)
        search.run(trials=20_000)
        assert search.recommend() == entries.min(axis=1).argmax()
    search = bt.Search(problem, bt.MENTS(alpha=alpha), seed=0)
    search.run(trials=20_000)
    assert search.root.value == pytest.approx(soft, abs=1e-9)


def test_value_of_follows_the_recommendations_exactly():
    """Against a plain recursion over the tree with the true probabilities."""
    mdp = random_mdp(5, states=6, actions=3, horizon=5, discount=0.95)
    problem = mdp.problem()
    random_values, _ = mdp.values(uniform=True)
    search = bt.Search(problem, bt.BTS(alpha=0.5), seed=1, evaluator=0.0)
    search.run(trials=300)
    field = problem.state_layout().names[0]

    def plain(node, depth):
        s = int(node.state[field])
        if node.visits.sum() == 0:
            return random_values[depth, s]
        action = search.recommend(node.state, depth) if depth == 0 else int(node.actions[np.nanargmax(node.q)])
        children = {int(c.state[field]): c for c in node.children[action]}
        total = 0.0
        for following in np.flatnonzero(mdp.transitions[s, action]):
            p, r = mdp.transitions[s, action, following], mdp.rewards[s, action, following]
            value = 0.0
            if following not in mdp.terminal and depth + 1 < mdp.horizon:
                child = children.get(int(following))
                value = plain(child, depth + 1) if child is not None else random_values[depth + 1, following]
            total += p * (r + mdp.discount * value)
        return total

    assert bt.value_of(search) == pytest.approx(plain(search.root, 0), abs=1e-12)
    estimate = bt.sample_value(search, episodes=40_000, seed=3)
    assert abs(estimate.value - bt.value_of(search)) < 4.5 * estimate.error
    assert estimate.error < 0.02


def test_sampled_error_is_the_standard_error_of_the_mean():
    """Known wrong turn 9: the variance reported as the deviation."""

    class Coin(bt.Problem):
        state = bt.record(x="i4")
        actions = 1
        horizon = 1

        @staticmethod
        def start(params, state, rng):
            state.x = 0

        @staticmethod
        def step(params, state, action, rng):
            return (10.0 if bt.uniform(rng) < 0.5 else -10.0), True

    search = bt.Search(Coin(), bt.UCT(), seed=0)
    search.run(trials=10)
    estimate = bt.sample_value(search, episodes=10_000)
    assert estimate.error == pytest.approx(10.0 / 100.0, rel=0.02)


def test_large_problems_are_refused():
    with pytest.raises(bt.ProblemError, match="more than 1000 reachable states"):
        bt.solve(bt.problems.FrozenLake("8x12"), max_states=1000)
