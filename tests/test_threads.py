"""Threads: invariants whatever the interleaving, merged trees, determinism, failures in a thread, limits."""

from __future__ import annotations

import functools
import os
import threading

import numpy as np
import pytest

import boltree as bt
from boltree.parallel import allotment, choose, helper_tree, merger
from boltree.tree import Tree
from child import Interrupt, call
from mdps import random_mdp
from test_fast_paths import Noise
from test_invariants import ALGORITHMS
from test_robust import Fragile, check_entropies
from trees import check_invariants, fault_of

COUNTING = ("HMCTS", "BRUE", "ANTS")


WAYS = ["shared tree", "a tree each", "deterministic"]


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """How threads work together, whatever the problem costs."""
    let_work(request.param, monkeypatch)
    return request.param


def let_work(way, patch):
    patch.setattr(choose, "SHARED_TREE_FROM_SECONDS", 0.0 if way == "shared tree" else 1e9)


def new_search(problem, algorithm, way, **options):
    deterministic = way == "deterministic"
    return bt.Search(problem, algorithm, threads=options.pop("threads", 3), deterministic=deterministic, **options)


def stress(number, way):
    """One short run of a random search on a random problem; its sums must be exact."""
    rng = np.random.default_rng(number)
    algorithms = [a for a in ALGORITHMS if way != "shared tree" or a.name not in COUNTING]
    algorithm = algorithms[rng.integers(len(algorithms))]
    mdp = random_mdp(
        number,
        states=5,
        actions=int(rng.integers(1, 6)),
        horizon=int(rng.integers(1, 7)),
        deterministic=bool(rng.integers(2)),
        discount=float(rng.choice([1.0, 0.8])),
    )
    growth = str(rng.choice(["leaf", "trial"]))
    evaluator = [0.0, -1.5, "rollout"][rng.integers(3)]
    threads = int(rng.integers(2, 5))
    search = new_search(mdp.problem(), algorithm, way, threads=threads, seed=number, growth=growth, evaluator=evaluator)
    for runs, trials in enumerate(rng.integers(1, 700, size=2), start=1):
        before = search.trials
        search.run(trials=int(trials))
        assert search.trials == before + trials
        assert search.root.count == search.trials
        check_invariants(search, runs=runs, rewards_of_outcomes=True)
        if search.tree.fields.extra_words == 3:
            check_entropies(search)
    return search.parallelism


def test_short_runs_under_stress(way):
    ways = [stress(number, way) for number in range(40)]
    assert ways.count("shared tree" if way == "shared tree" else "a tree each") > 25


@pytest.mark.slow
def test_a_thousand_short_runs_under_stress(way):
    for number in range(1_000, 2_000):
        stress(number, way)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
def test_every_algorithm_with_two_players(algorithm, way):
    search = new_search(bt.problems.TicTacToe(), algorithm, way, seed=0)
    search.run(trials=2_000)
    assert search.parallelism == (
        "shared tree" if way == "shared tree" and algorithm.name not in COUNTING else "a tree each"
    )
    assert check_invariants(search) > 300


def test_same_seed_same_tree():
    def visits(problem, threads, **options):
        search = bt.Search(problem, bt.DENTS(), threads=threads, deterministic=True, seed=3, **options)
        search.run(trials=1_000)
        search.run(trials=501)
        t = search.tree.fields
        return search.parallelism, search.tree.storage.nodes[: t.node_count].tobytes(), search.root.visits.tolist()

    for problem, growth in ((bt.problems.FrozenLake("8x8"), "trial"), (bt.problems.ConnectFour(), "leaf")):
        own = [visits(problem, 3, growth=growth) for _ in range(3)]
        assert own[0][0] == "a tree each"
        assert own[0] == own[1] == own[2]
        assert visits(problem, 2, growth=growth)[2] != own[0][2]


