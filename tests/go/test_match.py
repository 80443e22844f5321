"""Matches: pairs of games, records, tables, going on after a kill, Elo, and tuning."""

from __future__ import annotations

import io
import json
import math
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sgfmill import sgf, sgf_moves

import boltree as bt
from boltree.errors import LabError, ParameterError
from boltree.go import Game
from boltree.go.match import contender
from boltree.go.match.contender import contender_from, engine_from
from boltree.go.match.display import MatchDisplay
from boltree.go.match.elo import Elo, elo_difference, elo_of
from boltree.go.match.openings import opening_files, random_opening
from boltree.go.match.standings import Standings
from boltree.go.match.store import TIMING, MatchStore
from boltree.go.match.tournament import Tournament, tuned, verdict
from boltree.go.player import Limit
from boltree.jobs.executors import Here, Processes, Progress
from child import LONG, Child

LIMIT = Limit(trials=12)
COMMAND = [sys.executable, "-m", "boltree", "match", "--network", "none", "--board", "5", "--komi", "0.5"]


def tiny(*names: str, games: int = 4, **options: Any) -> Tournament:
    players = tuple(contender_from(name, LIMIT) for name in names or ("uct", "uct:trials=40"))
    openings = tuple(random_opening(5, 2, 0, k) for k in range(games // 2))
    return Tournament(players, games, 5, 0.5, **{"openings": openings, **options})


def lines_of(folder: Path) -> list[dict[str, Any]]:
    lines = [json.loads(path.read_text()) for path in sorted((folder / "games").glob("*.json"))]
    return [{key: value for key, value in line.items() if key not in TIMING} for line in lines]


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> tuple[Path, Standings]:
    folder = tmp_path_factory.mktemp("match")
    return folder, tiny().run(folder, Here(), show=False)


def test_games_are_paired(played):
    _, standings = played
    assert len(standings.lines) == 4
    pairs: dict[int, list[dict[str, Any]]] = {}
    for line in standings.lines:
        pairs.setdefault(line["pair"], []).append(line)
    for one, other in pairs.values():
        assert (one["black"], one["white"]) == (other["white"], other["black"]) == ("UCT", "UCT trials=40")
        openings = [json.loads(line["row"])["opening"] for line in (one, other)]
        assert openings[0] == openings[1]
        assert len(openings[0]) == 2
    assert len({str(json.loads(line["row"])["opening"]) for line in standings.lines}) == 2


def test_every_record_is_a_legal_game(played):
    folder, _ = played
    records = sorted((folder / "games").glob("*.sgf"))
    assert len(records) == 4
    for path in records:
        line = json.loads(path.with_suffix(".json").read_text())
        record = sgf.Sgf_game.from_bytes(path.read_bytes())
        assert (record.get_player_name("b"), record.get_player_name("w")) == (line["black"], line["white"])
        _, moves = sgf_moves.get_setup_and_moves(record)
        assert len(moves) == line["moves"]
        game = Game.from_sgf(path.read_bytes(), rules="no-suicide")
        assert game.is_over
        assert game.result == record.get_root().get("RE") == line["result"]
        assert line["black_score"] == (1.0 if line["result"].startswith("B") else 0.0)
        assert tuple(game.moves[:2]) == tuple(json.loads(line["row"])["opening"])


def test_trials_of_a_move(played):
    _, standings = played
    assert standings.trials("UCT") == 12
    assert standings.trials("UCT trials=40") == 40
    assert standings.trials("nobody") is None


def test_two_workers_play_the_same_games(played, tmp_path):
    folder, standings = played
    other = tiny().run(tmp_path, Processes(2), show=False)
    assert lines_of(tmp_path) == lines_of(folder)
    assert other.text() == standings.text()
    assert [p.read_bytes() for p in sorted(tmp_path.glob("games/*.sgf"))] == [
        p.read_bytes() for p in sorted(folder.glob("games/*.sgf"))
    ]


def test_shards_together_are_the_match(played, tmp_path):
    _, standings = played
    first = tiny().run(tmp_path, Here(), (0, 2), show=False)
    assert len(first.lines) == 2
    assert tiny().run(tmp_path, Here(), (1, 2), show=False).text() == standings.text()


def test_a_longer_match_keeps_the_first_games(played, tmp_path):
    folder, _ = played
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("games/*")}
    store = MatchStore(folder)
    longer = tiny(games=6)
    assert len(store.missing(longer.pairings())) == 2
    assert not store.missing(tiny().pairings())
    assert {path.name: path.stat().st_mtime_ns for path in folder.glob("games/*")} == before


ENGINE = """
import os, sys, time
from pathlib import Path

gate, first = Path(sys.argv[1]), 5
taken = set()
for line in sys.stdin:
    words, move = line.split(), ""
    if words[0] == "clear_board":
        taken.clear()
    elif words[0] == "play":
        taken.add(words[2].upper())
    elif words[0] == "genmove":
        (gate / str(os.getpid())).touch()
        while len(list(gate.iterdir())) > first and not (gate / "open").exists():
            time.sleep(0.02)
        move = next((one for one in ("C3", "B2", "D4", "B4", "D2") if one not in taken), "pass")
        taken.add(move)
    print(f"= {move}\\n", flush=True)
    if words[0] == "quit":
        break
"""
"""Plays some points and then passes. No more than five come through the gate until it is open."""


def test_a_killed_match_goes_on(tmp_path):
    """Killed without a warning, workers and all; then it goes on, and ends as one that was never stopped."""
    gate, engine = tmp_path / "gate", tmp_path / "engine.py"
    gate.mkdir()
    engine.write_text(ENGINE)
    command = [*COMMAND, "--games", "14", "--workers", "2", "--engine", f"{sys.executable} {engine} {gate}"]
    command += ["uct:trials=300", "--out"]
    games = tmp_path / "killed" / "games"
    with Child([*command, str(tmp_path / "killed")]) as match:
        match.until(lambda: len(list(games.glob("*.json"))) >= 3)
        match.signal(signal.SIGKILL)
        assert match.end() == -signal.SIGKILL
    kept = len(list(games.glob("*.json")))
    assert 3 <= kept < 14
    (gate / "open").touch()

    def ended(folder: Path) -> tuple[list[str], str]:
        with Child([*command, str(folder)]) as match:
            assert match.end() == 0, match.errors()
            return match.output().splitlines()[:-1], match.errors()  # all but where the games lie

    went_on, told = ended(tmp_path / "killed")
    whole, told_whole = ended(tmp_path / "whole")
    assert f"{kept} games are finished already; {14 - kept} to go" in told
    assert went_on == whole
    assert lines_of(tmp_path / "killed") == lines_of(tmp_path / "whole")
    assert "14 of 14: " in told_whole


# Tables and Elo


def line(black: str, white: str, score: float, pair: int, trials: int = 10) -> dict[str, Any]:
    counts = {"black_trials": trials, "white_trials": trials, "black_searches": 2, "white_searches": 2}
    return {"black": black, "white": white, "black_score": score, "pair": pair, "ended": "score", **counts}


def test_elo_by_hand():
    """Pairs 1, 1/2, 1/2, 1: mean 3/4, standard deviation √(1/12), so ±3.182 · √(1/12) / 2 = ±0.4593."""
    elo = elo_difference([1.0, 0.5, 0.5, 1.0])
    half = 3.182 * math.sqrt(1 / 12) / 2
    assert elo.mean == pytest.approx(400 * math.log10(3))
    assert elo.low == pytest.approx(400 * math.log10((0.75 - half) / (0.25 + half)))
    assert elo.high == math.inf
    many = elo_difference([1.0, 0.5, 0.0, 1.0, 0.5] * 20)
    deviation = math.sqrt((40 * 0.4**2 + 40 * 0.1**2 + 20 * 0.6**2) / 99)
    half = 1.98422 * deviation / 10
    assert many.high == pytest.approx(400 * math.log10((0.6 + half) / (0.4 - half)), rel=1e-4)
    assert many.low == pytest.approx(400 * math.log10((0.6 - half) / (0.4 + half)), rel=1e-3)


def test_elo_where_all_pairs_are_alike():
    """Wilson's interval: with n wins of n, its lower end is n / (n + z²)."""
    z2 = 1.959964**2
    won = elo_difference([1.0] * 10)
    assert (won.mean, won.high) == (math.inf, math.inf)
    assert won.low == pytest.approx(400 * math.log10(10 / z2))
    assert str(won) == "> +166"
    assert str(elo_difference([0.0] * 10)) == "< -166"
    even = elo_difference([0.5] * 10)
    assert even.mean == 0
    assert even.low == pytest.approx(-even.high)
    assert even.high > 100
    assert elo_of(10 / 11) == pytest.approx(400)
    assert str(Elo(12.3, -50.0, 80.6)) == "+12 [-50, +81]"


def test_pairing_narrows_the_interval():
    """When Black always wins, every pair is even: the games scatter, the pairs do not."""
    lines = [line("a", "b", 1.0, pair) for pair in range(20)] + [line("b", "a", 1.0, pair) for pair in range(19)]
    lines.append(line("b", "a", 0.0, 19))
    found = Standings(["a", "b"], lines)
    assert found.pairs("a", ["b"]) == [0.5] * 19 + [1.0]
    assert found.elo("a", ["b"]).high < 60  # independent games would give about 110


def test_the_paper_s_table():
    lines = [line("a", "b", 1.0, 0), line("b", "a", 0.0, 0), line("a", "b", 0.0, 1), line("b", "a", 0.5, 1)]
    lines += [line("a", "c", 1.0, 0, 30), line("c", "a", 1.0, 0, 30), line("b", "c", 1.0, 0), line("c", "b", 0.0, 0)]
    found = Standings(["a", "b", "c"], lines)
    assert found.won("a", "b") == (1.0, 1.0)
    assert found.points("a", "b") == (2.5, 1.5)
    text = found.text()
    rows = [re.split(r"\s{2,}", row) for row in text.splitlines()]
    assert ["a", "-", "1-1", "1-0", "8"] in rows  # 4 * 10 + 2 * 30 trials in 12 searches
    assert ["b", "0.5-1.5", "-", "1-0", "5"] in rows
    assert ["c", "1-0", "0-1", "-", "10"] in rows
    assert any(row[:3] == ["a", "b", "2.5-1.5"] for row in rows)
    assert found.matches_won("a") == 1.5
    assert found.winner() == "a"
    assert Standings(["a", "b"], []).text() == "No game is finished."
    lines[0]["ended"] = "forfeit: move 'C3': illegal"
    assert "1 games were forfeited, the first: forfeit: move 'C3'" in found.text()


def test_a_tie_is_broken_by_games():
    """Everybody wins one match; c by the most games."""
    lines = [line("a", "b", 1.0, 0), line("b", "a", 1.0, 0), line("a", "b", 1.0, 1), line("b", "c", 1.0, 0)]
    lines += [line("c", "a", 1.0, pair) for pair in range(3)]
    found = Standings(["a", "b", "c"], lines)
    assert [found.matches_won(one) for one in "abc"] == [1, 1, 1]
    assert found.winner() == "c"


def test_the_live_table():
    console = pytest.importorskip("rich.console").Console(width=100, record=True, file=io.StringIO())
    pairings = tiny().pairings()
    board = Progress(len(pairings))
    board.watcher(1)(17, 0.0)
    with MatchDisplay(["UCT", "UCT trials=40"], pairings, [], 4, board, quiet=False) as display:
        display.finished(pairings[0], {**line("", "", 1.0, 0), "result": "B+2.5", "moves": 30})
        console.print(display._table())
    text = console.export_text()
    assert re.search(r"UCT - UCT trials=40 +1-0 +> -234 +move 17", text)
    assert "1 of 4 games, 0 s" in text


# Openings


def test_random_openings():
    openings = [random_opening(9, 4, 7, k) for k in range(30)]
    assert len(set(openings)) == 30
    assert openings == [random_opening(9, 4, 7, k) for k in range(30)]
    assert openings != [random_opening(9, 4, 8, k) for k in range(30)]
    for moves in openings:
        game = Game(9, 6.5, "no-suicide")
        for move in moves:
            assert move[0] not in "AJ"
            assert move[1:] not in ("1", "9")
            game.play(move)
    assert random_opening(9, 0, 7, 0) == ()
    assert random_opening(2, 6, 7, 0)  # however small


def test_openings_from_files(tmp_path):
    game = Game(5)
    for move in ("C3", "B2"):
        game.play(move)
    (tmp_path / "b.sgf").write_text(game.to_sgf())
    game.play("D4")
    (tmp_path / "a.sgf").write_text(game.to_sgf())
    assert opening_files([tmp_path], 5) == [("C3", "B2", "D4"), ("C3", "B2")]
    assert opening_files([tmp_path / "b.sgf"], 5) == [("C3", "B2")]
    for paths, size, says in (
        ([tmp_path / "c.sgf"], 5, "c.sgf: No such file"),
        ([tmp_path / "a.sgf"], 9, "of a 5x5 board, must be 9x9"),
    ):
        with pytest.raises(ParameterError, match=says):
            opening_files(paths, size)
    (tmp_path / "a.sgf").write_text(Game(5, black=["A1", "B2"], to_move="white").to_sgf())
    with pytest.raises(ParameterError, match="must be moves alone"):
        opening_files([tmp_path / "a.sgf"], 5)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ParameterError, match=r"there is no \.sgf file"):
        opening_files([tmp_path / "empty"], 5)


