"""Batches of evaluations where nodes are shared: every invariant of single trials, and no false proof."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boltree as bt
from known_games import Exact
from mdps import random_mdp
from test_batches import Guess
from test_proofs import assert_sound
from test_transpositions import MODES
from trees import check_shared

ALGORITHMS = [
    bt.PUCT(), bt.UCT(c=1.0), bt.BTS(alpha=0.2), bt.DENTS(alpha=0.2), bt.MENTS(alpha=0.2), bt.TENTS(alpha=0.2),
    bt.ARBTS(), bt.BTS(alpha=0.2, alias=True), bt.PowerUCT(), bt.ANTS(), bt.Uniform(),
]  # fmt: skip


@pytest.mark.parametrize("prior", [True, False])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=[f"{one.name}-{i}" for i, one in enumerate(ALGORITHMS)])
def test_equations(algorithm: Any, prior: bool) -> None:
    for mode in MODES:
        mdp = random_mdp(3, states=6, actions=3, horizon=8, discount=0.8)
        guess = Guess(8, prior=prior, actions=3)
        search = bt.Search(mdp.problem(), algorithm, seed=0, evaluator=guess, transpositions=mode)
        for trials in (1, 3, 20, 400):
            search.run(trials=trials)
            check_shared(search)
        assert search.root.count == search.trials == 424
        flying = search.tree.storage.nodes[: search.size]["flights"]
        assert not flying.any()
        assert mode == "state" or max(guess.sizes) > 1  # by state there are few leaves


def test_no_state_is_evaluated_twice() -> None:
    guess = Guess(8)
    search = bt.Search(bt.problems.TicTacToe(), bt.PUCT(), seed=0, evaluator=guess, transpositions=True)
    search.run(trials=3_000)
    assert len(set(guess.seen)) == len(guess.seen) > 500
    tree = bt.Search(bt.problems.TicTacToe(), bt.PUCT(), seed=0, evaluator=Guess(8))
    tree.run(trials=3_000)
    assert search.size < tree.size


@pytest.mark.parametrize("transpositions", [True, "state"])
def test_the_same_seed_gives_the_same_graph(transpositions: Any) -> None:
    def grown(delay: float) -> Any:
        problem = random_mdp(3, states=6, actions=3, horizon=8, discount=0.8).problem()
        guess = Guess(8, actions=3, delay=delay)
        search = bt.Search(problem, bt.PUCT(), seed=2, evaluator=guess, transpositions=transpositions)
        search.run(trials=150)
        return search.survey().visits.tolist(), search.root.q.tolist()

    assert grown(0.0) == grown(0.004)


class Fragile(Guess):
    """Fails now and then."""

    def evaluate(self, batch: Any) -> Any:
        if len(self.sizes) % 3 == 2:
            self.sizes.append(0)
            raise ValueError("no")
        return super().evaluate(batch)


@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.UCT(c=1.0), bt.DENTS(alpha=0.2)], ids=lambda a: a.name)
@pytest.mark.parametrize("mode", MODES)
def test_what_fails_is_taken_back(algorithm: Any, mode: Any) -> None:
    problem = random_mdp(3, states=6, actions=3, horizon=8, discount=0.8).problem()
    search = bt.Search(problem, algorithm, seed=0, evaluator=Fragile(8, actions=3), transpositions=mode)
    failed = 0
    while search.trials < 300:
        try:
            search.run(trials=300 - search.trials)
        except ValueError:
            failed += 1
        check_shared(search)
        assert not search.tree.storage.nodes[: search.size]["flights"].any()
    assert failed > 0 or mode == "state"  # by state there are few leaves


def test_no_false_proof() -> None:
    proven = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        exact = Exact(
            seed, horizon=int(rng.integers(2, 7)), two=bool(seed % 2), bounded=("", "rewards", "bounds")[seed % 3]
        )
        algorithm = (bt.PUCT(), bt.BTS(alpha=0.3), bt.UCT(c=1.0), bt.ARDENTS())[seed % 4]
        guess = Guess(int(rng.integers(2, 9)), prior=bool(seed % 5), actions=exact.problem.actions)
        search = bt.Search(
            exact.problem, algorithm, seed=seed, evaluator=guess, transpositions=True, outcomes="known", proofs=True
        )
        if seed % 2:
            search.tree.exact = None
        for _ in range(4):
            search.run(trials=int(rng.integers(1, 16)))
            assert_sound(search, exact)
        proven += search.proven
    assert 10 < proven < 60  # so both were looked at
