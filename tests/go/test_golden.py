"""The whole way, from moves to answers, against KataGo's own."""

from __future__ import annotations

import numpy as np
import pytest
from networks import network_file

import boltree as bt
from boltree.evaluators import ask
from boltree.go import Game, GoEvaluator, load_network
from boltree.go.board.points import move_name
from golden import golden


@pytest.mark.parametrize(("size", "count"), [(9, 56), (19, 20)])
def test_every_answer_is_katagos(size: int, count: int) -> None:
    answers = golden(size)
    assert len(answers) == count
    network = load_network(network_file("b6"), "onnx", threads=1)
    states = []
    for answer in answers:
        game = Game(size, answer.komi, "tromp-taylor")
        for move in answer.moves:
            game.play(move_name(move, size))
        found = network.evaluate(game)
        assert np.array_equal(found.policy > 0, answer.legal)
        assert found.white_win == pytest.approx(answer.white_win, abs=1e-5)
        assert found.white_lead == pytest.approx(answer.white_lead, abs=1e-3)
        assert np.abs(found.policy - answer.policy).max() < 1e-5
        assert np.abs(found.white_ownership - answer.white_ownership).max() < 1e-4
        states.append(np.asarray(game.state).reshape(1).copy())
    if size == 9:  # the same, as a search asks
        problem = bt.problems.Go(size, answers[0].komi, scale=100.0)
        words = np.concatenate(states).view(np.uint64).reshape(count, -1)
        values, priors = ask(GoEvaluator(network), problem, words, True)
        assert values == pytest.approx([100 * (1 - 2 * answer.white_win) for answer in answers], abs=3e-3)
        for prior, answer in zip(priors, answers, strict=True):
            legal = np.where(answer.legal, prior, 0.0)
            assert np.abs(legal / legal.sum() - answer.policy).max() < 1e-5
