"""The compiled board against a plain one, and against open_spiel, move by move."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from driver import Driver
from plain_board import PlainBoard

import boltree as bt
from boltree.go.board.board import BLACK, EDGE, EMPTY, WHITE, count_liberties, put_stone, set_stones
from boltree.go.board.points import action_named, move_name
from boltree.go.board.scoring import area_balance
from boltree.problem.state import PlainState
from boltree.problems.go import RULES, Go

COLOUR = {None: EMPTY, "B": BLACK, "W": WHITE}


def colours_of(plain: PlainBoard) -> list[int]:
    return [COLOUR[plain.stones.get((p // plain.size, p % plain.size))] for p in range(plain.size**2)]


def check_inside(problem: Go, view: Any, plain: PlainBoard) -> None:
    """Chains, liberties, empty points and score of a state are what the plain board says."""
    size, rules = plain.size, problem.plain_params
    points = size * size
    assert view.colour[:points].tolist() == colours_of(plain)
    assert view.colour[points] == EDGE
    empties = view.empties[: view.vacant].tolist()
    assert sorted(empties) == [p for p in range(points) if view.colour[p] == EMPTY]
    assert [int(view.place[p]) for p in empties] == list(range(view.vacant))
    rest = list(plain.stones)
    while rest:
        chain, liberties = plain.chain(plain.stones, rest[0])
        rest = [point for point in rest if point not in chain]
        numbers = {r * size + c for r, c in chain}
        (head,) = {int(view.head[p]) for p in numbers}
        ring, s = {head}, int(view.next[head])
        while s != head:
            ring.add(s)
            s = int(view.next[s])
        assert ring == numbers
        assert count_liberties(rules, view, min(numbers), points) == len(liberties)
        assert count_liberties(rules, view, max(numbers), 2) == min(len(liberties), 2)
        touching = sum(other not in plain.stones for point in chain for other in plain.around(point))
        assert view.adjacencies[head] == touching
        for p in numbers - {head}:
            assert view.adjacencies[p] == 0
    for p in [*empties, points]:
        assert (view.head[p], view.next[p], view.adjacencies[p]) == (points, 0, 0)
    before = view.tobytes()
    assert area_balance(rules, view) == plain.balance()
    assert view.tobytes() == before


GAMES = [(2, 20), (3, 20), (4, 12), (5, 10), (7, 3), (9, 2)]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("size", "games"), GAMES)
def test_random_games_equal_a_plain_board(size, games, rules):
    problem = Go(size, rules=rules)
    draw, points = random.Random(size), size * size
    position_of: dict[int, frozenset] = {}
    hash_of: dict[frozenset, int] = {}
    forbidden = suicides = 0
    for _ in range(games):
        driver, plain = Driver(problem), PlainBoard(size, RULES[rules])
        one_ago = two_ago = [EMPTY] * points
        for move in range(problem.horizon):
            legal = driver.legal()
            expected = [p for p in range(points) if plain.is_legal((p // size, p % size))]
            assert legal == [*expected, points]
            forbidden += points - len(plain.stones) - len(expected)
            action = draw.choice(expected) if expected and draw.random() < 0.97 else points
            now = colours_of(plain)
            plain.play(None if action == points else (action // size, action % size))
            suicides += action != points and (action // size, action % size) not in plain.stones
            reward, done = driver.step(action)
            one_ago, two_ago = now, one_ago
            view = driver.view
            position = frozenset(plain.stones.items())
            assert position_of.setdefault(view.hash, position) == position
            assert hash_of.setdefault(position, view.hash) == view.hash
            assert view.colour[:points].tolist() == colours_of(plain)
            assert view.one_ago[:points].tolist() == one_ago
            assert view.two_ago[:points].tolist() == two_ago
            assert (view.moves, view.player, view.passes) == (move + 1, "BW".index(plain.to_move), plain.passes)
            assert view.recent[0] == action + 1
            if move % 5 == 0 or done:
                check_inside(problem, view, plain)
            assert done == (plain.passes == 2 or move + 1 == problem.horizon)
            if done:
                assert reward == np.sign(plain.balance() - 7.5)
                break
    if size in (3, 4, 5):
        assert forbidden > 0  # the games reach what the rules forbid ...
        assert (suicides > 0) == RULES[rules]  # ... and what only some of them allow


@pytest.mark.parametrize("size", [13, 19])
def test_larger_layouts(size):
    """Points of larger boards do not fit a byte; in plain Python, which `bt.check` ties to the compiled code."""
    problem = Go(size, rules="no-suicide")
    view, plain, draw = PlainState(problem.start_state(0).copy()), PlainBoard(size, False), random.Random(1)
    everywhere = [(r, c) for r in range(size) for c in range(size)]
    captures = 0
    for move in range(2 * size * size):
        point = next((point for point in draw.sample(everywhere, size * size) if plain.is_legal(point)), None)
        stones = len(plain.stones)
        plain.play(point)
        captures += len(plain.stones) < stones
        problem.plain_step(view, size * size if point is None else point[0] * size + point[1], None)
        if move % 100 == 99:
            check_inside(problem, view, plain)
            mask = np.zeros(problem.actions, np.bool_)
            Go.legal(problem.plain_params, view, mask)
            assert mask[:-1].tolist() == [plain.is_legal(point) for point in everywhere]
    assert captures > 10


def test_compiled_19x19_equals_plain_python():
    bt.check(Go(19, horizon=60), episodes=1)


def test_stones_can_be_set_at_once():
    """The same chains as by playing, where no stone was captured; a chain without liberties is told."""
    problem = Go(5)
    params, played, at_once = problem.plain_params, Driver(problem), PlainState(problem.new_state())
    for p in (12, 7, 13, 8, 17, 0):
        played.step(p)
    assert set_stones(params, at_once, played.view.colour)
    for field in ("colour", "hash", "vacant", "stood"):
        assert np.array_equal(at_once[field], played.view[field])
    for p in (12, 7, 0):
        assert count_liberties(params, at_once, p, 25) == count_liberties(params, played.view, p, 25)
    dead = np.zeros(26, np.uint8)
    dead[[0, 1, 5]] = (BLACK, WHITE, WHITE)
    assert not set_stones(params, PlainState(problem.new_state()), dead)


def test_put_stone_counts_what_it_takes():
    problem = Go(3)
    view, colours = PlainState(problem.new_state()), np.zeros(10, np.uint8)
    colours[[0, 1, 3, 4, 2, 5]] = (WHITE, WHITE, WHITE, WHITE, BLACK, BLACK)
    assert set_stones(problem.plain_params, view, colours)
    assert put_stone(problem.plain_params, view, 6, BLACK) == 0
    assert put_stone(problem.plain_params, view, 7, BLACK) == 4


@pytest.mark.parametrize(("size", "games"), [(3, 60), (5, 10), (9, 4)])
def test_random_games_equal_open_spiel(size, games):
    """It allows the moves that repeat a board (and ends the game there); otherwise moves and results are the same."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(f"go(board_size={size},komi=0.5,max_game_length={3 * size * size})")
    names = [game.new_initial_state().action_to_string(0, a).split()[1] for a in range(size * size + 1)]
    theirs = [action_named(name, size) for name in names]
    problem, draw, repeating = Go(size, komi=0.5, rules="no-suicide", horizon=3 * size * size), random.Random(0), 0
    for _ in range(games):
        other, driver, done, reward = game.new_initial_state(), Driver(problem), False, 0.0
        while not done:
            ours = set(driver.legal())
            allowed = {theirs[a]: a for a in other.legal_actions()}
            assert ours <= set(allowed)
            for p in set(allowed) - ours:
                repeat = other.clone()
                repeat.apply_action(allowed[p])
                assert repeat.is_terminal()
                repeating += 1
            action = draw.choice(sorted(ours)) if draw.random() < 0.95 else size * size
            other.apply_action(allowed[action])
            reward, done = driver.step(action)
            assert done == other.is_terminal(), move_name(action, size)
        assert reward == other.returns()[0]
    assert repeating > 0 or size > 3
