"""A network as an evaluator: values and whose they are, legal moves, symmetries, searches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from driver import Driver
from made_networks import made
from told import pictured, told

import boltree as bt
from boltree.evaluators.cached import Cached
from boltree.go import Game, GoEvaluator
from boltree.go.network.evaluation import turned_points
from boltree.go.network.feature_rows import parts_of
from boltree.go.network.graph import graph_of
from boltree.go.network.network import Network
from boltree.go.network.onnx import OnnxBackend
from boltree.problems.go import Go


@pytest.fixture(scope="module")
def network() -> Network:
    layers = made(8, seed=3)
    return Network(layers, OnnxBackend(graph_of(layers), threads=1))


def positions(count: int, size: int = 5) -> np.ndarray:
    """Features of random games, at different moves."""
    problem, found = Go(size, scale=100.0), []
    for seed in range(count):
        driver, rng = Driver(problem), np.random.default_rng(seed)
        for _ in range(4 + seed):
            driver.step(int(rng.choice([move for move in driver.legal() if move < size * size])))
        found.append(np.concatenate([np.ravel(part) for part in told(problem, driver.state)]))
    return np.array(found, np.float32)


def test_values_are_blacks_on_the_problems_scale(network: Network) -> None:
    features = positions(6)
    priors, values = GoEvaluator(network).evaluate(features)
    planes = features[:, :-20].reshape(6, 22, 5, 5)
    said = network.judge(planes, features[:, -20:-1])
    worth = [100.0 * (-1) ** (4 + k) for k in range(6)]
    assert values == pytest.approx(said.value * worth)
    assert np.abs(values).max() > 1.0
    assert priors.shape == (6, 26)
    assert priors.sum(1) == pytest.approx(np.ones(6))
    assert ((priors[:, :25] == 0) == (planes[:, [1, 2, 6]].sum(1) > 0).reshape(6, 25)).all()
    assert (priors[:, 25] > 0).all()


def turned(features: np.ndarray, turn: int) -> np.ndarray:
    """The same positions on turned boards, by NumPy's own turns: a reflection for 4 and more, then quarter turns."""
    planes = features[:, :-20].reshape(len(features), 22, 5, 5)
    planes = planes.transpose(0, 1, 3, 2) if turn >= 4 else planes
    return np.concatenate([np.rot90(planes, turn % 4, (2, 3)).reshape(len(features), -1), features[:, -20:]], axis=1)


def turned_priors(priors: np.ndarray, turn: int) -> np.ndarray:
    boards = priors[:, :25].reshape(-1, 5, 5)
    boards = boards.transpose(0, 2, 1) if turn >= 4 else boards
    return np.concatenate([np.rot90(boards, turn % 4, (1, 2)).reshape(-1, 25), priors[:, 25:]], axis=1)


def test_there_are_eight_symmetries() -> None:
    assert len({tuple(points) for points in turned_points(5)}) == 8
    assert turned_points(5)[0].tolist() == list(range(25))


@pytest.mark.parametrize("turn", range(8))
def test_the_average_does_not_depend_on_how_the_board_lies(network: Network, turn: int) -> None:
    features = positions(3)
    evaluator = GoEvaluator(network, symmetries="average")
    priors, values = evaluator.evaluate(features)
    other_priors, other_values = evaluator.evaluate(turned(features, turn))
    assert other_values == pytest.approx(values, abs=1e-4)
    assert other_priors == pytest.approx(turned_priors(priors, turn), abs=1e-6)
    if turn:
        plain = GoEvaluator(network).evaluate
        assert np.abs(plain(turned(features, turn))[1] - plain(features)[1]).max() > 1e-3


