"""What is used of the operating system changes no result: with nothing of it, searches are the same bit by bit."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest

import boltree as bt
from boltree.core import atomics, system
from boltree.core.jit import JIT_DISABLED
from boltree.core.memory import arena as memory
from boltree.core.memory.arena import Arena
from boltree.core.system import PLAIN, SYSTEMS, chosen_system
from boltree.errors import ParameterError
from golden_trees import Evaluator, digest, digests_of, random_problem

ROOT = Path(__file__).resolve().parents[2]
GROWN = 1 << 20
"""An arena that is copied has grown when it is larger than this."""


@pytest.fixture
def plain(monkeypatch):
    """A function that lets this process use nothing of the operating system from then on."""

    def forget() -> None:
        monkeypatch.setattr("boltree.core.memory.arena.SYSTEM", PLAIN)
        monkeypatch.setattr("boltree.parallel.thread_record.YIELD_AT", 0)
        monkeypatch.setattr("boltree.batches.rows.SLEEP_AT", 0)

    return forget


def run(trials, problem=None, algorithm=None, **options):
    problem = random_problem(horizon=300) if problem is None else problem
    search = bt.Search(problem, bt.DENTS(alpha=0.3) if algorithm is None else algorithm, seed=5, **options)
    search.run(trials=trials)
    return search


def advanced():
    search = run(6000, bt.problems.TicTacToe(), growth="trial")
    action = search.recommend()
    search.advance(action)
    search.run(trials=20_000)
    return search


def in_common_batches():
    problem = random_problem(horizon=300)
    with bt.Together(Evaluator(4), threads=2) as together, ThreadPoolExecutor(2) as threads:
        searches = [bt.Search(problem, bt.BTS(alpha=0.5), seed=seed, evaluator=together) for seed in (5, 6)]
        list(threads.map(lambda search: search.run(trials=30_000), searches))
    return searches[0]


MODES = {
    "one thread": lambda: run(40_000),
    "a tree each": lambda: run(20_000, threads=2, deterministic=True),
    "rounds": lambda: run(3000, random_problem(horizon=600), bt.UCT(), threads=2, deterministic=True),
    "batches": lambda: run(30_000, algorithm=bt.BTS(alpha=0.5), evaluator=Evaluator(8)),
    "common batches": in_common_batches,
    "transpositions": lambda: run(15_000, transpositions=True),
    "recycling": lambda: run(60_000, max_bytes=5 << 19, on_full="recycle"),
    "advance": advanced,
}


@pytest.mark.parametrize("mode", MODES)
def test_trees_are_the_same(mode, plain):
    with_system = MODES[mode]()
    plain()
    without = MODES[mode]()
    arenas = without.tree.storage.arenas
    assert not any(arena.reserved for arena in arenas.values())
    if mode not in ("rounds", "transpositions"):
        assert max(arena.size for arena in arenas.values()) > GROWN, "nothing was copied"
    assert (without.trials, without.size) == (with_system.trials, with_system.size)
    assert digest(without) == digest(with_system)
    if mode == "recycling":
        assert without.recyclings == with_system.recyclings > 0


def test_threads_on_one_tree(plain, monkeypatch):
    """Not the same tree twice; but every trial is in it."""
    monkeypatch.setattr("boltree.parallel.choose.SHARED_TREE_FROM_SECONDS", 0.0)
    plain()
    search = run(40_000, threads=2)
    assert search.parallelism == "shared tree"
    assert search.trials == search.root.count == 40_000
    assert search.tree.storage.arenas["nodes"].size > GROWN


def test_many_small_searches(plain):
    problem = bt.problems.TicTacToe()
    states = [problem.start_state() for _ in range(20)]
    found = []
    for change in (lambda: None, plain):
        change()
        found.append(bt.search_many(states, bt.BTS(alpha=0.3), trials=200, threads=2, problem=problem, seed=3))
    assert np.array_equal(found[0].q, found[1].q, equal_nan=True)


def test_saved_and_loaded(plain, tmp_path):
    plain()
    search = run(15_000, bt.problems.FrozenLake("8x8"))
    search.save(tmp_path / "one.search")
    again = bt.Search.load(tmp_path / "one.search")
    for one in (search, again):
        one.run(trials=5000)
    assert digest(search) == digest(again)


def test_golden_trees_by_the_environment_variable():
    """As a user forces it: in a process of its own."""
    environment = os.environ | {"BOLTREE_SYSTEM": "plain"}
    modes = ("one thread", "a tree each", "common batches")
    code = (
        "import json; from boltree.core import atomics\n"
        "from boltree.core.memory import arena as memory; from golden_trees import digests_of\n"
        "assert not memory.Arena(1 << 20).reserved and atomics.YIELD_AT == atomics.SLEEP_AT == 0\n"
        f"print(json.dumps({{mode: digests_of(mode) for mode in {modes}}}))\n"
    )
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests"), *sys.path])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {mode: digests_of(mode) for mode in modes}


def test_what_is_chosen():
    assert chosen_system(None, "linux") == chosen_system("", "linux") == SYSTEMS["linux"]
    assert chosen_system(None, "win32").no_reserve is None
    assert chosen_system(None, "freebsd14") == chosen_system("plain", "linux") == PLAIN
    with pytest.raises(ParameterError, match="BOLTREE_SYSTEM='windows': must be 'plain', or not be set"):
        chosen_system("windows")


def test_functions_of_the_system():
    assert PLAIN.address("sched_yield") == 0
    assert replace(PLAIN, library="no such library").address("sched_yield") == 0
    assert SYSTEMS["linux"].address("no_such_function") == 0
    if sys.platform in SYSTEMS:
        assert system.YIELD_AT
        assert system.SLEEP_AT


@pytest.mark.parametrize(("unit", "asked", "slept"), [(1, 300, 300), (1000, 300, 1), (1000, 2001, 3), (1000, 0, 0)])
@pytest.mark.skipif(JIT_DISABLED, reason="compiled code is tested")
def test_sleep_in_other_units(unit, asked, slept, monkeypatch):
    """Windows sleeps for milliseconds."""
    monkeypatch.setattr(atomics, "SYSTEM", replace(system.SYSTEM, sleep_unit_us=unit))
    told = []
    callback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(lambda units: told.append(units) or 0)
    address = ctypes.cast(callback, ctypes.c_void_p).value

    @numba.njit
    def rest(function, microseconds):
        atomics.sleep(function, microseconds)

    rest(address, asked)
    assert told == [slept]


@pytest.mark.skipif(JIT_DISABLED, reason="compiled code is tested")
def test_a_clock_that_cannot_be_read(monkeypatch):
    """Reading it would end the process."""

    def compiled():
        return numba.njit(lambda: atomics.cycles())

    assert not system.COUNTS_CYCLES or compiled()() > 0
    monkeypatch.setattr(atomics, "COUNTS_CYCLES", False)
    assert compiled()() == 0
    found = [
        (m, v) for m in ("x86_64", "aarch64", "riscv64") for v in ("0.44.0", "0.45.0rc1") if system.counts_cycles(m, v)
    ]
    assert found == [("x86_64", "0.44.0"), ("x86_64", "0.45.0rc1"), ("aarch64", "0.45.0rc1")]


def test_pages_that_stay(monkeypatch):
    """As on macOS: address space is reserved, but freed pages do not become zeros."""
    monkeypatch.setattr(memory, "SYSTEM", replace(system.SYSTEM, takes_pages_back=False))
    arena = Arena(160 << 20)
    used = 130 << 20
    arena.array[:used:4096] = 7
    arena.release(1000)
    assert arena.array[4096] == 7
    arena.clear(used)
    assert not arena.array[:used:4096].any()


def test_physical_memory(monkeypatch):
    assert system.physical_memory() > 1 << 28
    monkeypatch.delattr(os, "sysconf")
    assert system.physical_memory() == system.UNKNOWN_MEMORY

    class Kernel32:
        answer = 1

        @classmethod
        def GlobalMemoryStatusEx(cls, status):
            assert status._obj.length == 64
            status._obj.physical = 5 << 30
            return cls.answer

    class Loader:
        kernel32 = Kernel32

    monkeypatch.setattr(ctypes, "windll", Loader, raising=False)
    assert system.physical_memory() == 5 << 30
    Kernel32.answer = 0
    assert system.physical_memory() == system.UNKNOWN_MEMORY
