"""Several trees in the same arenas: windows and limits of each, what a wrong forecast does, gaps and waste."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import boltree as bt
from boltree.core.memory import arena as memory
from boltree.core.memory.layout import UNIT
from boltree.core.memory.partition import GROWTH, Partition, Windows, node_bytes
from boltree.core.system import PLAIN
from boltree.parallel import own_trees
from boltree.parallel.forecast import Forecast
from test_fast_paths import Noise
from trees import check_invariants, fault_of


@pytest.mark.parametrize("turns", [2, 3, 16])
def test_windows_follow_each_other_without_overlap(turns):
    windows = Windows(first=1_000, turns=turns, least=24)
    all_of_them = sorted(windows.window(number, turn) for number in range(40) for turn in range(turns))
    assert all_of_them[0][0] == 1_000
    for (_, end), (start, _) in itertools.pairwise(all_of_them):
        assert end == start
    sizes = [end - start for start, end in (windows.window(number, 1) for number in range(40))]
    assert sizes[0] == 24
    assert all(later <= max(24, sum(sizes[:k]) // GROWTH) for k, later in enumerate(sizes))


def test_a_partition_counts_its_own_bytes_and_nothing_else():
    windows = Windows(first=500, turns=3, least=16)
    part = Partition(first=100, end=200, limit=6_000, windows=windows, turn=2)
    t = bt.Search(bt.problems.ConnectFour(), bt.UCT()).tree.fields
    t.node_count, t.unit_count, t.index_size = 100, part.start, 0
    part.bound(t)
    own = 0
    while part.grow(t, int(t.node_count), int(t.unit_count) + 10, room=1 << 20):
        t.unit_count += 10
        own += 10
        assert part.units(t) == own
    assert (own + 10) * UNIT > 6_000 >= own * UNIT
    assert not part.grow(t, 201, int(t.unit_count), room=1 << 20)
    assert part.grow(t, int(t.node_count), int(t.unit_count) + 10, room=1 << 20, anyhow=True)
    assert not part.grow(t, int(t.node_count), int(t.unit_count) + 100, room=int(t.unit_count), anyhow=True)
    assert part.spans(t).tolist() == [[100, 100]]
    assert node_bytes(t) == 64 + 8 * int(t.words)


@pytest.mark.parametrize("factor", [0.05, 20.0])
@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("algorithm", [bt.UCT(), bt.DENTS()], ids=lambda a: a.name)
def test_a_wrong_forecast_costs_time_only(algorithm, growth, deterministic, factor, monkeypatch):
    monkeypatch.setattr("boltree.parallel.choose.SHARED_TREE_FROM_SECONDS", 1e9)
    nodes = Forecast.nodes
    monkeypatch.setattr(Forecast, "nodes", lambda *given: int(nodes(*given) * factor) + 60)
    options = {"threads": 3, "deterministic": deterministic, "seed": 2, "growth": growth}
    search = bt.Search(bt.problems.ConnectFour(), algorithm, **options)
    search.run(trials=4_000)
    search.run(seconds=0.05)
    assert search.parallelism == "a tree each"
    assert search.root.count == search.trials > 4_000
    assert not fault_of(search)


def test_where_memory_cannot_be_reserved(monkeypatch):
    def run():
        search = bt.Search(bt.problems.ConnectFour(), bt.DENTS(), threads=3, deterministic=True, seed=1)
        for trials in (50, 20_000, 3_000):
            search.run(trials=trials)
        assert not fault_of(search)
        return search.tree.storage.arenas["nodes"].reserved, search.root.visits.tolist()

    reserved = run()
    monkeypatch.setattr(memory, "SYSTEM", PLAIN)
    copied = run()
    assert (reserved[0], copied[0]) == (True, False)
    assert sum(copied[1]) == sum(reserved[1]) == 23_050


def test_many_short_runs_keep_no_waste():
    search = bt.Search(bt.problems.ConnectFour(), bt.BTS(alpha=0.3), threads=4, deterministic=True, seed=1)
    slid = []
    slide = search.tree.storage.slide_together
    search.tree.storage.slide_together = lambda: slid.append(search.nbytes) or slide() or slid.append(search.nbytes)
    for _ in range(300):
        search.run(trials=100)
    search.tree.storage.slide_together()
    before, needed = slid[-2:]
    assert before < 1.6 * needed
    assert 3 < len(slid) < 150
    assert not fault_of(search)
    check_invariants(search, runs=300)


def test_very_many_outcomes_are_moved_in_one_go():
    """A chain of outcomes is not looked through for every node of it that gets another number."""
    problem = Noise(outcomes=1_000_000, fail=-1)
    search = bt.Search(problem, bt.BTS(alpha=0.5), threads=3, deterministic=True, seed=0, growth="trial")
    search.run(trials=1_000)
    check_invariants(search)
    search.run(trials=20_000)
    assert not fault_of(search)
    assert max(len(outcomes) for outcomes in search.children.values()) > 1_000


class Moody(bt.Problem):
    """Asked what is legal, it fails when it is angry, which a problem must not be."""

    state = bt.record(x="i8")
    params = bt.record(angry="i8")
    actions, horizon, deterministic = 3, 8, True

    @staticmethod
    def start(params, state, rng):
        state.x = 1

    @staticmethod
    def legal(params, state, mask):
        if params.angry and state.x % 7 == 1:
            raise RuntimeError("do not ask")
        for a in range(3):
            mask[a] = 1

    @staticmethod
    def step(params, state, action, rng):
        state.x = 3 * state.x + action
        return 0.1 * (state.x % 5), False


@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("algorithm", [bt.UCT(), bt.BTS(alpha=0.3)], ids=lambda a: a.name)
def test_a_function_that_fails_while_trees_are_merged(algorithm, growth, monkeypatch):
    monkeypatch.setattr("boltree.parallel.choose.SHARED_TREE_FROM_SECONDS", 1e9)
    problem = Moody(angry=0)
    search = bt.Search(problem, algorithm, seed=1, growth=growth, evaluator=0.0)
    seeds = np.random.SeedSequence(1)
    search.runner = own_trees.OwnTrees(search.tree, 3, seeds, deterministic=True)  # the same compact trees every time
    merge = own_trees.OwnTrees._merge

    def angrily(runner):
        problem._memory["angry"] = 1
        try:
            merge(runner)
        finally:
            problem._memory["angry"] = 0

    monkeypatch.setattr(own_trees.OwnTrees, "_merge", angrily)
    with pytest.raises(bt.ProblemError, match="legal raised when compiled"):  # its plain version never was angry
        search.run(trials=900)
    monkeypatch.undo()
    assert search.root.count == search.trials == 900
    assert not fault_of(search)
    search.run(trials=900)
    assert search.root.count == search.trials == 1_800
    assert not fault_of(search)
