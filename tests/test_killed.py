"""A process that is killed while it saves leaves the old file or the new one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, random, signal, sys, time
from pathlib import Path
import boltree as bt

path, kills = Path(sys.argv[1]), int(sys.argv[2])
searches = []
for trials in (20_000, 20_100):
    search = bt.Search(bt.problems.SyntheticTree(6, 8, seed=1), bt.UCT(c=1.0), seed=0, evaluator=0.0)
    search.run(trials=trials)
    searches.append(search)
searches[0].save(path)
began = time.perf_counter()
searches[0].save(path)
once = time.perf_counter() - began
rng, seen, torn = random.Random(0), set(), 0
for _ in range(kills):
    child = os.fork()
    if child == 0:
        while True:
            for search in searches[::-1]:
                search.save(path)
    time.sleep(once * rng.uniform(0.2, 3.0))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    seen.add(bt.Search.load(path).trials)
    left = [other for other in path.parent.iterdir() if other != path]
    torn += bool(left)
    for other in left:
        other.unlink()
print(sorted(seen), torn)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("kills", [25, pytest.param(1000, marks=pytest.mark.slow)])
def test_killed_while_saving(kills, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "search"), str(kills)],
        env=os.environ | {"BOLTREE_QUIET": "1"}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    seen, torn = done.stdout.rsplit(" ", 1)
    assert seen in ("[20000, 20100]", "[20000]", "[20100]")
    assert int(torn) > kills // 4  # it was killed in the middle often enough
