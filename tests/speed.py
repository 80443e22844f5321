"""How fast a problem is searched, for tests that compare two in one run."""

from __future__ import annotations

import time

import boltree as bt


def trials_a_second(problem, trials):
    """Of UCT without rollouts; the best of three, since other work on the machine only slows it."""
    best = 0.0
    for seed in range(3):
        search = bt.Search(problem, bt.UCT(), seed=seed, evaluator=0.0)
        search.run(trials=100)
        began = time.perf_counter()
        search.run(trials=trials)
        best = max(best, trials / (time.perf_counter() - began))
    return best
