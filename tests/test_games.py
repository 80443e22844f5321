"""Two players: forced results are found."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt

PLAYERS = [
    bt.UCT(c=1.0),
    bt.BTS(alpha=0.3),
    bt.DENTS(alpha=0.3),
    bt.ARBTS(alpha=bt.sqrt_decay(1.0)),
    bt.MENTS(alpha=0.05),
    bt.PUCT(c=1.5),
]


@pytest.mark.parametrize("algorithm", [bt.BTS(alpha=0.5), bt.DENTS(alpha=0.5)], ids=lambda a: a.name)
def test_tic_tac_toe_is_a_draw(algorithm):
    search = bt.Search(bt.problems.TicTacToe(), algorithm, seed=0)
    search.run(trials=400_000)
    assert search.root.value == 0.0
    np.testing.assert_array_equal(search.root.q, 0.0)


@pytest.mark.parametrize("algorithm", PLAYERS, ids=lambda a: a.name)
def test_every_tic_tac_toe_move_keeps_the_value(algorithm):
    problem = bt.problems.TicTacToe()
    for seed in range(5):
        episode = bt.act(problem, algorithm, trials=20_000, seed=seed)
        assert episode.value == 0.0  # both sides play the recommended moves: a draw


@pytest.mark.parametrize("algorithm", PLAYERS, ids=lambda a: a.name)
def test_connect_four_mate_in_two(algorithm):
    """Player 0 to move, with stones on the bottom of columns 2 and 3, both sides open: column 1 or 4 wins by force.

    Maxima over noisy rollouts see it in two searches of three.
    """
    problem = bt.problems.ConnectFour(moves="2233")
    moves = []
    for seed in range(12):
        search = bt.Search(problem, algorithm, seed=seed)
        search.run(trials=100_000)
        moves.append(search.recommend())
    winning = [move for move in moves if move in (1, 4)]
    assert len(winning) >= 6
    move = winning[0]
    won = bt.problems.ConnectFour(moves=f"2233{move}")
    reply = bt.Search(won, bt.BTS(alpha=0.3), seed=0)
    reply.run(trials=100_000)
    assert reply.root.player == 1
    assert reply.root.value == 1.0  # whatever player 1 does, player 0 wins


def test_player_one_minimises():
    problem = bt.problems.ConnectFour(moves="0313231")  # player 1 to move
    search = bt.Search(problem, bt.BTS(alpha=0.3), seed=0)
    search.run(trials=50_000)
    assert search.root.player == 1
    assert search.root.q[list(search.root.actions).index(search.recommend())] == np.nanmin(search.root.q)
    assert search.root.value == pytest.approx(np.nanmin(search.root.q))
