"""Widening: actions drawn from boxes and outcomes that never come again, against the exact LQR and plain counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import boltree as bt

NOISE = 0.05


def lqr(noise: float, horizon: int) -> tuple[float, float, float]:
    """The value of (2, 0), the best first action, and the curvature of regret, by the backward Riccati recursion."""
    a, b = np.array([[1.0, 0.5], [0.0, 1.0]]), np.array([[0.125], [0.5]])
    q, r, discount = np.diag([1.0, 0.1]), 0.1, 0.95
    p, constant, gain, bend = np.zeros((2, 2)), 0.0, np.zeros((1, 2)), 0.0
    for _ in range(horizon):
        bend = r + discount * (b.T @ p @ b).item()
        gain = discount * b.T @ p @ a / bend
        constant = discount * (np.trace(p) * noise**2 + constant)
        p = q + discount * a.T @ p @ a - gain.T @ gain * bend
    x = np.array([2.0, 0.0])
    return -(x @ p @ x + constant), -(gain @ x).item(), bend


def follow(node: bt.Node) -> list[bt.Node]:
    """All nodes below one, with it."""
    found = [node]
    for here in found:
        found += [child for outcomes in here.children.values() for child in outcomes]
    return found


class OneStep(bt.Problem):
    """A single decision: -(u - 1)^2."""

    state = bt.record(k="i4")
    actions = bt.box(-2.0, 2.0)
    horizon = 1
    deterministic = True

    @staticmethod
    def start(params, state, rng):
        state.k = 0

    @staticmethod
    def step(params, state, action, rng):
        return -((action - 1.0) ** 2), True


class MayEnd(bt.Problem):
    """A state that never comes again; a step ends with the probability 0.3."""

    state = bt.record(x="f8")
    actions = bt.box([0.0, -1.0], [1.0, 1.0])
    horizon = 3

    @staticmethod
    def start(params, state, rng):
        state.x = 0.0

    @staticmethod
    def step(params, state, action, rng):
        state.x = action[0] + bt.uniform(rng)
        return action[1], bt.uniform(rng) < 0.3


def test_the_recursion_gives_the_published_values():
    """The recursion of this file agrees with values worked out elsewhere."""
    assert lqr(0.0, 1)[0] == -4.0
    assert lqr(0.0, 10) == pytest.approx((-8.929457, -3.163179, 0.355138), abs=1e-6)
    assert lqr(NOISE, 10)[0] == pytest.approx(-8.975262, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_lqr(seed):
    """Within 2 % of the exact value, and 0.1 of the best action."""
    value, action, _ = lqr(0.0, 10)
    search = bt.Search(bt.problems.LQR(), seed=seed)
    search.run(trials=100_000)
    assert search.root.value == pytest.approx(value, rel=0.02)
    assert abs(search.recommend() - action) < 0.1
    assert search.root.value <= value + 1e-9  # of a deterministic problem, what was found can be reached


def test_lqr_with_noise():
    """Within 4 % of the exact value."""
    value, _, _ = lqr(NOISE, 10)
    search = bt.Search(bt.problems.LQR(NOISE), seed=0)
    search.run(trials=100_000)
    assert search.root.value == pytest.approx(value, rel=0.04)


def test_a_deterministic_value_is_that_of_its_line():
    """V(root) is what the line of best actions pays when it is followed in the problem's own step."""
    problem = bt.problems.LQR()
    search = bt.Search(problem, seed=1)
    search.run(trials=5_000)
    state, total = problem.reset(), 0.0
    for k, step in enumerate(search.line()):
        state, reward, _ = problem.step(state, step.action)
        total += problem.discount**k * reward
    assert total == pytest.approx(search.root.value, rel=1e-9)


@pytest.mark.parametrize("algorithm", [bt.UCT(), bt.BTS(alpha=1.0), bt.DENTS(alpha=1.0), bt.MENTS(alpha=1.0)])
@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize(("factor", "power"), [(2.0, 0.5), (1.0, 0.25), (5.5, 0.0)])
def test_as_many_actions_as_visits_allow(algorithm, growth, factor, power):
    """A node with N visits has max(1, k N^a) actions, rounded down, whose visits sum to N."""
    search = bt.Search(bt.problems.LQR(), algorithm, seed=0, growth=growth, action_widening=(factor, power))
    for trials in (1, 2, 5, 50, 500):
        search.run(trials=trials)
        n = search.root.count
        allowed = max(1, min(n, math.floor(factor * n**power * (1 + 1e-12))))
        assert len(search.root.actions) == allowed
        assert search.root.visits.sum() == n
        assert (search.root.visits > 0).all()


