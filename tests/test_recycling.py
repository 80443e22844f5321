"""on_full="recycle": a search whose memory is full frees its least visited subtrees, and stays a sound search."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boltree as bt
from boltree.core.memory.layout import NONE, RECYCLED
from boltree.parallel import choose
from mdps import random_mdp
from test_fast_paths import Noise
from test_invariants import ALGORITHMS
from test_robust import Fragile, check_entropies
from trees import check_invariants

NAME = attrgetter("name")


def recycling(problem, algorithm, **options):
    return bt.Search(problem, algorithm, on_full="recycle", **{"seed": 0, **options})


def check(search, **options):
    seen = check_invariants(search, rewards_of_outcomes=True, **options)
    if search.tree.fields.extra_words == 3:
        check_entropies(search)
    return seen


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    which=st.integers(0, len(ALGORITHMS) - 1),
    growth=st.sampled_from(["leaf", "trial"]),
    evaluator=st.sampled_from([0.0, -1.5, "rollout"]),
    deterministic=st.booleans(),
    discount=st.sampled_from([1.0, 0.8]),
    actions=st.integers(1, 5),
    horizon=st.integers(1, 8),
    nodes=st.integers(20, 200),
)
def test_invariants(seed, which, growth, evaluator, deterministic, discount, actions, horizon, nodes):
    mdp = random_mdp(seed, states=5, actions=actions, horizon=horizon, deterministic=deterministic, discount=discount)
    options = {"growth": growth, "evaluator": evaluator, "max_nodes": nodes, "seed": seed % 1000}
    search = recycling(mdp.problem(), ALGORITHMS[which], **options)
    for _ in range(4):
        before = search.trials
        reason = search.run(trials=300)
        assert search.size <= nodes
        assert (reason, search.trials) == ("trials", before + 300) or reason == "memory"
        assert search.root.count == search.trials
        check(search)


@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=NAME)
def test_every_algorithm_goes_on(algorithm, growth):
    """Many recyclings, with two players and with chance; the root's counts and the recommended path survive."""
    for problem in (bt.problems.TicTacToe(), random_mdp(4, states=7, actions=4, horizon=9).problem()):
        search = recycling(problem, algorithm, growth=growth, max_nodes=400)
        assert search.run(trials=6_000) == "trials"
        assert search.recyclings >= 5
        assert 100 < search.size <= 400
        assert search.root.count == search.root.visits.sum() == 6_000 or algorithm.name == "BRUE"
        check(search)


def test_recycling_frees_the_least_visited():
    search = recycling(bt.problems.FrozenLake("8x8"), bt.BTS(alpha=0.3), growth="trial", max_nodes=20_000)
    search.run(stop=lambda s: s.size > 15_000)
    path, node = [], search.root
    while node.children:
        path.append(node.recommended)
        node = max(node.children[path[-1]], key=lambda child: child.count)
    old, values = search.root, search.root.q
    assert search.tree.recycle(0, 0, by_nodes=True)
    assert search.size <= 10_000
    np.testing.assert_array_equal(search.root.q, values)
    nodes = search.tree.storage.nodes[: search.size]
    inner, freed = nodes["block"] != NONE, nodes["best"] == RECYCLED
    assert freed.sum() > 100
    assert np.median(nodes["visits"][inner]) > nodes["visits"][freed].max()
    assert [search.node(path[:k]).recommended for k in range(len(path))] == path
    with pytest.raises(RuntimeError, match="recycled"):
        _ = old.value


@pytest.mark.parametrize("algorithm", [bt.BTS(alpha=0.1), bt.DENTS()], ids=lambda one: one.name)
def test_it_finds_the_best_action_where_a_full_tree_stops(algorithm):
    """Random MDPs of which memory holds a small part; the sum of regrets against the exact values."""
    regret, ended = {"stop": 0.0, "recycle": 0.0}, {"stop": [], "recycle": []}
    for seed in range(24):
        problem = random_mdp(seed, states=8, actions=4, horizon=7, legal_share=1.0).problem()
        exact = bt.solve(problem)
        for way in regret:
            search = bt.Search(problem, algorithm, seed=seed, max_nodes=1_000, on_full=way)
            ended[way].append(search.run(trials=60_000))
            regret[way] += exact.root_value - exact.q()[list(exact.actions()).index(search.recommend())]
    assert ended["stop"].count("memory") > 20
    assert ended["recycle"] == ["trials"] * 24
    assert regret["recycle"] < 0.75 * regret["stop"]


def test_same_seed_same_tree():
    def memory(runs, **options):
        search = recycling(bt.problems.FrozenLake("8x8"), bt.DENTS(), growth="trial", max_nodes=3_000, **options)
        for trials in runs:
            search.run(trials=trials)
        assert search.recyclings > 2
        t = search.tree.fields
        nodes, units = int(t.node_count), int(t.unit_count)
        return search.tree.storage.nodes[:nodes].tobytes() + search.tree.storage.edges[:units].tobytes()

    assert memory([4_000]) == memory([1, 999, 3_000])
    each = {"threads": 2, "deterministic": True}
    assert memory([20_000], **each) == memory([20_000], **each)


