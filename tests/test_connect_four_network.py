"""The example in examples/connect_four: exact values, learning, the players' conventions, batches, strength."""

from __future__ import annotations

import doctest
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.connect_four import exact, play, train
from examples.connect_four import network as network_module
from examples.connect_four.exact import Solver
from examples.connect_four.learning import gradient, loss_of
from examples.connect_four.network import FILE, ConnectFourNetwork
from examples.connect_four.play import ARBTS, PUCT, Limit, Player, play_match
from examples.connect_four.positions import LATE, PROBLEM, early_positions, late_positions

import boltree as bt

WINS = {  # positions, and the column where the player to move wins
    "001122": 3,  # X
    "6001122": 3,  # O
    "323236": 3,
    "6323230": 3,
    "665544": 3,
    "1665544": 3,
}


@pytest.fixture(scope="module")
def network() -> ConnectFourNetwork:
    return ConnectFourNetwork.load()


def features_of(moves: str) -> Any:
    state = bt.problems.ConnectFour(moves).start_state()
    return PROBLEM.features(np.asarray(state).reshape(1))


@pytest.mark.parametrize("module", [exact, network_module])
def test_doctests(module: Any) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


# Targets


def test_late_positions_have_the_values_of_backward_induction() -> None:
    positions, solver, seen = late_positions(1500, seed=3), Solver(entries=100_003), set()
    counts = positions.features[:, :2].sum((1, 2, 3)).astype(int)
    assert set(counts) == set(range(LATE, 41))
    for i in np.flatnonzero(counts >= 26):
        bits = [[7 * c + r for r, c in np.argwhere(plane)] for plane in positions.features[i, :2]]
        state = PROBLEM.as_state([sum(1 << int(b) for b in some) for some in bits])
        solution = bt.solve(PROBLEM, state=state)
        expected = np.full(7, np.nan)
        expected[solution.actions()] = solution.q() * (1.0 if counts[i] % 2 == 0 else -1.0)
        np.testing.assert_array_equal(solver.values(state), expected)
        best = expected == np.nanmax(expected)
        assert positions.values[i] == np.nanmax(expected)
        np.testing.assert_allclose(positions.policies[i], best / best.sum())
        seen |= set(expected[solution.actions()])
    assert seen == {-1.0, 0.0, 1.0}


def test_early_positions_are_seen_by_the_player_to_move() -> None:
    positions = early_positions(200, trials=300, seed=0)
    assert positions.features[:, :2].sum((1, 2, 3)).max() < LATE
    np.testing.assert_allclose(positions.policies.sum(1), 1.0, rtol=1e-5)
    assert (np.abs(positions.values) <= 1.0).all()
    stones, wins = positions.features[:, :2].sum(1), positions.features[:, 2]
    lowest = np.cumsum(stones == 0.0, axis=1) == 1  # a column's first free cell
    at_hand = (lowest * wins).any((1, 2))
    assert at_hand.sum() > 10
    assert np.mean(positions.values[at_hand]) > 0.7  # who can win at once is to win


# Learning


def test_the_gradient_is_the_losss_slope() -> None:
    network, positions = ConnectFourNetwork.new(0), late_positions(32, seed=0)
    network.weights = [each.astype(np.float64) for each in network.weights]  # type: ignore[misc]
    slopes, source = gradient(network, positions), np.random.default_rng(0)
    for weights, slope in zip(network.weights, slopes, strict=True):
        assert weights.shape == slope.shape
        for _ in range(10):
            at = tuple(int(source.integers(n)) for n in weights.shape)
            losses, here = [], weights[at]
            for step in (1e-4, -1e-4):
                weights[at] = here + step
                losses.append(loss_of(network.answer(positions.features), positions).total)
            weights[at] = here
            assert slope[at] == pytest.approx((losses[0] - losses[1]) / 2e-4, abs=2e-6)


def test_mirrors() -> None:
    positions = late_positions(20, seed=0)
    both = positions.mirrored(np.arange(20) < 10)
    np.testing.assert_array_equal(both.features[:10], positions.features[:10, :, :, ::-1])
    np.testing.assert_array_equal(both.policies[:10], positions.policies[:10, ::-1])
    np.testing.assert_array_equal(both.features[10:], positions.features[10:])
    np.testing.assert_array_equal(both.policies[10:], positions.policies[10:])


