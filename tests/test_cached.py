"""Remembered answers: the same as without, asked for once each, and only so many."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from boltree.evaluators.cached import Cached


class Counting:
    """Counts what it is asked; values and priors follow from the position."""

    batch = 5

    def __init__(self, gives_prior: bool = True) -> None:
        self.gives_prior = gives_prior
        self.asked: list[float] = []

    def evaluate(self, batch):
        numbers = np.asarray(batch, np.float64).reshape(len(batch), -1)[:, 0]
        self.asked += numbers.tolist()
        return (np.stack([numbers, 10.0 - numbers], axis=1) if self.gives_prior else None), numbers / 10.0


def column(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32).reshape(-1, 1)


@pytest.mark.parametrize("gives_prior", [True, False])
def test_answers_are_the_same_and_asked_once(gives_prior: bool) -> None:
    inner = Counting(gives_prior)
    cached = Cached(inner, entries=10)
    assert (cached.batch, cached.gives_prior) == (5, gives_prior)
    for numbers, new in (((3, 1, 3, 2), [3, 1, 2]), ((2, 4, 1, 4), [4]), ((1, 2), [])):
        before = len(inner.asked)
        priors, values = cached.evaluate(column(*numbers))
        expected = Counting(gives_prior).evaluate(column(*numbers))
        assert np.array_equal(values, expected[1])
        assert (priors is None) if not gives_prior else np.array_equal(priors, expected[0])
        assert inner.asked[before:] == new
    assert (cached.hits, cached.misses) == (6, 4)
    cached.clear()
    cached.evaluate(column(1))
    assert (cached.hits, cached.misses, inner.asked[-1]) == (0, 1, 1.0)


def test_what_was_asked_longest_ago_is_forgotten_first() -> None:
    inner = Counting()
    cached = Cached(inner, entries=2)
    for number in (1, 2, 1, 3, 1, 2):  # 3 drives out 2, because 1 was asked again
        cached.evaluate(column(number))
    assert inner.asked == [1, 2, 3, 2]
    cached.evaluate(column(5, 6, 7, 8))  # more than fit are still answered
    assert inner.asked[-4:] == [5, 6, 7, 8]


def test_an_answer_is_not_changed_by_its_reader() -> None:
    cached = Cached(Counting(), entries=4)
    priors, values = cached.evaluate(column(3))
    priors[:], values[:] = 0.0, 0.0
    priors, values = cached.evaluate(column(3))
    assert (priors.tolist(), values.tolist()) == ([[3.0, 7.0]], [0.3])


def test_states_without_features() -> None:
    """A problem without features: the positions are records."""
    problem = bt.problems.DChain(10)
    plain = bt.Search(problem, bt.BTS(), seed=0, evaluator=Positions())
    inner = Positions()
    cached = Cached(inner)
    search = bt.Search(problem, bt.BTS(), seed=0, evaluator=cached)
    for one in (plain, search):
        one.run(trials=300)
    assert np.array_equal(plain.root.q, search.root.q, equal_nan=True)
    again = bt.Search(problem, bt.BTS(), seed=0, evaluator=cached)
    before = inner.calls
    again.run(trials=300)
    assert inner.calls == before
    assert np.array_equal(plain.root.q, again.root.q, equal_nan=True)


class Positions:
    """Values a state by its bytes."""

    gives_prior = False

    def __init__(self) -> None:
        self.calls = 0

    def evaluate(self, batch):
        self.calls += len(batch)
        return None, np.array([sum(row.tobytes()) % 7 / 7.0 for row in batch])


@pytest.mark.parametrize("entries", [0, -1, 2.5, True])
def test_wrong_entries(entries) -> None:
    with pytest.raises(bt.ParameterError, match="Cached: entries="):
        Cached(Counting(), entries=entries)


def test_an_evaluator_that_answers_too_little() -> None:
    class Short:
        gives_prior = False

        def evaluate(self, batch):
            return None, [0.0]

    with pytest.raises(bt.ParameterError, match="1 values for a batch of 2"):
        Cached(Short()).evaluate(column(1, 2))
