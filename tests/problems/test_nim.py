"""Nim: against OpenSpiel and the theory of nim-sums, pictures, errors."""

from __future__ import annotations

import functools
import operator
import re
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problem.state import PlainState
from boltree.problems import Nim


def called(move: str) -> str:
    """OpenSpiel writes "pile:2, take:3;"."""
    pile, take = re.findall(r"\d+", move)
    return f"heap {pile}: take {take}"


def first_wins(heaps: tuple[int, ...], misere: bool) -> bool:
    """Bouton's theorem: by the exclusive or of the heaps; the other way round where misère has only heaps of one."""
    total = functools.reduce(operator.xor, heaps)
    return total == 0 if misere and max(heaps) <= 1 else total != 0


HEAPS = [(1,), (5,), (1, 1), (1, 1, 1), (2, 2), (1, 2, 3), (3, 4, 5), (1, 3, 5, 7), (2, 4, 6), (1, 1, 1, 2), (4, 1, 4)]


@pytest.mark.parametrize("misere", [True, False])
@pytest.mark.parametrize("heaps", [(1, 3, 5, 7), (3, 5, 6), (9, 1), (2, 2, 2, 1, 1)], ids=str)
def test_random_games_are_those_of_openspiel(checks: Any, heaps: tuple[int, ...], misere: bool) -> None:
    piles = ";".join(map(str, heaps))
    name = f"nim(pile_sizes={piles},is_misere={misere!s})"
    assert set(checks.openspiel(Nim(heaps, misere), name, called, 150)) == {1.0, -1.0}


@pytest.mark.parametrize("misere", [True, False])
@pytest.mark.parametrize("heaps", HEAPS, ids=str)
def test_values_are_those_of_theory(heaps: tuple[int, ...], misere: bool) -> None:
    assert bt.solve(Nim(heaps, misere)).root_value == (1.0 if first_wins(heaps, misere) else -1.0)


def test_every_position_below_a_start() -> None:
    game = Nim((2, 3, 4))
    states = bt.solve(game).model.states.view(game.state_layout()).ravel()
    assert len(states) > 100
    for state in states:
        left, mover = tuple(int(n) for n in state["heaps"][:3]), 1.0 - 2.0 * int(state["player"])
        if any(left):
            won = mover * bt.solve(game, state=state).root_value
            assert won == (1.0 if first_wins(left, True) else -1.0)


def test_taking_by_hand(play: Any) -> None:
    game = Nim((2, 3))
    names = {name: action for action, name in enumerate(game.action_names)}
    found = play(game, [names["heap 2: take 2"], names["heap 1: take 2"], names["heap 2: take 1"]])
    assert [state["heaps"][0][:2].tolist() for state, _, _ in found] == [[2, 1], [0, 1], [0, 0]]
    assert [(reward, done) for _, reward, done in found] == [(0.0, False), (0.0, False), (-1.0, True)]
    assert play(Nim((2, 3), misere=False), [3, 2, 1])[-1][1:] == (1.0, True)


def test_taking_too_many_raises(compiled: Any, play: Any) -> None:
    game = compiled(Nim((2, 3)))
    state = game.start(new_generator(0))
    assert np.flatnonzero(game.legal(state)).tolist() == [0, 1, 2, 3, 5]
    with pytest.raises(ValueError, match="compiled step raised"):
        game.step(state, 4, new_generator(0))  # three of a heap of two
    with pytest.raises(ValueError, match="compiled step raised"):
        game.step(play(Nim((2, 3)), [2])[0][0], 0, new_generator(0))  # one of an empty heap


def test_plain_python_and_compiled_agree(checks: Any, play: Any) -> None:
    assert checks.episodes(Nim(), 20) > 80
    assert checks.episodes(Nim((255, 1, 17), misere=False), 3) > 6
    checks.recipe(Nim((3, 5, 6), misere=False, horizon=4))
    checks.random_actions(Nim(), play(Nim(), [27, 5])[-1][0], 5000)
    assert checks.solve(Nim((1, 2, 3))) == bt.solve(Nim((1, 2, 3))).root_value
    bt.check(Nim((2, 3)))


def test_shown(play: Any) -> None:
    game = Nim((2, 3))
    found = play(game, [3, 2, 1])
    assert game.show_state(found[0][0][0]) == "1: | | (2)\n2: | (1)\nplayer 1 to move"
    assert game.show_state(found[2][0][0]) == "1: (0)\n2: (0)\nplayer 1 has won"
    assert Nim((2, 3), misere=False).show_state(found[2][0][0]).endswith("player 0 has won")
    scene, state = game.scene(), PlainState(found[0][0])
    assert scene.stones(state) == ["||.", "|.."]
    assert scene.place(state, 2) == (0, 0)  # both of the first heap: down to the first one


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"heaps": ()}, "Nim: heaps=(), must be 1 to 7 numbers of matches, such as (1, 3, 5, 7)"),
        ({"heaps": "135"}, "Nim: heaps='135', must be 1 to 7 numbers of matches, such as (1, 3, 5, 7)"),
        ({"heaps": (1,) * 8}, "Nim: heaps=(1, 1, 1, 1, 1, 1, 1, 1), must be 1 to 7 numbers of matches"),
        ({"heaps": (3, 0)}, "Nim: heaps[1]=0, must be an integer from 1 to 255"),
        ({"heaps": (256,)}, "Nim: heaps[0]=256, must be an integer from 1 to 255"),
        ({"misere": 1}, "Nim: misere=1, must be True or False"),
    ],
)
def test_errors(arguments: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=re.escape(message)):
        Nim(**arguments)