# Round robins, tuning, and what goes wrong


def test_two_by_two(tmp_path):
    """Everybody meets one other; the same player may meet several, one after the other."""
    names = ("uct", "bts", "uct", "ments", "dents", "uct:trials=40")
    tournament = tiny(*names, games=2, two_by_two=True)
    standings = tournament.run(tmp_path, Here(), show=False)
    met = {frozenset((line["black"], line["white"])) for line in standings.lines}
    assert len(standings.lines) == 6
    assert met == {frozenset(pair) for pair in (("UCT", "BTS"), ("UCT", "MENTS"), ("DENTS", "UCT trials=40"))}
    text = standings.text()
    assert len(text.splitlines()) == 5  # no table of colours, no ranking: they did not all meet
    assert re.search(r"UCT +MENTS .* 12 +12$", text, re.MULTILINE)
    assert re.search(r"UCT trials=40 .* 12 +40$|DENTS +UCT trials=40 .* 12 +40$", text, re.MULTILINE)
    live = MatchDisplay(tournament.labels, tournament.pairings(), [], 6, Progress(6), quiet=True)._table()
    assert live.row_count == 3
    for wrong, message in (
        (("uct", "bts", "ments"), "3 players, must be an even number"),
        (("uct", "uct"), "UCT: must be two players"),
        (("uct", "bts", "bts", "uct"), "BTS - UCT: must be two players, and named once"),
    ):
        with pytest.raises(ParameterError, match=message):
            tiny(*wrong, two_by_two=True)


