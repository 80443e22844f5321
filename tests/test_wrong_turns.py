"""The known wrong turns (section 5 of the algorithms' description): each test fails when the turn is taken.

1 (a sampler never rebuilt) and 7 (incremental soft maxima) are in test_fast_paths.py, 9 (the variance as the deviation)
in test_exact.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import boltree as bt


class Fork(bt.Problem):
    """One action; the first two visits give outcome x, then y, and so on in turn; x leads to 1, y to 0."""

    state = bt.record(where="i4")
    params = bt.record(chance="f8")
    actions = 1
    horizon = 2

    @staticmethod
    def start(params, state, rng):
        state.where = 0

    @staticmethod
    def step(params, state, action, rng):
        if state.where == 0:
            state.where = 1 if bt.uniform(rng) < params.chance else 2
            return 0.25, False
        return (1.0 if state.where == 1 else 0.0), True


def test_2_new_leaves_count_in_their_parents_average():
    """V_init of a new leaf enters the parent's average at once, and leaves it when the leaf's action is tried."""
    problem = bt.problems.DChain(3)
    search = bt.Search(problem, bt.BTS(alpha=1.0), seed=0, evaluator=7.0)
    seen = False
    for _ in range(10):
        search.run(trials=1)
        right = search.root.children.get(1)
        if right and right[0].visits.sum() == 0:
            assert search.root.q[1] == pytest.approx(7.0)
            seen = True
        elif right and search.root.visits[1] >= 2:
            assert search.root.q[1] == pytest.approx(right[0].value)
            assert right[0].value != 7.0 or right[0].q[1] == 7.0
    assert seen


def test_3_beta_is_a_function_of_the_states_count():
    """H_Q of the two root actions differs; pi must be the Boltzmann policy with beta at N(s), not at N(s,a)."""

    class Uneven(bt.Problem):
        """Action 0 leads to one more choice among four, action 1 ends; nothing pays."""

        state = bt.record(x="i4")
        actions = 4
        horizon = 2

        @staticmethod
        def start(params, state, rng):
            state.x = 0

        @staticmethod
        def legal(params, state, mask):
            mask[0] = True
            mask[1] = True
            mask[2] = state.x == 1
            mask[3] = state.x == 1

        @staticmethod
        def step(params, state, action, rng):
            done = state.x == 1 or action == 1
            state.x = 1
            return 0.0, done

    search = bt.Search(Uneven(), bt.DENTS(alpha=1.0, beta=lambda m: 8.0 / m, epsilon=0.0), seed=0, growth="trial")
    search.run(trials=9)
    n = search.root.count + 1
    below = search.root.children[0][0].entropy
    assert below == pytest.approx(math.log(4))
    expected = 1.0 / (1.0 + math.exp(-(8.0 / n) * below))
    assert search.policy()[0] == pytest.approx(expected, rel=1e-12)
    wrong = 1.0 / (1.0 + math.exp(-(8.0 / search.root.visits[0]) * below))
    assert abs(wrong - expected) > 1e-3


@pytest.mark.parametrize("n", [2, 3, 8])
def test_4_the_entropy_of_a_uniform_policy_is_log_n(n):
    for growth in ("leaf", "trial"):
        search = bt.Search(bt.problems.Bandit([0.0] * n), bt.DENTS(alpha=0.01), seed=0, growth=growth)
        search.run(trials=50)
        assert search.root.entropy == pytest.approx(math.log(n), rel=1e-12)
        search = bt.Search(bt.problems.Bandit([0.0] * n), bt.ARTENTS(alpha=0.01), seed=0, growth=growth)
        search.run(trials=50)
        assert search.root.entropy == pytest.approx(0.5 * (1 - 1 / n), rel=1e-12)


class Prior(bt.Problem):
    """A bandit that pays nothing, with a prior."""

    state = bt.record(x="i4")
    params = bt.record(weights="f8[:]")
    actions = 3
    horizon = 1

    @staticmethod
    def start(params, state, rng):
        state.x = 0

    @staticmethod
    def step(params, state, action, rng):
        return 0.0, True

    @staticmethod
    def prior(params, state, out):
        for a in range(out.size):
            out[a] = params.weights[a]


def test_5_b_is_the_mean_over_the_legal_actions():
    weights = np.array([0.7, 0.2, 0.1])
    search = bt.Search(Prior(weights=weights), bt.BTS(alpha=0.5, epsilon=0.0, epsilon_prior=0.0), seed=0)
    search.run(trials=1)
    block = search.tree.storage.nodes[0].block
    initial = np.log(weights) - np.log(weights).mean()
    tried = search.root.visits > 0
    np.testing.assert_allclose(search.tree.storage.edges["q"][block : block + 3][~tried], initial[~tried], rtol=1e-12)
    assert initial.sum() == pytest.approx(0.0, abs=1e-12)


def test_5_a_prior_of_zero_is_floored():
    search = bt.Search(Prior(weights=[1.0, 0.0, 0.0]), bt.BTS(alpha=1.0, epsilon=1.0), seed=0)
    search.run(trials=200)
    assert np.isfinite(search.policy()).all()
    assert (search.root.visits > 0).all()


def test_6_h_mcts_halves():
    """The root's visits show the rounds: 8 actions, 3 rounds of equal shares, then what is left among the survivors."""
    rewards = [0.1 * i for i in range(8)]
    search = bt.Search(bt.problems.Bandit(rewards), bt.HMCTS(threshold=10), seed=0)
    search.run(trials=240)
    share = [240 // (8 * 3), 240 // (4 * 3), 240 // (2 * 3)]  # 10, 20, 40
    visits = search.root.visits.tolist()
    assert visits[:4] == [share[0]] * 4
    assert visits[4:6] == [share[0] + share[1]] * 2
    assert visits[6:] == [sum(share)] * 2
    assert search.recommend() == 7
    search.run(trials=100)  # beyond the budget: by UCB among the survivors
    assert search.root.visits.tolist()[:7] == visits[:7]


def test_6_below_the_threshold_it_is_uct():
    rewards = [0.1 * i for i in range(8)]
    halving = bt.Search(bt.problems.Bandit(rewards), bt.HMCTS(threshold=1000, c=0.5), seed=0)
    plain = bt.Search(bt.problems.Bandit(rewards), bt.UCT(c=0.5), seed=0)
    for search in (halving, plain):
        search.run(trials=240)
    assert sorted(halving.root.visits) == sorted(plain.root.visits)


def test_6_below_the_root_it_is_uct():
    """A nested halving would give each of the child's actions the same share of every grant, for ever."""
    transitions, rewards, legal = np.zeros((4, 4, 4)), np.zeros((4, 4)), np.ones((4, 4), bool)
    transitions[0, :2, 1:3] = np.eye(2)
    transitions[1:, :, 3] = 1.0
    rewards[1], rewards[2] = [0.0, 0.1, 0.2, 1.0], 0.5
    legal[0, 2:] = False
    problem = bt.problems.Tabular(transitions, rewards, horizon=2, terminal=(3,), legal=legal)
    search = bt.Search(problem, bt.HMCTS(c=0.1, threshold=8), seed=0, growth="trial")
    search.run(trials=400)
    assert sorted(search.root.visits) == [200, 200]
    assert search.root.children[0][0].visits[3] > 150
    assert search.root.q[0] > 0.8


def test_6_a_budget_is_needed():
    search = bt.Search(bt.problems.Bandit([0.0, 1.0]), bt.HMCTS(), seed=0)
    with pytest.raises(bt.ParameterError, match="budget=None takes the first run's trials"):
        search.run(seconds=0.01)
    bt.Search(bt.problems.Bandit([0.0, 1.0]), bt.HMCTS(budget=100), seed=0).run(seconds=0.01)


def test_8_twelve_columns():
    """A 12-column map in a 16-column grid would lose its last column, or find a shorter way."""
    lake = bt.problems.FrozenLake("8x12-test")
    state = lake.start_state()
    for action in [2] * 1 + [1] + [2] * 10:  # right once, down, then along the second row to its end
        from boltree.problem.state import PlainState

        view = PlainState(np.asarray(state).reshape(1).copy())
        lake.plain_step(view, action, np.zeros(2, np.uint64))
        state = view.memory[0]
    assert lake.show_state(state).count("\n") >= 7
    assert int(state["cell"]) % 12 == 11


def test_10_outcomes_are_weighted_by_their_visits():
    """x with V=1, then y with V=0, must give R + 1/2, not R + 1 (the update of Appendix C.1)."""
    search = bt.Search(Fork(chance=0.5), bt.BTS(alpha=1.0), seed=0, growth="trial")
    while search.trials < 200:
        search.run(trials=1)
        share = [child.count for child in search.root.children[0]]
        values = [child.value for child in search.root.children[0]]
        assert search.root.q[0] == pytest.approx(0.25 + np.dot(share, values) / sum(share), abs=1e-12)
    assert len(search.root.children[0]) == 2


def test_rewards_may_depend_on_the_outcome():
    transitions = np.zeros((3, 1, 3))
    transitions[0, 0, 1] = transitions[0, 0, 2] = 0.5
    rewards = np.zeros((3, 1, 3))
    rewards[0, 0, 1], rewards[0, 0, 2] = 3.0, -1.0
    problem = bt.problems.Tabular(transitions, rewards, horizon=1, terminal=(1, 2))
    assert bt.solve(problem).root_value == pytest.approx(1.0)
    search = bt.Search(problem, bt.BTS(), seed=0)
    search.run(trials=20_000)
    assert search.root.q[0] == pytest.approx(1.0, abs=0.1)
    first, second = search.root.children[0]
    assert search.root.q[0] == pytest.approx((first.count * first.reward + second.count * second.reward) / 20_000)
