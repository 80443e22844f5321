"""The example in examples/alphazero: what self-play hands to a network is true, and the network learns."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from examples.alphazero.self_play import Samples, self_play

import boltree as bt

GAME = bt.problems.Hex(3)


class Even:
    """Every action is as good, and nobody is ahead."""

    values, gives_prior, batch = "mover", True, 4

    def evaluate(self, features):
        return np.full((len(features), 9), 1 / 9), np.zeros(len(features))


def test_self_play_hands_over_positions_visits_and_results():
    samples = self_play(GAME, Even(), games=6, trials=16, seed=0)
    count = len(samples.results)
    assert samples.features.shape == (count, 3, 3, 3)
    np.testing.assert_allclose(samples.policies.sum(axis=1), 1.0)
    first, second, mover = samples.features.reshape(count, 3, 9).transpose(1, 0, 2)  # the mover's, the other's, who
    assert ((samples.policies > 0) <= (first + second == 0)).all()  # legal moves only
    assert (mover.sum(axis=1) == np.where(first.sum(axis=1) == second.sum(axis=1), 9, 0)).all()
    assert len(self_play(GAME, Even(), games=1, trials=16, seed=1).results) <= 9


@pytest.mark.parametrize("seed", range(4))
def test_a_result_is_that_of_who_moved(seed):
    """Who makes the last move of Hex has won, so that results alternate and end with 1."""
    results = self_play(GAME, Even(), games=1, trials=16, seed=seed).results
    assert results.tolist() == [1.0 if (len(results) - k) % 2 == 1 else -1.0 for k in range(len(results))]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed: pip install torch")
def test_the_network_learns_what_it_is_shown():
    from examples.alphazero import train

    train.torch.manual_seed(0)
    network = train.Network()
    states = train.GAME.reset(count=64)
    states, _, _ = train.GAME.step(states, np.arange(64) % 7)
    policies = np.eye(7, dtype=np.float32)[np.arange(64) % 7]
    policies = (policies + policies[:, ::-1]) / 2  # the same in a mirror
    samples = Samples(train.GAME.features(states), policies, np.where(np.arange(64) % 7 == 3, 1.0, -1.0))
    first = network.learn(samples, steps=5)
    assert network.learn(samples, steps=150) < first
    priors, values = network.evaluate(samples.features)
    assert (np.abs(priors - policies) < 0.2).all()
    assert (np.sign(values) == samples.results).all()
    assert train.score(network, games=2, trials=8).steps.min() >= 7
