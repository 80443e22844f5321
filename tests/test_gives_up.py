"""Large games: once there are too many states to list, the next state is searched without proofs, in a plain tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.tree import Tree, exact_values


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem with more than 2,000 pairs of a state and an action is large."""
    monkeypatch.setattr(exact_values, "MOST_PAIRS", 2_000)


def facts(search: bt.Search) -> tuple[Any, ...]:
    return search.transpositions, search.outcomes, search.proofs


def test_a_large_game_goes_on_in_a_plain_tree(soon: None) -> None:
    search = bt.Search(bt.problems.ConnectFour(), seed=0)
    search.run(trials=20)
    search.advance(3)
    search.run(trials=2_000)
    assert facts(search) == (True, "known", True)  # not listed yet at the first root; nothing changes in between
    search.advance(3)
    assert facts(search) == (False, "sampled", False)
    assert (search.root.depth, search.root.count, search.trials) == (2, 0, 2_020)
    assert search.tree.exact is None
    assert search.tree.estimates is None
    assert search.run(trials=3_000) == "trials"
    assert (search.root.count, search.trials) == (3_000, 5_020)
    search.advance_along([(search.recommend(), None)])
    assert search.root.depth == 3
    assert search.root.count > 0  # what is below is kept


def test_the_plain_tree_is_that_of_a_search_without_proofs(soon: None) -> None:
    search = bt.Search(bt.problems.Hex(5), seed=3)
    search.run(trials=2_000)
    search.advance(12)
    assert not search.proofs
    options = {"transpositions": False, "outcomes": "sampled", "proofs": False}
    plain = bt.Search(bt.problems.Hex(5), seed=3, **options)
    plain.advance(12)
    plain.tree.storage.scratch["rng"][:] = search.tree.storage.scratch["rng"]
    for one in (search, plain):
        one.run(trials=2_000)
    assert np.array_equal(search.root.visits, plain.root.visits)
    assert np.array_equal(search.root.q, plain.root.q)


def test_it_is_saved_as_it_is(soon: None, tmp_path: Any) -> None:
    search = bt.Search(bt.problems.ConnectFour(), seed=0)
    search.run(trials=2_000)
    search.advance(3)
    search.run(trials=500)
    search.save(tmp_path / "search")
    again = bt.Search.load(tmp_path / "search")
    assert facts(again) == facts(search) == (False, "sampled", False)
    for one in (search, again):
        one.run(trials=200)
    assert np.array_equal(again.root.q, search.root.q)


def test_an_end_stays_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    search = bt.Search(bt.problems.ConnectFour("434343"), seed=0)
    search.run(trials=64)
    monkeypatch.setattr(Tree, "is_hopeless", True)
    search.advance(4)
    assert search.root.terminal


def test_what_is_asked_for_stays(soon: None) -> None:
    search = bt.Search(bt.problems.ConnectFour(), seed=0, proofs=True)
    search.run(trials=2_000)
    search.advance(3)
    assert facts(search) == (True, "known", True)


def test_small_games_are_proven_at_full_pace() -> None:
    found = bt.plan(bt.problems.Kalah(3, 2), seed=0, trials=200_000)
    assert found.proven
    assert found.value == pytest.approx(bt.solve(bt.problems.Kalah(3, 2)).root_value)
