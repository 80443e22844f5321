"""What is particular to one algorithm: bounds, the bandit of Appendix C.3.2, ANTS, BRUE, the table itself."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest

import boltree as bt
from boltree.algorithms.table import ALGORITHMS as BY_NAME
from mdps import random_mdp


def test_two_armed_bandit():
    """Appendix C.3.2: 20 then 9 pulls of the worse arm by the paper, 21 then 9 within its rounding."""
    search = bt.Search(bt.problems.Bandit([0.0, 1.0]), bt.UCT(c=2.0), seed=0)
    search.run(trials=1000)
    first = int(search.root.visits[0])
    search.run(trials=4000)
    assert first in (20, 21)
    assert int(search.root.visits[0]) - first == 9
    boltzmann = bt.Search(bt.problems.Bandit([0.0, 1.0]), bt.BTS(alpha=1.0, epsilon=0.0), seed=0)
    boltzmann.run(trials=100_000)
    expected = 1 / (1 + math.e)
    assert boltzmann.root.visits[0] / 100_000 == pytest.approx(expected, abs=4.5 * math.sqrt(expected / 100_000))


def test_uct_automatic_bias():
    """c = max(0.001, max |Q|) at each node: the choice must be that of the bound written out."""
    rewards = [5.0, 4.0, -20.0]
    search = bt.Search(bt.problems.Bandit(rewards), bt.UCT(c="auto"), seed=0)
    for trial in range(1, 300):
        visits = search.root.visits if trial > 1 else np.zeros(3)
        if (visits > 0).all():
            bias = max(0.001, max(abs(r) for r in rewards))
            bound = np.array(rewards) + bias * np.sqrt(np.log(trial) / visits)
            expected = int(np.argmax(bound))
            before = visits.copy()
            search.run(trials=1)
            assert int(np.argmax(search.root.visits - before)) == expected
        else:
            search.run(trials=1)
            assert (search.root.visits <= 1).all()
    zero = bt.Search(bt.problems.Bandit([0.0, 0.0]), bt.UCT(c="auto"), seed=0)
    zero.run(trials=100)
    assert zero.root.visits.min() > 40  # the bias of 0.001 still explores


@pytest.mark.parametrize(
    ("options", "first_play"),
    [({}, lambda value: value), ({"reduction": 0.2}, lambda value: value - 0.2), ({"first_play": 0.0}, lambda _: 0.0)],
    ids=["parent", "reduced", "AlphaGo Zero"],
)
def test_puct_written_out(options, first_play):
    class Game(bt.Problem):
        state = bt.record(x="i4")
        params = bt.record(rewards="f8[:]", weights="f8[:]")
        actions = 4
        horizon = 1

        @staticmethod
        def start(params, state, rng):
            state.x = 0

        @staticmethod
        def step(params, state, action, rng):
            return params.rewards[action], True

        @staticmethod
        def prior(params, state, out):
            for a in range(4):
                out[a] = params.weights[a]

    rewards, weights = np.array([0.1, 0.5, 0.3, 0.9]), np.array([0.4, 0.3, 0.2, 0.1])
    search = bt.Search(Game(rewards=rewards, weights=weights), bt.PUCT(c=0.3, **options), seed=0, evaluator=0.0)
    for _ in range(200):
        visits = search.root.visits.copy()
        q = np.where(visits > 0, rewards, first_play(search.root.value))
        bound = q + 0.3 * weights * math.sqrt(visits.sum()) / (1 + visits)
        search.run(trials=1)
        taken = int(np.argmax(search.root.visits - visits))
        assert bound[taken] == pytest.approx(bound.max(), abs=1e-12)
    assert search.recommend() == int(np.argmax(search.root.visits))


def test_puct_noise_is_drawn_once_and_reproducible():
    def visits(**options):
        search = bt.Search(bt.problems.Bandit([0.0] * 10), bt.PUCT(c=1.0, **options), seed=4)
        search.run(trials=500)
        return search.root.visits.tolist()

    assert visits(noise=0.5) == visits(noise=0.5)
    assert np.std(visits(noise=0.9, noise_concentration=1.0)) > 3 * np.std(visits())


@pytest.mark.parametrize("target", [0.2, 0.5, 0.8])
def test_ants_holds_its_entropy(target):
    """Over the nodes visited in a window the mean normalised entropy at the new alpha is the target within 5 %."""
    search = bt.Search(random_mdp(2, horizon=6, legal_share=1.0).problem(), bt.ANTS(target=target, every=200), seed=0)
    search.run(trials=2_000)
    path, t = search.tree.storage.scratch["path"], search.tree.fields
    for _ in range(5):
        visited = set()
        for _ in range(200):
            search.run(trials=1)
            visited |= {int(path[level]["node"]) for level in range(int(t.length))}
        alpha, entropies = float(t.alpha_scale), []
        for index in visited:
            record = search.tree.storage.nodes[index]
            n = int(record.actions)
            if n > 1:
                q = search.tree.storage.edges["q"][record.block : record.block + n]
                p = np.exp((q - q.max()) / alpha)
                p /= p.sum()
                entropies.append(-(p * np.log(np.maximum(p, 1e-300))).sum() / math.log(n))
        assert np.mean(entropies) == pytest.approx(target, rel=0.05)


def test_brue_updates_one_pair_a_trial():
    """Trial n updates only the pair at its switching depth sigma = H - ((n-1) mod H)."""
    horizon = 4
    problem = random_mdp(1, horizon=horizon, legal_share=1.0).problem()
    search = bt.Search(problem, bt.BRUE(), seed=0, growth="trial")
    t = search.tree.fields

    def updates():
        total: dict[int, int] = {}
        for index in range(search.size):
            record = search.tree.storage.nodes[index]
            if record.block >= 0:
                edges = search.tree.storage.edges["visits"][record.block : record.block + int(record.actions)]
                total[int(record.depth)] = total.get(int(record.depth), 0) + int(edges.sum())
        return total

    before = updates()
    for n in range(1, 60):
        search.run(trials=1)
        after = updates()
        sigma = horizon - ((n - 1) % horizon)
        changed = {d: after.get(d, 0) - before.get(d, 0) for d in after if after.get(d, 0) != before.get(d, 0)}
        if t.length >= sigma:
            assert changed == {sigma - 1: 1}
        else:
            assert changed == {}  # the problem ended above the switching depth
        before = after


def test_power_means():
    """p = 1 is the mean of Q by visits, a large p the maximum."""
    rewards = [0.0, 1.0, 0.4]
    for p in (1.0, 2.0, 50.0):
        search = bt.Search(bt.problems.Bandit(rewards), bt.PowerUCT(c=1.0, p=p), seed=0)
        search.run(trials=1000)
        share = search.root.visits / 1000
        expected = (share * np.array(rewards) ** p).sum() ** (1 / p)
        assert search.root.value == pytest.approx(expected, rel=1e-9)


def test_dents_without_bonus_is_bts():
    problem = random_mdp(8).problem()
    bts = bt.Search(problem, bt.BTS(alpha=0.5, epsilon=0.1), seed=3)
    dents = bt.Search(problem, bt.DENTS(alpha=0.5, beta=0.0, epsilon=0.1), seed=3)
    for search in (bts, dents):
        search.run(trials=5_000)
    assert bts.root.visits.tolist() == dents.root.visits.tolist()


def test_a_users_schedule_is_the_built_in_one():
    problem = random_mdp(4).problem()
    own = bt.ARDENTS(alpha=lambda m: 1.0 / math.sqrt(max(m, 1)), beta=lambda m: 2.0 / math.sqrt(max(m, 1)))
    built_in = bt.ARDENTS(alpha=bt.sqrt_decay(1.0), beta=bt.sqrt_decay(2.0))
    searches = [bt.Search(problem, algorithm, seed=0) for algorithm in (own, built_in)]
    for search in searches:
        search.run(trials=2_000)
    assert searches[0].root.visits.tolist() == searches[1].root.visits.tolist()


def test_custom_rows_are_the_built_in_ones():
    problem = random_mdp(4).problem()
    for custom, built_in in (
        (bt.Custom(search_distribution="boltzmann", state_value="max", alpha=0.3), bt.BTS(alpha=0.3)),
        (bt.Custom(search_distribution="ucb", state_value="mean", c=1.0), bt.UCT(c=1.0)),
        (
            bt.Custom(search_distribution="relative", state_value="relative-soft", alpha=0.3),
            bt.RENTS(alpha=0.3),
        ),
        (
            bt.Custom(search_distribution="boltzmann", state_value="max", entropy_bonus="shannon", alpha=0.3, beta=0.2),
            bt.DENTS(alpha=0.3, beta=0.2),
        ),
    ):
        searches = [bt.Search(problem, algorithm, seed=0) for algorithm in (custom, built_in)]
        for search in searches:
            search.run(trials=2_000)
        assert searches[0].root.visits.tolist() == searches[1].root.visits.tolist()


def test_by_name():
    assert bt.algorithm("ar-dents", alpha=2.0) == bt.ARDENTS(alpha=2.0)
    with pytest.raises(bt.ParameterError, match="must be one of UCT, PUCT"):
        bt.algorithm("alphabeta")
    for wrong, meant in (("dent", "DENTS"), ("AR_MENT", "ARMENTS"), ("power-utc", "PowerUCT")):
        with pytest.raises(bt.ParameterError, match=rf"; did you mean {meant}\?$"):
            bt.algorithm(wrong)
    with pytest.raises(bt.ParameterError, match=r"unknown parameter 'alhpa'; .*; did you mean alpha\?$"):
        bt.algorithm("dents", alhpa=1.0)
    with pytest.raises(bt.ParameterError, match="unknown parameter 'beta'; it has alpha"):
        bt.algorithm("bts", beta=1.0)


def test_recommendation_can_be_chosen():
    class Late(bt.Problem):
        """Action 0 pays 1 rarely visited; visits and values disagree."""

        state = bt.record(x="i4")
        actions = 2
        horizon = 1

        @staticmethod
        def start(params, state, rng):
            state.x = 0

        @staticmethod
        def step(params, state, action, rng):
            return (1.0 if action == 0 else 0.0), True

        @staticmethod
        def prior(params, state, out):
            out[0] = 0.05
            out[1] = 0.95

    for recommend, action in (("value", 0), ("visits", 1)):
        search = bt.Search(Late(), bt.BTS(alpha=100.0, epsilon=0.0, epsilon_prior=10.0, recommend=recommend), seed=0)
        search.run(trials=200)
        assert search.recommend() == action


def test_ties_do_not_depend_on_reading():
    search = bt.Search(bt.problems.Bandit([1.0] * 5), bt.UCT(c=1.0), seed=0)
    search.run(trials=50)
    assert len({search.recommend() for _ in range(20)}) == 1
    picks = set()
    for seed in range(30):
        other = bt.Search(bt.problems.Bandit([1.0] * 5), bt.UCT(c=1.0), seed=seed)
        other.run(trials=50)
        picks.add(other.recommend())
    assert picks == set(range(5))


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_numpy_numbers_are_numbers(name):
    """Whoever sweeps a parameter with np.linspace gets the same search as with Python's numbers."""
    kind = BY_NAME[name]
    plain = {"c": 1.5, "alpha": 0.5, "beta": 0.25, "epsilon": 0.5, "epsilon_prior": 0.5, "q_init": -1.0, "p": 2.0}
    plain |= {
        "budget": 64,
        "threshold": 5,
        "reduction": 0.5,
        "first_play": "parent",
        "noise": 0.25,
        "target": 0.5,
        "every": 10,
    }
    plain |= {"early_rebuilds": True, "rebuild_factor": 2.0}
    given = {one.name: plain[one.name] for one in fields(kind) if one.name in plain}
    seen = []
    for change in (lambda v: v, lambda v: np.asarray(v)[()], lambda v: np.float32(v) if isinstance(v, float) else v):
        values = {key: change(value) for key, value in given.items()}
        values |= {"early_rebuilds": True} if "early_rebuilds" in given else {}
        search = bt.Search(bt.problems.DChain(6), kind(**values), seed=0)
        search.run(trials=64)
        seen.append((search.root.value, search.root.visits.tolist()))
    assert seen[0] == seen[1] == seen[2]


def test_a_numpy_bool_is_a_bool():
    class Sure(bt.problems.DChain):
        deterministic = np.bool_(True)

    search = bt.Search(Sure(6), bt.BTS(alpha=0.5), seed=0)
    search.run(trials=64)
    assert search.trials == 64
