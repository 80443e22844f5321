"""A process that is killed while it saves leaves the old file or the new one."""

from __future__ import annotations

import os

import pytest

from child import run_python

PROGRAM = """
import os, random, signal, sys, time
from pathlib import Path
import boltree as bt

path, kills = Path(sys.argv[1]), int(sys.argv[2])
searches = {}
for trials in (20_000, 20_100):
    searches[trials] = bt.Search(bt.problems.SyntheticTree(6, 8, seed=1), bt.UCT(c=1.0), seed=0, evaluator=0.0)
    searches[trials].run(trials=trials)
searches[20_000].save(path)
rng = random.Random(0)


def watched(search, most):
    '''Save a search, and end by SIGKILL at so manyeth call and return in Python; how many there were.'''
    events = 0

    def look(*_):
        nonlocal events
        events += 1
        if events == most:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(look)
    search.save(path)
    sys.setprofile(None)
    return events


def begun(work):
    '''A process that has begun its work.'''
    ready, says = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(says, b"!")
        work()
        os._exit(1)
    assert os.read(ready, 1) == b"!"
    return child


def on_and_on():
    while True:
        for search in searches.values():
            search.save(path)


def look_at_what_is_left(child):
    '''What the file holds, and whether another was left.'''
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    left = [other for other in path.parent.iterdir() if other != path]
    for other in left:
        other.unlink()
    return bt.Search.load(path).trials, bool(left)


once = watched(searches[20_000], -1)
began = time.perf_counter()
searches[20_000].save(path)
seconds = time.perf_counter() - began
torn = 0
for k in range(kills):
    before = bt.Search.load(path).trials
    (other,) = searches.keys() - {before}
    child = begun(lambda: watched(searches[other], once * (k + 1) // (kills + 1) + 1))
    found, left = look_at_what_is_left(child)
    assert found in ((before,) if left else searches), (before, found, left)
    torn += left
    child = begun(on_and_on)
    time.sleep(seconds * rng.uniform(0.0, 3.0))
    os.kill(child, signal.SIGKILL)
    assert look_at_what_is_left(child)[0] in searches
print(torn)
"""
"""Every other process kills itself at a place of the code that is known, the others are killed at random moments."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("kills", [15, pytest.param(500, marks=pytest.mark.slow)])
def test_killed_while_saving(kills, tmp_path):
    torn = int(run_python(PROGRAM, str(tmp_path / "search"), str(kills)))
    assert torn > kills // 4  # it was killed in the middle often enough
