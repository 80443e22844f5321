"""First preferences that are anchored at the value of their node: the formula by hand, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import boltree as bt
from boltree.errors import ParameterError
from boltree.jobs.settings import Setting, setting_of

WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0])


class Values:
    """Player 0 is ahead by 0.5 everywhere; the middle columns are likelier."""

    gives_prior = True

    def evaluate(self, features):
        return np.tile(WEIGHTS, (len(features), 1)), np.full(len(features), 0.5)


@pytest.mark.parametrize(("moves", "own"), [("", 0.5), ("4", -0.5)])
def test_the_best_by_the_prior_counts_as_the_node(moves, own):
    problem = bt.problems.ConnectFour(moves)
    algorithm = bt.ARBTS(alpha=0.5, epsilon=0.0, epsilon_prior=0.0, q_init=bt.anchored(0.3), alias=False)
    search = bt.Search(problem, algorithm, evaluator=Values(), seed=0)
    search.run(trials=1)
    first = own + 0.3 * np.log(WEIGHTS / WEIGHTS.max())  # in the mover's units
    weights = np.exp(np.where(search.root.visits > 0, own, first) / 0.5)
    assert search.root.policy == pytest.approx(weights / weights.sum())


def test_without_a_prior_there_is_nothing_to_anchor():
    with pytest.raises(ParameterError, match=r"ARBTS: q_init=anchored\(1\) needs a prior"):
        bt.Search(bt.problems.ConnectFour(), bt.ARBTS(q_init=bt.anchored(1.0)))


@pytest.mark.parametrize("slope", [-1.0, math.nan, math.inf, True, "5"])
def test_wrong_slopes_are_named(slope):
    with pytest.raises(ParameterError, match=r"anchored\(slope="):
        bt.anchored(slope)


def test_it_is_written_and_read_as_text():
    algorithm = bt.ARDENTS(q_init=bt.anchored(5.0))
    written = setting_of(algorithm)
    assert written.parameters["q_init"] == "anchored(5.0)"
    assert written.algorithm() == algorithm
    assert Setting("ardents", {"q_init": "anchored(5)"}).canonical() == written.canonical()
