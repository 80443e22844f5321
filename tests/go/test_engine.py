"""External engines as players: ours over a pipe, GNU Go, and programs that misbehave."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from networks import network_file

from boltree.errors import LabError, ParameterError
from boltree.go import Game
from boltree.go.match.contender import contender_from, engine_from
from boltree.go.match.engine import Engine, EngineError, EnginePlayer
from boltree.go.match.match import Pairing
from boltree.go.player import Limit, SearchPlayer
from boltree.go.settings import go_setting
from child import LONG, wait_until

OURS = [
    sys.executable,
    "-m",
    "boltree",
    "gtp",
    "--algorithm",
    "uct",
    "--network",
    "none",
    "--trials",
    "40",
    "--seed",
    "1",
]
GNUGO = shutil.which("gnugo") or ("/usr/games/gnugo" if os.path.exists("/usr/games/gnugo") else None)
KATAGO = shutil.which("katago")
RULES = "no-suicide"


def script(tmp_path, text: str) -> list[str]:
    """A program that speaks GTP as `answer(line)` says."""
    file = tmp_path / "engine.py"
    file.write_text(
        "import os, sys, time\n"
        f"{text}\n"
        "for line in sys.stdin:\n"
        "    line = line.strip()\n"
        "    said = answer(line)\n"
        "    if said is not None:\n"
        "        print(said + '\\n', flush=True)\n"
        "    if line == 'quit':\n"
        "        break\n"
    )
    return [sys.executable, str(file)]


def test_our_own_engine_plays_a_legal_game():
    player, other = EnginePlayer(OURS, name="pipe"), SearchPlayer(go_setting("uct").algorithm(), seed=2)
    game = Game(5, 0.5, RULES)
    try:
        while not game.is_over:
            mover = player if game.to_move == "black" else other
            game.play(mover.choose(game, Limit(trials=40)).move)
        assert len(game.moves) > 4
        undone = game.copy()
        for _ in range(3):
            undone.undo()
        assert undone.is_legal(player.choose(undone, Limit(trials=40)).move)  # a game taken back is told anew
        undone.play(player.engine.ask("showboard").split("after ")[1].split(":")[0])
        assert player.engine.ask("showboard") == str(undone)
    finally:
        player.close()
    assert player.engine._process.returncode == 0


def test_the_engine_knows_the_whole_game():
    """Stones set up, komi, moves out of turn: what the engine thinks the board is, is the board."""
    player = EnginePlayer(OURS)
    game = Game(7, 3.5, RULES, black=["C3", "E5"], to_move="white")
    for move in ("D4", "C5", "D5", "pass"):
        game.play(move)
    try:
        player._follow(game)
        assert player.engine.ask("get_komi") == "3.5"
        assert player.engine.ask("showboard").splitlines()[:-1] == str(game).splitlines()[:-1]
    finally:
        player.close()


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian: apt install gnugo)")
def test_a_game_against_gnu_go():
    command = f"{GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead --never-resign --seed 1"
    limit = Limit(trials=100)
    pairing = Pairing(engine_from(command, limit), contender_from("uct", limit), 9, 6.5, ("E5", "C3"), pair=0, seed=0)
    columns = pairing.run()
    assert columns["ended"] == "score"
    assert columns["black_searches"] == 0
    assert columns["white_searches"] > 10
    game = Game.from_sgf(columns["sgf"], rules=RULES)  # every move was legal
    assert game.is_over
    assert game.result == columns["result"]
    assert game.moves[:2] == ["E5", "C3"]


@pytest.mark.skipif(KATAGO is None, reason="KataGo is not on the PATH as katago (docs/katago.md says how to get it)")
def test_a_game_against_katago(tmp_path):
    """With the settings of docs/katago.md, but for fewer visits: it starts, takes the rules, and a game is legal."""
    network = network_file("b6")
    text = (Path(__file__).parents[2] / "docs" / "katago.md").read_text()
    settings = text.split("```ini\n")[1].split("```")[0]
    assert "maxPlayouts = 200" in settings
    file = tmp_path / "katago.cfg"
    file.write_text(settings.replace("maxPlayouts = 200", "maxPlayouts = 4"))
    command, limit = f"{KATAGO} gtp -model {network} -config {file}", Limit(trials=4)
    player = EnginePlayer(command.split())
    try:
        player.choose(Game(9, 6.5, RULES), limit)
        rules = json.loads(player.engine.ask("kata-get-rules"))
        assert (rules["scoring"], rules["ko"], rules["suicide"]) == ("AREA", "POSITIONAL", False)
        assert player.engine.ask("get_komi") == "6.5"
        assert player.engine.ask("kata-get-param maxPlayouts") == "4"
    finally:
        player.close()
    ours = contender_from(f"puct:network={network}", limit)
    columns = Pairing(engine_from(command, limit), ours, 9, 6.5, ("E5", "C3"), pair=0, seed=0).run()
    assert columns["ended"] == "score"
    game = Game.from_sgf(columns["sgf"], rules=RULES)
    assert game.is_over
    assert game.result == columns["result"]


def test_no_such_program():
    with pytest.raises(ParameterError, match="engine 'no-such-engine --x': cannot be started: No such file"):
        Engine(["no-such-engine", "--x"])


def test_a_program_that_ends_at_once():
    with pytest.raises(EngineError, match=r"it ended \(exit status 3\).*its last words: out of paper"):
        EnginePlayer([sys.executable, "-c", "import sys; print('out of paper', file=sys.stderr); sys.exit(3)"])


def test_a_program_that_speaks_no_gtp():
    with pytest.raises(EngineError, match="'list_commands' was answered by 'Welcome!', which is no GTP"):
        EnginePlayer([sys.executable, "-c", "print('Welcome!', flush=True); import time; time.sleep(20)"])


def test_a_program_that_dies_in_the_game(tmp_path):
    player = EnginePlayer(script(tmp_path, "def answer(line):\n    return os._exit(9) if line[:3] == 'gen' else '= '"))
    with pytest.raises(LabError, match=r"it ended \(exit status 9\) at 'genmove black'"):
        player.choose(Game(5), Limit(trials=1))
    player.close()


def silence(error: EngineError) -> float:
    """How long was waited for an answer."""
    return float(re.search(r"within (\d+\.\d) s", str(error))[1])


def test_a_program_that_says_nothing(tmp_path):
    """It answers once, and so has started, however long that took."""
    text = "moves = iter(['= C3'])\ndef answer(line):\n    return next(moves, None) if line[:3] == 'gen' else '= '"
    player, game = EnginePlayer(script(tmp_path, text), patience=LONG), Game(5)
    game.play(player.choose(game, Limit(seconds=0.05)).move)
    player.engine.patience = 0.5
    with pytest.raises(EngineError, match="no answer to 'genmove white'") as caught:
        player.choose(game, Limit(seconds=0.05))
    assert 0.6 <= silence(caught.value) < 100.0  # and not as long as an engine may think that is told no time
    player.close()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("= Z99", "'Z99', which is no move"),
        ("= ", "'', which is no move"),
        ("hm", "no GTP"),
        ("? sorry", "was refused: sorry"),
    ],
)
def test_a_program_that_answers_no_move(tmp_path, answer, says):
    player = EnginePlayer(script(tmp_path, f"def answer(line):\n    return {answer!r} if line[:3] == 'gen' else '= '"))
    with pytest.raises((EngineError, ParameterError), match=says):
        player.choose(Game(5), Limit(trials=1))
    player.close()


def noting(commands: str) -> str:
    """A program that knows some commands more, and tells at the end what it heard."""
    return (
        "heard = []\n"
        "def answer(line):\n"
        "    heard.append(line)\n"
        f"    if line == 'list_commands':\n        return '= {commands}\\nplay\\n'\n"
        "    return '= ' + (' | '.join(heard) if line == 'heard' else 'C3' if line[:3] == 'gen' else '')"
    )


def test_time_and_long_answers(tmp_path):
    player = EnginePlayer(script(tmp_path, noting("time_settings")))
    game = Game(5, 0.5)
    assert player.choose(game, Limit(seconds=2.4)).move == "C3"
    game.play("C3")
    game.play("C4")
    player.choose(game, Limit(seconds=2.4))
    heard = player.engine.ask("heard")
    assert heard.count("time_settings 0 2 1") == 1
    assert heard.count("clear_board") == 1
    assert heard.endswith("play white C4 | genmove black | heard")
    player.close()


def test_katagos_own_commands(tmp_path):
    """It is told rules, and fractions of seconds, once a game; suicide is forbidden where the game forbids it."""
    player = EnginePlayer(
        script(tmp_path, noting("time_settings\\nkata-time_settings\\nkata-set-rules\\nkata-set-rule"))
    )
    game = Game(5, 6.5, RULES)
    player.choose(game, Limit(seconds=2.4))
    game.play("C3")
    player.choose(game, Limit(seconds=2.4))
    heard = player.engine.ask("heard").split(" | ")
    assert heard == [
        "list_commands", "kata-set-rules tromp-taylor", "kata-set-rule suicide false", "boardsize 5", "clear_board",
        "komi 6.5", "kata-time_settings byoyomi 0 2.4 1", "genmove black", "genmove white", "heard",
    ]  # fmt: skip
    player.choose(Game(5, 6.5, "tromp-taylor"), Limit(trials=1))
    assert player.engine.ask("heard").split(" | ")[len(heard) :][:2] == ["kata-set-rules tromp-taylor", "boardsize 5"]
    player.close()


@pytest.fixture
def tuning(tmp_path):
    """An engine that says something on stderr, and answers when it is let go."""
    go_on = tmp_path / "go-on"
    text = (
        "print('Tuning 3/55', file=sys.stderr, flush=True)\n"
        f"while not os.path.exists({str(go_on)!r}):\n    time.sleep(0.02)\n"
        "def answer(line):\n    return '= '"
    )
    engine = Engine(script(tmp_path, text), patience=0.5)
    wait_until(lambda: engine.stderr)
    yield engine, go_on
    go_on.touch()
    engine.close()


def test_an_engine_may_take_its_time_to_start(tuning, monkeypatch, caplog):
    """As long as it says something on stderr; what it says is told."""
    engine, go_on = tuning
    monkeypatch.setattr("boltree.go.match.engine._NEWS_SECONDS", 0.4)
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(engine.start, "list_commands")
        wait_until(lambda: "starting for 2 s: Tuning 3/55" in caplog.text)
        go_on.touch()
        assert answer.result(LONG) == ""
    assert engine.ask("name", patience=LONG) == ""


def test_an_engine_that_tunes_itself_is_not_waited_for_for_ever(tuning, monkeypatch):
    engine, _ = tuning
    monkeypatch.setattr("boltree.go.match.engine.STARTING_SECONDS", 0.7)
    with pytest.raises(EngineError, match=r"no answer to 'list_commands' .*Tuning 3/55") as caught:
        engine.start("list_commands")
    assert silence(caught.value) < 100.0


def test_a_program_that_waits_for_something_else():
    """GNU Go without --mode gtp says nothing at all: it is not waited for as one that tunes itself is."""
    with pytest.raises(EngineError, match=r"no answer to 'list_commands' .*GNU Go, say, needs --mode gtp") as caught:
        EnginePlayer([sys.executable, "-c", "import time; time.sleep(10_000)"], patience=1.0)
    assert 1.0 <= silence(caught.value) < 100.0


@pytest.mark.parametrize(("answer", "result", "ended"), [("= resign", "W+R", "resign"), ("= C3", "W+F", "forfeit")])
def test_resigning_and_illegal_moves_lose(tmp_path, answer, result, ended):
    command = " ".join(script(tmp_path, f"def answer(line):\n    return {answer!r} if line[:3] == 'gen' else '= '"))
    limit = Limit(trials=5)
    columns = Pairing(engine_from(command, limit), contender_from("uct", limit), 5, 0.5, ("C3", "A1"), 0, 0).run()
    assert columns["result"] == result
    assert columns["ended"].startswith(ended)
    assert columns["black_score"] == 0.0
    assert f"RE[{result}]" in columns["sgf"]
