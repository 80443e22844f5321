"""``bt.go.Game``: names, taking back, copies, errors, states to search from, and SGF."""

from __future__ import annotations

import random

import numpy as np
import pytest

import boltree as bt
from boltree.go import Game
from boltree.go.board.points import action_named, move_name


def random_game(size: int, moves: int, seed: int, **options: object) -> Game:
    game, draw = Game(size, **options), random.Random(seed)  # type: ignore[arg-type]
    for _ in range(moves):
        legal = game.legal_moves()
        game.play(draw.choice(legal[:-1] or legal))
        if game.is_over:
            break
    return game


def same(one: Game, other: Game) -> bool:
    return (one.state.tobytes(), one.moves, one.movers, one.setup) == (
        other.state.tobytes(),
        other.moves,
        other.movers,
        other.setup,
    )


@pytest.mark.parametrize("size", [2, 9, 19])
def test_names_and_actions(size):
    names = [move_name(action, size) for action in range(size * size + 1)]
    assert names[-1] == "pass"
    assert not any("I" in name for name in names)
    assert [action_named(name, size) for name in names] == list(range(size * size + 1))
    assert [action_named(name.lower(), size) for name in names] == list(range(size * size + 1))
    assert action_named("A1", size) == size * (size - 1)
    assert action_named(f"A{size}", size) == 0


def test_a_game():
    game = Game()
    assert (game.size, game.komi, game.rules, game.to_move) == (9, 7.5, "tromp-taylor", "black")
    game.play("d4")
    assert game.to_move == "white"
    game.play(" PASS ")
    assert game.moves == ["D4", "pass"]
    assert game.movers == ["black", "white"]
    assert game.colour_at("D4") == "black"
    assert game.colour_at("D5") is None
    assert (game.liberties("D4"), game.liberties("D5")) == (4, 0)
    assert "D4" not in game.legal_moves()
    assert len(game.legal_moves()) == 81
    assert repr(game) == "<Game 9x9, komi 7.5, tromp-taylor: 2 moves, black to move>"


def test_the_picture():
    game = Game(5)
    for move in ("E5", "A1", "C4"):
        game.play(move)
    assert str(game).splitlines() == [
        "   A B C D E",
        " 5 . . . . X",
        " 4 . .(X). .",
        " 3 . . + . .",
        " 2 . . . . .",
        " 1 O . . . .",
        "move 4, after C4: White to move",
    ]
    game.play("E1")
    assert str(game).splitlines()[5] == " 1 O . . .(O)"
    assert str(game) == game.problem.show_state(game.state)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("Z4", "must be a point such as 'D4'"),
        ("I5", "letters A to T without I"),
        ("K1", "off the board, whose points are A1 to J9"),
        ("A10", "off the board"),
        ("A0", "off the board"),
        ("A", "must be a point"),
        ("", "must be a point"),
        (12, "must be a point"),
        ("D4", "illegal as White's move 2: the point is occupied"),
    ],
)
def test_a_refused_move_is_named_with_the_reason(move, reason):
    game = Game()
    game.play("D4")
    with pytest.raises(bt.ParameterError, match=reason) as error:
        game.play(move)
    assert f"move {move!r}" in str(error.value)
    assert game.moves == ["D4"]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"size": 1}, "size=1"),
        ({"size": 20}, "size=20"),
        ({"size": "9"}, "size='9'"),
        ({"komi": float("nan")}, "komi=nan"),
        ({"rules": "japanese"}, "rules='japanese'"),
        ({"to_move": "red"}, "colour 'red'"),
        ({"black": ["A1"], "white": ["A1"]}, "'A1' must be a point, and named once"),
        ({"black": ["pass"]}, "'pass' must be a point"),
        ({"black": ["A1"], "white": ["A2", "B1"]}, "without liberties"),
    ],
)
def test_wrong_options(options, word):
    with pytest.raises(bt.ParameterError, match=word):
        Game(**options)


@pytest.mark.parametrize("size", [4, 9])
def test_undo_restores_every_state_exactly(size):
    game = random_game(size, 60, 3)
    seen, again = [], Game(size)
    for move in game.moves:
        seen.append(again.state.tobytes())
        again.play(move)
    assert same(game, again)
    for state in reversed(seen):
        game.undo()
        assert game.state.tobytes() == state
    with pytest.raises(bt.ParameterError, match="no move was played"):
        game.undo()


def test_a_copy_is_independent():
    game = random_game(5, 20, 1)
    kept, copy = game.state.tobytes(), game.copy()
    assert same(game, copy)
    copy.play(copy.legal_moves()[0])
    assert game.state.tobytes() == kept
    assert len(copy.moves) == len(game.moves) + 1
    game.undo()
    assert copy.moves[:-2] == game.moves


def test_looking_does_not_change_a_game():
    game = random_game(5, 30, 2)
    kept = game.state.tobytes()
    game.score(), game.legal_moves(), game.banned_moves(), str(game), game.liberties(game.moves[0]), game.to_sgf()
    game.state["colour"][:] = 1  # a copy
    assert game.state.tobytes() == kept


def test_the_last_moves_and_boards():
    game = Game(5)
    moves = ["A1", "B2", "pass", "C3", "D4", "E5", "A3"]
    boards = []
    for move in moves:
        boards.append(game.state["colour"].tolist())
        game.play(move)
    assert game.state["recent"].tolist() == [action_named(move, 5) + 1 for move in moves[:1:-1]]
    assert game.state["one_ago"].tolist() == boards[-1]
    assert game.state["two_ago"].tolist() == boards[-2]