@pytest.mark.parametrize("algorithm", [bt.UCT(), bt.DENTS(alpha=1.0), bt.BTS(alpha=1.0)])
def test_moved_blocks_keep_their_actions(algorithm):
    """Wherever an action leads, the problem's step leads: nothing was mixed up when blocks grew and moved."""
    problem = bt.problems.LQR()
    search = bt.Search(problem, algorithm, seed=0, growth="trial")
    search.run(trials=3_000)
    checked = 0
    for node in follow(search.root)[:5_000]:
        for i, outcomes in enumerate(node.children.values()):
            after, reward, _ = problem.step(node.state, node.action_at(i))
            assert [child.state for child in outcomes] == [after]
            assert outcomes[0].reward == reward
            checked += 1
    assert checked > 3_000
    assert len(search.root.actions) > 32


def test_soft_values_are_relative_to_the_number_of_actions():
    """MENTS at one decision: alpha log of the mean of exp(q / alpha), which tends to the integral over the box."""
    alpha = 0.5
    fine = np.linspace(-2.0, 2.0, 100_001)
    exact = alpha * math.log(np.exp(-((fine - 1.0) ** 2) / alpha).mean())
    search = bt.Search(OneStep(), bt.MENTS(alpha=alpha), seed=0, growth="trial", action_widening=(4.0, 0.5))
    off = []
    for trials in (100, 1_000, 60_000):
        search.run(trials=trials)
        q = search.root.q
        np.testing.assert_allclose(q, -((search.root.actions - 1.0) ** 2), rtol=1e-12)
        assert search.root.value == pytest.approx(alpha * math.log(np.exp(q / alpha).mean()), rel=1e-9)
        off.append(abs(search.root.value - exact))
    assert off[-1] < 0.03
    assert len(q) > 900


def test_soft_values_draw_each_action_independently():
    """The actions of MENTS are uniform in the box; those of BTS crowd near the best."""
    searches = [bt.Search(OneStep(), a, seed=0, growth="trial") for a in (bt.MENTS(alpha=0.5), bt.BTS(alpha=0.5))]
    for search in searches:
        search.run(trials=100_000)
    drawn, near = (np.sort(search.root.actions) for search in searches)
    ranks = (np.arange(len(drawn)) + 0.5) / len(drawn)
    assert np.abs((drawn + 2.0) / 4.0 - ranks).max() < 1.63 / math.sqrt(len(drawn))  # Kolmogorov and Smirnov, 1 %
    assert (np.abs(near - 1.0) < 0.2).mean() > 0.4


def test_entropies_are_relative_to_a_uniform_policy():
    """H of a policy over n actions is log n less than Shannon's: 0 at most."""
    search = bt.Search(OneStep(), bt.DENTS(alpha=1e9, beta=1.0), seed=0, growth="trial")
    search.run(trials=2_000)
    assert search.root.entropy == pytest.approx(0.0, abs=1e-6)  # so hot that the policy is uniform
    search = bt.Search(OneStep(), bt.DENTS(alpha=0.01, beta=1.0), seed=0, growth="trial")
    search.run(trials=2_000)
    assert -math.log(len(search.root.actions)) <= search.root.entropy < -0.5


