"""Memory that cannot be had: the run ends with "memory" or a MemoryError, and the tree stays usable."""

from __future__ import annotations

import os
import sys

import pytest

import boltree as bt
from boltree.core.memory.arena import Arena
from boltree.core.memory.storage import Storage, new_record
from child import run_python

PROGRAM = """
import gc, resource, sys
sys.path.insert(0, {tests!r})
import numpy as np
import boltree as bt
from mdps import random_mdp
from trees import check_invariants


class Long(bt.PythonProblem):
    actions, horizon, deterministic = 2, 40, True
    def start(self, rng):
        return ()
    def step(self, state, action, rng):
        return (*state, action), float(action), False


class Guess:
    batch, gives_prior = 64, False
    def evaluate(self, batch):
        return None, np.zeros(len(batch))


tree = lambda: bt.problems.SyntheticTree(8, 12, seed=1)
kinds = {{
    "plain": lambda: bt.Search(tree(), bt.DENTS(alpha=0.3), seed=0, evaluator=0.0),
    "trial": lambda: bt.Search(tree(), bt.UCT(c=1e6), seed=0, growth="trial"),
    "threads": lambda: bt.Search(tree(), bt.UCT(c=1e6), seed=0, evaluator=0.0, threads=2),
    "batches": lambda: bt.Search(tree(), bt.UCT(c=1e6), seed=0, evaluator=Guess()),
    "python": lambda: bt.Search(Long(), bt.BTS(), seed=0, evaluator=0.0),
}}
kind = sys.argv[1]
kinds[kind]().run(trials=2000)  # what must be loaded is loaded
gc.collect()
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
_, most = resource.getrlimit(resource.RLIMIT_AS)
search = None
resource.setrlimit(resource.RLIMIT_AS, (size + {spare}, most))
search = kinds[kind]()
try:
    reason = search.run(trials=10**12)
except MemoryError:
    reason = "MemoryError"
trials = search.trials
assert reason in ("memory", "MemoryError"), reason
assert search.recommend() in search.root.actions
assert trials > 1000
assert search.root.count == trials or kind == "threads"  # what a thread has found may wait for room to be merged
resource.setrlimit(resource.RLIMIT_AS, (most, most))
assert search.run(trials=500) == "trials"
assert search.root.count == search.trials == trials + 500
print(reason, trials)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and RLIMIT_AS")
@pytest.mark.parametrize("kind", ["plain", "trial", "threads", "batches", "python"])
def test_a_process_without_memory(kind):
    program = PROGRAM.format(tests=os.path.dirname(__file__), spare=120 << 20)
    assert run_python(program, kind).split()[0] in ("memory", "MemoryError")


@pytest.mark.parametrize("max_bytes", [2**45, 2**62, 2**63, 2**100])
def test_more_than_any_machine_has(max_bytes):
    search = bt.Search(bt.problems.DChain(10), bt.BTS(), seed=0, max_bytes=max_bytes)
    assert search.run(trials=1000) == "trials"


def test_an_arena_that_cannot_grow_leaves_the_others_where_they_are(monkeypatch):
    """Some arenas have moved when another cannot grow: the tree is told where they lie all the same."""
    handle = new_record()
    handle["actions"], handle["words"] = 2, 1
    storage = Storage(handle, 10, 10**8, reserve=False)
    grow = Arena.grow
    monkeypatch.setattr(Arena, "grow", lambda arena: arena is not storage.arenas["blocks"] and grow(arena))
    assert not storage.grow(100_000, 100_000)
    for name, arena in storage.arenas.items():
        assert handle[0][f"{name}_at"] == arena.array.ctypes.data