def test_a_tuning_round_robin(tmp_path):
    numbers = [3.0, 1.0, 0.3]
    players = tuned(contender_from("ar-bts", LIMIT), "alpha", numbers)
    assert [one.label for one in players] == ["alpha=3", "alpha=1", "alpha=0.3"]
    standings = Tournament(players, 2, 5, 0.5, (("C3",),)).run(tmp_path, Here(), show=False)
    assert len(standings.lines) == 6
    rows = {str(json.loads(line["row"])["black"]["algorithm"]) for line in standings.lines}
    assert len(rows) == 3
    assert verdict(standings, "alpha", numbers).startswith(f"Best: {standings.winner()}: ")
    with pytest.raises(ParameterError, match="two different numbers"):
        tuned(contender_from("ar-bts", LIMIT), "alpha", [1.0, 1.0])
    with pytest.raises(ParameterError, match="an engine's parameters"):
        tuned(engine_from("gnugo", LIMIT), "alpha", numbers)


@pytest.mark.parametrize(("best", "says"), [(0, "largest tried; try larger"), (1, "most matches"), (2, "try smaller")])
def test_the_verdict_of_tuning(best, says):
    labels = ["alpha=3", "alpha=1", "alpha=0.3"]
    lines = [line(labels[best], other, 1.0, 0) for other in labels if other != labels[best]]
    text = verdict(Standings(labels, lines), "alpha", [3.0, 1.0, 0.3])
    assert text.startswith(f"Best: {labels[best]}: ")
    assert says in text
    assert ("try" in text) == (best != 1)


