"""Large games: proofs are given up once there are too many states to list, and the search goes on in a plain tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.tree import exact_values


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem with more than 2,000 pairs of a state and an action is large."""
    monkeypatch.setattr(exact_values, "MOST_PAIRS", 2_000)


def facts(search: bt.Search) -> tuple[Any, ...]:
    return search.transpositions, search.outcomes, search.proofs


def test_a_large_game_goes_on_in_a_plain_tree(soon: None) -> None:
    search = bt.Search(bt.problems.ConnectFour(), seed=0)
    assert facts(search) == (True, "known", True)
    assert search.run(trials=6_000) == "trials"
    assert facts(search) == (False, "sampled", False)
    assert search.trials == 6_000
    assert 0 < search.root.count < 6_000  # what was run before is gone
    assert search.recommend() in search.root.actions
    assert search.tree.exact is None
    assert search.tree.estimates is None
    assert "proven" not in str(search)


def test_the_plain_tree_is_the_one_of_a_search_without_proofs(soon: None) -> None:
    """Same algorithm, same kind of tree: the value of the empty board, which begins well, is about the same."""
    values = []
    for options in ({}, {"transpositions": False, "outcomes": "sampled", "proofs": False}):
        search = bt.Search(bt.problems.ConnectFour(), seed=1, **options)
        search.run(trials=30_000)
        assert facts(search) == (False, "sampled", False)
        values.append(search.root.value)
    assert values[0] == pytest.approx(values[1], abs=0.05)


def test_pieces_are_the_same_as_the_whole(soon: None) -> None:
    whole, pieces = (bt.Search(bt.problems.Hex(5), seed=3) for _ in range(2))
    whole.run(trials=5_000)
    while pieces.trials < 5_000:
        pieces.run(trials=500)
    assert facts(whole) == facts(pieces) == (False, "sampled", False)
    assert np.array_equal(whole.root.visits, pieces.root.visits)
    assert np.array_equal(whole.root.q, pieces.root.q)


def test_later_roots_keep_depth_and_memory(soon: None, tmp_path: Any) -> None:
    search = bt.Search(bt.problems.ConnectFour(), seed=0)
    search.run(trials=20)
    search.advance(3)
    assert search.proofs
    search.run(trials=6_000)
    assert not search.proofs
    assert search.root.depth == 1
    search.advance(3)
    search.run(trials=500)
    assert search.root.depth == 2
    search.save(tmp_path / "search")
    again = bt.Search.load(tmp_path / "search")
    assert facts(again) == facts(search)
    for one in (search, again):
        one.run(trials=200)
    assert np.array_equal(again.root.q, search.root.q)


def test_what_is_asked_for_stays(soon: None) -> None:
    search = bt.Search(bt.problems.ConnectFour(), seed=0, proofs=True)
    search.run(trials=6_000)
    assert facts(search) == (True, "known", True)


def test_small_games_are_proven_at_full_pace() -> None:
    found = bt.plan(bt.problems.Kalah(3, 2), seed=0, trials=200_000)
    assert found.proven
    assert found.value == pytest.approx(bt.solve(bt.problems.Kalah(3, 2)).root_value)
