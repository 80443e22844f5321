"""GTP: every command, what is answered to nonsense, and time."""

from __future__ import annotations

import io
import os
import re
import tempfile
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from talk import Talk

from boltree import __version__
from boltree.go import Game
from boltree.go.board.handicap import fixed_handicap
from boltree.go.gtp.clock import LAG_SECONDS, LEAST_SECONDS, Clock
from boltree.go.gtp.protocol import Gtp, serve
from boltree.go.player import Limit, SearchPlayer
from boltree.go.settings import go_setting

STANDARD = [
    "protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize", "clear_board",
    "komi", "fixed_handicap", "place_free_handicap", "set_free_handicap", "play", "genmove", "undo",
    "time_settings", "time_left", "final_score", "final_status_list", "loadsgf", "reg_genmove", "showboard",
    "printsgf", "kgs-time_settings", "lz-analyze", "kata-analyze", "lz-genmove_analyze", "kata-genmove_analyze",
    "analyze", "genmove_analyze", "stop",
]  # fmt: skip


def test_about_itself():
    talk = Talk()
    assert talk("protocol_version") == "= 2"
    assert talk("name") == "= Boltree UCT"
    assert talk("version") == f"= {__version__}"
    known = talk("list_commands")[2:].split("\n")
    assert set(STANDARD) <= set(known)
    assert all(talk(f"known_command {name}") == "= true" for name in known)
    for unknown in ("kgs-genmove_cleanup", "do_play", "", "kgs_time_settings"):
        assert talk(f"known_command {unknown}") == "= false"
    assert not talk.gtp.ended
    assert talk("quit") == "="
    assert talk.gtp.ended


def test_numbers_comments_and_white_space():
    talk = Talk()
    assert talk("12 name") == "=12 Boltree UCT"
    assert talk("  3\tname\t# hello\r\n") == "=3 Boltree UCT"
    assert talk("7 nonsense") == "?7 unknown command: nonsense"
    assert talk("9") == "?9 no command"
    assert talk.all("", "   ", "# a comment", "\x01") == [""] * 4
    assert talk("na\x07me") == "= Boltree UCT"


def test_a_game_by_hand():
    talk = Talk()
    assert talk.all("boardsize 5", "komi 1.5", "clear_board", "play b c3", "play WHITE C4") == ["="] * 5
    assert talk("get_komi") == "= 1.5"
    board = talk("showboard").splitlines()
    assert board[0].strip() == "="
    assert board[3:5] == [" 4 . .(O). .", " 3 . . X . ."]
    assert talk("undo") == "="
    assert talk.all("play w pass", "play b pass", "final_score") == ["=", "=", "= B+23.5"]
    assert talk("komi 25.5") == "="
    assert talk("final_score") == "= W+0.5"
    assert talk("final_status_list alive") == "= C3"
    assert talk.all("final_status_list dead", "final_status_list seki") == ["=", "="]
    assert talk.all("undo", "undo", "undo") == ["=", "=", "="]
    assert talk("undo") == "? cannot undo"


def test_after_two_passes_a_game_may_go_on():
    """As controllers do whose players go on: the engine itself has nothing to add, but follows."""
    talk = Talk()
    game = talk.gtp.commands.game
    talk.all("play b pass", "play w pass")
    assert talk("genmove b") == "= pass"
    assert talk("lz-genmove_analyze w") == "=\nplay pass"
    assert game.is_over
    assert game.moves == ["pass"] * 4
    assert talk("lz-analyze b 1").startswith("=\ninfo move ")
    assert talk.all("play b c3", "play w c4") == ["=", "="]
    assert not game.is_over
    assert talk("komi 3.5") == "="
    assert talk.gtp.commands.game.moves == [*["pass"] * 4, "C3", "C4"]
    assert re.fullmatch(r"= ([A-E][1-5]|pass)", talk("genmove b"))
    assert talk.all(*["undo"] * 7) == ["="] * 7
    assert talk("undo") == "? cannot undo"


def test_the_longest_game_ends_all_the_same():
    talk = Talk(size=2)
    for _ in range(50):
        talk("play b pass")
    assert talk("play b pass").startswith("? illegal move: move 'pass': illegal as Black's move 51: the game is over")
    assert talk("genmove b").startswith("? illegal move")
    assert talk("lz-analyze") == "? the game is over: it has had 50 moves, as many as it may"


def test_generated_moves_are_legal_and_played():
    talk = Talk()
    moves = []
    for colour in "bwbw":
        would = talk(f"reg_genmove {colour}")
        assert re.fullmatch(r"= ([A-E][1-5]|pass)", would)
        assert talk.gtp.commands.game.moves == moves
        move = talk(f"genmove {colour}")
        assert re.fullmatch(r"= ([A-E][1-5]|pass)", move)
        moves.append(move[2:])
        assert talk.gtp.commands.game.moves == moves
    talk("undo")
    assert talk.gtp.commands.game.moves == moves[:-1]