def test_training_lowers_the_loss_on_positions_held_out(tmp_path: Path, capsys: Any) -> None:
    train.main(["--quick", "--out", str(tmp_path / "quick.npz")])
    assert "4,500 positions to learn from, 225 held out" in capsys.readouterr().out
    held_out = late_positions(500, seed=77) + early_positions(100, trials=200, seed=77)
    losses = [
        loss_of(network.answer(held_out.features), held_out)
        for network in (ConnectFourNetwork.new(0), ConnectFourNetwork.load(tmp_path / "quick.npz"))
    ]
    assert losses[1].policy < losses[0].policy - 0.2
    assert losses[1].value < losses[0].value - 0.15
    assert losses[1].value < float(np.var(held_out.values)) - 0.15  # better than any one number for all


# The network in the repository


def test_the_file_is_small() -> None:
    assert FILE.stat().st_size < 200_000


@pytest.mark.parametrize(("moves", "column"), WINS.items())
def test_a_winning_move(network: ConnectFourNetwork, moves: str, column: int) -> None:
    priors, values = network.evaluate(features_of(moves))
    assert priors.shape == (1, 7)
    assert priors[0].sum() == pytest.approx(1.0, abs=1e-5)
    assert priors[0].argmax() == column
    assert priors[0, column] > 0.5
    assert values[0] * (1.0 if len(moves) % 2 == 0 else -1.0) > 0.5  # values are player 0's, X's


def test_it_knows_late_positions(network: ConnectFourNetwork) -> None:
    positions = late_positions(1000, seed=99)
    found = network.answer(positions.features)
    decided = positions.values != 0.0
    assert np.mean(np.sign(found.value[decided]) == positions.values[decided]) > 0.8
    legal = positions.features[:, :2, 5].sum(1) == 0.0
    chosen = np.where(legal, found.logits, -np.inf).argmax(1)
    assert np.mean(positions.policies[np.arange(1000), chosen] > 0.0) > 0.85


@pytest.mark.parametrize(("algorithm", "item"), list(product((PUCT, ARBTS), WINS.items())), ids=str)
def test_batches_and_single_leaves_recommend_the_same(algorithm: Any, item: tuple[str, int]) -> None:
    moves, column = item
    for batch in (1, 8):
        network = ConnectFourNetwork.load(batch=batch)
        search = bt.Search(bt.problems.ConnectFour(moves), algorithm, evaluator=network, seed=0)
        search.run(trials=200)
        assert search.trials == 200
        assert search.recommend() == column


@pytest.mark.parametrize("algorithm", [PUCT, ARBTS], ids=lambda one: one.name)
def test_searches_with_it_beat_the_same_without(network: ConnectFourNetwork, algorithm: Any) -> None:
    """Between equals, 40 games give 30 points or more once in 2,000 times."""
    results = play_match(Player("with", algorithm, network), Player("without", algorithm, 0.0), 40, Limit(trials=50))
    assert ((results + 1.0) / 2.0).sum() >= 30.0


def test_a_match_says_who_won(capsys: Any) -> None:
    play.main(["--games", "4", "--trials", "20"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Against UCT with rollouts, 20 trials a move, 4 games each:"
    for line, name in zip(lines[4:], ("PUCT", "AR-BTS"), strict=True):
        assert line.startswith(f"{name} with the network")
        assert sum(map(int, line.split("]")[1].split()[:3])) == 4
    play.main(["--show", "--trials", "20"])
    assert capsys.readouterr().out.rstrip().splitlines()[-1] in ("X has won", "O has won", "draw")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "3"], "--games 3: must be an even number, since every opening is played by either side"),
        (["--network", "nowhere.npz"], "--network nowhere.npz: no such file"),
        (["--seconds", "0"], "--seconds 0.0: must be above 0"),
    ],
)
def test_wrong_turns(arguments: list[str], message: str, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        play.main(arguments)
    assert message in capsys.readouterr().err


def test_nothing_is_written_without_a_folder(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        train.main(["--out", "nowhere/network.npz"])
    assert "--out nowhere/network.npz: no such folder" in capsys.readouterr().err
