"""Area: pass-alive chains, dead stones inside, seki, and what only looks enclosed."""

from __future__ import annotations

import pytest
from plain_features import plain_area
from told import marked, pictured, points_of, stones_of, told

OWN, OPPONENT = 18, 19


def black_and_white(picture: str, rules: str) -> tuple[set, set]:
    game = pictured(picture, rules=rules)
    planes, _, _ = told(game.problem, game.state)
    return points_of(planes[OWN]), points_of(planes[OPPONENT])


def check(picture: str, expected: str, rules: str = "tromp-taylor") -> None:
    """`expected` has b and w for the points that Black and White own, and . for those nobody does."""
    black, white = marked(expected, "b"), marked(expected, "w")
    assert black_and_white(picture, rules) == (black, white)
    plain = plain_area(len(expected.strip().splitlines()), stones_of(picture), rules == "tromp-taylor")
    assert plain == dict.fromkeys(black, "B") | dict.fromkeys(white, "W")


def test_two_eyes_and_a_dead_stone_in_one() -> None:
    """The white stone in the corner is inside pass-alive territory; White's one on the right owns only itself."""
    check(
        """
        O . X . X . .
        X X X X X . .
        . . . . . . .
        . . . . . . .
        . . . . . O .
        . . . . . . .
        . . . . . . .
        """,
        """
        b b b b b . .
        b b b b b . .
        . . . . . . .
        . . . . . . .
        . . . . . w .
        . . . . . . .
        . . . . . . .
        """,
    )


def test_one_eye_is_not_alive_but_looks_enclosed() -> None:
    """A stone in an only eye keeps itself, and the empty point beside it is nobody's."""
    empty = ". . X . .\nX X X . .\n. . . . .\n. . . O .\n. . . . ."
    taken = "O . X . .\nX X X . .\n. . . . .\n. . . O .\n. . . . ."
    rest = "b b b . .\n. . . . .\n. . . w .\n. . . . ."
    check(empty, "b b b . .\n" + rest)
    check(taken, "w . b . .\n" + rest)


def test_seki() -> None:
    """Neither side is pass-alive, and the shared liberties are nobody's."""
    check(". O X X\nX O O X\nX X O X\n. X O .", ". w b b\nb w w b\nb b w b\nb b w .")


def test_suicide_decides_what_is_vital() -> None:
    """An eye with an opponent's stones that do not touch the chain is vital only where suicide is illegal."""
    picture = "O . O .\n. O O O\n. O . .\nO O . X"
    everything = "w w w w\nw w w w\nw w {0} {0}\nw w {0} {1}"
    check(picture, everything.format(".", "b"), "tromp-taylor")
    check(picture, everything.format("w", "w"), "no-suicide")


def test_the_opponents_pass_alive_territory_is_not_taken() -> None:
    """The corner is empty and bordered by White's stone only, but inside Black's pass-alive territory."""
    check(
        ". O X . X . X\nO X X X X X X\nX X . . . . .\n. . . . . . .\n. . . O . . .\n. . . . . . .\n. . . . . . .",
        "b b b b b b b\nb b b b b b b\nb b . . . . .\n. . . . . . .\n. . . w . . .\n. . . . . . .\n. . . . . . .",
    )


def test_large_territory() -> None:
    """With stones of one colour only, everything is theirs; with two, a large shared region is nobody's."""
    check(". . .\n. X .\n. . .", "b b b\nb b b\nb b b")
    check(". . . .\n. X . .\n. . O .\n. . . .", ". . . .\n. b . .\n. . w .\n. . . .")


@pytest.mark.parametrize("rules", ["tromp-taylor", "no-suicide"])
def test_the_empty_board_is_nobodys(rules: str) -> None:
    assert black_and_white(". . .\n. . .\n. . .", rules) == (set(), set())
