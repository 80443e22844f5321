"""Hex: against OpenSpiel and a slow search for paths, exact values of small boards, features, pictures, errors."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problem.state import PlainState
from boltree.problems import Hex

TOUCHING = ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))


def connected(stones: frozenset[tuple[int, int]], size: int, axis: int) -> bool:
    """Whether stones connect the two sides of an axis (0: top and bottom), by walking from stone to stone."""
    reached = [cell for cell in stones if cell[axis] == 0]
    for row, column in reached:
        near = {(row + r, column + c) for r, c in TOUCHING}
        reached += sorted((near & stones) - set(reached))
    return any(cell[axis] == size - 1 for cell in reached)


@pytest.mark.parametrize("size", [2, 3, 5, 7, 8])
def test_random_games_are_those_of_openspiel(checks: Any, size: int) -> None:
    found = checks.openspiel(Hex(size), f"hex(board_size={size})", str, 200)
    assert set(found) == {1.0, -1.0}


@pytest.mark.parametrize("size", [2, 7, 8])
def test_wins_are_paths(compiled: Any, size: int) -> None:
    game, rng, source = compiled(Hex(size)), new_generator(0), np.random.default_rng(1)
    for _ in range(30):
        state, done, stones = game.start(rng), False, (set(), set())
        for i, cell in enumerate(source.permutation(size * size).tolist()):
            stones[i % 2].add(divmod(cell, size))  # type: ignore[attr-defined]
            state, reward, done = game.step(state, cell, rng)
            won = connected(frozenset(stones[i % 2]), size, i % 2)
            assert (reward, done) == ((1.0 - 2 * (i % 2)) * won, won)
            if done:
                break
        assert done, "Hex has no draws"


def test_a_winding_path(play: Any) -> None:
    """X goes round a wall of O's: a1, a2, then along row 3 to the right and up does not win, down at last does."""
    size = 4
    x = [(0, 3), (1, 3), (1, 2), (2, 1), (2, 0), (3, 0)]
    o = [(0, 0), (0, 1), (3, 3), (3, 2), (1, 0)]
    moves = [size * r + c for pair in zip(x, [*o, (0, 2)], strict=True) for r, c in pair][:-1]
    found = play(Hex(size), moves)
    assert [done for _, _, done in found] == [False] * 10 + [True]
    assert found[-1][1] == 1.0


def test_no_path_runs_over_the_edge(play: Any) -> None:
    """Cells at the end of one row and the beginning of the next do not touch, although their bits are neighbours."""
    for size in (3, 8):
        x = [size - 1, size, *(size * (2 + r) for r in range(size - 2))]  # right end of row 0, then down column 0
        o = [cell for cell in range(1, size * size) if cell % size not in (0, size - 1)][: len(x)]
        found = play(Hex(size), [move for pair in zip(x, o, strict=True) for move in pair][: 2 * len(x) - 1])
        assert not any(done for _, _, done in found)


def test_small_boards_are_won_by_who_begins(checks: Any) -> None:
    for size in (2, 3):
        assert bt.solve(Hex(size)).root_value == 1.0
        assert checks.solve(Hex(size)) == checks.openspiel_value(f"hex(board_size={size})") == 1.0


def test_openings_of_three_by_three(compiled: Any) -> None:
    """Every first move's value, by bt.solve and by a recursion over sets of stones."""

    @cache
    def wins(mover: frozenset[tuple[int, int]], other: frozenset[tuple[int, int]], axis: int) -> bool:
        for cell in {(r, c) for r in range(3) for c in range(3)} - mover - other:
            after = mover | {cell}
            if connected(after, 3, axis) or not wins(other, after, 1 - axis):
                return True
        return False

    game = compiled(Hex(3))
    for cell in range(9):
        state, _, _ = game.step(game.start(new_generator(0)), cell, new_generator(0))
        lost = wins(frozenset(), frozenset({divmod(cell, 3)}), 1)
        assert bt.solve(Hex(3), state=state).root_value == (-1.0 if lost else 1.0)
    assert not wins(frozenset(), frozenset({(1, 1)}), 1)  # the centre wins
    assert wins(frozenset(), frozenset({(0, 0)}), 1)  # an acute corner... is a1, which loses


def test_taken_cells_raise(compiled: Any, play: Any) -> None:
    state = play(Hex(3), [4])[0][0]
    with pytest.raises(ValueError, match="compiled step raised"):
        compiled(Hex(3)).step(state, 4, new_generator(0))
    with pytest.raises(ValueError, match="compiled step raised"):
        compiled(Hex(3)).step(state, 9, new_generator(0))


def test_plain_python_and_compiled_agree(checks: Any, play: Any) -> None:
    assert checks.episodes(Hex(7), 10) > 200
    assert checks.episodes(Hex(8), 2) > 60
    checks.recipe(Hex(5, horizon=7))
    checks.random_actions(Hex(3), play(Hex(3), [0, 8, 3, 1, 2])[-1][0], 5000)
    bt.check(Hex(4))


def test_features(checks: Any, play: Any) -> None:
    game = Hex(3)
    for moves, first, second, to_move in (([1], [], [1], 0.0), ([1, 5, 6], [5], [1, 6], 0.0), ([1, 5], [1], [5], 1.0)):
        state = play(game, moves)[-1][0]
        planes = checks.compiled(game).features(state).reshape(3, 9)
        assert np.flatnonzero(planes[0]).tolist() == first
        assert np.flatnonzero(planes[1]).tolist() == second
        assert (planes[2] == to_move).all()
        assert (game.plain_features(state[0]) == planes.ravel()).all()


def test_shown(play: Any) -> None:
    game = Hex(3)
    found = play(game, [1, 0, 4, 3, 7])
    assert game.show_state(found[1][0][0]) == "O X .\n . . .\n  . . .\nX to move"
    assert game.show_state(found[4][0][0]) == "O X .\n O X .\n  . X .\nX has won"
    assert game.show_state(play(game, [0, 3, 1, 4, 8, 5])[-1][0][0]).endswith("O has won")
    assert game.show_state(found[0][0][0]).endswith("O to move")
    assert game.action_names == ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
    scene, state = game.scene(), PlainState(found[1][0])
    assert scene.stones(state) == ["OX.", "...", "..."]
    assert scene.place(state, 5) == (1, 2)


@pytest.mark.parametrize("size", [1, 9, 3.0, True])
def test_errors(size: Any) -> None:
    with pytest.raises(ProblemError, match=f"Hex: size={size}, must be an integer from 2 to 8"):
        Hex(size)
