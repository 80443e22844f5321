"""Breakthrough: against OpenSpiel, exact values of small boards, moves by hand, features, pictures, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problem.state import PlainState
from boltree.problems import Breakthrough


def called(move: str) -> str:
    """OpenSpiel marks captures with a star."""
    return move.rstrip("*")


@pytest.mark.parametrize(("rows", "columns"), [(3, 2), (4, 5), (6, 6), (8, 8), (7, 3)])
def test_random_games_are_those_of_openspiel(checks: Any, rows: int, columns: int) -> None:
    found = checks.openspiel(Breakthrough(rows, columns), f"breakthrough(rows={rows},columns={columns})", called, 150)
    assert set(found) == {1.0, -1.0}


@pytest.mark.parametrize(("rows", "columns"), [(3, 2), (3, 3), (3, 5), (4, 2), (4, 3), (5, 2), (5, 3), (6, 2)])
def test_values_are_those_of_openspiel(checks: Any, rows: int, columns: int) -> None:
    value = bt.solve(Breakthrough(rows, columns)).root_value
    assert value == checks.openspiel_value(f"breakthrough(rows={rows},columns={columns})")


def numbered(problem: Breakthrough, moves: str) -> list[int]:
    """Actions from moves such as "a5b4 a2a3", which are found among the legal ones."""
    state, rng, found = PlainState(problem.start_state().reshape(1).copy()), new_generator(0), []
    for move in moves.split():
        names = {problem.action_name_in(state, action): action for action in problem.legal_actions(state)}
        found.append(names[move])
        problem.plain_step(state, found[-1], rng)
    return found


def test_a_race_and_a_capture(play: Any) -> None:
    game = Breakthrough(6, 6)
    first = numbered(game, "a5a4 f2f3 a4a3 f3f4")
    state = play(game, first)[-1][0]
    names = {game.action_name_in(PlainState(state), action) for action in game.legal_actions(state[0])}
    assert "a3b2" in names  # captures
    assert "a3a2" not in names  # a piece ahead stops it
    assert "e5f4" in names  # captures as well
    found = play(game, numbered(game, "a5a4 f2f3 a4a3 f3f4 a3b2 f4e5 b2c1"))
    assert [reward for _, reward, _ in found] == [0.0] * 6 + [1.0]
    assert [done for _, _, done in found] == [False] * 6 + [True]
    assert int(found[-1][0]["second"][0]).bit_count() == 10  # W has lost b2 and c1
    assert int(found[-1][0]["first"][0]).bit_count() == 11


def test_player_one_wins_at_the_top(play: Any) -> None:
    game = Breakthrough(3, 3)
    found = play(game, numbered(game, "a3a2 b1a2 c3c2 a2b3"))
    assert found[-1][1:] == (-1.0, True)


def test_who_has_no_piece_has_lost(play: Any) -> None:
    game = Breakthrough(4, 2)
    found = play(game, numbered(game, "a4a3 b1b2 a3b2 a1b2 b4b3 b2b3"[:14]))
    assert not found[-1][2]
    game = Breakthrough(5, 2)
    found = play(game, numbered(game, "a5a4 a1a2 a4a3 b1b2 a3b2 a2a3 b5b4 a3b4"))
    assert found[-1][1:] == (0.0, False)
    found = play(game, numbered(game, "a5a4 a1a2 a4a3 a2b3 b5b4 b1a2 b4b3"[:24]))
    assert found[-1][1:] == (0.0, False)


def test_the_longest_game_fits_the_horizon(compiled: Any) -> None:
    """No random game is cut off; and the bound counts what pieces can go without winning."""
    assert Breakthrough(6, 6).horizon == 1 + 12 * (4 + 3)
    assert Breakthrough(4, 3).horizon == 1 + 6 * 2
    assert Breakthrough(6, 6, horizon=5).horizon == 5


def test_illegal_moves_raise(compiled: Any) -> None:
    game = compiled(Breakthrough(4, 3))
    state = game.start(new_generator(0))
    for action in (0, 3 * 2 + 2, 3 * 3 + 1, 3 * 11 + 1):  # off the board, no piece, another's piece
        with pytest.raises(ValueError, match="compiled step raised"):
            game.step(state, action, new_generator(0))


def test_plain_python_and_compiled_agree(checks: Any, play: Any) -> None:
    assert checks.episodes(Breakthrough(), 8) > 100
    assert checks.episodes(Breakthrough(8, 8), 2) > 30
    checks.recipe(Breakthrough(5, 4, horizon=9))
    game = Breakthrough(6, 6)
    for moves in ("a5a4", "a5a4 f2f3 a4a3 f3f4"):
        checks.random_actions(game, play(game, numbered(game, moves))[-1][0], 5000)
    bt.check(Breakthrough(5, 3))


def test_features(checks: Any, play: Any) -> None:
    game = Breakthrough(3, 3)
    for moves, own, other, to_move in (("a3a2", [6, 7, 8], [1, 2, 3], 0.0), ("a3a2 b1a2", [1, 2], [3, 6, 8], 1.0)):
        state = play(game, numbered(game, moves))[-1][0]
        planes = checks.compiled(game).features(state).reshape(3, 9)
        assert np.flatnonzero(planes[0]).tolist() == own
        assert np.flatnonzero(planes[1]).tolist() == other
        assert (planes[2] == to_move).all()
        assert (game.plain_features(state[0]) == planes.ravel()).all()


def test_shown(play: Any) -> None:
    game = Breakthrough(3, 3)
    found = play(game, numbered(game, "a3a2 b1a2 c3c2 a2b3"))
    assert game.show_state(found[0][0][0]) == "3 . B B\n2 B . .\n1 W W W\n  a b c\nW to move"
    assert game.show_state(found[1][0][0]).endswith("B to move")
    assert game.show_state(found[3][0][0]) == "3 . W .\n2 . . B\n1 W . W\n  a b c\nW has won"
    assert game.show_state(play(game, numbered(game, "a3a2 c1c2 a2b1"))[-1][0][0]).endswith("B has won")
    assert game.action_name(0) == "a3 left"
    assert game.action_names[1:3] == ("a3 ahead", "a3 right")
    scene, state = game.scene(), PlainState(found[0][0])
    assert scene.stones(state) == [".BB", "B..", "WWW"]
    assert scene.place(state, 3 * 7) == (1, 0)  # W's b1 to the left
    assert scene.place(PlainState(found[1][0]), 3 * 1 + 2) == (1, 2)  # B's b3 to the right


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (2, 4, "Breakthrough: rows=2, must be an integer from 3 to 8"),
        (4, 9, "Breakthrough: columns=9, must be an integer from 2 to 8"),
    ],
)
def test_errors(rows: int, columns: int, message: str) -> None:
    with pytest.raises(ProblemError) as error:
        Breakthrough(rows, columns)
    assert str(error.value) == message