def test_a_move_out_of_turn():
    talk = Talk(trials=3000)
    talk.all("play w A1", "play w B2", "play w C1")
    assert talk.gtp.commands.game.movers == ["white"] * 3
    assert re.fullmatch(r"= ([A-E][1-5]|pass)", talk("genmove w"))
    assert talk.gtp.commands.game.movers == ["white"] * 4


def test_it_captures_whatever_the_colour():
    """White's stone in the corner is in atari, and so is Black's game."""
    talk = Talk(trials=3000)
    for stone in ("A3", "B3", "C3", "D3", "E3"):
        talk(f"play b {stone}")
    for stone in ("A2", "B2", "C2", "D2", "E2", "A1", "B1", "C1", "D1", "A4", "B4", "C4", "E4", "B5", "D5"):
        talk(f"play w {stone}")
    assert talk("genmove b") == "= E1"


def test_handicaps():
    talk = Talk(size=9)
    assert talk("fixed_handicap 3") == "= C3 G7 C7"
    assert talk.gtp.commands.game.to_move == "white"
    assert talk("fixed_handicap 2") == "? board not empty"
    assert talk("clear_board") == "="
    assert talk("set_free_handicap D4 e5 F6") == "="
    assert talk.gtp.commands.game.setup == (["F6", "E5", "D4"], [])
    talk("clear_board")
    assert talk("set_free_handicap D4") == "? bad vertex list: at least two points, each named once"
    assert talk("place_free_handicap 9").count(" ") == 9
    talk("boardsize 5")
    assert talk("fixed_handicap 2") == "? handicap 2: boards smaller than 7x7 have none"
    assert fixed_handicap(19, 9)[-1] == "K10"
    assert all(len(set(fixed_handicap(19, n))) == n for n in range(2, 10))


def test_records(tmp_path):
    talk = Talk()
    file = tmp_path / "game.sgf"
    talk.all("play b C3", "play w C4", "play b B2")
    assert talk(f"printsgf {file}") == "="
    assert Game.from_sgf(file.read_bytes()).moves == ["C3", "C4", "B2"]
    assert "B[cc]" in talk("printsgf")
    talk("clear_board")
    assert talk(f"loadsgf {file} 3") == "="
    assert talk.gtp.commands.game.moves == ["C3", "C4"]
    assert talk(f"loadsgf {file}") == "="
    assert talk.gtp.commands.game.moves == ["C3", "C4", "B2"]
    assert talk(f"loadsgf {tmp_path}/none.sgf").endswith("No such file or directory")
    file.write_text("no record")
    assert talk(f"loadsgf {file}").startswith(f"? cannot load file {file}: SGF:")
    assert talk.gtp.commands.game.moves == ["C3", "C4", "B2"]
    assert talk(f"loadsgf {file} 0").startswith("? move number 0")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("boardsize 1", "? unacceptable size: must be 2 to 19"),
        ("boardsize 25", "? unacceptable size: must be 2 to 19"),
        ("boardsize nine", "? boardsize: 'nine' must be a whole number"),
        ("boardsize", "? syntax: boardsize SIZE"),
        ("komi", "? syntax: komi NUMBER"),
        ("komi nan", "? komi: 'nan' must be a number"),
        ("komi 1e9", "? komi 1e+09: must be between -1000 and 1000"),
        ("play b", "? syntax: play COLOUR MOVE"),
        ("play green D4", "? invalid colour 'green': must be b, w, black or white"),
        ("play b F5", "? illegal move: move 'F5': off the board, whose points are A1 to E5"),
        ("play b I3", "? illegal move: move 'I3': must be a point such as 'D4' (letters A to T without I) or 'pass'"),
        ("genmove", "? syntax: genmove COLOUR"),
        ("genmove x", "? invalid colour 'x': must be b, w, black or white"),
        ("time_settings 1 2", "? syntax: time_settings MAIN_SECONDS BYO_YOMI_SECONDS BYO_YOMI_STONES"),
        ("time_settings -1 0 0", "? time_settings: '-1' must be a number of at least 0"),
        ("time_left b 5", "? syntax: time_left COLOUR SECONDS STONES"),
        ("final_status_list some", "? status 'some': must be alive, dead or seki"),
        ("lz-analyze interval", "? interval: '' must be a number"),
        ("lz-analyze maxmoves -1", "? maxmoves: '-1' must be a whole number"),
        ("kata-analyze ownership maybe", "? ownership: 'maybe' must be true or false"),
        ("kata-analyze b 10 avoid b D4", "? avoid: must be avoid COLOUR MOVE,MOVE,... DEPTH"),
        ("kata-analyze allow x D4 1", "? invalid colour 'x': must be b, w, black or white"),
        ("kata-analyze allow b D4 1 allow w D4 1", "? allow: may stand there once, and not with avoid"),
        ("kata-analyze allow b D4 1 avoid w D4 1", "? allow: may stand there once, and not with avoid"),
        ("kata-analyze avoid b J9 1", "? move 'J9': off the board, whose points are A1 to E5"),
    ],
)
def test_bad_input_is_refused_in_one_line(line, answer):
    talk = Talk()
    assert talk(line) == answer
    assert talk("5 name") == "=5 Boltree UCT"