def test_what_is_no_match():
    with pytest.raises(ParameterError, match="--games 3: must be even"):
        tiny(games=2, openings=((),)).__class__(tiny().players, 3, 5, 0.5)
    with pytest.raises(ParameterError, match="name two players or more"):
        tiny("uct")
    with pytest.raises(ParameterError, match="stands there twice"):
        tiny("uct", "uct")


def test_without_sgfmill_nothing_is_played(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sgfmill.sgf", None)
    executor = Here()
    monkeypatch.setattr(executor, "run", lambda *_: pytest.fail("a game was begun"))
    with pytest.raises(ParameterError, match=r"^sgfmill\.sgf: .*; run pip install 'boltree\[go\]'$"):
        tiny().run(tmp_path, executor, show=False)


def test_a_failed_game_is_named_and_the_others_are_kept(tmp_path):
    dead = engine_from(f"{sys.executable} -c 'import sys; sys.exit(5)'", LIMIT)
    players = (contender_from("uct", LIMIT), contender_from("puct", LIMIT), dead)
    with pytest.raises(LabError, match=r"4 of 6 games failed; the others are kept.*exit status 5"):
        Tournament(players, 2, 5, 0.5).run(tmp_path, Here(), show=False)
    assert len(lines_of(tmp_path)) == 2


def test_a_spoilt_line_is_named(played, tmp_path):
    store = MatchStore(tmp_path)
    pairing = tiny().pairings()[0]
    store.path(pairing).write_text('{"black_sc')
    with pytest.raises(LabError, match="delete it and give the same command again"):
        store.read([pairing])


def test_the_command_tunes_and_refuses(tmp_path):
    words = ["--tune", "alpha", "1,0.1", "--games", "2", "--trials", "10", "--workers", "1", "--out", str(tmp_path)]
    ran = subprocess.run([*COMMAND, *words], capture_output=True, encoding="utf-8", timeout=LONG)
    assert ran.returncode == 0, ran.stderr
    assert "Best: alpha=" in ran.stdout
    assert "Black \\ White" in ran.stdout
    for wrong, says in (
        (["uct"], "name two players or more"),
        (["uct", "bots"], "algorithm 'bots': must be one of"),
        (["uct", "bts", "--tune", "alpha", "1,2"], "--tune: name one player"),
        (["--tune", "alpha", "1,x"], "must be numbers"),
        (["uct", "bts", "--games", "5"], "--games 5: must be even"),
    ):
        ran = subprocess.run([*COMMAND, *wrong], capture_output=True, encoding="utf-8", timeout=LONG)
        assert ran.returncode == 2
        assert says in ran.stderr
        assert len(ran.stderr.splitlines()) == 1


def test_networks_are_ready_before_games_are_played_together(monkeypatch):
    class Silent:
        batch, asked = 8, []

        @property
        def network(self):
            return self

        def prepare(self, size, most):
            self.asked.append((size, most))

        def evaluate(self, batch):
            raise AssertionError

    one = replace(contender_from("puct", LIMIT, network="b6"), together=True)
    monkeypatch.setattr(contender, "_evaluator", lambda *_: bt.Together(Silent(), threads=12))
    one.prepare(9, 60)
    assert Silent.asked == [(9, 8 * 15)]  # four cohorts
    replace(one, together=False).prepare(9, 60)
    assert len(Silent.asked) == 1
