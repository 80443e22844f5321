"""How fast problems are searched, for tests that compare them in one run."""

from __future__ import annotations

import time

import boltree as bt

TURNS = 5


def trials_a_second(trials, *problems):
    """Trials of UCT without rollouts in a second of the processor, for each of some problems.

    The best of several, which take turns: other work on the machine only slows them.
    """
    best = [0.0] * len(problems)
    for seed in range(TURNS):
        for i, problem in enumerate(problems):
            search = bt.Search(problem, bt.UCT(), seed=seed, evaluator=0.0)
            search.run(trials=100)
            began = time.thread_time()
            search.run(trials=trials)
            best[i] = max(best[i], trials / (time.thread_time() - began))
    return best
