"""Every fast path gives what its plain path gives."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import boltree as bt
from boltree.core.formulas.alias import build_table, sample_table
from boltree.core.formulas.space import MAX, SPARSE
from boltree.core.formulas.support import sparse_maximum_ranked
from boltree.core.formulas.values import remember_best, scan_best, soft_maximum, soft_maximum_kept, sparse_maximum
from boltree.core.memory.layout import HEADER, NOBODY, NODE
from boltree.core.memory.storage import Storage, fields_of, new_record
from boltree.core.memory.views import edge_at, node_at, stack_of
from boltree.core.random import new_generator, uniform_of
from boltree.core.system import PLAIN
from boltree.core.trial.run import run_trials
from mdps import random_mdp


def same_tree(a: bt.Search, b: bt.Search) -> bool:
    """Bit for bit the same visits and values, node by node."""
    x, y = a.tree.storage.nodes[: a.size], b.tree.storage.nodes[: b.size]
    fields = ("visits", "value", "entropy", "reward", "depth", "action", "player", "parent")
    return a.size == b.size and all((x[f] == y[f]).all() for f in fields)


# Blocks that are made late


@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize(
    "algorithm",
    [
        bt.UCT(c=1.0),
        bt.BTS(alpha=0.3),
        bt.DENTS(alpha=0.3),
        bt.MENTS(alpha=0.3),
        bt.ARDENTS(alpha=bt.log_decay(1.0)),
        bt.Uniform(),
        bt.PowerUCT(),
        bt.BTS(alpha=0.3, alias=True),
        bt.DENTS(alpha=0.3, alias=True),
        bt.MENTS(alpha=0.3, alias=True, early_rebuilds=True),
    ],
    ids=lambda a: a.name,
)
def test_late_blocks_change_nothing(algorithm, growth):
    for seed in range(10):
        problem = random_mdp(seed, horizon=5).problem()
        compact, plain = (bt.Search(problem, algorithm, seed=seed, growth=growth, evaluator=0.0) for _ in range(2))
        assert compact.tree.fields.compact == 1
        plain.tree.fields.compact = 0
        compact.run(trials=1_500)
        plain.run(trials=1_500)
        assert compact.size == plain.size
        x, y = (s.tree.storage.nodes[: s.size] for s in (compact, plain))
        assert (x["visits"] == y["visits"]).all()
        np.testing.assert_allclose(x["value"], y["value"], atol=1e-12)
        np.testing.assert_allclose(x["entropy"], y["entropy"], atol=1e-12)
        assert compact.nbytes <= plain.nbytes


# Alias tables


@numba.njit
def _sample_many(handle, weights, n, rng, counts, draws):
    tree = handle[0]
    build_table(tree, 0, weights, n)
    for _ in range(draws):
        counts[sample_table(tree, 0, n, uniform_of(rng))] += 1
    return stack_of(tree)[0]


def bare_storage(actions: int) -> Storage:
    handle = new_record()
    t = fields_of(handle)
    t.words, t.actions, t.horizon, t.alias_from, t.ranked_from = 1, actions, 5, 2, 1 << 40
    return Storage(handle, 5, 1 << 22)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 300), sharpness=st.sampled_from([0.0, 1.0, 5.0, 30.0]))
def test_alias_tables_sample_their_distribution(seed, n, sharpness):
    rng = np.random.default_rng(seed)
    p = np.exp(sharpness * rng.normal(size=n))
    p /= p.sum()
    counts, draws = np.zeros(n), 100_000
    storage = bare_storage(n)
    _sample_many(storage.record, p.copy(), n, new_generator(seed), counts, draws)
    expected = p * draws
    big = expected >= 5
    statistic = ((counts[big] - expected[big]) ** 2 / expected[big]).sum()
    rest_seen, rest = counts[~big].sum(), expected[~big].sum()
    freedom = big.sum() - 1
    if rest > 1:
        statistic += (rest_seen - rest) ** 2 / rest
        freedom += 1
    if freedom > 0:
        assert statistic < chi2.ppf(1 - 1e-6, freedom)


@pytest.mark.parametrize("algorithm", [bt.BTS, bt.DENTS, bt.MENTS, bt.TENTS, bt.ARDENTS], ids=lambda a: a.__name__)
def test_alias_search_draws_the_tabled_policy(algorithm):
    """At a node whose values stay fixed, drawing from the table is drawing from rho: a bandit with known payments."""
    rewards = np.linspace(0.0, 1.0, 20)
    searches = {}
    for alias in (True, False):
        search = bt.Search(bt.problems.Bandit(rewards.tolist()), algorithm(alpha=0.3, epsilon=0.5, alias=alias), seed=5)
        search.run(trials=2_000)  # by then every action was tried and the values stand still
        before = search.root.visits.copy()
        search.run(trials=200_000)
        searches[alias] = (search.root.visits - before, search.root.policy)
    # pi changes slowly with lambda(N); both searches saw the same sequence of lambdas
    (tabled, pi), (direct, pi_direct) = searches[True], searches[False]
    np.testing.assert_allclose(pi, pi_direct, atol=1e-6)
    total = tabled + direct
    seen = total > 20
    statistic = ((tabled - direct) ** 2 / np.maximum(total, 1))[seen].sum()
    assert statistic < chi2.ppf(1 - 1e-6, seen.sum())
    assert np.abs(tabled / tabled.sum() - pi).max() < 0.01


def test_alias_tables_are_rebuilt():
    """Known wrong turn 1: a sampler built once would draw the first, uniform policy for ever."""
    rewards = [0.0] * 31 + [1.0]
    for options in ({}, {"early_rebuilds": True}, {"rebuild_factor": 3.0}):
        search = bt.Search(bt.problems.Bandit(rewards), bt.BTS(alpha=0.1, epsilon=0.1, alias=True, **options), seed=0)
        search.run(trials=20_000)
        assert search.root.visits[31] > 0.9 * 20_000


def test_rebuilding_follows_its_schedule():
    n = 32
    problem = bt.problems.Bandit([0.1 * i for i in range(n)])
    for options, expected in (
        ({}, [1 + n * k for k in range(1, 6)]),
        ({"rebuild_factor": 2.0}, [1 + 2 * n * k for k in range(1, 4)]),
        ({"early_rebuilds": True}, [2, 4, 8, 16, 32, 64, 96, 128]),
    ):
        # leaf growth with a number: the root gets its block at its first visit
        search = bt.Search(problem, bt.BTS(alpha=0.1, alias=True, **options), seed=0, evaluator=0.0)
        search.tree.fields.compact = 0
        rebuilt, last = [], None
        for trial in range(1, 200):
            search.run(trials=1)
            due = int(search.tree.storage.headers[search.tree.storage.nodes[0].block - 1].rebuild)
            if last is not None and due != last:
                rebuilt.append(trial)
            last = due
        assert rebuilt[: len(expected)] == expected


# Remembered maxima


@numba.njit
def _best_both(handle, slots, qs, kept, scanned, best):
    tree = handle[0]
    for k in range(slots.size):
        node, other = node_at(tree, 0), node_at(tree, 1)
        at = node.block + slots[k]
        from_edge = edge_at(tree, at)
        old = from_edge.q
        from_edge.q = qs[k]
        from_edge.visits += 1
        remember_best(tree, node, slots[k], old)
        other.block, other.actions = node.block, node.actions
        scan_best(tree, other)
        node.value = kept[k] = edge_at(tree, node.block + node.best).q
        scanned[k] = edge_at(tree, node.block + other.best).q
        best[k] = node.best


def planted(n: int) -> Storage:
    storage = bare_storage(n)
    storage.nodes[0] = np.zeros(1, NODE)[0]
    storage.nodes["actions"][0] = n
    storage.nodes["block"][0] = 1
    storage.nodes["best"][0] = -1
    storage.headers[0] = np.zeros(1, HEADER)[0]
    return storage


@pytest.mark.parametrize("n", [2, 3, 9, 50, 64, 301])
def test_remembered_maximum_is_the_maximum(n):
    """By looking at all edges and by a tournament; and both take the same edge among equals."""
    rng = np.random.default_rng(n)
    k = 5_000
    slots, qs = rng.integers(0, n, k), np.round(rng.normal(size=k), 1)  # many ties
    best = {}
    for ranked_from in (2, 1 << 40):
        storage = planted(n)
        t = fields_of(storage.record)
        t.state_value, t.ranked_from = MAX, ranked_from
        kept, scanned, best[ranked_from] = np.zeros(k), np.zeros(k), np.zeros(k)
        _best_both(storage.record, slots, qs, kept, scanned, best[ranked_from])
        assert (kept == scanned).all()
    assert (best[2] == best[1 << 40]).all()


# Sparse maxima


@numba.njit
def _sparse_both(handle, slots, qs, alphas, kept, plain):
    tree = handle[0]
    node = node_at(tree, 0)
    for k in range(slots.size):
        edge = edge_at(tree, node.block + slots[k])
        old = edge.q
        edge.q = qs[k]
        kept[k] = sparse_maximum_ranked(tree, node, slots[k], old, alphas[k])
        plain[k] = sparse_maximum(tree, node, alphas[k])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 200),
    alpha=st.sampled_from([1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e6]),
    size=st.sampled_from([1e-3, 1.0, 1e3, 1e9]),
    digits=st.sampled_from([0, 1, 15]),
)
def test_ranked_sparse_maximum_is_the_sparse_maximum(seed, n, alpha, size, digits):
    """Whatever the temperature of a visit is, and however far values jump; rounded ones have many equals."""
    rng = np.random.default_rng(seed)
    storage = planted(n)
    t = fields_of(storage.record)
    t.state_value, t.ranked_from = SPARSE, 1
    storage.edges["q"][1 : 1 + n] = np.round(rng.normal(size=n), digits) * size
    storage.words[4 * (1 + n) + n : 4 * (1 + n) + n + 4 * (n + 1)].view(np.uint16)[:] = NOBODY  # after the table
    k = 2_000
    slots, alphas = rng.integers(0, n, k), alpha * rng.choice([0.5, 1.0, 3.0], size=k)
    qs = np.where(rng.random(k) < 0.5, rng.normal(size=k) * size, rng.normal(size=k) * alpha)
    kept, plain = np.zeros(k), np.zeros(k)
    _sparse_both(storage.record, slots, np.round(qs / size, digits) * size, alphas, kept, plain)
    assert np.isfinite(kept).all()
    np.testing.assert_allclose(kept, plain, rtol=1e-12, atol=1e-12 * alpha)


# Soft maxima


@numba.njit
def _soft_both(handle, slots, qs, alpha, kept, plain):
    tree = handle[0]
    for k in range(slots.size):
        node = node_at(tree, 0)
        edge = edge_at(tree, node.block + slots[k])
        old = edge.q
        edge.q = qs[k]
        kept[k] = soft_maximum_kept(tree, node, slots[k], old, alpha)
        plain[k] = soft_maximum(tree, node, 0, alpha)


@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    alpha=st.sampled_from([1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e6]),
    size=st.sampled_from([1e-3, 1.0, 1e3, 1e9]),
)
def test_kept_soft_maximum_equals_log_sum_exp(seed, n, alpha, size):
    rng = np.random.default_rng(seed)
    storage = planted(n)
    start = rng.normal(size=n) * size
    storage.edges["q"][1 : 1 + n] = start
    storage.headers["total"][0] = -1.0
    k = 3_000
    slots = rng.integers(0, n, k)
    drift = np.where(rng.random(k) < 0.5, rng.normal(size=k) * size, rng.normal(size=k) * alpha)
    kept, plain = np.zeros(k), np.zeros(k)
    _soft_both(storage.record, slots, drift, alpha, kept, plain)
    assert np.isfinite(kept).all()
    q = start.copy()
    for i in range(k):
        q[slots[i]] = drift[i]
        top = q.max()
        exact = top + alpha * np.log(np.exp((q - top) / alpha).sum())
        assert abs(kept[i] - exact) <= 1e-9 * max(abs(exact), alpha)
        assert abs(plain[i] - exact) <= 1e-12 * max(abs(exact), alpha)


def test_kept_soft_maximum_does_not_drift():
    rng = np.random.default_rng(0)
    n, k = 20, 1_000_000
    storage = planted(n)
    storage.headers["total"][0] = -1.0
    kept, plain = np.zeros(k), np.zeros(k)
    _soft_both(storage.record, rng.integers(0, n, k), rng.normal(size=k), 0.1, kept, plain)
    assert np.abs(kept - plain).max() < 1e-12


@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e9])
@pytest.mark.parametrize(
    "algorithm", [bt.MENTS, bt.RENTS, bt.TENTS, bt.BTS, bt.DENTS, bt.ARMENTS], ids=lambda a: a.__name__
)
def test_extreme_scales_never_give_nan(algorithm, alpha, size):
    rewards = np.random.default_rng(0).normal(size=12) * size
    for alias in (True, False):
        search = bt.Search(bt.problems.Bandit(rewards.tolist()), algorithm(alpha=alpha, alias=alias), seed=0)
        search.run(trials=2_000)
        assert np.isfinite(search.root.value)
        assert np.isfinite(search.policy()).all()
        assert search.policy().sum() == pytest.approx(1.0)


# Sparse maxima


@numba.njit
def _sparse(handle, alpha):
    tree = handle[0]
    return sparse_maximum(tree, node_at(tree, 0), alpha)


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    alpha=st.sampled_from([0.01, 0.3, 1.0, 30.0]),
    size=st.sampled_from([0.1, 1.0, 1e6]),
    ties=st.booleans(),
)
def test_sparse_maximum_agrees_with_sorting(seed, n, alpha, size, ties):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=n) * size
    if ties:
        q = np.round(q / size, 1) * size
    storage = planted(n)
    storage.edges["q"][1 : 1 + n] = q
    top = q.max()
    x = np.sort((q - top) / alpha)[::-1]
    support = max(i for i in range(1, n + 1) if 1 + i * x[i - 1] > x[:i].sum())
    t = (x[:support].sum() - 1) / support
    expected = top + alpha * (0.5 + 0.5 * (x[:support] ** 2 - t**2).sum())
    assert _sparse(storage.record, alpha) == pytest.approx(expected, rel=1e-12, abs=1e-9 * alpha)


# Arenas


def test_growing_by_copying_gives_the_same_tree(monkeypatch):
    problem = bt.problems.FrozenLake("8x8")
    reserved = bt.Search(problem, bt.DENTS(alpha=0.1), seed=3, growth="trial")
    monkeypatch.setattr("boltree.core.memory.arena.SYSTEM", PLAIN)
    copied = bt.Search(problem, bt.DENTS(alpha=0.1), seed=3, growth="trial")
    assert reserved.tree.storage.arenas["nodes"].reserved
    assert not copied.tree.storage.arenas["nodes"].reserved
    first = copied.tree.storage.arenas["nodes"].size
    for search in (reserved, copied):
        search.run(trials=20_000)
    assert copied.tree.storage.arenas["nodes"].size > first
    assert same_tree(reserved, copied)


# Edges with many outcomes


class Noise(bt.Problem):
    """A step leads to one of many states."""

    state = bt.record(x="i8")
    params = bt.record(outcomes="i8", fail="i8")
    actions = 3
    horizon = 3

    @staticmethod
    def start(params, state, rng):
        state.x = -1

    @staticmethod
    def step(params, state, action, rng):
        state.x = bt.integer(rng, params.outcomes)
        if state.x == params.fail:
            raise RuntimeError("here it breaks")
        return state.x / params.outcomes + 0.1 * action, False


@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("outcomes", [40, 3000])
def test_indexed_outcomes_give_the_same_tree(outcomes, growth, monkeypatch):
    indexed = bt.Search(Noise(outcomes=outcomes, fail=-1), bt.DENTS(alpha=0.3), seed=0, growth=growth)
    chained = bt.Search(Noise(outcomes=outcomes, fail=-1), bt.DENTS(alpha=0.3), seed=0, growth=growth)
    indexed.run(trials=6_000)
    assert indexed.tree.fields.index_size > 0
    monkeypatch.setattr(chained.tree, "run", lambda trials: _run_chained(chained, trials))
    chained.run(trials=6_000)
    assert chained.tree.fields.index_size == 0
    assert same_tree(indexed, chained)
    counts = indexed.root.visits
    for i, action in enumerate(indexed.root.actions):
        children = indexed.children[int(action)]
        assert len({child.state.tobytes() for child in children}) == len(children)
        assert sum(child.count for child in children) == counts[i]
    state = max(indexed.children[0], key=lambda c: c.count).state
    indexed.advance(0, state)
    chained.advance(0, state)
    indexed.run(trials=500)
    chained.run(trials=500)
    assert same_tree(indexed, chained)


def _run_chained(search, trials):
    """Run while pretending that no index is ever wanted."""
    for _ in range(trials):
        search.tree.fields.index_wanted = 0
        assert run_trials(search.tree.record, 1) == 0
    search.tree.fields.index_wanted = 0
    return True


def test_the_index_survives_failed_trials(tmp_path):
    search = bt.Search(Noise(outcomes=2000, fail=7), bt.BTS(alpha=0.3), seed=0, growth="trial")
    failures = 0
    while search.trials < 5_000:
        try:
            search.run(trials=5_000 - search.trials)
        except RuntimeError:
            failures += 1
    assert failures > 3
    for children in search.children.values():
        assert len({child.state.tobytes() for child in children}) == len(children)
    search.save(tmp_path / "s.npz")
    loaded = bt.Search.load(tmp_path / "s.npz", problem=Noise(outcomes=2000, fail=7))
    assert same_tree(search, loaded)


@pytest.mark.usefixtures("processor_clock")
def test_many_outcomes_stay_fast():
    """A chain of 100,000 outcomes would take minutes."""
    search = bt.Search(Noise(outcomes=10**9, fail=-1), bt.UCT(c=1.0), seed=0, evaluator=0.0)
    assert search.run(trials=300_000, seconds=20.0) == "trials"
    assert search.size == 300_001