def test_a_move_out_of_turn_breaks_the_last_moves():
    game = Game(5)
    game.play("A1")
    game.play("B1", "black")
    assert game.movers == ["black", "black"]
    assert game.to_move == "white"
    assert game.state["recent"].tolist() == [action_named("B1", 5) + 1, 0, 0, 0, 0]
    game.undo()
    assert game.to_move == "white"


@pytest.mark.parametrize("rules", ["tromp-taylor", "no-suicide"])
@pytest.mark.parametrize("size", [3, 9])
def test_a_search_from_a_game(size, rules):
    """The tree's root has the game's legal moves, and its states go on from the game's."""
    game = random_game(size, 3 * size, 5, rules=rules)
    search = bt.Search(game.problem, bt.UCT(c=1.0), state=game.state, seed=0)
    search.run(trials=300)
    assert [game.problem.action_name(a) for a in search.root.actions] == game.legal_moves()
    move = search.recommend()
    game.play(move_name(move, size))
    (child,) = search.children[move]
    assert child.state.tobytes() == game.state.tobytes()
    search.advance(move, game.state)
    assert search.root.state.tobytes() == game.state.tobytes()


def test_a_state_of_another_size_is_refused():
    with pytest.raises(bt.ProblemError, match="board of size 5, must be 7"):
        bt.Search(Game(7).problem, bt.UCT(), state=Game(5).state)


def test_a_game_ends_at_its_longest_length():
    game = random_game(2, 100, 0)
    draw = random.Random(0)
    while not game.is_over:
        legal = game.legal_moves()
        game.play(draw.choice(legal[:-1]) if len(legal) > 1 and game.moves[-1] == "pass" else draw.choice(legal))
    assert game.is_over
    assert game.moves[-2:] == ["pass", "pass"] or len(game.moves) == 50


# SGF


@pytest.mark.parametrize("size", [3, 9, 19])
def test_sgf_round_trip(size):
    sgf = pytest.importorskip("sgfmill.sgf")
    boards, sgf_moves = pytest.importorskip("sgfmill.boards"), pytest.importorskip("sgfmill.sgf_moves")
    game = random_game(size, 80, 7, komi=6.5, rules="no-suicide")
    text = game.to_sgf()
    again = Game.from_sgf(text)
    assert same(game, again)
    assert (again.komi, again.rules) == (6.5, "no-suicide")
    assert same(game, Game.from_sgf(text.encode()))
    record = sgf.Sgf_game.from_string(text)  # and sgfmill's own board agrees on the captures
    assert (record.get_size(), record.get_komi()) == (size, 6.5)
    _, moves = sgf_moves.get_setup_and_moves(record)
    board = boards.Board(size)
    for colour, place in moves:
        if place is not None:
            board.play(*place, colour)
    ours = {(size - 1 - p // size, p % size): c for p, c in enumerate(game.state["colour"][: size * size]) if c}
    theirs = {place: "bw".index(colour) + 1 for colour, place in board.list_occupied_points()}
    assert ours == theirs


def test_sgf_keeps_handicap_and_result():
    pytest.importorskip("sgfmill")
    game = Game(9, 0.5, black=["C3", "G7"], to_move="white")
    for move in ("E5", "pass", "pass"):
        game.play(move)
    text = game.to_sgf()
    for part in ("HA[2]", "AB[cg][gc]", "PL[W]", "RE[B+0.5]", "KM[0.5]", "RU[Tromp-Taylor]"):
        assert part in text
    again = Game.from_sgf(text)
    assert again.setup == (["G7", "C3"], [])
    assert again.movers == ["white", "black", "white"]
    assert np.array_equal(again.state["colour"], game.state["colour"])
    assert again.state["hash"] == game.state["hash"]


def test_sgf_of_others():
    pytest.importorskip("sgfmill")
    game = Game.from_sgf("(;GM[1]FF[4]SZ[9]KM[5.5]RU[Japanese]HA[2]AB[gc][cg];W[ee];B[tt](;W[dd];B[dc])(;W[aa]))")
    assert game.moves == ["E5", "pass", "D6", "D7"]  # the main line
    assert (game.komi, game.rules, game.first_to_move) == (5.5, "tromp-taylor", "white")
    assert Game.from_sgf("(;SZ[5];B[cc])", rules="no-suicide").rules == "no-suicide"
    assert Game.from_sgf("(;SZ[5];B[cc];B[dd])").movers == ["black", "black"]
    assert Game.from_sgf("(;SZ[5]AB[cc])").to_move == "white"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no game", "SGF: "),
        (None, "SGF: None must be the text itself"),
        ("(;SZ[25])", "size=25"),
        ("(;SZ[9:13])", "SGF: "),
        ("(;SZ[5];B[cc];AW[aa];B[dd])", "SGF: stones are set up after the first move"),
        ("(;SZ[5];B[cc];W[cc])", "SGF: move 'C3': illegal as White's move 2: the point is occupied"),
        ("(;SZ[5]AB[aa]AW[ab][ba])", "SGF: setup position not legal"),
    ],
)
def test_sgf_that_cannot_be_played(text, reason):
    pytest.importorskip("sgfmill")
    with pytest.raises(bt.ParameterError) as error:
        Game.from_sgf(text)
    assert reason in str(error.value)
