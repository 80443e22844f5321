"""Evaluators that give the mover's values, and that are told who moves and what is legal."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import boltree as bt

GAME = bt.problems.Hex(3)


class Pebbles(bt.PythonProblem):
    """Take one or two; the last one taken wins."""

    actions, horizon, deterministic = 2, 9, True

    def start(self, rng):
        return 7, 0

    def player(self, state):
        return state[1]

    def legal(self, state):
        return [0, 1] if state[0] > 1 else [0]

    def step(self, state, action, rng):
        left = state[0] - action - 1
        return (left, 1 - state[1]), (1.0 - 2.0 * state[1] if left == 0 else 0.0), left == 0


def value(features):
    """Some number of a position that all evaluators agree on, as player 0's."""
    return np.sin(features.reshape(len(features), -1) @ np.arange(1.0, 1.0 + features[0].size))


class PlayerZeros:
    """Values as they have always been."""

    gives_prior, batch = False, 1

    def __init__(self, batch=1):
        self.batch = batch

    def numbers(self, batch):
        if isinstance(batch, list):
            return np.array([[left, turn] for left, turn in batch], float)
        return np.asarray(batch, float)

    def evaluate(self, batch):
        return None, value(self.numbers(batch))


class Movers(PlayerZeros):
    """The same, from the mover's side, for which it must be told who moves."""

    values, wants = "mover", ("player", "legal")

    def __init__(self, batch=1):
        super().__init__(batch)
        self.seen = []

    def evaluate(self, batch, *, player, legal):
        assert len(player) == len(legal) == len(batch)
        self.seen += [
            (np.asarray(one, float).tobytes(), who, tuple(may))
            for one, who, may in zip(batch, player, legal, strict=True)
        ]
        return None, np.where(player == 1, -1.0, 1.0) * value(self.numbers(batch))


def tree_of(search):
    survey = search.survey()
    return survey.visits.tolist(), survey.value.tolist()


@pytest.mark.parametrize("problem", [GAME, Pebbles()], ids=["compiled", "plain Python"])
@pytest.mark.parametrize("batch", [1, 4])
def test_values_of_the_mover_give_the_same_tree(problem, batch):
    trees = []
    for evaluator in (PlayerZeros(batch), Movers(batch)):
        search = bt.Search(problem, bt.UCT(), seed=0, evaluator=evaluator)
        search.run(trials=60)
        trees.append(tree_of(search))
    assert trees[0] == trees[1]


def test_what_it_is_told_is_true():
    movers = Movers()
    search = bt.Search(GAME, bt.UCT(), seed=0, evaluator=movers)
    search.run(trials=40)
    told = {features: (who, may) for features, who, may in movers.seen}
    states = search.tree.storage.states[1 : search.size].view(GAME.state_layout()).reshape(-1)
    for state in states:
        features = GAME.features(np.asarray(state).reshape(1))[0].astype(float).tobytes()
        if features in told:  # else it ended there
            who, may = told[features]
            assert who == GAME.plain_player(state)
            assert np.flatnonzero(may).tolist() == GAME.legal_actions(state)
    assert {who for who, _ in told.values()} == {0, 1}


@pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "cached"])
def test_many_searches_are_told_as_one_is(wrapped):
    found = []
    for evaluator in (PlayerZeros(2), Movers(2)):
        asked = bt.Cached(evaluator) if wrapped else evaluator
        states = GAME.reset(count=6)
        states, _, _ = GAME.step(states, np.arange(6))
        found.append(bt.search_many(states, bt.UCT(), trials=40, threads=2, problem=GAME, seed=0, evaluator=asked))
    np.testing.assert_array_equal(found[0].visits, found[1].visits)
    np.testing.assert_array_equal(found[0].q, found[1].q)


def test_together_tells_and_asks_about_one_problem_only():
    class Sure(Movers):
        gives_prior = True

        def evaluate(self, batch, *, player, legal):
            return legal / legal.sum(axis=1, keepdims=True), super().evaluate(batch, player=player, legal=legal)[1]

    with bt.Together(Sure(2)) as together, ThreadPoolExecutor(2) as threads:
        searches = [bt.Search(GAME, bt.PUCT(), seed=i, evaluator=together) for i in range(2)]
        list(threads.map(lambda search: search.run(trials=50), searches))
    for i, search in enumerate(searches):
        alone = bt.Search(GAME, bt.PUCT(), seed=i, evaluator=Sure(2))
        alone.run(trials=50)
        assert search.root.prior.tolist() == alone.root.prior.tolist() == pytest.approx([1 / 9] * 9)
        assert search.trials == 50


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("values", "theirs", "evaluator: values='theirs', must be 'player 0' or 'mover'"),
        ("wants", ("colour",), r"evaluator: wants=\('colour',\), must be some of \('player', 'legal'\)"),
        ("wants", "player", "evaluator: wants='player', must be some of"),
    ],
)
def test_wishes_are_checked_at_once(name, given, message):
    evaluator = PlayerZeros()
    setattr(evaluator, name, given)
    with pytest.raises(bt.ParameterError, match=message):
        bt.Search(GAME, bt.UCT(), evaluator=evaluator)
