"""Known positions: captures, ko, superko, suicide, seki, and the scores of finished games."""

from __future__ import annotations

import pytest

import boltree as bt
from boltree.go import Game


def position(rows: str, to_move: str = "black", **options: object) -> Game:
    """A game that begins with the stones of a picture: X is Black, O is White."""
    lines = [line.split() for line in rows.strip().splitlines()]
    size = len(lines)
    stones: dict[str, list[str]] = {"X": [], "O": [], ".": []}
    for r, line in enumerate(lines):
        assert len(line) == size
        for c, sign in enumerate(line):
            stones[sign].append(f"{'ABCDEFGHJ'[c]}{size - r}")
    return Game(size, black=stones["X"], white=stones["O"], to_move=to_move, **options)  # type: ignore[arg-type]


def rows_of(game: Game) -> str:
    lines = str(game).splitlines()[1:-1]
    return "\n".join(line[3:].replace("(", " ").replace(")", " ").replace("+", ".").strip() for line in lines)


def play(game: Game, moves: str) -> Game:
    for move in moves.split():
        game.play(move)
    return game


def test_a_stone_without_liberties_is_taken():
    game = position(". X . .\nX O X .\n. . . .\n. . . .")
    assert game.liberties("B3") == 1
    game.play("B2")
    assert rows_of(game) == ". X . .\nX . X .\n. X . .\n. . . ."
    assert game.liberties("A3") == 3


def test_two_chains_are_taken_at_once():
    game = position("O . O X\nX O X .\n. X . .\n. . . .")
    assert [game.liberties(point) for point in ("A4", "B3", "C4")] == [1, 1, 1]
    game.play("B4")
    assert rows_of(game) == ". X . X\nX . X .\n. X . .\n. . . ."


def test_snapback():
    """White takes one stone, and so leaves four of its own with one liberty."""
    game = position(". X O O .\nX X O O .\nX X O O X\nX X X X .\n. . . . .")
    play(game, "E5 E4")  # Black throws in; White takes it
    assert game.colour_at("E5") is None
    assert game.liberties("E4") == 1
    game.play("E5")
    assert [game.colour_at(point) for point in ("C5", "D4", "E4", "E5")] == [None, None, None, "black"]


KO = ". X O .\nX O . O\n. X O .\n. . . ."


def test_ko_may_not_be_taken_back_at_once():
    game = position(KO)
    game.play("C3")  # takes B3
    assert game.colour_at("B3") is None
    assert game.banned_moves() == ["B3"]
    assert not game.is_legal("B3")
    assert "B3" not in game.legal_moves()
    with pytest.raises(bt.ParameterError, match=r"move 'B3': illegal as White's move 2: it repeats .*superko"):
        game.play("B3")
    play(game, "D1 A1")  # a threat and its answer: another board
    assert game.banned_moves() == []
    game.play("B3")
    assert game.colour_at("C3") is None


def test_triple_ko_ends_with_the_superko_rule():
    """Three kos taken in turn: simple ko would allow the cycle for ever; its sixth capture repeats the board."""
    white_in, black_in = [". X O .", "X O . O", ". X O ."], [". X O .", "X . X O", ". X O ."]
    kos = [line + " . . . . ." for line in (*white_in, *black_in, *white_in)]
    game = position("\n".join(kos))
    for move, taken in (("C8", "B8"), ("B5", "C5"), ("C2", "B2"), ("B8", "C8"), ("C5", "B5")):
        assert game.colour_at(taken) is not None
        game.play(move)
        assert game.colour_at(taken) is None
    assert game.to_move == "white"
    assert game.banned_moves() == ["B5", "B2"]  # the middle one was taken just now; the lower one repeats the beginning
    with pytest.raises(bt.ParameterError, match="superko"):
        game.play("B2")
    game.play("J9")
    game.play("J8")
    assert game.is_legal("B2")


