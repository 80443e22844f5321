"""A game in the terminal: what is drawn, what can be typed, how it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from boltree.go import Game
from boltree.go.board.points import PASS
from boltree.go.play import TerminalGame, board_text
from boltree.go.player import RESIGN, Choice, Limit, SearchPlayer
from boltree.go.settings import go_setting
from child import LONG


class Scripted:
    """An opponent that plays what it is told."""

    name = "Robot"

    def __init__(self, *moves: str) -> None:
        self.moves = list(moves)
        self.seen: list[list[str]] = []

    def choose(self, game: Game, limit: Limit) -> Choice:
        self.seen.append(game.moves)
        return Choice(self.moves.pop(0), 1234, 0.5, 0.25)

    def close(self) -> None:
        """Nothing."""


def played(
    typed: list[str], *moves: str, colour: str = "black", game: Game | None = None
) -> tuple[str, Game, Scripted]:
    lines = iter(typed)

    def ask(prompt: str) -> str:
        said.append(prompt)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    said: list[str] = []
    say: Callable[[str], None] = said.append
    game, player = game or Game(5, 0.5, "no-suicide"), Scripted(*moves)
    TerminalGame(game, player, Limit(trials=1), colour, ask=ask, say=say, plain=True).run()
    return "\n".join(said), game, player


def test_the_board():
    game = Game(9, 6.5)
    for move in ("E5", "A1", "J9"):
        game.play(move)
    assert board_text(game).splitlines() == [
        "    A B C D E F G H J",
        "  9 · · · · · · · ·(●)9",
        "  8 · · · · · · · · · 8",
        "  7 · · + · · · + · · 7",
        "  6 · · · · · · · · · 6",
        "  5 · · · · ● · · · · 5",
        "  4 · · · · · · · · · 4",
        "  3 · · + · · · + · · 3",
        "  2 · · · · · · · · · 2",
        "  1 ○ · · · · · · · · 1",
        "    A B C D E F G H J",
    ]
    assert len({len(line) for line in board_text(Game(19)).splitlines()[1:-1]}) <= 2  # 9 is one digit, 10 two


def test_a_whole_game():
    text, game, _ = played(["c3", "Pass"], "C4", PASS)
    assert game.moves == ["C3", "C4", "pass", "pass"]
    assert "You are black, Robot is white" in text
    assert "Robot plays C4 (75% for white, 1,234 trials in 0.5 s)." in text
    assert " 4 . .(O). . 4" in text
    assert text.endswith("The game is over: White wins by 0.5, as the board stands.")


def test_playing_white():
    text, game, _ = played(["d4"], "C3", "B2", colour="white")
    assert game.moves == ["C3", "D4", "B2"]
    assert "You are white, Robot is black" in text
    assert "(25% for black" in text


def test_undo_takes_back_both_moves():
    _, game, player = played(["c3", "undo", "b2", "quit"], "C4", "D4")
    assert game.moves == ["B2", "D4"]
    assert player.seen == [["C3"], ["B2"]]
    text, game, _ = played(["undo", "quit"])
    assert "undo: you have not moved yet" in text


def test_a_hint_does_not_move():
    text, game, _ = played(["hint", "quit"], "E5")
    assert "Robot would play E5 (25% for black" in text
    assert game.moves == []


def test_dead_stones_are_pointed_out():
    """The opponent's stone in the corner could be captured at leisure; as the board stands it counts."""
    game = Game(5, 0.5, "no-suicide", black=["B5", "B4", "B3", "A3", "D3", "C3", "E3"], white=["A5"])
    player = SearchPlayer(go_setting("uct").algorithm(), seed=0)
    said: list[str] = []
    lines = iter(["score", "quit"])
    TerminalGame(game, player, Limit(trials=1), "black", ask=lambda _: next(lines), say=said.append, plain=True).run()
    assert "As the board stands: Black wins by 21.5. But A5 looks dead; without, Black wins by 24.5.\n" in said


def test_resigning():
    assert "You resign: Robot wins." in played(["resign"])[0]
    assert "Robot resigns: you win." in played(["c3"], RESIGN)[0]


def test_saving(tmp_path):
    file = tmp_path / "game.sgf"
    text, *_ = played(["c3", f"save {file}", "save", f"save {tmp_path}/no/where", "quit"], "C4")
    assert Game.from_sgf(file.read_bytes()).moves == ["C3", "C4"]
    assert f"Written: {file}" in text
    assert "save: name a file" in text
    assert "No such file or directory" in text


@pytest.mark.parametrize("typed", ["foo", "z9", "c9", "c3 c4", "", "   ", "undo now please"])
def test_nonsense_costs_nothing(typed):
    text, game, _ = played([typed, "score", "help", "quit"])
    assert game.moves == []
    assert "As the board stands: White wins by 0.5" in text
    assert "take back your last move" in text


def test_an_occupied_point_says_so():
    text, game, _ = played(["c3", "c4", "quit"], "C4")
    assert "the point is occupied" in text
    assert game.moves == ["C3", "C4"]


def test_the_command():
    command = [
        sys.executable,
        "-m",
        "boltree",
        "play",
        "--board",
        "5",
        "--network",
        "none",
        "--trials",
        "30",
        "--seed",
        "1",
    ]
    ran = subprocess.run([*command], input="c3\nhint\nquit\n", capture_output=True, encoding="utf-8", timeout=LONG)
    assert ran.returncode == 0, ran.stderr
    assert "AR-BTS plays" in ran.stdout
    assert "AR-BTS would play" in ran.stdout
    ran = subprocess.run([*command, "--handicap", "2"], input="", capture_output=True, encoding="utf-8", timeout=LONG)
    assert ran.returncode == 2
    empty = subprocess.run([*command, "--engine", ""], input="", capture_output=True, encoding="utf-8", timeout=LONG)
    assert empty.stderr == "boltree: --engine: must be a command, such as 'gnugo --mode gtp'\n"
    hmcts = subprocess.run([*command[:4], "--algorithm", "hmcts"], capture_output=True, encoding="utf-8", timeout=LONG)
    assert hmcts.stderr.endswith("hmcts: must know its number of trials; give --trials, or as in hmcts:budget=1000\n")
    assert ran.stderr == "boltree: handicap 2: boards smaller than 7x7 have none\n"
