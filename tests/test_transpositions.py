"""Shared nodes: every number against a plain double, exact values, memory, and all that a search offers."""

from __future__ import annotations

import runpy
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boltree as bt
from boltree.core.system import PLAIN
from child import Interrupt, call
from mdps import random_mdp
from plain.games import make
from plain.recorder import Double
from plain.shared import SharedByState, SharedTree
from test_against_plain import ALGORITHMS, CUSTOM, seed_of
from test_fast_paths import Noise, same_tree
from test_robust import Fragile, Oracle
from trees import check_shared

REFUSED = ("HMCTS", "HMCTS number", "RENTS", "RENTS init", "ARRENTS", "BRUE")
SHARING = {name: algorithm for name, algorithm in ALGORITHMS.items() if name not in REFUSED}
MODES = (True, "state")
GROWTH = ("trial", "leaf")
KINDS = ("tabular", "game two", "game two prior")

# Against a plain double


def replay(problem: Any, algorithm: Any, growth: str, mode: Any, trials: int = 90, **options: Any) -> Double:
    """Replay a search: the estimates that its trials go by, then those that are shown."""
    tree = {True: SharedTree, "state": SharedByState}[mode]
    pair = Double(problem, algorithm, growth, transpositions=mode, tree=tree, **options)
    pair.search.tree.fields.sweep_least = 1
    pair.run(trials, every=6)
    pair.search.tree.estimates.show()
    pair.plain.settle()
    pair.compare_all()
    return pair


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SHARING)
def test_every_number(name, kind, growth, mode):
    seed = seed_of(name, kind, growth)
    replay(make(kind, seed, discount=0.9), ALGORITHMS[name], growth, mode, seed=seed)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize(
    "algorithm",
    [
        bt.UCT(c=0.3),
        bt.BTS(alpha=0.2, alias=True),
        bt.MENTS(alpha=0.2, alias=True),
        bt.DENTS(alpha=0.2, beta=bt.log_decay(1.0), alias=True),
        bt.ARDENTS(alpha=0.2, beta=bt.log_decay(1.0), alias=True, early_rebuilds=True),
        CUSTOM["bounds with prior, power"],
        CUSTOM["ucb soft"],
    ],
    ids=lambda a: a.name,
)
def test_many_actions(algorithm, growth, mode):
    """Tables, remembered maxima, kept soft sums."""
    seed = seed_of(algorithm.name)
    replay(make("game two", seed, actions=24, horizon=3), algorithm, growth, mode, trials=300, seed=seed)


@pytest.mark.parametrize("evaluator", ["heuristic", "rollout", -2.0])
@pytest.mark.parametrize("name", ["UCT auto", "PUCT reduction", "MENTS", "ARBTS", "PowerUCT"])
def test_evaluators(name, evaluator):
    seed = seed_of(name, str(evaluator))
    replay(make("game two", seed), ALGORITHMS[name], "leaf", True, seed=seed, evaluator=evaluator)


class Twice(SharedTree):
    """Counts N(s') in place of n(s,a,s')."""

    def compute_edge(self, node: Any, action: int) -> None:
        super().compute_edge(node, action)
        ways = self.ways[id(node)]
        ways.w[action] = sum(sum(paid) + 0.9 * child.visits * child.value for child, paid in ways.seen[action].values())


class Never(SharedTree):
    """Computes only the edge that was taken."""

    def back_up(self, path: Any, leaf: Any) -> None:
        lengths = {id(visit.node): visit.node.visits for visit in path}
        for visit in path:
            visit.node.visits = 1 + len(visit.node.actions) * 1000  # no multiple
        super().back_up(path, leaf)
        for visit in path:
            visit.node.visits = lengths[id(visit.node)]


@pytest.mark.parametrize("broken", [Twice, Never])
def test_a_wrong_formula_is_noticed(broken):
    pair = Double(make("tabular", 3), bt.BTS(alpha=0.3), "trial", transpositions=True, tree=broken, seed=3)
    pair.search.tree.fields.sweep_least = 1
    with pytest.raises(AssertionError):
        pair.run(120)