@pytest.mark.parametrize("rules", ["tromp-taylor", "no-suicide"])
def test_sending_two_returning_one(rules):
    """White sends two stones, Black takes them with one; taking that one back would be the first board again."""
    game = position(". O . X\nO X X X\n. . . .\n. . . .", to_move="white", rules=rules)
    play(game, "C4 A4")
    assert [game.colour_at(point) for point in ("A4", "B4", "C4")] == ["black", None, None]
    assert game.banned_moves() == ["B4"]
    play(game, "D1 A1")
    assert game.is_legal("B4")


SUICIDE = "X . O .\nO O O .\n. . . .\n. . . ."


def test_suicide_of_two_stones():
    game = position(SUICIDE)
    game.play("B4")
    assert rows_of(game) == ". . O .\nO O O .\n. . . .\n. . . ."
    forbidden = position(SUICIDE, rules="no-suicide")
    assert not forbidden.is_legal("B4")
    with pytest.raises(bt.ParameterError, match="move 'B4': illegal as Black's move 1: it is suicide, which 'no-sui"):
        forbidden.play("B4")


def test_suicide_of_one_stone_is_never_allowed():
    for rules in ("tromp-taylor", "no-suicide"):
        game = position(". O . .\nO . . .\n. . . .\n. . . .", rules=rules)
        assert not game.is_legal("A4")
        assert game.banned_moves() == []  # it is suicide that forbids it
        with pytest.raises(bt.ParameterError, match="suicide"):
            game.play("A4")
        assert position(". O . .\nO . . .\n. . . .\n. . . .", "white", rules=rules).is_legal("A4")


def test_suicide_may_not_repeat_a_board():
    """Two stones put down while White passes, and gone by suicide: an earlier board, which superko forbids."""
    game = position(". . . O\nO O O O\n. . . .\n. . . .")
    play(game, "A4 pass B4 pass")
    assert game.banned_moves() == ["C4"]
    assert not game.is_legal("C4")
    play(game, "A1 pass")
    assert game.is_legal("C4")


def test_a_capture_is_not_suicide():
    for rules in ("tromp-taylor", "no-suicide"):
        game = position(". O X .\nO X . .\nX . . .\n. . . .", rules=rules)
        game.play("A4")
        assert rows_of(game) == "X . X .\n. X . .\nX . . .\n. . . ."


def test_seki_scores_stones_and_eyes_but_no_shared_liberty():
    game = position(". X . O .\nX X X O O\nO O O X X\nO O O X X\n. O O X .", komi=0.5)
    assert (game.liberties("B5"), game.liberties("D5")) == (2, 2)  # who plays C5 is in atari
    play(game, "pass pass")
    assert game.score() == 11 - 13 - 0.5
    assert game.result == "W+2.5"


def test_scores_of_finished_games():
    assert Game(5, komi=0.0).score() == 0.0  # nobody's points
    one = Game(5, komi=0.0)
    one.play("C3")
    assert one.score() == 25.0
    walls = position(". X . O .\n. X . O .\n. X . O .\n. X . O .\n. X . O .", komi=3.5)
    assert walls.score() == -3.5
    dead = position(". X . O .\n. X . O .\n. X . O .\n. X O O .\nO X X O .", komi=0.0)
    assert dead.score() == (5 + 1) - (5 + 5 + 2)  # a dead stone is taken off by playing; as it stands, it is White's
    draw = position(". X . O .\n. X . O .\n. X . O .\n. X . O .\n. X . O .", komi=0)
    assert draw.result == "0"


def test_two_passes_end_a_game_and_a_move_between_them_does_not():
    game = play(Game(3), "pass B2 pass")
    assert not game.is_over
    game.play("pass")
    assert game.is_over
    assert game.legal_moves() == []
    assert not game.is_legal("A1")
    with pytest.raises(bt.ParameterError, match=r"move 'A1': illegal .* the game is over"):
        game.play("A1")
    game.undo()
    game.play("A1")
