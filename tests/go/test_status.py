"""Alive, dead, seki: known positions, by what is certain, by random games, and by a network."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest
from networks import network_file
from talk import Talk
from told import pictured

from boltree.go import Game, GoEvaluator, load_network
from boltree.go.board.points import move_name
from boltree.go.board.regions import area_of, regions_of
from boltree.go.match.engine import Engine
from boltree.go.network.outlook import Outlook, outlook_of, random_outlook
from boltree.go.status import score_without_dead, statuses

GNUGO = shutil.which("gnugo") or ("/usr/games/gnugo" if os.path.exists("/usr/games/gnugo") else None)

# In the second picture of each, d is a dead stone, s one in seki, a one alive.
DEAD_STONES = (
    """
    . . . X . O . . .
    . . . X . O . X .
    . O . X . O . . .
    . . . X . O . . .
    X X X X . O O O O
    . X . X . O . . .
    . . . X . O . . .
    . X . X . O . . .
    . . . X . O . . .
    """,
    """
    . . . a . a . . .
    . . . a . a . d .
    . d . a . a . . .
    . . . a . a . . .
    a a a a . a a a a
    . a . a . a . . .
    . . . a . a . . .
    . a . a . a . . .
    . . . a . a . . .
    """,
)
ONE_EYE = (  # two points are one eye
    """
    . . . O X . . . .
    . . . O X . . . .
    . . . O X . . . .
    . . . O X . . . .
    . . . O X . . . .
    . . . O X . . . .
    O O O O X . . . .
    X X X O X X X X X
    . . X O X . . . .
    """,
    """
    . . . a a . . . .
    . . . a a . . . .
    . . . a a . . . .
    . . . a a . . . .
    . . . a a . . . .
    . . . a a . . . .
    a a a a a . . . .
    d d d a a a a a a
    . . d a a . . . .
    """,
)
SEKI_WITHOUT_EYES = (  # who plays one of the two shared liberties is captured, in a shape that lives
    """
    . . . . O X . . .
    . . . . O X . . .
    . . . . O X . . .
    . . . . O X . . .
    . . . . O X . . .
    . . . . O X X X .
    O O O O O O O X .
    X X X X X X O X .
    . O O O . X O X .
    """,
    """
    . . . . a a . . .
    . . . . a a . . .
    . . . . a a . . .
    . . . . a a . . .
    . . . . a a . . .
    . . . . a a a a .
    a a a a a a a a .
    s s s s s s a a .
    . s s s . s a a .
    """,
)
SEKI_WITH_EYES = (
    """
    . . O X . . . . .
    . . O X . . . . .
    . . O X . . . . .
    . . O X . . . . .
    . . O X . . . . .
    . O O X . . . . .
    O O X X X X X . .
    X X O O O O X . .
    . X . O . O X . .
    """,
    """
    . . a a . . . . .
    . . a a . . . . .
    . . a a . . . . .
    . . a a . . . . .
    . . a a . . . . .
    . a a a . . . . .
    a a a a a a a . .
    s s s s s s a . .
    . s . s . s a . .
    """,
)
LIVING = (  # two eyes each, and between them points that either may fill
    """
    . X . X . . O . O
    X X X X . . O O .
    . . . . . . . O O
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    """,
    """
    . a . a . . a . a
    a a a a . . a a .
    . . . . . . . a a
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    """,
)
KNOWN = {
    "dead stones": DEAD_STONES,
    "one eye": ONE_EYE,
    "seki without eyes": SEKI_WITHOUT_EYES,
    "seki with eyes": SEKI_WITH_EYES,
    "living": LIVING,
}


def judged(game: Game, outlook: Outlook) -> str:
    """The board with the letters of the stones' statuses."""
    letters = ["."] * game.size**2
    for chain, status in statuses(game, outlook):
        for p in chain.points:
            letters[p] = status[0]
    return "\n".join(" ".join(letters[row * game.size : (row + 1) * game.size]) for row in range(game.size))


def drawn(picture: str) -> str:
    return "\n".join(line.strip() for line in picture.strip().splitlines())


