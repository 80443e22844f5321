"""Self-play: many games at once, and what a network learns from them. No library but Boltree is needed here."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import boltree as bt

SEARCH = bt.PUCT(c=1.5, noise=0.25, noise_concentration=7.0)
OPENING = 12
"""Moves of a game that are drawn by visits; later ones are the best."""


class Samples(NamedTuple):
    """Positions by their features, the shares of the searches' visits, and how the game ended for who moved there."""

    features: Any
    policies: Any
    results: Any


def self_play(game: bt.Problem, network: Any, games: int, trials: int, seed: int) -> Samples:
    """Play games against itself, side by side, each move by a search of some trials."""
    rng = np.random.default_rng(seed)
    states, live = game.reset(count=games), np.arange(games)
    features, policies, players, numbers, winners = [], [], [], [], np.zeros(games)
    moves = 0
    while len(live):
        here = states[live]
        found = bt.search_many(
            here, SEARCH, trials, threads=2, problem=game, seed=int(rng.integers(2**32)), evaluator=network
        )
        shares = found.shares
        features.append(game.features(here))
        policies.append(shares)
        players.append(game.player(here))
        numbers.append(live)
        drawn = (shares.cumsum(axis=1) > rng.random((len(live), 1))).argmax(axis=1)
        states[live], rewards, done = game.step(here, drawn if moves < OPENING else shares.argmax(axis=1))
        winners[live] = rewards  # player 0's; 0 until the end
        live, moves = live[~done], moves + 1
    signs = 1.0 - 2.0 * np.concatenate(players)
    results = winners[np.concatenate(numbers)] * signs
    return Samples(np.concatenate(features), np.concatenate(policies), results.astype(np.float32))
