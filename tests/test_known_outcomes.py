"""Known outcomes: every number against a plain double, and what the probabilities are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boltree as bt
from known_games import Exact
from plain.known import KnownDouble
from test_against_plain import ALGORITHMS, seed_of
from test_transpositions import SHARING

GROWTH = ("trial", "leaf")
DRAWN = {
    "BTS spectrum": bt.BTS(alpha=bt.spectrum(0.05, 3.0), epsilon=0.5),
    "DENTS spectrum": bt.DENTS(alpha=bt.spectrum(0.05, 3.0), beta=bt.log_decay(1.0)),
    "ARBTS spectrum": bt.ARBTS(alpha=bt.spectrum(0.05, 3.0)),
}


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("two", [False, True], ids=["one player", "two players"])
@pytest.mark.parametrize("name", [*SHARING, *DRAWN])
def test_every_number(name: str, two: bool, growth: str) -> None:
    seed = seed_of(name, growth)
    problem = Exact(seed, two=two).problem
    pair = KnownDouble(problem, {**ALGORITHMS, **DRAWN}[name], growth, seed=seed)
    pair.search.tree.fields.sweep_least = 1
    pair.run(90, every=6)
    pair.search.tree.estimates.show()
    pair.plain.settle()
    pair.compare_all()


def test_outcomes_are_drawn_by_their_probabilities() -> None:
    chances = [0.1, 0.2, 0.7]
    table = [[[(p, 1 + k, 0.0, False) for k, p in enumerate(chances)]], *[[[(1.0, 4, 0.0, True)]]] * 3, []]
    search = bt.Search(
        bt.problems.OutcomeTable(table, horizon=2), bt.BTS(), seed=0, transpositions=True, outcomes="known"
    )
    search.run(trials=20_000)
    assert search.root.chances(0).tolist() == pytest.approx(chances)
    counts = search.root.arrivals(0)
    assert counts.sum() == 20_000
    assert np.abs(counts - 20_000 * np.array(chances)).max() < 4 * np.sqrt(20_000 * 0.25)


def test_a_rare_outcome_counts_as_much_as_it_should_after_two_visits() -> None:
    """Counts would say one half; probabilities say what it is."""
    table = [
        [[(0.999, 1, 0.0, False), (0.001, 2, 0.0, False)]],
        [[(1.0, 3, 0.0, True)]],
        [[(1.0, 3, 1000.0, True)]],
        [],
    ]
    problem = bt.problems.OutcomeTable(table, horizon=2)
    search = bt.Search(problem, bt.UCT(), seed=0, growth="trial", transpositions=True, outcomes="known")
    search.run(trials=5_000)
    assert search.root.q[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outcomes": "counted"}, "outcomes='counted': must be 'sampled', 'pooled' or 'known'"),
        ({"outcomes": "known"}, "outcomes='known': needs transpositions=True"),
        ({"proofs": True}, "proofs=True: needs outcomes='known'"),
        ({"proofs": 1}, "proofs=1: must be True or False"),
        (
            {"proofs": True, "outcomes": "known", "transpositions": "state"},
            "proofs=True: needs transpositions=True, not 'state'",
        ),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    problem = Exact(0).problem
    with pytest.raises(bt.ParameterError, match=message.replace("(", r"\(")):
        bt.Search(problem, bt.BTS(), **options)


def test_a_problem_without_outcomes_is_refused() -> None:
    class Walk(bt.Problem):
        state, params = bt.record(x="i4"), bt.record()
        actions, horizon = 2, 5

        @staticmethod
        def start(params, state, rng):  # type: ignore[no-untyped-def]
            state.x = 0

        @staticmethod
        def step(params, state, action, rng):  # type: ignore[no-untyped-def]
            state.x += action
            return bt.uniform(rng), False

    with pytest.raises(bt.ParameterError, match="outcomes='known': Walk must have outcomes"):
        bt.Search(Walk(), bt.BTS(), transpositions=True, outcomes="known")


def test_values_with_entropy_are_not_proven() -> None:
    for algorithm in (bt.MENTS(), bt.TENTS()):
        with pytest.raises(bt.ParameterError, match="proofs=True: must be False with"):
            bt.Search(Exact(0).problem, algorithm, transpositions=True, outcomes="known", proofs=True)
