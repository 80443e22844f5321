"""Moves that end a game are seen when a node gets its edges, and what is surely worse does not count in means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boltree as bt
from known_games import Exact


def proving(problem: Any, algorithm: Any = None, **options: Any) -> bt.Search:
    search = bt.Search(
        problem, algorithm or bt.UCT(c=0.7), seed=0, transpositions=True, outcomes="known", proofs=True, **options
    )
    search.tree.exact = None
    return search


def test_a_win_in_one_is_proven_by_the_first_trial() -> None:
    search = proving(bt.problems.ConnectFour("334455"))
    search.run(trials=5)
    assert search.proven
    assert (search.root.value, search.recommend(), search.root.count) == (1.0, search.root.recommended, 0)
    after = bt.problems.ConnectFour("334455").step(search.root.state, search.recommend())
    assert after[1:] == (1.0, True)


def test_a_threat_must_be_met() -> None:
    """Whoever does not meet a threat has lost after one trial below each of the other moves, and two more."""
    search = proving(bt.problems.ConnectFour("33445"))  # player 1 must stop 6; 2 is stopped by nothing then
    search.run(trials=60)
    assert search.proven
    assert search.root.value == 1.0


def test_an_end_that_is_not_the_best_may_still_be_the_best_so_far() -> None:
    class Draw(bt.PythonProblem):
        """Action 0 ends with 0 at once; action 1 goes on and turns out worse for player 0 than it might be."""

        actions, horizon, deterministic = 2, 8, True
        rewards = (-1.0, 1.0)

        def start(self, rng: Any) -> int:
            return 0

        def player(self, state: int) -> int:
            return 0

        def step(self, state: int, action: int, rng: Any) -> tuple[int, float, bool]:
            if state == 0 and action == 0:
                return 99, 0.0, True
            return state + 1, -0.5 if state == 1 else 0.0, False

    search = proving(Draw(), evaluator=-0.5)
    search.run(trials=1)
    assert not search.proven
    assert (search.root.visits[0], search.recommend()) == (0, 0)
    assert search.root.action_bounds[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_means_are_over_what_is_open(growth: Any) -> None:
    """By hand, from what is shown of every node."""
    closed_and_tried = 0
    for seed in range(12):
        exact = Exact(seed, horizon=6, two=True, bounded="bounds")
        search = proving(exact.problem, growth=growth, evaluator=0.3 if growth == "leaf" else None)
        search.run(trials=150)
        for i in range(search.size):
            node, record = search.node_at(i), search.tree.storage.nodes[i]
            if node.terminal or node.proven or node.visits.sum() == 0 or node.depth >= search.horizon:
                continue
            lower, upper = node.action_bounds.T
            if node.player == 0:
                open_ = (lower < upper) & (upper > node.lower)
            else:
                open_ = (lower < upper) & (lower < node.upper)
            tried = node.visits > 0
            closed_and_tried += int((tried & ~open_).sum())
            own = int(growth == "leaf" and i != 0)
            count = node.visits[open_ & tried].sum() + own
            if count:
                total = (node.q * node.visits)[open_ & tried].sum() + own * record.reward
                assert np.clip(total / count, node.lower, node.upper) == pytest.approx(node.value, abs=1e-9)
    assert closed_and_tried > 20