# Equations and exact values


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    name=st.sampled_from(sorted(SHARING)),
    growth=st.sampled_from(GROWTH),
    mode=st.sampled_from(MODES),
    evaluator=st.sampled_from([0.0, -1.5, "rollout"]),
    deterministic=st.booleans(),
    actions=st.integers(1, 5),
    horizon=st.integers(1, 7),
    trials=st.integers(1, 600),
)
def test_equations(seed, name, growth, mode, evaluator, deterministic, actions, horizon, trials):
    mdp = random_mdp(seed, states=5, actions=actions, horizon=horizon, deterministic=deterministic, discount=0.8)
    options: dict[str, Any] = {"growth": growth, "evaluator": evaluator, "transpositions": mode}
    search = bt.Search(mdp.problem(), ALGORITHMS[name], seed=seed % 1000, **options)
    search.run(trials=trials)
    assert check_shared(search) <= 2 * 5 * (1 if mode == "state" else horizon + 1)


def test_the_checker_can_fail():
    search = bt.Search(random_mdp(0).problem(), bt.BTS(), seed=0, evaluator=0.0, transpositions=True)
    search.run(trials=500)
    search.tree.storage.nodes["value"][0] += 1e-6
    with pytest.raises(AssertionError):
        check_shared(search)


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("name", ["UCT", "PUCT", "BTS", "MENTS", "DENTS", "ARBTS", "Uniform"])
def test_without_transpositions_it_is_the_tree(name, growth):
    """Where no two ways meet, the same actions are tried as often, and Q is the same."""
    problem = bt.problems.SyntheticTree(4, 5, seed=1)
    tree, graph = (
        bt.Search(problem, ALGORITHMS[name], seed=2, growth=growth, transpositions=mode) for mode in (False, True)
    )
    for search in (tree, graph):
        search.run(trials=800)
    assert tree.size == graph.size
    assert tree.root.visits.tolist() == graph.root.visits.tolist()
    np.testing.assert_allclose(tree.root.q, graph.root.q, atol=1e-12)
    assert np.array_equal(tree.survey().visits, graph.survey().visits)


@pytest.mark.parametrize("algorithm", [bt.BTS(alpha=0.1), bt.DENTS(alpha=0.1), bt.BTS()], ids=["BTS", "DENTS", "auto"])
def test_deterministic_graphs_are_solved_exactly(algorithm):
    for seed in range(20):
        mdp = random_mdp(seed, deterministic=True, horizon=8)
        v, q = mdp.values()
        search = bt.Search(mdp.problem(), algorithm, seed=seed, evaluator=0.0, transpositions=True)
        search.run(trials=3_000)
        assert search.root.value == pytest.approx(v[0, 0], abs=1e-12)
        assert abs(bt.simple_regret(search)) < 1e-12
        assert search.recommend() in np.flatnonzero(q[0, 0] > q[0, 0].max() - 1e-9)


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize(
    "algorithm",
    [
        bt.UCT(c=4.0),
        bt.PUCT(c=1.0),
        bt.TENTS(alpha=0.05),
        bt.BTS(alpha=0.1),
        bt.DENTS(alpha=0.1),
        bt.ARBTS(),
        bt.ARDENTS(),
        bt.PowerUCT(c=1.0, p=4.0),
        bt.ANTS(target=0.3),
        bt.Uniform(),
    ],
    ids=lambda a: a.name,
)
def test_random_graphs(algorithm, growth):
    """The root is right where it is clear, and the regret falls as trials grow."""
    few, many, clear = [], [], 0
    for seed in range(20):
        mdp = random_mdp(seed, horizon=6)
        _, q = mdp.values()
        search = bt.Search(mdp.problem(), algorithm, seed=seed, growth=growth, evaluator=0.0, transpositions=True)
        for trials, regrets in ((300, few), (9_700, many)):
            search.run(trials=trials)
            regrets.append(bt.simple_regret(search))
        gap = np.diff(np.sort(q[0, 0][mdp.legal[0]])[-2:])
        if gap.size and gap[0] >= 0.3:
            clear += 1
            assert q[0, 0, search.recommend()] >= q[0, 0].max() - 1e-9
    assert clear >= 5
    assert min(few + many) > -1e-12
    assert np.mean(many) < np.mean(few) / 2


