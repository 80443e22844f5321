"""Ladders: worked by hand, positions that hinge on one rule each, and limits."""

from __future__ import annotations

import numpy as np
import pytest
from plain_features import Ladders
from told import marked, pictured, points_of, stones_of, told

from boltree.go import Game
from boltree.go.board.ladders import LADDER, NODES, is_captured
from boltree.go.board.sketch import SKETCH, draw
from boltree.go.board.stack_memory import room

NOW, BEGINS = 14, 17

LADDER_9 = """
    . . . . . . . . .
    . . . X . . . . .
    . . X O a . . . .
    . . X . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


def test_a_ladder_runs_into_the_corner() -> None:
    """Only the atari at a works: after the other one the stone gets three liberties."""
    game = pictured(LADDER_9)
    planes, _, _ = told(game.problem, game.state)
    assert points_of(planes[NOW]) == {(2, 3)}
    assert points_of(planes[BEGINS]) == marked(LADDER_9, "a")


def test_the_defender_may_not_begin_its_own_ladder() -> None:
    game = pictured(LADDER_9, to_move="white")
    planes, _, _ = told(game.problem, game.state)
    assert points_of(planes[NOW]) == {(2, 3)}  # captured if Black moves first
    assert not planes[BEGINS].any()


def test_moving_out_of_atari_does_not_help() -> None:
    game = pictured(LADDER_9)
    for move, prey in (("E7", {(2, 3)}), ("D6", {(2, 3), (3, 3)}), ("D5", {(2, 3), (3, 3)})):
        game.play(move)
        assert points_of(told(game.problem, game.state)[0][NOW]) == prey


@pytest.mark.parametrize(("stone", "breaks"), [("G3", True), ("F4", True), ("H2", True), ("C2", False), ("J9", False)])
def test_a_stone_in_its_way_breaks_a_ladder(stone: str, breaks: bool) -> None:
    game = pictured(LADDER_9)
    game = Game(9, black=game.setup[0], white=[*game.setup[1], stone])
    planes, _, _ = told(game.problem, game.state)
    assert (points_of(planes[NOW]) == set()) is breaks
    assert (points_of(planes[BEGINS]) == set()) is breaks


def test_liberties_beside_each_other() -> None:
    """Each has three empty neighbours, but one of them is the other: at a and b Black still captures."""
    picture = """
        . . . . . . .
        . . . . . X .
        . . . a b . .
        . . X . O X .
        . . X O X . .
        . . . X . . .
        . . . . . . .
    """
    game = pictured(picture, to_move="white")
    planes, _, _ = told(game.problem, game.state)
    assert (4, 3) in points_of(planes[NOW])


def test_past_ladders() -> None:
    """Planes 15 and 16 are the boards one and two moves ago; before the first move there is only the later board."""
    game = pictured(LADDER_9)
    planes, _, _ = told(game.problem, game.state)
    assert points_of(planes[15]) == points_of(planes[16]) == {(2, 3)}
    game.play("A5")
    planes, _, _ = told(game.problem, game.state)
    assert [points_of(planes[k]) for k in (14, 15, 16)] == [{(2, 3)}] * 3
    game.play("G3")  # a breaker
    planes, _, _ = told(game.problem, game.state)
    assert [points_of(planes[k]) for k in (14, 15, 16)] == [set(), {(2, 3)}, {(2, 3)}]
    game.play("A7")
    planes, _, _ = told(game.problem, game.state)
    assert [points_of(planes[k]) for k in (14, 15, 16)] == [set(), set(), {(2, 3)}]


HINGES = [
    ("captures", (0, 0), "O . O O | . . . . | . . . . | O . . ."),
    ("captures", (0, 0), "X . O O | O . . . | X . . . | . . O ."),
    ("kos", (0, 3), ". . . X | O O X . | . . O . | O . . O"),
    ("kos", (1, 0), "O . . . | X O . . | . . . X | . X O X"),
    ("double_kos", (0, 1), "X O . O | . X O X | X X . . | . . X ."),
    ("double_kos", (0, 2), ". . O . | O . X . | X . . X | . X . X"),
]


@pytest.mark.parametrize(("rule", "prey", "picture"), HINGES)
@pytest.mark.parametrize("to_move", ["black", "white"])
def test_positions_that_hinge_on_a_rule(rule: str, prey: tuple[int, int], picture: str, to_move: str) -> None:
    """The defender captures an attacker; a ko is not relied on; two kos at once are lost. With 1 and 2 liberties."""
    picture = picture.replace(" | ", "\n")
    stones, size = stones_of(picture), 4
    with_rule, without = Ladders(size), Ladders(size, **{rule: False})
    assert with_rule.of_chain(stones, prey, None) != without.of_chain(stones, prey, None)
    game = pictured(picture, to_move=to_move)
    planes, _, _ = told(game.problem, game.state)
    caught, begins = with_rule.everywhere(stones, None, to_move[0].upper())
    assert points_of(planes[NOW]) == caught
    assert points_of(planes[BEGINS]) == begins


@pytest.mark.parametrize(
    ("prey", "picture"),
    [
        ((0, 0), "X . . O | . X O . | X O . . | X X O ."),  # one of the mouths would take more than a stone
        ((1, 3), "O X . O | . O . X | . O O X | O X X ."),
        ((2, 0), ". O . . | O X . . | X . . X | . . O X"),  # the defender can take an attacker
    ],
)
def test_what_looks_like_two_kos(prey: tuple[int, int], picture: str) -> None:
    game = pictured(picture.replace(" | ", "\n"))
    planes, _, _ = told(game.problem, game.state)
    assert prey not in points_of(planes[NOW])


def test_random_boards() -> None:
    """Against the plain version, from almost empty to almost full boards."""
    rng, boards, found = np.random.default_rng(4), 0, 0
    while boards < 150:
        size = int(rng.integers(3, 8))
        full = 0.3 + 0.1 * (boards % 6)
        marks = rng.choice(list(".XO"), (size, size), p=[1 - full, full / 2, full / 2])
        picture = "\n".join(" ".join(row) for row in marks)
        stones, ladders = stones_of(picture), Ladders(size)
        if not all(ladders.grid.chain(stones, stone)[1] for stone in stones):
            continue
        boards += 1
        game = pictured(picture)
        planes, _, _ = told(game.problem, game.state)
        caught, begins = ladders.everywhere(stones, None, "B")
        assert points_of(planes[NOW]) == caught, picture
        assert points_of(planes[BEGINS]) == begins, picture
        found += len(begins)
    assert found > 50


KOS = [  # Black takes a stone in a ko: where from, and where the ko is
    ((0, 0), (0, 1), ". O X X | O X . O | . . O O | . X . O"),
    ((1, 3), (0, 3), ". . X O | . O O . | X O X O | O . . ."),
    ((3, 1), (3, 0), "X O . . | . O . . | X O . . | O . O ."),
]


@pytest.mark.parametrize(("taker", "ko", "picture"), KOS)
def test_a_ladder_does_not_begin_at_a_ko(taker: tuple[int, int], ko: tuple[int, int], picture: str) -> None:
    picture = picture.replace(" | ", "\n")
    game = pictured(picture)
    game.play(game.problem.action_name(4 * taker[0] + taker[1]))
    stones = {p: c for p, c in stones_of(picture).items() if p != ko} | {taker: "B"}
    caught, begins = Ladders(4).everywhere(stones, ko, "W")
    assert Ladders(4).everywhere(stones, None, "W") == (caught, begins | {ko})
    planes, _, _ = told(game.problem, game.state)
    assert points_of(planes[BEGINS]) == begins
    assert points_of(planes[NOW]) == caught
    game.play("pass")
    game.play("pass")
    again, _, _ = told(game.problem, game.state)
    assert points_of(again[BEGINS]) == begins | {ko}  # a pass lifts the ko


@pytest.mark.parametrize(("taker", "ko", "picture"), KOS[:1])
def test_a_stone_thrown_in_leaves_no_ko(taker: tuple[int, int], ko: tuple[int, int], picture: str) -> None:
    """The same stones, but none was taken where the new stone has its liberty."""
    rows = [row.split() for row in picture.split(" | ")]
    rows[ko[0]][ko[1]] = "."
    game = pictured("\n".join(" ".join(row) for row in rows))
    game.play(game.problem.action_name(4 * taker[0] + taker[1]))
    planes, _, _ = told(game.problem, game.state)
    assert ko in points_of(planes[BEGINS])


def test_a_ladder_that_takes_too_long_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit, in plain Python: with too few moves to try, the stone counts as safe and the board is as before."""
    game = pictured(LADDER_9)
    game.play("E7")
    near = game.problem.plain_params.neighbours
    colours = np.array(game.state["colour"])
    found = {}
    for limit in (5, NODES):
        monkeypatch.setattr("boltree.go.board.ladders.NODES", limit)
        sketch, ladder = room(SKETCH), room(LADDER)
        draw(near, sketch, colours)
        found[limit] = is_captured(near, sketch, ladder, 2 * 9 + 3)
        assert np.array_equal(sketch.colour[:82], colours)
        assert (sketch.gone, sketch.ko) == (0, 81)
    assert found == {5: False, NODES: True}
