"""max_bytes is what a search takes of the machine's memory, and fifty million nodes fit into eight gigabytes."""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

import pytest

import boltree as bt
from boltree.core.memory.arena import Arena
from boltree.parallel import choose
from test_fast_paths import Noise

LIMIT = 48 << 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


CASES = {
    "many outcomes": (Noise(outcomes=20_000, fail=-1), bt.BTS(alpha=0.5), {}),
    "long trials": (bt.problems.FrozenLake("8x8"), bt.DENTS(), {"growth": "trial"}),
    "one node a trial": (bt.problems.SyntheticTree(4, 20, seed=0), bt.BTS(alpha=1.0), {"evaluator": 0.0}),
    "priors": (bt.problems.ConnectFour(), bt.PUCT(), {}),
}


@linux
@pytest.mark.parametrize("on_full", ["stop", "recycle"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES)
def test_max_bytes_is_kept(case, threads, on_full, monkeypatch):
    monkeypatch.setattr(choose, "SHARED_TREE_FROM_SECONDS", 1e9)  # a tree each, however slow the machine is
    problem, algorithm, options = CASES[case]
    options = {"threads": threads, "seed": 0, "max_nodes": 10**9, "on_full": on_full, **options}
    bt.Search(problem, algorithm, max_bytes=LIMIT // 24, **options).run(trials=60_000)  # all that is needed is compiled
    gc.collect()  # once: beside all other tests it takes longer than what is tested
    before = resident()
    search = bt.Search(problem, algorithm, max_bytes=LIMIT, **options)
    highest = 0

    def look(search):
        nonlocal highest
        highest = max(highest, resident() - before)
        return search.recyclings >= 2

    assert search.run(stop=look) == ("memory" if on_full == "stop" else "stop")
    look(search)
    assert (0.6 if on_full == "stop" else 0.3) * LIMIT < highest < 1.1 * LIMIT  # recycled, it may be half of it
    assert search.nbytes <= LIMIT


@linux
def test_what_is_freed_goes_back_to_the_system():
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.BTS(alpha=0.1), growth="trial", seed=0, on_full="recycle")
    search.run(stop=lambda s: s.nbytes > 64 << 20)
    gc.collect()
    full, bytes_before = resident(), search.nbytes
    assert search.tree.recycle(0, 0, by_nodes=False)
    freed = bytes_before - search.nbytes
    assert freed > 30 << 20
    assert full - resident() > 0.8 * freed


@pytest.mark.parametrize("reserve", [True, False])
def test_arenas_are_cleared(reserve):
    for used in (1000, 9 << 20):
        arena = Arena(16 << 20, reserve=reserve)
        while arena.size < used:
            arena.grow()
        arena.array[:used] = 7
        arena.clear(used)
        assert not arena.array.any()
        arena.array[:] = 7
        arena.release(100)
        assert arena.array[:100].min() == 7


@linux
@pytest.mark.slow
@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_fifty_million_nodes(growth):
    problem = bt.problems.SyntheticTree(4, 20, seed=0) if growth == "leaf" else bt.problems.FrozenLake("8x8")
    bt.Search(problem, bt.BTS(alpha=1.0), seed=0, growth=growth, evaluator=0.0).run(trials=100)
    before, began = resident(), time.perf_counter()
    search = bt.Search(problem, bt.BTS(alpha=1.0), seed=0, growth=growth, evaluator=0.0, max_bytes=8 * 10**9)
    assert search.run(stop=lambda s: s.size >= 50_000_000) == "stop"
    spent, taken = time.perf_counter() - began, resident() - before
    print(
        f"{growth}: {search.size:,} nodes of {taken / search.size:.0f} bytes, {search.trials:,} trials, {spent:.0f} s"
    )
    assert taken < 8 * 10**9
    nodes = search.tree.storage.nodes[: search.size]
    assert nodes["visits"][nodes["depth"] == 1].sum() == search.trials