def test_soft_values_are_approached():
    for seed in range(10):
        problem = random_mdp(seed, horizon=5).problem()
        search = bt.Search(problem, bt.MENTS(alpha=0.3), seed=seed, evaluator=0.0, transpositions=True)
        search.run(trials=60_000)
        assert search.root.value == pytest.approx(bt.solve(problem, "soft", 0.3).root_value, abs=0.03)


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("algorithm", [bt.BTS(alpha=0.1), bt.DENTS(alpha=0.1), bt.Uniform()], ids=lambda a: a.name)
def test_sharing_by_state_solves_problems_without_an_end(algorithm, growth):
    """Values do not depend on the depth: a short horizon gives the values of an endless one, here one of 150 steps."""
    for seed in range(10):
        mdp = random_mdp(seed, deterministic=True, horizon=150, discount=0.85)
        problem = random_mdp(seed, deterministic=True, horizon=6, discount=0.85).problem()
        search = bt.Search(problem, algorithm, seed=seed, growth=growth, evaluator=0.0, transpositions="state")
        search.run(trials=2_000)
        assert search.size <= 7  # six states; the last is only met as an end
        assert search.root.value == pytest.approx(mdp.values()[0][0, 0], abs=1e-9)


def test_regret_by_state():
    """The value of what is recommended, which holds at all depths, against sampled episodes and the optimum."""
    problem = random_mdp(3, states=40, horizon=60, discount=0.9).problem()
    search = bt.Search(problem, bt.BTS(alpha=0.1), seed=0, evaluator=0.0, transpositions="state")
    regrets = []
    for trials in (20, 480, 19_500):
        search.run(trials=trials)
        sampled = bt.sample_value(search, episodes=4_000)
        assert bt.value_of(search) == pytest.approx(sampled.value, abs=5 * sampled.error)
        regrets.append(bt.simple_regret(search))
    assert regrets[0] > 10 * regrets[2] >= 0.0
    assert search.size <= 41


# Memory


def test_few_nodes():
    """Frozen Lake has 64 cells and 100 depths: a tree of as many trials is a hundred times larger."""
    sizes = []
    for mode in (True, False):
        lake = bt.problems.FrozenLake("8x8")
        search = bt.Search(lake, bt.BTS(alpha=0.1), seed=0, growth="trial", transpositions=mode)
        search.run(trials=60_000)
        sizes.append((search.size, search.nbytes))
    assert sizes[0][0] < 7_000
    assert sizes[1][0] > 40 * sizes[0][0]
    assert sizes[1][1] > 10 * sizes[0][1]


@pytest.mark.parametrize("algorithm", [bt.BTS(), bt.UCT(c=1.0), bt.PUCT(c=1.0)], ids=lambda a: a.name)
def test_tic_tac_toe(algorithm):
    """5,478 positions are all there is (those at an end of the game are met as such)."""
    search = bt.Search(bt.problems.TicTacToe(), algorithm, seed=0, transpositions=True)
    search.run(trials=60_000)
    assert search.size <= 5_478
    assert bt.simple_regret(search) == 0.0
    if algorithm.name == "BTS":
        assert search.root.value == 0.0
        exact = bt.solve(search.problem)
        assert search.root.q == pytest.approx(exact.q(), abs=1e-12)


def test_limits():
    lake = bt.problems.FrozenLake("8x8")
    for limit in ({"max_nodes": 1_000}, {"max_bytes": 400_000}):
        search = bt.Search(lake, bt.DENTS(alpha=0.1), seed=0, growth="trial", transpositions=True, **limit)
        assert search.run(trials=1_000_000) == "memory"
        assert search.size <= limit.get("max_nodes", np.inf)
        assert search.nbytes <= limit.get("max_bytes", np.inf)
        assert search.trials > 10
        check_shared(search)


def test_growing_by_copying_gives_the_same_search(monkeypatch):
    searches = []
    for reserved in (True, False):
        if not reserved:
            monkeypatch.setattr("boltree.core.memory.arena.SYSTEM", PLAIN)
        lake = bt.problems.FrozenLake("8x12-test")
        search = bt.Search(lake, bt.UCT(), seed=0, growth="trial", transpositions=True)
        assert search.tree.storage.arenas["blocks"].reserved is reserved
        search.run(trials=5_000)
        searches.append(search)
    assert same_tree(*searches)


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("outcomes", [40, 10**9])
def test_many_outcomes(outcomes, growth):
    """Edges with many outcomes are not summed at every visit: what is shown is exact, what trials go by is near."""
    problem = Noise(outcomes=outcomes, fail=-1)
    search = bt.Search(problem, bt.DENTS(alpha=0.3), seed=1, growth=growth, transpositions=True)
    search.run(trials=1_500)
    check_shared(search)
    assert search.tree.storage.edges[search.tree.storage.nodes[0].block].outcomes > 16
    shown = search.tree.storage.nodes[0].copy()
    search.tree.estimates.resume()
    own = search.tree.storage.nodes[0].copy()
    search.tree.estimates.show()
    assert own["value"] == pytest.approx(shown["value"], abs=0.02)
    assert own["entropy"] == pytest.approx(shown["entropy"], abs=0.1)