def test_an_unknown_option_names_those_there_are():
    answer = Talk()("lz-analyze soon")
    assert answer.startswith("? 'soon': must be a colour, an interval in 1/100 s, maxmoves N, minmoves N, avoid or")


def test_an_accident_is_an_answer(monkeypatch):
    talk = Talk()
    monkeypatch.setattr(SearchPlayer, "choose", lambda *_: 1 / 0)
    assert talk("3 genmove b") == "?3 internal error: ZeroDivisionError: division by zero"


WORDS = st.one_of(
    st.sampled_from([*STANDARD[:5], *STANDARD[6:], "b", "w", "c3", "pass", "0", "1", "-1", "9999999999", "nan", "x"]),
    st.text(st.characters(blacklist_characters="#/~.", blacklist_categories=("Cs", "Cc")), max_size=8),
)
LINES = st.one_of(st.text(max_size=30).filter(lambda t: "/" not in t), st.lists(WORDS, max_size=5).map(" ".join))


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[None]:
    """An empty folder to be in: nonsense may name files."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        yield
        os.chdir(here)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(lines=st.lists(LINES, max_size=12))
def test_nonsense_is_always_answered(elsewhere, lines):
    talk = Talk(trials=3, looks=1)
    for line in lines:
        began = time.thread_time()
        answer = talk(line)  # checks the form
        assert time.thread_time() - began < 20.0
        assert "internal error" not in answer, line
    assert talk("77 protocol_version") == "=77 2"


# Time


def test_time_is_shared_out():
    clock = Clock()
    assert clock.seconds_for("black", 9, 0) is None
    clock.set_times(0, 10, 5)
    assert clock.seconds_for("black", 9, 0) == pytest.approx(2 - LAG_SECONDS)
    clock.spend("black", 4.0)
    assert clock.seconds_for("black", 9, 0) == pytest.approx(6 / 4 - LAG_SECONDS)
    assert clock.seconds_for("white", 9, 0) == pytest.approx(2 - LAG_SECONDS)
    clock.tell("black", 1.0, 1)
    assert clock.seconds_for("black", 9, 0) == pytest.approx(1 - LAG_SECONDS)
    clock.spend("black", 0.5)  # the last stone of the period: a new one
    assert clock.seconds_for("black", 9, 0) == pytest.approx(2 - LAG_SECONDS)
    clock.set_times(60, 0, 0)
    assert clock.seconds_for("black", 9, 0) == pytest.approx(60 / 27 - LAG_SECONDS)
    assert clock.seconds_for("black", 9, 100) == pytest.approx(60 / 8 - LAG_SECONDS)
    clock.set_times(60, 30, 1)
    assert clock.seconds_for("black", 9, 0) == pytest.approx(30 - LAG_SECONDS)
    clock.spend("black", 61)
    assert clock.seconds_for("black", 9, 0) == pytest.approx(30 - LAG_SECONDS)
    clock.set_times(0, 0, 0)
    assert clock.seconds_for("black", 9, 0) == LEAST_SECONDS
    clock.set_times(0, 1, 0)
    assert clock.seconds_for("black", 9, 0) is None


def test_a_whole_game_stays_within_its_time():
    clock = Clock()
    clock.set_times(60, 0, 0)
    spent = 0.0
    for move in range(0, 200, 2):
        seconds = clock.seconds_for("black", 9, move)
        clock.spend("black", seconds)
        spent += seconds
    assert 45 < spent < 62


def test_the_clock_is_obeyed(clock):
    talk = Talk(trials=10_000_000)
    talk.gtp.commands.player.search_at(talk.gtp.commands.game)
    talk("time_settings 0 10 1")
    began = clock.seconds
    talk("genmove b")
    assert 9.5 < clock.seconds - began < 10.5
    talk("time_left w 3 1")
    began = clock.seconds
    talk("genmove w")
    assert 2.5 < clock.seconds - began < 3.5
    assert talk("kgs-time_settings byoyomi 0 1 5") == "="
    assert talk.gtp.commands.clock.seconds_for("black", 5, 0) == pytest.approx(1 - LAG_SECONDS)
    assert talk.all("kgs-time_settings absolute 60", "kgs-time_settings canadian 60 10 5") == ["=", "="]
    assert talk("kgs-time_settings none") == "="
    assert talk.gtp.commands.clock.seconds_for("black", 5, 0) is None
    assert talk("kgs-time_settings canadian 1").startswith("? syntax")


def test_the_end_of_the_input_is_the_end():
    written = io.StringIO()
    player = SearchPlayer(go_setting("uct").algorithm(), seed=0)
    limit = Limit(trials=20)
    serve(
        lambda write, stop: Gtp(player, limit, size=5, write=write, interrupted=stop),
        ["name\n", "lz-analyze 5"],
        written,
    )
    first, second, rest = written.getvalue().split("\n\n")
    assert first == "= Boltree UCT"
    assert second.startswith("=")
    assert rest == ""