def test_a_merged_tree_is_the_sum_of_its_trees(monkeypatch):
    """Of two separate searches with the same random numbers, added up node by node in plain Python."""
    monkeypatch.setattr(choose, "SHARED_TREE_FROM_SECONDS", 1e9)
    mdp = random_mdp(5, states=6, actions=3, horizon=4)
    merged = bt.Search(mdp.problem(), bt.UCT(c=1.0), threads=2, deterministic=True, growth="trial", seed=4)
    words = merged.runner._helpers[0]._generator.copy()
    merged.run(trials=1_000)
    sums: dict[tuple, np.ndarray] = {}

    def collect(node, path):
        sums[path] = sums.get(path, 0.0) + np.array([node.count, np.nansum(node.q * node.visits)])
        for action, outcomes in node.children.items():
            for child in outcomes:
                collect(child, (*path, action, child.state.tobytes(), child.terminal))

    for k in range(2):
        alone = bt.Search(mdp.problem(), bt.UCT(c=1.0), growth="trial", seed=4)
        if k == 1:
            alone.tree.storage.scratch["rng"][:] = words
        alone.run(trials=500)
        collect(alone.root, ())
    expected, sums = sums, {}
    collect(merged.root, ())
    assert sums.keys() == expected.keys()
    assert len(sums) > 100
    for path, values in sums.items():
        np.testing.assert_allclose(values, expected[path], atol=1e-9)


@pytest.mark.parametrize("seconds", [0.0, 1e9])
def test_the_pieces_in_which_a_helper_runs_change_nothing(seconds, monkeypatch):
    def memory():
        search = bt.Search(bt.problems.ConnectFour(), bt.DENTS(), threads=3, deterministic=True, seed=1)
        search.run(trials=3_001)
        assert search.root.count == search.trials == 3_001
        return {name: used.copy() for name, used in search.tree.storage.used().items()}

    expected = memory()
    monkeypatch.setattr(allotment, "PIECE_SECONDS", seconds)  # the smallest pieces, or ever larger ones
    found = memory()
    for name, used in expected.items():
        assert np.array_equal(used, found[name])


def test_a_helper_that_breaks_is_told_of_and_the_others_are_merged(monkeypatch):
    search = bt.Search(bt.problems.ConnectFour(), bt.UCT(), threads=3, deterministic=True, seed=1)
    run = Tree.run

    def breaks(self, trials):
        if self is search.runner._helpers[0].tree and self.trials > 500:
            raise MemoryError("no more")
        return run(self, trials)

    monkeypatch.setattr(Tree, "run", breaks)
    with pytest.raises(MemoryError, match="no more"):
        search.run(trials=30_000)
    monkeypatch.undo()
    assert 500 < search.trials < 30_000
    assert search.root.count == search.trials
    check_invariants(search)
    before = search.trials
    search.run(trials=1_000)
    assert search.trials == before + 1_000
    check_invariants(search, runs=2)


def test_helpers_end_soon_when_time_is_up(monkeypatch):
    """After the piece that they run; and not after the rest of their share, nor never."""
    search = bt.Search(bt.problems.ConnectFour(), bt.UCT(), threads=2, deterministic=True, seed=1)
    search.run(trials=100)
    told, late = set(), []
    let_run, run_piece, stop = (getattr(helper_tree.HelperTree, name) for name in ("let_run", "_run_piece", "stop"))

    def runs(self, pool):
        told.discard(self)
        let_run(self, pool)

    def stops(self):
        stop(self)
        told.add(self)

    def piece(self, trials):
        if self in told:
            late.append(trials)
        return run_piece(self, trials)

    monkeypatch.setattr(helper_tree.HelperTree, "let_run", runs)
    monkeypatch.setattr(helper_tree.HelperTree, "_run_piece", piece)
    monkeypatch.setattr(helper_tree.HelperTree, "stop", stops)
    for _ in range(3):
        late.clear()
        search.run(seconds=0.1)
        assert len(late) <= 1  # begun as it was told
        assert search.root.count == search.trials
    assert not fault_of(search)