# What a search offers


def shared(algorithm: Any = None, mode: Any = True, *, seed: int = 5, trials: int = 600, **options: Any) -> bt.Search:
    mdp = random_mdp(7, horizon=6, discount=0.9)
    search = bt.Search(mdp.problem(), algorithm or bt.DENTS(alpha=0.3), seed=seed, transpositions=mode, **options)
    search.run(trials=trials)
    return search


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("name", ["UCT", "BTS", "DENTS", "MENTS", "ARDENTS", "ANTS", "PUCT noise"])
def test_runs_in_parts_saving_and_loading(name, growth, mode, tmp_path):
    """Looking, splitting a run, saving and loading change nothing, bit for bit."""
    whole = shared(ALGORITHMS[name], mode, growth=growth, trials=900)
    parts = shared(ALGORITHMS[name], mode, growth=growth, trials=1)
    parts.run(trials=299)
    bt.value_of(parts), parts.survey(), parts.root.policy
    parts.save(tmp_path / "search.npz")
    loaded = bt.Search.load(tmp_path / "search.npz")
    assert loaded.transpositions == mode
    assert same_tree(parts, loaded)
    assert loaded.recommend() == parts.recommend()
    for search in (parts, loaded):
        search.run(trials=600, progress=lambda search: search.root.value, stop=lambda search: search.root.value > 1e9)
        assert same_tree(whole, search)
    assert not same_tree(whole, shared(ALGORITHMS[name], mode, growth=growth, trials=900, seed=6))


def test_looking(capsys):
    search = shared(trials=3_000)
    root = search.root
    assert set(search.children) <= set(root.actions.tolist())
    best = max(search.children, key=lambda a: len(search.children[a]))
    outcomes, arrivals = root.outcomes(best), root.arrivals(best)
    assert arrivals.sum() == root.visits[root.actions.tolist().index(best)]
    assert search.node([best])._index == outcomes[int(arrivals.argmax())]._index
    assert search.node([(best, 0)])._index == outcomes[0]._index
    for child in outcomes:
        assert child.depth == 1
        first = int(child._record.action)  # another action may have led here before
        assert child.reward == random_mdp(7).rewards[0, first, child.state["s"]]
    inner = next(child for child in outcomes if not child.terminal)
    assert inner.policy.sum() == pytest.approx(1.0)
    assert search.recommend(inner.state, 1) == inner.recommended
    with pytest.raises(bt.ParameterError, match="not in the tree"):
        search.recommend(inner.state, 17)
    search.tree(2)
    assert f"N {arrivals.max():,}" in capsys.readouterr().out
    seen = search.survey()
    assert (seen.depth[1:] == seen.depth[seen.parent[1:]] + 1).all()
    for few in (search, shared(trials=8)):
        sampled = bt.sample_value(few, episodes=4_000)
        assert bt.value_of(few) == pytest.approx(sampled.value, abs=5 * sampled.error)
    assert "Tabular" in search.watch().html


def test_a_graph_for_other_tools():
    networkx = pytest.importorskip("networkx")
    search = shared(trials=3_000)
    graph = search.to_networkx(depth=6)
    assert networkx.is_directed_acyclic_graph(graph)
    assert len(graph) == search.size
    assert max(degree for _, degree in graph.in_degree()) > 3
    circles = shared(mode="state", trials=3_000).to_networkx(depth=6)
    assert not networkx.is_directed_acyclic_graph(circles)


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("horizon", ["absolute", "receding"])
def test_advance(mode, growth, horizon):
    search = shared(mode=mode, growth=growth, trials=2_000)
    for _ in range(4):
        action = search.recommend()
        child = max(search.root.outcomes(action), key=lambda node: node.count * (not node.terminal))
        count, value, state = child.count, child.value, child.state_record
        search.advance(action, state, horizon=horizon)
        assert (search.root.count, search.root.value) == pytest.approx((count, value), abs=1e-9)
        assert search.root.state_record == state
        check_shared(search)
        search.run(trials=300)
        check_shared(search)
        assert search.root.count >= count + 300 - search.trials  # a trial cut at once is none
        assert bt.simple_regret(search) > -1e-12
    with pytest.raises(RuntimeError, match="left by advance"):
        _ = child.value


