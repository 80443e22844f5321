"""``bt.problems.Go``: a problem for every algorithm: rollouts, rewards, exact values, searches that see captures."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from driver import Driver
from plain_board import PlainBoard

import boltree as bt
from boltree.algorithms.table import ALGORITHMS
from boltree.core.random import new_generator
from boltree.go import Game
from boltree.problem.state import PlainState
from boltree.problems.go import Go


@pytest.mark.parametrize("rules", ["tromp-taylor", "no-suicide"])
def test_check(rules):
    bt.check(Go(3, rules=rules), episodes=10)
    bt.check(Go(5, rules=rules), episodes=3)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"size": 1}, "size=1, must be an integer from 2 to 19"),
        ({"size": 9.0}, "size=9.0"),
        ({"komi": "6.5"}, "komi='6.5'"),
        ({"rules": "chess"}, "rules='chess', must be one of 'tromp-taylor', 'no-suicide'"),
        ({"scale": 0.0}, "scale=0.0, must be above 0"),
        ({"horizon": 0}, "horizon=0"),
        ({"horizon": 244}, "horizon=244, must be an integer from 1 to 243"),
        ({"barred": [(2, 0, 1)]}, r"barred=\(2, 0, 1\), must be \(0 or 1, 0 to 81, at least 0\)"),
        ({"barred": [(0, 82, 1)]}, "barred="),
    ],
)
def test_wrong_parameters(options, word):
    with pytest.raises(bt.ProblemError, match=word):
        Go(**options)


def test_a_node_is_small_enough():
    """Three layouts serve all sizes: a node's bytes, and that each size gets the smallest that fits."""
    bytes_of = {size: Go(size).state_layout().itemsize for size in range(2, 20)}
    assert {bytes_of[size] for size in range(2, 10)} == {bytes_of[9]}
    assert {bytes_of[size] for size in range(10, 14)} == {bytes_of[13]}
    assert bytes_of[9] <= 2800
    assert bytes_of[13] <= 5800
    assert bytes_of[19] <= 13800


def test_copies_and_recipes():
    problem = Go(7, 6.5, "no-suicide", scale=100.0, horizon=120)
    for again in (pickle.loads(pickle.dumps(problem)), copy.deepcopy(problem), Go(**problem.recipe())):
        assert type(again) is type(problem)
        assert type(again).__name__ == "Go"
        assert again.recipe() == problem.recipe()
        assert repr(again) == "Go(size=7, komi=6.5, rules='no-suicide', scale=100.0, horizon=120)"
        assert again.fingerprint() == problem.fingerprint()
        assert (again.actions, again.horizon, again.action_name(0)) == (50, 120, "A7")


def test_a_saved_search_goes_on(tmp_path):
    problem = Go(4, 0.5)
    one, other = (bt.Search(problem, bt.BTS(alpha=0.3), seed=2) for _ in range(2))
    one.run(trials=400)
    other.run(trials=200)
    other.save(tmp_path / "search")
    again = bt.Search.load(tmp_path / "search", problem=Go(4, 0.5))
    again.run(trials=200)
    assert np.array_equal(one.root.q, again.root.q, equal_nan=True)


# Rewards


def test_rewards_are_blacks_and_come_at_the_end():
    for komi, expected in ((24.5, 100.0), (25.0, 0.0), (25.5, -100.0)):
        driver = Driver(Go(5, komi, scale=100.0))
        assert driver.step(12) == (0.0, False)  # Black's stone owns the board
        assert driver.step(25) == (0.0, False)
        assert driver.step(25) == (expected, True)
        with pytest.raises(ValueError, match="compiled step raised"):
            driver.step(0)


def test_a_game_is_scored_at_the_horizon():
    driver = Driver(Go(3, 0.5, horizon=3))
    assert driver.step(0) == (0.0, False)
    assert driver.step(8) == (0.0, False)
    assert driver.step(1) == (1.0, True)


