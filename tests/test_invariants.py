"""Every tree of every algorithm satisfies its invariants: counts, sums, values, entropies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boltree as bt
from mdps import random_mdp
from trees import check_invariants

ALGORITHMS = [
    bt.UCT(c=1.0),
    bt.PUCT(),
    bt.HMCTS(budget=600),
    bt.MENTS(alpha=0.3),
    bt.RENTS(alpha=0.3),
    bt.TENTS(alpha=0.3),
    bt.BTS(alpha=0.3),
    bt.DENTS(alpha=0.3),
    bt.ARBTS(),
    bt.ARDENTS(),
    bt.ARMENTS(alpha=0.3),
    bt.ARRENTS(alpha=0.3),
    bt.ARTENTS(alpha=0.3),
    bt.PowerUCT(),
    bt.StochasticPowerUCT(),
    bt.BRUE(),
    bt.ANTS(),
    bt.Uniform(),
    bt.BTS(alpha=0.3, alias=True),
    bt.DENTS(alpha=0.3, alias=True),
    bt.MENTS(alpha=0.3, alias=True),
    bt.ARDENTS(alias=True, early_rebuilds=True),
    bt.RENTS(alpha=0.3, alias=True),
    bt.ARRENTS(alpha=0.3, alias=True),
]


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    which=st.integers(0, len(ALGORITHMS) - 1),
    growth=st.sampled_from(["leaf", "trial"]),
    evaluator=st.sampled_from([0.0, -1.5, "rollout"]),
    deterministic=st.booleans(),
    discount=st.sampled_from([1.0, 0.8]),
    actions=st.integers(1, 5),
    horizon=st.integers(1, 6),
    trials=st.integers(1, 600),
)
def test_invariants(seed, which, growth, evaluator, deterministic, discount, actions, horizon, trials):
    mdp = random_mdp(seed, states=5, actions=actions, horizon=horizon, deterministic=deterministic, discount=discount)
    search = bt.Search(mdp.problem(), ALGORITHMS[which], seed=seed % 1000, growth=growth, evaluator=evaluator)
    search.run(trials=trials)
    assert search.trials == trials
    check_invariants(search)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
def test_invariants_with_two_players(algorithm):
    search = bt.Search(bt.problems.TicTacToe(), algorithm, seed=0)
    search.run(trials=3_000)
    assert check_invariants(search) > 500


def test_sums_are_rewards_plus_values():
    """W = sum of rewards + discount * sum N V, with the rewards of every trial written down."""
    mdp = random_mdp(3, horizon=5, discount=0.9)
    search = bt.Search(mdp.problem(), bt.BTS(alpha=0.3), seed=1, growth="trial")
    rewards: dict[tuple[int, int], float] = {}
    path, t = search.tree.storage.scratch["path"], search.tree.fields
    for _ in range(2_000):
        search.run(trials=1)
        steps = [int(path[level]["node"]) for level in range(int(t.length))] + [int(t.leaf)]
        for level, index in enumerate(steps[:-1]):
            action = int(search.tree.storage.nodes[steps[level + 1]].action)
            rewards[index, action] = rewards.get((index, action), 0.0) + float(path[level]["reward"])
    checked = 0
    for index in range(search.size):
        record = search.tree.storage.nodes[index]
        if record.block < 0 or record.marks & 2:
            continue
        for i in range(record.actions):
            edge = search.tree.storage.edges[record.block + i]
            total, child = rewards.get((index, int(edge.action)), 0.0), int(edge.child)
            while child >= 0:
                below = search.tree.storage.nodes[child]
                total += 0.9 * below.visits * below.value
                child = int(below.sibling)
            assert edge.w == pytest.approx(total, abs=1e-9)
            checked += 1
    assert checked > 500


def test_a_million_updates_do_not_drift():
    mdp = random_mdp(11, states=3, actions=2, horizon=2, legal_share=1.0)
    search = bt.Search(mdp.problem(), bt.BTS(alpha=1.0), seed=0, growth="trial")
    search.run(trials=1_000_000)
    check_invariants(search)
    root = search.root
    for i, action in enumerate(root.actions):
        outcomes = root.children[int(action)]
        # the mean reward is that of the outcomes met, since rewards depend on the outcome alone
        field = search.problem.state_layout().names[0]
        expected = (
            sum(c.count * (mdp.rewards[0, action, int(c.state[field])] + c.value) for c in outcomes) / root.visits[i]
        )
        assert abs(root.q[i] - expected) < 1e-9


def test_the_checker_can_fail():
    search = bt.Search(random_mdp(0).problem(), bt.BTS(), seed=0, evaluator=0.0)
    search.run(trials=500)
    search.tree.storage.nodes["value"][0] += 1e-6
    with pytest.raises(AssertionError):
        check_invariants(search)


def test_root_arrays():
    search = bt.Search(bt.problems.Bandit([0.0, 1.0, 0.5]), bt.UCT(c=1.0), seed=0)
    search.run(trials=2)
    assert np.isnan(search.root.q).sum() == 1
    assert search.root.visits.sum() == 2
    assert search.root.count == 2
    search.run(trials=100)
    np.testing.assert_allclose(search.root.q, [0.0, 1.0, 0.5])