def test_random_symmetries_belong_to_positions(network: Network) -> None:
    features = positions(12)
    one = GoEvaluator(network, symmetries="random", seed=1)
    priors, values = one.evaluate(features)
    again_priors, again_values = GoEvaluator(network, symmetries="random", seed=1).evaluate(features[::-1])
    assert again_values[::-1] == pytest.approx(values, abs=1e-4)
    assert again_priors[::-1] == pytest.approx(priors, abs=1e-6)
    other = GoEvaluator(network, symmetries="random", seed=2).evaluate(features)[1]
    assert np.abs(other - values).max() > 1e-3
    plain = GoEvaluator(network).evaluate
    met = set()
    for k in range(12):  # each is the answer on one of the eight turned boards
        row = features[k : k + 1]
        answers = [plain(turned(row, turn)) for turn in range(8)]
        turn = int(np.argmin([abs(answer[1][0] - values[k]) for answer in answers]))
        assert answers[turn][1][0] == pytest.approx(values[k], abs=1e-4)
        assert answers[turn][0][0] == pytest.approx(turned_priors(priors[k : k + 1], turn)[0], abs=1e-6)
        met.add(turn)
    assert len(met) > 3


def test_the_score_counts_beside_winning(network: Network) -> None:
    features = positions(6)
    priors, plain = GoEvaluator(network).evaluate(features)
    scored_priors, values = GoEvaluator(network, score=0.5).evaluate(features)
    spatial, numbers, worth = parts_of(features)
    lead = network.judge(spatial, numbers).score
    ahead = np.array([2 / math.pi * math.atan(points / 10) for points in lead])  # 1/2 at 10 points on 5x5
    assert values == pytest.approx((plain + 0.5 * ahead * worth) / 1.5, abs=1e-4)
    assert scored_priors == pytest.approx(priors, abs=1e-6)


@pytest.mark.parametrize("symmetries", ["identity", "random"])
def test_a_search_with_a_network(network: Network, symmetries: str) -> None:
    game = pictured(". . X . .\n. X O X .\n. . . . .\n. . O . .\n. . . . .")
    found = []
    for evaluator in (GoEvaluator(network, 4, symmetries), Cached(GoEvaluator(network, 4, symmetries))):
        search = bt.Search(game.problem, bt.PUCT(), state=game.state, seed=0, evaluator=evaluator)
        search.run(trials=60)
        assert search.trials == 60
        assert game.is_legal(game.problem.action_name(search.recommend()))
        found.append(search.root.visits)
    assert np.abs(found[0] - found[1]).sum() <= 4  # a batch of other positions may round otherwise
    answer = network.evaluate(game)
    legal = game.problem.legal_actions(game.state)
    assert set(np.flatnonzero(answer.policy)) == set(legal)
    if symmetries == "identity":
        assert search.root.prior == pytest.approx(answer.policy[legal], abs=1e-6)


def test_an_answer_is_whites_whoever_moves(network: Network) -> None:
    picture = ". . . .\n. X . .\n. . O .\n. . . ."
    for to_move, side in (("black", -1.0), ("white", 1.0)):
        game = pictured(picture, to_move=to_move)
        planes, numbers, _ = told(game.problem, game.state)
        said = network.judge(planes[None], numbers[None])
        answer = network.evaluate(game)
        assert answer.white_win == pytest.approx(0.5 + side * said.value[0] / 2)
        assert answer.white_lead == pytest.approx(side * said.lead[0])
        assert answer.white_ownership == pytest.approx(side * said.ownership[0])


def test_wrong_turns(network: Network) -> None:
    with pytest.raises(bt.ParameterError, match="symmetries='all', must be one of identity, random, average"):
        GoEvaluator(network, symmetries="all")
    with pytest.raises(bt.ParameterError, match=r"score=-0\.1, must be a finite number of at least 0"):
        GoEvaluator(network, score=-0.1)
    with pytest.raises(bt.ParameterError, match=r"batch: 7 features, must be those of bt\.problems\.Go"):
        GoEvaluator(network).evaluate(np.zeros((1, 7), np.float32))


def test_a_finished_game_has_an_answer(network: Network) -> None:
    game = Game(5)
    game.play("pass")
    game.play("pass")
    answer: Any = network.evaluate(game)
    assert answer.policy.sum() == pytest.approx(1.0)