@pytest.fixture(scope="module")
def evaluator() -> GoEvaluator:
    return GoEvaluator(load_network(network_file("b6"), threads=1))


@pytest.mark.parametrize("passed", [False, True])
@pytest.mark.parametrize("mover", ["black", "white"])
@pytest.mark.parametrize("name", KNOWN)
def test_a_network_knows(name, mover, passed, evaluator):
    picture, expected = KNOWN[name]
    game = pictured(picture, komi=6.5, rules="no-suicide", to_move=mover)
    if passed:
        game.play("pass")
        game.play("pass")
    assert judged(game, outlook_of(evaluator, game.problem, game.state)) == drawn(expected)


@pytest.mark.parametrize("name", KNOWN)
def test_random_games_find_out(name):
    picture, expected = KNOWN[name]
    game = pictured(picture, komi=6.5, rules="no-suicide")
    assert judged(game, random_outlook(game.problem, game.state)) == drawn(expected)


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian: apt install gnugo)")
@pytest.mark.parametrize("name", KNOWN)
def test_gnu_go_says_the_same_of_the_known_positions(name):
    """So that what is expected here is not our own opinion."""
    picture, expected = KNOWN[name]
    game, letters = pictured(picture), drawn(expected).split()
    engine = Engine([str(GNUGO), "--mode", "gtp", "--chinese-rules"])
    try:
        for command in ("boardsize 9", "clear_board"):
            engine.ask(command)
        for colour, stones in zip(("black", "white"), game.setup, strict=True):
            for stone in stones:
                engine.ask(f"play {colour} {stone}")
        for status in ("alive", "dead", "seki"):
            wanted = {move_name(p, 9) for p, letter in enumerate(letters) if letter == status[0]}
            assert set(engine.ask(f"final_status_list {status}").split()) == wanted
    finally:
        engine.close()


def test_what_is_certain_needs_no_outlook():
    """Black's chain has two eyes, in one of which a stone is lost, whatever an outlook says."""
    picture = """
    . X O . X
    X X X X X
    . . . . .
    . . O . .
    . . . . .
    """
    game = pictured(picture, komi=0.5, rules="no-suicide")
    assert judged(game, Outlook(np.full(25, -1.0))).splitlines()[:2] == [". a d . a", "a a a a a"]
    assert judged(game, Outlook(np.full(25, 1.0))).splitlines()[3] == ". . d . ."
    assert judged(game, Outlook(np.full(25, 0.5))).splitlines()[3] == ". . a . ."  # in doubt it is alive


def test_the_score_has_the_dead_taken_off():
    game = pictured(ONE_EYE[0], komi=6.5, rules="no-suicide")
    assert game.score() == 51 - 30 - 6.5
    assert score_without_dead(game, random_outlook(game.problem, game.state)) == 45 - 36 - 6.5


def test_regions():
    colours = [1, 0, 2, 0, 0, 2, 0, 0, 0]
    found = regions_of(colours, 3)
    assert [(one.colour, one.points) for one in found] == [(1, (0,)), (0, (1, 3, 4, 6, 7, 8)), (2, (2, 5))]
    assert found[0].border == {1, 3}
    assert area_of(colours, 3).tolist() == [1, 0, -1, 0, 0, -1, 0, 0, 0]
    assert area_of([1, 1, 0, 0], 2).tolist() == [1, 1, 1, 1]
    assert area_of([0, 0, 0, 0], 2).tolist() == [0, 0, 0, 0]


def test_over_gtp():
    talk = Talk(size=9)
    game = pictured(ONE_EYE[0])
    for colour, stones in zip("bw", game.setup, strict=True):
        talk.all(*(f"play {colour} {stone}" for stone in stones))
    talk.all("komi 6.5", "play b pass", "play w pass")
    assert talk("final_status_list dead") == "= A2 B2 C2 C1"
    assert talk("final_status_list seki") == "="
    alive = talk("final_status_list alive")[2:].split("\n")
    assert len(alive) == 2
    assert sum(len(chain.split()) for chain in alive) == sum(map(len, game.setup)) - 4
    assert talk("final_score") == "= B+2.5"
