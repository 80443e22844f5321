"""What a network is told: against the plain version in random games, and the numbers by hand."""

from __future__ import annotations

import numpy as np
import pytest
from driver import Driver
from plain_features import PlainGame
from told import points_of, told

import boltree as bt
from boltree.go import Game
from boltree.go.board.features import features_size
from boltree.problem.state import PlainState
from boltree.problems.go import Go


@pytest.mark.parametrize(
    ("size", "rules", "games", "moves"),
    [
        (2, "tromp-taylor", 6, 30),
        (4, "tromp-taylor", 6, 60),
        (5, "no-suicide", 5, 75),
        (6, "tromp-taylor", 3, 90),
        (7, "no-suicide", 2, 90),
        (9, "tromp-taylor", 1, 120),
        (9, "no-suicide", 1, 120),
        (11, "tromp-taylor", 1, 120),
        (19, "tromp-taylor", 1, 250),
    ],
)
def test_features_equal_the_plain_ones(size: int, rules: str, games: int, moves: int) -> None:
    """In random games; every plane but the unused ones is there."""
    problem, met = Go(size, 6.5, rules, scale=100.0), np.zeros(22)
    every = 3 if size < 9 else 12 if size < 19 else 50
    for seed in range(games):
        rng, driver = np.random.default_rng([size, seed]), Driver(problem)
        plain = PlainGame(size, 6.5, rules == "tromp-taylor")
        for k in range(moves):
            points = [move for move in driver.legal() if move < size * size]
            action = int(rng.choice(points)) if points and rng.random() > 0.03 else size * size
            _, done = driver.step(action)
            plain.play(None if action == size * size else divmod(action, size))
            if done or k % every == 0:
                planes, numbers, worth = told(problem, driver.state)
                expected_planes, expected_numbers = plain.features()
                assert np.array_equal(planes, expected_planes), [
                    int(i) for i in range(22) if (planes[i] != expected_planes[i]).any()
                ]
                assert numbers == pytest.approx(expected_numbers, abs=1e-6)
                assert worth == (100.0 if driver.view.player == 0 else -100.0)
                met += planes.sum((1, 2))
            if done:
                break
    if size in (4, 6):
        assert (met[[*range(7), *range(9, 20)]] > 0).all()
    assert not met[[7, 8, 20, 21]].any()


def test_compiled_and_plain_python_are_the_same() -> None:
    """`bt.check` also runs the features both ways."""
    for rules in ("tromp-taylor", "no-suicide"):
        bt.check(Go(3, rules=rules), episodes=2)
    problem = Go(5)
    driver, rng = Driver(problem), np.random.default_rng(0)
    for k in range(40):
        _, done = driver.step(int(rng.choice(driver.legal())))
        if done:
            break
        if k % 10 == 9:
            planes, numbers, worth = told(problem, driver.state)
            found = problem.plain_features(driver.state)
            assert found.tolist() == [*planes.ravel(), *numbers, worth]


@pytest.mark.parametrize(
    ("komi", "size", "black", "white"),
    [
        (7.5, 9, (-0.375, -0.5), (0.375, 0.5)),  # selfKomi −7.5: 1.5 above −9; 7.5: 0.5 above 7
        (7.0, 9, (-0.35, 0.0), (0.35, 0.0)),
        (6.0, 9, (-0.3, 0.0), (0.3, 0.0)),
        (6.75, 9, (-0.3375, 0.25), (0.3375, -0.25)),
        (7.5, 8, (-0.375, 0.5), (0.375, -0.5)),  # an even board: 0.5 above −8; 1.5 above 6
        (500.0, 9, (-5.05, 0.0), (5.05, 0.0)),  # no more than the board and 20 points
    ],
)
def test_komi_and_its_parity(komi: float, size: int, black: tuple, white: tuple) -> None:
    for to_move, expected in (("black", black), ("white", white)):
        game = Game(size, komi, to_move=to_move)
        _, numbers, worth = told(game.problem, game.state)
        assert (numbers[5], numbers[18]) == pytest.approx(expected, abs=1e-6)
        assert worth == (1.0 if to_move == "black" else -1.0)


@pytest.mark.parametrize(("rules", "suicide"), [("tromp-taylor", 1.0), ("no-suicide", 0.0)])
def test_rules(rules: str, suicide: float) -> None:
    game = Game(9, 7.5, rules)
    _, numbers, _ = told(game.problem, game.state)
    assert numbers[[6, 7, 8]].tolist() == [1.0, 0.5, suicide]
    assert not numbers[[*range(5), *range(9, 18)]].any()


def test_past_moves_and_passes() -> None:
    game = Game(9)
    for move in ("A9", "B9", "pass", "C9", "D9", "E9", "pass"):
        game.play(move)
    planes, numbers, _ = told(game.problem, game.state)
    assert [points_of(planes[9 + k]) for k in range(5)] == [set(), {(0, 4)}, {(0, 3)}, {(0, 2)}, set()]
    assert numbers[:5].tolist() == [1, 0, 0, 0, 1]
    assert numbers[14] == 1.0  # another pass ends the game
    game.play("pass")
    planes, numbers, _ = told(game.problem, game.state)
    assert not planes[9:14].any()  # how a game ended is not told
    assert not numbers[[0, 1, 2, 3, 4, 14]].any()


def test_a_break_in_alternation_ends_the_past() -> None:
    game = Game(9)
    for move, colour in (("A9", "black"), ("C5", "black"), ("D5", "white")):
        game.play(move, colour)
    planes, _, _ = told(game.problem, game.state)
    assert [points_of(planes[9 + k]) for k in range(5)] == [{(4, 3)}, {(4, 2)}, set(), set(), set()]


def test_superko_is_told() -> None:
    game = Game(4, black=["B4", "A3", "B2"], white=["C4", "B3", "D3", "C2"])
    game.play("C3")
    planes, _, _ = told(game.problem, game.state)
    assert points_of(planes[6]) == {(1, 1)}


def test_sizes() -> None:
    for size in (2, 9, 19):
        problem = Go(size)
        assert problem.features_shape == (features_size(size),) == (22 * size * size + 20,)
        assert problem.plain_features(PlainState(problem.start_state()).memory).size == features_size(size)
