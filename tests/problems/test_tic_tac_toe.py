"""Tic-tac-toe: lines, turns, payments, and the counts everybody knows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problems import TicTacToe

LINES = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]


def referee(moves: list[int]) -> tuple[float, bool]:
    """The result of a list of moves, with sets: reward and done of the last one."""
    mine = set(moves[(len(moves) - 1) % 2 :: 2])
    if any(line <= mine for line in LINES):
        return (1.0 if len(moves) % 2 == 1 else -1.0), True
    return 0.0, len(moves) == 9


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("player", [0, 1])
def test_every_line_wins_for_both(play: Any, line: set[int], player: int) -> None:
    theirs = next(
        list(others)
        for others in itertools.permutations(sorted(set(range(9)) - line), 3)
        if set(others) not in LINES and not set(others[:2]) & line
    )
    first, second = (sorted(line), theirs) if player == 0 else (theirs, sorted(line))
    moves = [move for pair in zip(first, second, strict=True) for move in pair][: 5 + player]
    found = play(TicTacToe(), moves)
    assert [done for _, _, done in found] == [False] * (4 + player) + [True]
    assert found[-1][1] == (1.0 if player == 0 else -1.0)


def test_draw_and_a_win_on_the_last_square(play: Any) -> None:
    assert play(TicTacToe(), [0, 1, 2, 4, 3, 5, 7, 6, 8])[-1][1:] == (0.0, True)
    assert play(TicTacToe(), [0, 1, 2, 4, 3, 5, 7, 8, 6])[-1][1:] == (1.0, True)


def test_all_games(compiled: Any) -> None:
    """255168 games: 131184 won by X, 77904 by O, 46080 drawn; every position is checked against the referee."""
    game, rng = compiled(TicTacToe()), new_generator(0)
    counted: dict[bytes, Any] = {}

    def count(state: Any, moves: list[int]) -> Any:
        key = state.tobytes()
        if key not in counted:
            total = np.zeros(3, int)
            assert game.player(state) == len(moves) % 2
            assert np.flatnonzero(game.legal(state)).tolist() == [a for a in range(9) if a not in moves]
            for action in range(9):
                if action not in moves:
                    to, reward, done = game.step(state, action, rng)
                    assert (reward, done) == referee([*moves, action])
                    if done:
                        total[int(reward)] += 1
                    else:
                        total = total + count(to, [*moves, action])
            counted[key] = total
        return counted[key]

    drawn, x, o = count(game.start(rng), [])
    assert (x, o, drawn) == (131184, 77904, 46080)


def test_perfect_play_is_a_draw(checks: Any) -> None:
    assert checks.solve(TicTacToe()) == 0.0


def test_taken_squares_raise(compiled: Any, play: Any) -> None:
    state = play(TicTacToe(), [4])[0][0]
    with pytest.raises(ValueError, match="compiled step raised"):
        compiled(TicTacToe()).step(state, 4, new_generator(0))
    with pytest.raises(ValueError, match="compiled outcomes raised"):
        compiled(TicTacToe()).outcomes(state, 4)


def test_plain_python_and_compiled_agree(checks: Any, play: Any) -> None:
    assert checks.episodes(TicTacToe(), 20) > 100
    checks.recipe(TicTacToe(horizon=5))
    for moves in ([4], [0, 8, 2, 6], [0, 1, 2, 4, 3, 5, 7, 6]):
        checks.random_actions(TicTacToe(), play(TicTacToe(), moves)[-1][0], 5000)


def test_shown(play: Any) -> None:
    game = TicTacToe()
    found = play(game, [0, 1, 4, 2, 8])
    assert game.show_state(found[1][0][0]) == "X O .\n. . .\n. . .\nX to move"
    assert game.show_state(found[2][0][0]).endswith("O to move")
    assert game.show_state(found[4][0][0]) == "X O O\n. X .\n. . X\nX has won"
    assert game.show_state(play(game, [3, 0, 4, 1, 8, 2])[-1][0][0]).endswith("O has won")
    assert game.show_state(play(game, [0, 1, 2, 4, 3, 5, 7, 6, 8])[-1][0][0]).endswith("draw")
    assert game.action_name(4) == "centre"
    assert len(game.action_names) == 9
    assert TicTacToe.state.layout().itemsize == 4


def test_errors() -> None:
    with pytest.raises(ProblemError, match="TicTacToe: horizon=0, must be an integer of at least 1"):
        TicTacToe(horizon=0)