@pytest.mark.parametrize("action", [4, 0, -1, 10])
def test_a_step_refuses_what_no_search_asks_for(action):
    driver = Driver(Go(3, rules="no-suicide"))
    for move in (4, 1, 5, 3):  # then 0 is suicide for Black
        driver.step(move)
    with pytest.raises(ValueError, match="raised"):
        driver.step(action)


# Rollouts


def sensible(plain: PlainBoard) -> set[int]:
    """What a rollout may play, said independently: legal, no suicide, no eye of one's own."""
    found, size = set(), plain.size
    for row in range(size):
        for column in range(size):
            after = plain.after((row, column))
            if after is None or (row, column) not in after:
                continue
            if all(plain.stones.get(p) == plain.to_move for p in plain.around((row, column))):
                corners = [(row + i, column + j) for i in (-1, 1) for j in (-1, 1)]
                inside = [p for p in corners if 0 <= p[0] < size and 0 <= p[1] < size]
                bad = sum(plain.stones.get(p, plain.to_move) != plain.to_move for p in inside)
                if bad < (2 if len(inside) == 4 else 1):
                    continue
            found.add(row * size + column)
    return found


@pytest.mark.parametrize("rules", ["tromp-taylor", "no-suicide"])
def test_rollout_moves_are_the_sensible_ones(rules):
    size, problem, rng = 4, Go(4, rules=rules), new_generator(1)
    left_out = 0
    for game in range(6):
        view, plain = PlainState(problem.start_state(game).copy()), PlainBoard(size, rules == "tromp-taylor")
        done = False
        while not done:
            expected = sensible(plain) or {size * size}
            left_out += len(expected) < sum(plain.is_legal((p // size, p % size)) for p in range(size * size))
            drawn = {problem.plain_random_action(view, rng) for _ in range(20)}
            assert drawn <= expected
            if len(expected) <= 2:
                assert drawn == expected
            action = problem.plain_random_action(view, rng)
            _, done = problem.plain_step(view, action, rng)
            plain.play(None if action == size * size else (action // size, action % size))
    assert left_out > 10


def test_rollout_moves_are_equally_likely():
    """Also among many eyes, where few of the empty points are sensible and drawing gives way to looking through all."""
    eyes = {f"{column}{row}" for column in "ACEG" for row in (1, 3, 5, 7)}
    everywhere = {f"{column}{row}" for column in "ABCDEFG" for row in range(1, 8)}
    game = Game(7, black=sorted(everywhere - eyes - {"B7"}))
    problem, rng, draws = game.problem, new_generator(0), 6000
    counts = np.zeros(problem.actions)
    for _ in range(draws):
        counts[problem.plain_random_action(PlainState(game.state), rng)] += 1
    drawn = np.flatnonzero(counts)
    assert {problem.action_name(int(action)) for action in drawn} == {"A7", "B7", "C7"}
    assert np.abs(counts[drawn] / draws - 1 / 3).max() < 5 * (2 / 9 / draws) ** 0.5


def test_rollouts_keep_to_superko():
    game = Game(4, black=["B4", "A3", "B2"], white=["C4", "B3", "D3", "C2"])
    game.play("C3")
    assert game.banned_moves() == ["B3"]
    view, rng = PlainState(game.state), new_generator(0)
    drawn = {game.problem.action_name(game.problem.plain_random_action(view, rng)) for _ in range(200)}
    assert drawn == {"D4", "A2", "D2", "A1", "B1", "C1", "D1"}  # not A4, which is suicide, and not B3


@pytest.mark.parametrize(("size", "longest"), [(5, 70), (9, 200)])
def test_rollouts_end_and_equal_plain_python(size, longest):
    problem = Go(size, 0.5)
    lengths = []
    for seed in range(40):
        driver = Driver(problem)
        value = driver.rollout(seed)
        assert value in (1.0, -1.0)
        lengths.append(driver.view.moves)
        if seed < 3:
            view, rng, done = PlainState(problem.start_state(0).copy()), new_generator(seed), False
            while not done:
                reward, done = problem.plain_step(view, problem.plain_random_action(view, rng), rng)
            assert reward == value
            assert view.tobytes() == driver.view.tobytes()
        assert driver.view.passes == 2 or driver.view.moves == problem.horizon
    assert np.median(lengths) < longest


# Searches


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "custom"])
def test_every_algorithm_searches(name):
    search = bt.Search(Go(3, 0.5), bt.algorithm(name), seed=0)
    search.run(trials=300)
    assert search.recommend() in search.root.actions
    assert -1.0 <= search.root.value <= 1.0 or name in ("ments", "tents", "rents", "ants")


def plain_value(plain: PlainBoard, komi: float, left: int) -> float:
    """The game's value by looking at everything."""
    if plain.passes == 2 or left == 0:
        return float(np.sign(plain.balance() - komi))
    values = []
    for point in [None, *((r, c) for r in range(plain.size) for c in range(plain.size))]:
        if point is None or plain.is_legal(point):
            after = copy.copy(plain)
            after.past = set(plain.past)
            after.play(point)
            values.append(plain_value(after, komi, left - 1))
    return max(values) if plain.to_move == "B" else min(values)


@pytest.mark.parametrize("rules", ["tromp-taylor", "no-suicide"])
@pytest.mark.parametrize("komi", [0.5, 1.5, 3.5])
def test_exact_values_on_2x2(rules, komi):
    for horizon in (4, 5):
        plain = plain_value(PlainBoard(2, rules == "tromp-taylor"), komi, horizon)
        assert bt.solve(Go(2, komi, rules, horizon=horizon)).root_value == plain


SEARCHES = [bt.UCT(c=0.7), bt.BTS(alpha=0.1), bt.DENTS(alpha=0.1), bt.PUCT(c=1.0), bt.ARBTS(alpha=bt.sqrt_decay(1.0))]


@pytest.mark.parametrize("algorithm", SEARCHES, ids=lambda a: a.name)
def test_the_centre_wins_3x3(algorithm):
    """Black takes all nine points of 3x3 by beginning in the centre, and only so."""
    search = bt.Search(Go(3, komi=8.5), algorithm, seed=0)
    search.run(trials=30_000)
    assert search.problem.action_name(search.recommend()) == "B2"


@pytest.mark.parametrize("algorithm", SEARCHES, ids=lambda a: a.name)
@pytest.mark.parametrize("to_move", ["black", "white"])
def test_a_capture_that_decides_the_game(algorithm, to_move):
    """Both sides' walls have one liberty, at C1: who plays there takes the other's; who does not loses all."""
    walls = {"black": [f"{c}{r}" for c in "AB" for r in range(1, 6)], "white": [f"D{r}" for r in range(1, 6)]}
    walls["black"] += [f"C{r}" for r in range(2, 6)]
    walls["white"] += [f"E{r}" for r in range(1, 6)]
    game = Game(5, 0.5, black=walls["black"], white=walls["white"], to_move=to_move)
    assert (game.liberties("A1"), game.liberties("E1")) == (1, 1)
    search = bt.Search(game.problem, algorithm, state=game.state, seed=0)
    search.run(trials=20_000)
    assert search.problem.action_name(search.recommend()) == "C1"


def test_barred_moves():
    """Left out for a player while few moves are played; compiled and plain alike; the pass stays at least."""
    problem = Go(3, rules="no-suicide", barred=[(0, 4, 2), (0, 9, 1), (1, 0, 99)])
    driver = Driver(problem)
    assert driver.legal() == [0, 1, 2, 3, 5, 6, 7, 8]
    assert driver.legal() == problem.legal_actions(driver.state[0])
    driver.step(8)
    assert driver.legal() == [1, 2, 3, 4, 5, 6, 7, 9]  # White's bar has another point
    driver.step(7)
    assert driver.legal() == [0, 1, 2, 3, 4, 5, 6, 9]
    everything = Driver(Go(3, barred=[(0, action, 1) for action in range(10)]))
    assert everything.legal() == [9]
    again = pickle.loads(pickle.dumps(problem))
    assert again.recipe() == problem.recipe() == Go(**problem.recipe()).recipe()
    assert again.legal_actions(again.start_state()) == [0, 1, 2, 3, 5, 6, 7, 8]
