"""Connect Four: against a slow board of lists, move counts known from the literature, features, errors."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest

from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problem.state import PlainState
from boltree.problems import ConnectFour
from boltree.problems.connect_four import _won


class Board:
    """The rules with lists: columns of players, and a search for lines around every cell."""

    def __init__(self) -> None:
        self.columns: list[list[int]] = [[] for _ in range(7)]
        self.mover = 0

    def at(self, column: int, row: int) -> int:
        if 0 <= column < 7 and 0 <= row < len(self.columns[column]):
            return self.columns[column][row]
        return -1

    def open(self) -> list[int]:
        return [c for c in range(7) if len(self.columns[c]) < 6]

    def play(self, column: int) -> tuple[float, bool]:
        player = self.mover
        self.columns[column].append(player)
        self.mover = 1 - player
        for line in lines():
            if all(self.at(c, r) == player for c, r in line):
                return (1.0 if player == 0 else -1.0), True
        return 0.0, not self.open()

    def planes(self) -> Any:
        planes = np.zeros((4, 6, 7), np.float32)
        for i, player in enumerate((self.mover, 1 - self.mover)):
            for c, r in itertools.product(range(7), range(6)):
                planes[i, r, c] = self.at(c, r) == player
            for line in lines():
                free = [cell for cell in line if self.at(*cell) != player]
                if len(free) == 1 and self.at(*free[0]) == -1:
                    c, r = free[0]
                    planes[2 + i, r, c] = 1.0
        return planes


@cache
def lines() -> list[list[tuple[int, int]]]:
    """The cells of every line of four."""
    found = []
    for c, r in itertools.product(range(7), range(6)):
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(c + i * dc, r + i * dr) for i in range(4)]
            if all(0 <= a < 7 and 0 <= b < 6 for a, b in line):
                found.append(line)
    return found


def test_random_games_against_the_slow_board(compiled: Any) -> None:
    game, rng, source = compiled(ConnectFour()), new_generator(0), np.random.default_rng(1)
    results = {1.0: 0, -1.0: 0, 0.0: 0}
    for k in range(250):
        board, state, done = Board(), game.start(rng), False
        while not done:
            assert np.flatnonzero(game.legal(state)).tolist() == board.open()
            assert game.player(state) == board.mover
            if k < 40:
                assert (game.features(state) == board.planes()).all()
            column = int(source.choice(board.open()))
            state, reward, done = game.step(state, column, rng)
            assert (reward, done) == board.play(column)
        assert (game.features(state) == board.planes()).all()
        results[reward] += 1
    assert results[1.0] > results[-1.0] > 50


def long_game(source: np.random.Generator) -> list[int]:
    """A game in which nobody wins while another move is there: it fills the board nearly or wholly."""
    moves: list[int] = []
    while True:
        fine = []
        for column in source.permutation(7):
            board = Board()
            for move in moves:
                board.play(move)
            if column in board.open():
                reward, _ = board.play(int(column))
                if reward == 0.0:
                    fine.append(int(column))
                    break
        if not fine:
            return moves
        moves.append(fine[0])


def test_full_boards_are_draws_and_full_columns_illegal(play: Any, compiled: Any) -> None:
    source, full = np.random.default_rng(0), 0
    for _ in range(12):
        moves = long_game(source)
        found = play(ConnectFour(), moves)
        assert all(reward == 0.0 for _, reward, _ in found)
        assert [done for _, _, done in found] == [False] * (len(moves) - 1) + [len(moves) == 42]
        full += len(moves) == 42
        for column in range(7):
            if moves.count(column) == 6:
                with pytest.raises(ValueError, match="compiled step raised"):
                    compiled(ConnectFour()).step(found[-1][0], column, new_generator(0))
                with pytest.raises(ValueError, match="compiled outcomes raised"):
                    compiled(ConnectFour()).outcomes(found[-1][0], column)
    assert full > 0


def test_the_win_test_knows_all_69_lines_and_no_others() -> None:
    everything = lines()
    assert len(everything) == 69
    for line in everything:
        bits = [7 * c + r for c, r in line]
        assert _won(np.uint64(sum(1 << b for b in bits)))
        for missing in bits:
            assert not _won(np.uint64(sum(1 << b for b in bits if b != missing)))
    # four that touch only across the edge of the board: the top of one column and the bottom of the next
    assert not _won(np.uint64(sum(1 << b for b in (3, 4, 5, 7))))
    assert not _won(np.uint64(sum(1 << b for b in (4, 5, 7, 8))))


@pytest.mark.parametrize(("depth", "positions"), list(enumerate([1, 7, 49, 238, 1120, 4263])))
def test_numbers_of_positions(compiled: Any, depth: int, positions: int) -> None:
    """Positions after n moves: 1, 7, 49, 238, 1120, 4263 (OEIS A212693)."""
    game, rng = compiled(ConnectFour()), new_generator(0)
    layer = {game.start(rng).tobytes(): game.start(rng)}
    for _ in range(depth):
        following = {}
        for state in layer.values():
            for column in np.flatnonzero(game.legal(state)):
                to, _, done = game.step(state, int(column), rng)
                assert not done or depth > 6
                following[to.tobytes()] = to
        layer = following
    assert len(layer) == positions


@pytest.mark.parametrize(
    ("moves", "reward"),
    [
        ("0101010", 1.0),  # upright
        ("0011223", 1.0),  # level
        ("01122323363", 1.0),  # rising diagonal
        ("65544343303", 1.0),  # falling diagonal
        ("20101010", -1.0),  # O upright
    ],
)
def test_wins_by_hand(play: Any, moves: str, reward: float) -> None:
    board = Board()
    expected = [board.play(int(move)) for move in moves]
    found = [rest for _, *rest in play(ConnectFour(), moves)]
    assert found == [list(pair) for pair in expected]
    assert found[-1] == [reward, True]


def test_starting_from_a_position(play: Any, checks: Any) -> None:
    before = play(ConnectFour(), "334455")[-1][0]
    game = ConnectFour("334455")
    assert game.start_state()["mover"] == before["mover"][0]
    assert game.start_state()["other"] == before["other"][0]
    assert play(game, [6])[0][1:] == (1.0, True)
    assert play(ConnectFour("0112233"), [4])[0][1:] == (-1.0, True)
    checks.episodes(game, 5)


def test_minimax_finds_the_win(checks: Any) -> None:
    assert checks.solve(ConnectFour("00112", horizon=2)) == 0.0  # three at the edge: O to move stops it
    assert checks.solve(ConnectFour("33445", horizon=1)) == 0.0
    assert checks.solve(ConnectFour("33445", horizon=2)) == 1.0  # three, open at both ends: O cannot
    assert checks.solve(ConnectFour("3344", horizon=3)) == 1.0
    assert checks.solve(ConnectFour("03344", horizon=3)) == -1.0  # the same for O


def test_features_are_the_movers_stones_first(compiled: Any, play: Any) -> None:
    game = ConnectFour()
    state = play(game, [3, 3, 0])[-1][0]
    planes = compiled(game).features(state)
    assert planes.shape == (4, 6, 7)
    assert np.argwhere(planes).tolist() == [[0, 1, 3], [1, 0, 0], [1, 0, 3]]  # O to move has (row 1, column 3)
    state = play(game, [2, 2, 3, 3, 4])[-1][0]  # X has three in a row; O has two above them
    assert np.argwhere(compiled(game).features(state)[2:]).tolist() == [[1, 0, 1], [1, 0, 5]]
    state = play(game, [2, 2, 3, 3, 4, 4])[-1][0]  # now O has three as well, whose ends no stone can reach yet
    found = np.argwhere(compiled(game).features(state)[2:])
    assert found.tolist() == [[0, 0, 1], [0, 0, 5], [1, 1, 1], [1, 1, 5]]


def test_plain_python_and_compiled_agree(checks: Any, play: Any) -> None:
    game = ConnectFour()
    plain: Any = ConnectFour.features
    assert checks.episodes(game, 15) > 150
    checks.recipe(game)
    checks.recipe(ConnectFour("0123", horizon=10))
    for moves in ("3", "000000", "000000111111", "222222666666444444"):
        state = play(game, moves)[-1][0]
        checks.random_actions(game, state, 5000)
        out = np.full(4 * 42, np.nan, np.float32)
        plain(game.plain_params, PlainState(state), out)
        assert (out.reshape(4, 6, 7) == checks.compiled(game).features(state)).all()


def test_shown(play: Any) -> None:
    game = ConnectFour()
    empty = ". . . . . . ."
    found = play(game, "0101010")
    assert game.show_state(found[1][0][0]) == "\n".join([empty] * 5 + ["X O . . . . .", "0 1 2 3 4 5 6", "X to move"])
    assert game.show_state(found[2][0][0]).endswith("O to move")
    assert game.show_state(found[6][0][0]).endswith("X has won")
    assert game.show_state(play(game, "20101010")[-1][0][0]).endswith("O has won")
    assert game.action_name(3) == "column 3"


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (33, "ConnectFour: moves=33, must be a text of column digits from 0 to 6, such as '3344'"),
        ("37", "ConnectFour: moves='37': move 2 is '7', must be a column from 0 to 6"),
        ("3 4", "ConnectFour: moves='3 4': move 2 is ' ', must be a column from 0 to 6"),
        ("0000000", "ConnectFour: moves='0000000': move 7 is '0', must be a column that is not full"),
        (
            "01010100",
            "ConnectFour: moves='01010100': move 7 is '0' and ends the game, must leave a position to play on from",
        ),
    ],
)
def test_errors(moves: Any, message: str) -> None:
    with pytest.raises(ProblemError) as error:
        ConnectFour(moves)
    assert str(error.value) == message


def test_a_full_board_is_no_start() -> None:
    source = np.random.default_rng(0)
    moves: list[int] = []
    while len(moves) != 42:
        moves = long_game(source)
    with pytest.raises(ProblemError, match=r"move 42 is '.' and ends the game"):
        ConnectFour("".join(str(move) for move in moves))