def test_as_many_outcomes_as_visits_allow():
    """An action that was taken N times has k N^a outcomes that go on, and ends as often as the problem does."""
    search = bt.Search(MayEnd(), bt.UCT(), seed=0, widening=(2.0, 0.5), action_widening=(4.0, 0.0))
    search.run(trials=40_000)
    root = search.root
    ended = 0
    for i, n in enumerate(root.visits.tolist()):
        outcomes = root.outcomes(root.action_at(i))
        arrivals = root.arrivals(root.action_at(i))
        assert arrivals.sum() == n
        assert 1 < len(outcomes) <= 2.0 * (n + 1) ** 0.5
        stays = [count for child, count in zip(outcomes, arrivals.tolist(), strict=True) if not child.terminal]
        assert max(stays) <= 2 * sorted(stays)[len(stays) // 4]  # the least visited is taken
        ended += int(arrivals.sum()) - sum(stays)
    assert ended / 40_000 == pytest.approx(0.3, abs=4 * math.sqrt(0.21 / 40_000))


def test_rewards_are_those_of_each_step():
    """Q of one decision is the mean of what was paid, though later steps are entered in earlier outcomes."""

    class Noisy(bt.Problem):
        state = bt.record(x="f8")
        actions = 2
        horizon = 1

        @staticmethod
        def start(params, state, rng):
            state.x = 0.0

        @staticmethod
        def step(params, state, action, rng):
            state.x = bt.uniform(rng)
            return state.x, False

    search = bt.Search(Noisy(), bt.UCT(), seed=0)  # listed actions widen their outcomes, too
    search.run(trials=20_000)
    assert all(len(search.root.outcomes(a)) < 200 for a in (0, 1))
    np.testing.assert_allclose(search.root.q, 0.5, atol=4 * 0.29 / 100)


def test_advance():
    """A drawn action keeps its subtree; another one begins anew where the problem's step leads."""
    problem = bt.problems.LQR()
    search = bt.Search(problem, seed=0)
    search.run(trials=2_000)
    action, below = search.recommend(), search.node([search.recommend()])
    count, value, actions = below.count, below.value, below.actions.copy()
    search.advance(action)
    assert (search.root.count, search.root.value) == (count, value)
    np.testing.assert_array_equal(search.root.actions, actions)
    search.run(trials=100)
    here = search.root.state
    search.advance(1.2345)
    assert search.root.count == 0
    assert search.root.state == problem.step(here, 1.2345)[0]
    search.run(trials=100)
    with pytest.raises(bt.ParameterError, match=r"action=7: must be a number from -5 to 5"):
        search.advance(7)


@pytest.mark.parametrize("algorithm", [None, bt.DENTS(alpha=1.0), bt.UCT()])
def test_saved_searches_go_on(tmp_path, algorithm):
    """A search that was saved and loaded does what the first one does."""
    search = bt.Search(bt.problems.LQR(NOISE), algorithm, seed=0)
    search.run(trials=1_000)
    search.save(tmp_path / "lqr.search")
    again = bt.Search.load(tmp_path / "lqr.search")
    for one in (search, again):
        one.run(trials=1_000)
    np.testing.assert_array_equal(search.root.actions, again.root.actions)
    np.testing.assert_array_equal(search.root.q, again.root.q)


def test_recycling():
    """Where memory is full the least visited subtrees go, and what stays is as it was."""
    problem = bt.problems.LQR()
    search = bt.Search(problem, seed=0, max_nodes=4_000, on_full="recycle")
    assert search.run(trials=20_000) == "trials"
    assert search.recyclings > 0
    for node in follow(search.root):
        for i, outcomes in enumerate(node.children.values()):
            if outcomes:
                assert [child.state for child in outcomes] == [problem.step(node.state, node.action_at(i))[0]]
    assert search.root.value == pytest.approx(lqr(0.0, 10)[0], rel=0.1)


def test_full_memory_stops():
    """Without recycling a run ends at its limit, and the tree can be used."""
    search = bt.Search(bt.problems.LQR(), seed=0, max_nodes=500)
    assert search.run(trials=20_000) == "memory"
    assert search.size <= 500
    assert -5.0 <= search.recommend() <= 5.0


def test_same_seed_same_tree():
    """The same seed gives the same tree, in one run or in two."""
    one, two = (bt.Search(bt.problems.Pendulum(horizon=50), seed=3) for _ in range(2))
    one.run(trials=400)
    two.run(trials=150)
    two.run(trials=250)
    np.testing.assert_array_equal(one.root.actions, two.root.actions)
    np.testing.assert_array_equal(one.root.q, two.root.q)


def test_wrong_widening():
    """What makes no sense is refused."""
    lake, problem = bt.problems.FrozenLake("8x8"), bt.problems.LQR()
    with pytest.raises(bt.ParameterError, match=r"action_widening=\(1, 0.5\): must be left out for FrozenLake"):
        bt.Search(lake, bt.UCT(), action_widening=(1, 0.5))
    for wrong in ((0, 0.5), (1, 1), (1, -0.1), 3, "x", (math.nan, 0.5)):
        with pytest.raises(bt.ParameterError, match=r"action_widening=.*must be"):
            bt.Search(problem, action_widening=wrong)
    with pytest.raises(bt.ParameterError, match=r"widening=\(1, 0.5\): must be left out for LQR.*certain"):
        bt.Search(problem, widening=(1, 0.5))