@pytest.mark.parametrize("algorithm", [bt.UCT(), bt.BTS(), bt.DENTS()], ids=lambda a: a.name)
def test_trees_are_merged_two_and_two_by_all_threads(algorithm, monkeypatch):
    threads, met = [], threading.Event()
    match = merger.MergeOfTwo._match_below

    def noted(*given):
        threads.append(threading.get_ident())
        if len(set(threads)) > 2:
            met.set()
        met.wait(100.0)  # for the others: one thread could be done before they begin
        met.set()  # who has waited in vain once need not do so again
        match(*given)

    monkeypatch.setattr(merger.MergeOfTwo, "_match_below", noted)

    def run():
        search = bt.Search(bt.problems.ConnectFour(), algorithm, threads=5, deterministic=True, seed=1)
        search.run(trials=5 * 3_000)
        return search

    search, again = run(), run()
    assert len(threads) == 2 * (4 + 4 + 5)  # all but one in the first two steps
    assert len(set(threads)) > 2
    check_invariants(search)
    for name, used in search.tree.storage.used().items():
        assert np.array_equal(used, again.tree.storage.used()[name])


def test_one_thread_merges_alone_where_no_other_can_be_started():
    def run(refuse):
        search = bt.Search(bt.problems.ConnectFour(), bt.UCT(), threads=4, deterministic=True, seed=1)
        search.run(trials=100)
        pool = search.runner._pool
        submit = pool.submit

        def refused(function, *arguments):
            if refuse and isinstance(function, functools.partial):
                raise RuntimeError("can't start new thread")
            return submit(function, *arguments)

        pool.submit = refused
        search.run(trials=4 * 9_000)
        assert search.trials == 100 + 4 * 9_000
        return {name: used.copy() for name, used in search.tree.storage.used().items()}

    alone, together = run(True), run(False)
    for name, used in alone.items():
        assert np.array_equal(used, together[name])


@pytest.mark.parametrize("algorithm", [bt.BTS(alpha=0.3), bt.DENTS(alpha=0.3), bt.UCT(c=2.0), bt.DENTS()], ids=str)
def test_threads_find_the_best_action(algorithm, way):
    mdp = random_mdp(8, states=6, actions=3, horizon=4)
    exact = bt.solve(mdp.problem())
    search = new_search(mdp.problem(), algorithm, way, seed=0)
    search.run(trials=40_000)
    assert exact.root_value - bt.value_of(search) < 0.02


def test_continuous_noise(way):
    """Every outcome is new: the index of outcomes is made and grown while threads work."""
    search = new_search(Noise(outcomes=3_000, fail=-1), bt.BTS(alpha=0.5), way, seed=0)
    for runs in (1, 2, 3):
        search.run(trials=3_000)
        check_invariants(search, runs=runs)
    assert search.tree.fields.index_wanted


@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_a_user_s_exception_in_a_thread(growth, way):
    search = new_search(Fragile(chance=0.0005), bt.DENTS(alpha=0.3), way, seed=1, growth=growth)
    failures = 0
    for _ in range(20):
        try:
            search.run(trials=500)
        except RuntimeError as error:
            failures += str(error) == "it broke"
        check_invariants(search, runs=20)
        check_entropies(search)
    assert failures > 5
    assert search.root.count == search.trials > 500


def test_limits(way):
    search = new_search(bt.problems.ConnectFour(), bt.BTS(), way, seed=0, max_nodes=5_000)
    if way != "a tree each":
        assert search.run(trials=100_000) == "memory"
        assert 4_000 < search.size <= 5_000
    search = new_search(bt.problems.ConnectFour(), bt.BTS(), way, seed=0, max_bytes=1_000_000)
    assert search.run(trials=1_000_000) == "memory"
    assert search.nbytes <= (1_100_000 if way == "a tree each" else 1_000_000)  # what helpers hold is added at the end
    check_invariants(search, runs=100)


def interrupt_again_and_again(way):
    with pytest.MonkeyPatch.context() as patch:
        let_work(way, patch)
        search = new_search(bt.problems.ConnectFour(), bt.BTS(), way, seed=0, max_bytes=10**9)
        search.run(trials=200)  # compiled
        for k in range(8):
            with Interrupt(after=0.013 * k) as interrupt, pytest.raises(KeyboardInterrupt):
                interrupt.run(search)
        search.run(trials=100)
        assert search.parallelism == ("shared tree" if way == "shared tree" else "a tree each")
        assert search.root.count == search.trials
        if search.size < 30_000:
            check_invariants(search, runs=10)


