"""UCT over histories is POMCP: against a plain one of its own, trial for trial alike in distribution."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from boltree.problems import RockSample, Tag, Tiger
from plain.pomcp import PlainPOMCP

PROBLEMS = {
    "Tiger": (lambda: Tiger(4, 1.0), 110.0, 600),
    "Tiger, ends": (lambda: Tiger(4, 1.0, ends=True), 110.0, 600),
    "RockSample": (lambda: RockSample(3, [(1, 0), (2, 2)], start=(0, 1), distance=2.0, horizon=8), 20.0, 200),
    "RockSample, preferred": (
        lambda: RockSample(3, [(1, 0), (2, 2)], start=(0, 1), distance=2.0, horizon=8, rollout="preferred"), 20.0, 200,
    ),
    "Tag": (lambda: Tag(horizon=8), 10.0, 200),
}  # fmt: skip


@pytest.mark.parametrize("name", PROBLEMS)
def test_uct_over_histories_is_pomcp(name):
    make, c, trials = PROBLEMS[name]
    problem, seeds = make(), range(20)
    ours, theirs = [], []
    for seed in seeds:
        search = bt.Search(problem, bt.UCT(c=c), seed=seed)
        search.run(trials=trials)
        visits = search.root.visits
        ours.append([(visits * search.root.q).sum() / visits.sum(), *(visits / trials)])
        plain = PlainPOMCP(problem, c, seed)
        plain.run(trials)
        count = [plain.count.get(((), a), 0) for a in search.root.actions]
        theirs.append([plain.value, *(np.array(count) / trials)])
    difference = np.mean(ours, axis=0) - np.mean(theirs, axis=0)
    error = np.sqrt((np.var(ours, axis=0, ddof=1) + np.var(theirs, axis=0, ddof=1)) / len(seeds))
    assert (np.abs(difference) <= 4.5 * error + 0.004).all(), (difference, error)