def test_advance_to_what_was_never_seen():
    search = shared(trials=3)
    search.advance(int(search.root.actions[0]), {"s": 4})
    assert search.size == 1
    search.run(trials=500)
    check_shared(search)


def test_acting():
    episode = bt.act(bt.problems.DChain(5), bt.BTS(alpha=0.5), trials=300, transpositions=True)
    assert episode.actions == [1] * 5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("growth", GROWTH)
def test_failed_trials_leave_no_trace(growth, mode):
    problem = Fragile(chance=0.01, discount=0.9)
    search = bt.Search(problem, bt.DENTS(alpha=0.3), seed=0, growth=growth, evaluator=0.0, transpositions=mode)
    failed = 0
    while search.trials < 2_000:
        try:
            search.run(trials=2_000 - search.trials)
        except RuntimeError:
            failed += 1
            if failed % 8 == 0:
                check_shared(search)
    assert failed > 8
    check_shared(search)


@pytest.mark.parametrize("gives_prior", [True, False])
@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.DENTS(alpha=0.3), bt.UCT(c=1.0)], ids=lambda a: a.name)
def test_evaluator_objects(algorithm, gives_prior):
    """One that fails now and then; a shared node is valued once."""
    oracle = Oracle(gives_prior, 7)
    search = bt.Search(random_mdp(4, horizon=6).problem(), algorithm, seed=0, evaluator=oracle, transpositions=True)
    while search.trials < 500:
        try:
            search.run(trials=500 - search.trials)
        except OSError:
            check_shared(search)
    check_shared(search)
    assert oracle.count <= search.size * 7 / 6 + 2


def interrupt_between_chunks():
    def interrupt(search: bt.Search) -> None:
        if search.trials > 2_000:
            signal.raise_signal(signal.SIGINT)

    search = shared(trials=100)
    with pytest.raises(KeyboardInterrupt):
        search.run(trials=10**9, progress=interrupt)
    check_shared(search)
    for k in range(5):
        with Interrupt(after=0.01 * k) as interrupted, pytest.raises(KeyboardInterrupt):
            interrupted.run(search)
        check_shared(search)
    before = search.trials
    search.run(trials=100)
    assert search.trials == before + 100
    check_shared(search)


def test_interrupts():
    call(interrupt_between_chunks)


class Walk(bt.PythonProblem):
    """Left and right on a line, in plain Python."""

    actions, horizon, deterministic = 2, 10, True

    def start(self, rng: Any) -> Any:
        return 0

    def step(self, state: Any, action: int, rng: Any) -> tuple[Any, float, bool]:
        return state + 2 * action - 1, float(state == 4), False


def test_problems_in_python():
    search = bt.Search(Walk(), bt.BTS(alpha=0.1), seed=0, transpositions=True)
    search.run(trials=3_000)
    assert search.size <= 66  # n + 1 places at depth n
    assert search.root.value == bt.solve(Walk()).root_value
    check_shared(search)


@pytest.mark.parametrize(
    ("algorithm", "options", "message"),
    [
        (bt.BTS(), {"transpositions": "depth"}, "transpositions='depth': must be False, True or 'state'"),
        (bt.BTS(), {"transpositions": 1}, "transpositions=1: must be False, True or 'state'"),
        (bt.BTS(), {"transpositions": "state"}, r"DChain has discount=1, must be below 1"),
        (bt.HMCTS(), {}, "must be False with HMCTS, which gives the root"),
        (bt.BRUE(), {}, "must be False with BRUE, which updates one pair"),
        (bt.RENTS(), {}, "must be False with RENTS, which is relative to the parent's policy"),
        (bt.ARRENTS(), {}, "must be False with ARRENTS"),
    ],
)
def test_refusals(algorithm, options, message):
    with pytest.raises(bt.ParameterError, match=message):
        bt.Search(bt.problems.DChain(4), algorithm, **{"transpositions": True, **options})


def test_common_batches_are_refused():
    with (
        bt.Together(Oracle(True)) as together,
        pytest.raises(bt.ParameterError, match=r"must be False with bt.Together"),
    ):
        bt.Search(bt.problems.DChain(4), bt.PUCT(), evaluator=together, transpositions=True)


def test_the_example():
    example = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "transpositions.py"))
    problem, points, algorithms = example["CASES"]["D-chain 10"]
    row = example["Row"]()
    row.add(problem, algorithms["BTS"], points, 0, True)
    assert row.nodes == [21]
    assert row.regrets[0][-1] == 0.0
    assert "21" in str(row)
