"""Othello: against OpenSpiel and a slow board of cells, known counts, exact values, features, pictures, errors."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problem.state import PlainState
from boltree.problems import Othello

AROUND = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]


class Cells:
    """The rules with a disc's owner by (row, column), looking along every line cell by cell."""

    def __init__(self, size: int) -> None:
        low, high = size // 2 - 1, size // 2
        self.size, self.mover = size, 0
        self.owner = {(low, low): 1, (high, high): 1, (low, high): 0, (high, low): 0}

    def turned(self, player: int, cell: tuple[int, int]) -> set[tuple[int, int]]:
        found: set[tuple[int, int]] = set()
        for r, c in AROUND if cell not in self.owner else ():
            line, at = [], (cell[0] + r, cell[1] + c)
            while self.owner.get(at) == 1 - player:
                line.append(at)
                at = (at[0] + r, at[1] + c)
            found |= set(line) if self.owner.get(at) == player else set()
        return found

    def cells_for(self, player: int) -> list[int]:
        cells = [(r, c) for r in range(self.size) for c in range(self.size)]
        return [self.size * r + c for r, c in cells if self.turned(player, (r, c))]

    def open(self) -> list[int]:
        return self.cells_for(self.mover) or [self.size**2]

    def play(self, action: int) -> tuple[float, bool]:
        if action < self.size**2:
            cell = divmod(action, self.size)
            self.owner |= dict.fromkeys([*self.turned(self.mover, cell), cell], self.mover)
        self.mover = 1 - self.mover
        if self.cells_for(0) or self.cells_for(1):
            return 0.0, False
        discs = Counter(self.owner.values())
        return float(np.sign(discs[0] - discs[1])), True


@pytest.mark.parametrize("size", [4, 6, 8])
def test_random_games_against_the_slow_board(compiled: Any, size: int) -> None:
    game, rng, source = compiled(Othello(size)), new_generator(0), np.random.default_rng(1)
    passes, results = 0, set()
    for _ in range({4: 60, 6: 25, 8: 10}[size]):
        board, state, done = Cells(size), game.start(rng), False
        while not done:
            mine = {size * r + c for (r, c), player in board.owner.items() if player == board.mover}
            planes = game.features(state).reshape(3, size * size)
            assert set(np.flatnonzero(planes[0]).tolist()) == mine
            assert planes[1].sum() == len(board.owner) - len(mine)
            legal = np.flatnonzero(game.legal(state)).tolist()
            assert legal == board.open()
            assert np.flatnonzero(planes[2]).tolist() == [a for a in legal if a < size * size]
            assert game.player(state) == board.mover
            action = int(source.choice(legal))
            passes += action == size * size
            state, reward, done = game.step(state, action, rng)
            assert (reward, done) == board.play(action)
        results.add(reward)
    assert passes > 0
    assert {1.0, -1.0} <= results


def test_random_games_are_those_of_openspiel(checks: Any) -> None:
    found = checks.openspiel(Othello(), "othello", str, 100)
    assert {1.0, -1.0} <= set(found)


def test_numbers_of_games_that_everybody_counts(compiled: Any) -> None:
    """The numbers of move sequences from the start (perft): 4, 12, 56, 244, 1396, 8200."""
    game = compiled(Othello())
    wave, counts = [game.start(new_generator(0))], []
    for _ in range(6):
        wave = [
            game.step(state, int(action), new_generator(0))[0]
            for state in wave
            for action in np.flatnonzero(game.legal(state))
        ]
        counts.append(len(wave))
    assert counts == [4, 12, 56, 244, 1396, 8200]


def test_four_by_four_is_lost_by_who_begins() -> None:
    assert bt.solve(Othello(4)).root_value == -1.0


def test_a_game_may_end_with_empty_cells(play: Any) -> None:
    """The shortest game that X wins has nine moves: all discs are X's."""
    game = Othello()
    names = {name: action for action, name in enumerate(game.action_names)}
    found = play(game, [names[move] for move in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]])
    assert [done for _, _, done in found] == [False] * 8 + [True]
    assert found[-1][1] == 1.0
    assert game.show_state(found[-1][0][0]).endswith("X 13, O 0: X has won")


def test_illegal_moves_raise(compiled: Any) -> None:
    game = compiled(Othello())
    state = game.start(new_generator(0))
    for action in (0, 27, 64, 65):  # nothing turned over, a disc is there, no pass while one can play, no cell
        with pytest.raises(ValueError, match="compiled step raised"):
            game.step(state, action, new_generator(0))


def test_plain_python_and_compiled_agree(checks: Any, play: Any) -> None:
    assert checks.episodes(Othello(), 2) > 100
    assert checks.episodes(Othello(6), 3) > 80
    checks.recipe(Othello(6, horizon=9))
    checks.random_actions(Othello(), play(Othello(), [19, 18])[-1][0], 5000)
    bt.check(Othello(4))


def test_shown(play: Any) -> None:
    game = Othello(4)
    found = play(game, [1, 0])
    assert game.show_state(PlainState(found[0][0])) == (
        "  a b c d\n1 . X . .\n2 . X X .\n3 . X O .\n4 . . . .\nX 4, O 1: O to move"
    )
    assert game.show_state(found[1][0][0]).splitlines()[1] == "1 O X . ."
    assert game.action_names[:5] == ("a1", "b1", "c1", "d1", "a2")
    assert game.action_names[-1] == "pass"
    scene, state = game.scene(), PlainState(found[0][0])
    assert scene.stones(state) == [".X..", ".XX.", ".XO.", "...."]
    assert scene.place(state, 6) == (1, 2)
    assert scene.place(state, 16) is None


@pytest.mark.parametrize("size", [2, 5, 10, 8.5, True, "8"])
def test_errors(size: Any) -> None:
    with pytest.raises(ProblemError, match=f"Othello: size={size!r}, must be one of 4, 6, 8"):
        Othello(size)