@pytest.mark.skipif(os.name != "posix", reason="signals to a process are POSIX")
@pytest.mark.parametrize("way", WAYS)
def test_interrupts(way):
    call(interrupt_again_and_again, way)


def test_advancing_and_saving(way, tmp_path):
    search = new_search(bt.problems.ConnectFour(), bt.UCT(), way, seed=0)
    for _ in range(4):
        search.run(trials=300)
        search.advance(search.recommend())
    check_invariants(search, runs=10)
    search.save(tmp_path / "search")
    loaded = bt.Search.load(tmp_path / "search")
    assert (loaded.threads, loaded.trials, loaded.size) == (3, search.trials, search.size)
    loaded.run(trials=300)
    check_invariants(loaded, runs=10)


@pytest.mark.usefixtures("processor_clock")
def test_how_threads_work_together_is_measured():
    cheap = bt.Search(bt.problems.DChain(10), bt.BTS(), threads=2, evaluator=0.0, seed=0)
    assert cheap.parallelism == "unknown"
    cheap.run(trials=500)
    assert cheap.parallelism == "a tree each"
    dear = bt.Search(bt.problems.Go(size=9), bt.BTS(), threads=2, seed=0)
    dear.run(trials=100)
    assert dear.parallelism == "shared tree"
    assert bt.Search(bt.problems.DChain(10), bt.BTS(), seed=0).parallelism == "one thread"


class Counting(bt.PythonProblem):
    actions = 2
    horizon = 3

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        return state + action, float(action), False


def test_refusals():
    problem = bt.problems.DChain(5)
    for threads in (0, -1, 2.5, True, "two", 100_000):
        with pytest.raises(bt.ParameterError, match="threads="):
            bt.Search(problem, bt.BTS(), threads=threads)
    with pytest.raises(bt.ParameterError, match="deterministic="):
        bt.Search(problem, bt.BTS(), threads=2, deterministic="yes")
    with pytest.raises(bt.ParameterError, match="runs Python code"):
        bt.Search(Counting(), bt.BTS(), threads=2)

    class Evaluator:
        def evaluate(self, batch):
            return np.zeros(len(batch))

    with pytest.raises(bt.ParameterError, match="takes leaves in batches"):
        bt.Search(problem, bt.BTS(), threads=2, evaluator=Evaluator())


def test_what_is_compiled_for_threads_is_no_part_of_the_time(monkeypatch, clock):
    """How threads work together is chosen when some trials have shown what they cost: in the middle of a run."""
    made = choose.OwnTrees

    def slowly(*arguments, **options):
        clock.seconds += 1_000.0
        return made(*arguments, **options)

    monkeypatch.setattr(choose, "SHARED_TREE_FROM_SECONDS", 1e9)
    monkeypatch.setattr(choose, "OwnTrees", slowly)
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.UCT(), threads=2, seed=0)
    began = clock.seconds
    assert search.run(seconds=60.0) == "seconds"
    assert 1_060.0 <= clock.seconds - began < 1_061.0
    assert search.parallelism == "a tree each"


class Liar(bt.Problem):
    """It says that it is deterministic, and is not; how many actions are legal is drawn too."""

    state = bt.record(x="i4", n="i4")
    actions, horizon, deterministic = 16, 8, True

    @staticmethod
    def start(params, state, rng):
        state.n = 4

    @staticmethod
    def legal(params, state, mask):
        for a in range(16):
            mask[a] = a < state.n

    @staticmethod
    def step(params, state, action, rng):
        state.x = state.x * 17 + action
        state.n = 2 + bt.integer(rng, 15)
        return 0.1 * action, False


def test_merging_keeps_to_its_memory_whatever_a_problem_claims():
    search = bt.Search(Liar(), bt.UCT(), seed=1, evaluator=0.0, threads=2, deterministic=True)
    search.run(trials=3_000)
    assert not fault_of(search)