def test_saving(tmp_path):
    search = recycling(bt.problems.FrozenLake("8x8"), bt.DENTS(), growth="trial", max_nodes=3_000)
    search.run(trials=3_000)
    search.save(tmp_path / "search")
    loaded = bt.Search.load(tmp_path / "search")
    assert (loaded.on_full, loaded.recyclings, loaded.size) == ("recycle", search.recyclings, search.size)
    for one in (search, loaded):
        assert one.run(trials=3_000) == "trials"
    assert loaded.root.q.tolist() == search.root.q.tolist()
    check(loaded)


@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_advancing(growth):
    search = recycling(bt.problems.ConnectFour(), bt.BTS(), growth=growth, max_nodes=600)
    for _ in range(5):
        assert search.run(trials=2_000) == "trials"
        check(search)
        search.advance(search.recommend())
    assert search.recyclings > 8


class Guess:
    """A value and a prior from the state's bytes."""

    def __init__(self, batch, gives_prior):
        self.batch, self.gives_prior = batch, gives_prior

    def evaluate(self, batch):
        values = np.array([np.sin(sum(row.tobytes())) for row in batch])
        return (np.full((len(batch), 7), 1 / 7) if self.gives_prior else None), values


@pytest.mark.parametrize("gives_prior", [True, False])
@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.DENTS(alpha=0.3), bt.BTS()], ids=NAME)
def test_evaluators(algorithm, batch, gives_prior):
    search = recycling(bt.problems.ConnectFour(), algorithm, evaluator=Guess(batch, gives_prior), max_nodes=300)
    for _ in range(3):
        assert search.run(trials=600) == "trials"
        assert search.size <= 300
        check(search)
    assert search.recyclings > 2
    with bt.Together(Guess(batch, gives_prior)) as together:
        search = recycling(bt.problems.ConnectFour(), algorithm, evaluator=together, max_nodes=300)
        assert search.run(trials=1_500) == "trials"
        assert search.recyclings > 2
        check(search)


@pytest.mark.parametrize("way", ["shared tree", "a tree each", "deterministic"])
@pytest.mark.parametrize("limit", [{"max_nodes": 1_500}, {"max_bytes": 500_000}], ids=str)
def test_threads(way, limit, monkeypatch):
    monkeypatch.setattr(choose, "SHARED_TREE_FROM_SECONDS", 0.0 if way == "shared tree" else 1e9)
    for algorithm in (bt.UCT(), bt.DENTS(alpha=0.3), bt.MENTS(alpha=0.3, alias=True)):
        options = {"threads": 3, "deterministic": way == "deterministic", **limit}
        search = recycling(bt.problems.ConnectFour(), algorithm, **options)
        for runs in (1, 2):
            assert search.run(trials=8_000) == "trials"
            assert search.root.count == search.trials == runs * 8_000
            assert search.nbytes <= limit.get("max_bytes", 1 << 40)
            assert search.size <= limit.get("max_nodes", 1 << 40)
            check(search, runs=1 << 20)
        assert search.parallelism == ("shared tree" if way == "shared tree" else "a tree each")
        assert search.recyclings > 2


def test_continuous_noise():
    """Every outcome is new: the index of outcomes is dropped and made again."""
    search = recycling(Noise(outcomes=3_000, fail=-1), bt.BTS(alpha=0.5), max_bytes=3_000_000)
    assert search.run(trials=60_000) == "trials"
    assert search.recyclings > 2
    assert search.tree.fields.index_size > 0
    assert search.nbytes <= 3_000_000
    check_invariants(search)


@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_a_user_s_exception(growth):
    search = recycling(Fragile(chance=0.002), bt.DENTS(alpha=0.3), growth=growth, max_nodes=60)
    failures = 0
    for _ in range(60):
        try:
            search.run(trials=100)
        except RuntimeError as error:
            failures += str(error) == "it broke"
        check_invariants(search)
        check_entropies(search)
    assert failures > 5
    assert search.recyclings > 5


def test_where_nothing_can_be_freed():
    """A root with more outcomes than there may be nodes."""
    search = recycling(Noise(outcomes=3_000, fail=-1), bt.BTS(alpha=0.5), max_nodes=50)
    reason = search.run(trials=10_000)
    assert reason in ("memory", "trials")
    if reason == "memory":
        assert search.run(trials=10) == "memory"
    check_invariants(search)
    with pytest.raises(bt.ParameterError, match="on_full='forget': must be 'stop' or 'recycle'"):
        bt.Search(bt.problems.DChain(5), bt.BTS(), on_full="forget")
