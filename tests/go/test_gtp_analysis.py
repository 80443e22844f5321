"""Live analysis over GTP: its form as programs read it, its numbers against the search and the network, its options."""

from __future__ import annotations

import io
import os
import queue
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from analysis_line import last, read
from made_networks import made
from talk import Talk

from boltree.evaluators import Cached
from boltree.go import Game, GoEvaluator
from boltree.go.gtp.protocol import Gtp, serve
from boltree.go.gtp.report import Reporter
from boltree.go.gtp.wish import Bar, Wish, wish_of
from boltree.go.network.graph import graph_of
from boltree.go.network.network import Network
from boltree.go.network.onnx import OnnxBackend
from boltree.go.player import Limit, SearchPlayer
from boltree.go.settings import go_setting
from child import LONG

POINT = r"([A-E][1-5]|pass)"


@pytest.fixture(scope="module")
def network() -> Network:
    layers = made(8, seed=3)
    return Network(layers, OnnxBackend(graph_of(layers), threads=1))


def reported(evaluator: Any, wish: Wish, trials: int = 300, game: Game | None = None) -> tuple[Any, Any, Game]:
    """A report of a search after so many trials, with the search and its game."""
    game = game or Game(5, 0.5, "no-suicide")
    search = SearchPlayer(go_setting("puct").algorithm(), evaluator=evaluator, seed=0).search_at(game)
    search.run(trials=trials)
    return read(Reporter(search, 5, "kata", wish).line()), search, game


# The form


@pytest.mark.parametrize(("style", "one"), [("lz-", 10_000), ("kata-", 1), ("", 1)])
def test_the_form(style, one):
    talk = Talk()
    head, *lines = talk(f"4 {style}analyze b 5").split("\n")
    assert head == "=4"
    assert lines
    for line in lines:
        infos = read(line)["info"]
        assert [int(info["order"]) for info in infos] == list(range(len(infos)))
        visits = [int(info["visits"]) for info in infos]
        assert visits == sorted(visits, reverse=True)
        assert min(visits) > 0
        for info in infos:
            assert list(info) == ["move", "visits", "winrate", "prior", "lcb", "order", "pv"]
            assert info["pv"][0] == info["move"]
            assert all(re.fullmatch(POINT, move) for move in info["pv"])
            assert 0 <= float(info["lcb"]) <= float(info["winrate"]) <= one
            for key in ("winrate", "prior", "lcb"):
                assert re.fullmatch(r"\d+" if style == "lz-" else r"[01]\.\d{6}", info[key])


def test_certainty_has_a_decimal_point():
    """Sabaki takes a number without one for ten-thousandths: a sure win must not be read as 0.01 %."""
    talk = Talk(looks=40)
    talk.all("komi -100", "play b C3")
    assert last(talk("kata-analyze b 20 maxmoves 1"))["info"][0]["winrate"] == "1.000000"
    assert last(talk("kata-analyze w 20 maxmoves 1"))["info"][0]["winrate"] == "0.000000"
    assert last(talk("lz-analyze b 20 maxmoves 1"))["info"][0]["winrate"] == "10000"


@pytest.mark.parametrize("words", ["b 5", "5", "black interval 5", "interval 5.0", "w", ""])
def test_colour_and_interval_may_be_left_out(words):
    talk = Talk()
    answer = talk(f"kata-analyze {words}")
    assert re.fullmatch(POINT, last(answer)["info"][0]["move"])
    assert talk.gtp.commands.game.moves == []


def test_the_words_of_an_analysis():
    assert wish_of([]) == Wish(None, 1.0)
    assert (Wish().limit, Wish(least=99).limit, Wish(most=3, least=99).limit) == (20, 99, 3)
    assert wish_of(["W", "interval", "25"]) == Wish("white", 0.25)
    assert wish_of(["interval", "0"]).seconds > 0
    assert wish_of(["50", "ownership", "true", "maxmoves", "1"]) == Wish(None, 0.5, 1, ownership=True)
    assert wish_of(["rootInfo", "TRUE", "pvVisits", "true", "minmoves", "3"]) == Wish(
        least=3, root=True, line_visits=True
    )
    assert wish_of(["movesOwnership", "true", "noResultValue", "true"]) == Wish()
    assert wish_of(["allow", "B", "d4,Q16,pass", "1"]).bars == (Bar("black", ("d4", "Q16", "pass"), 1, True),)
    assert len(wish_of(["b", "10", "avoid", "b", "A1", "9", "avoid", "w", "A1,B2", "9"]).bars) == 2


# The numbers


def test_it_agrees_with_the_search():
    found, search, game = reported("rollout", Wish(most=100, root=True), trials=2000)
    root = search.root
    infos = {info["move"]: info for info in found["info"]}
    assert len(infos) == np.count_nonzero(root.visits)
    for action, visits, value in zip(root.actions, root.visits, root.q, strict=True):
        info = infos[game.problem.action_name(int(action))]
        assert int(info["visits"]) == visits
        assert float(info["winrate"]) == pytest.approx((1 + value / 100) / 2, abs=1e-6)
    assert int(found["rootInfo"]["visits"]) == root.count
    assert float(found["rootInfo"]["winrate"]) == pytest.approx((1 + root.value / 100) / 2, abs=1e-6)
    for move in found["info"][0]["pv"]:
        game.play(move)  # legal, in turn
    assert len(game.moves) > 2


def test_an_empty_search_reports_nothing():
    search = SearchPlayer(go_setting("uct").algorithm(), seed=0).search_at(Game(5, 0.5, "no-suicide"))
    assert Reporter(search, 5, "lz", Wish()).line() == ""


def test_chances_are_of_whose_turn_it_is():
    talk = Talk(looks=40)
    talk.all("komi -100", "play b C3")
    assert float(last(talk("kata-analyze w 20"))["info"][0]["winrate"]) < 0.05
    assert float(last(talk("kata-analyze b 20"))["info"][0]["winrate"]) > 0.95


def test_how_many_moves():
    found, *_ = reported("rollout", Wish(most=3))
    assert len(found["info"]) == 3
    found, search, _ = reported("rollout", Wish(least=26), trials=4)
    assert len(found["info"]) == 26
    unvisited = found["info"][-1]
    assert unvisited["visits"] == "0"
    assert unvisited["pv"] == [unvisited["move"]]
    assert float(unvisited["winrate"]) == pytest.approx((1 + search.root.value / 100) / 2, abs=1e-6)
    assert len(reported("rollout", Wish(most=5, least=26), trials=4)[0]["info"]) == 5


def test_the_visits_of_a_variation():
    found, *_ = reported("rollout", Wish(line_visits=True), trials=2000)
    best = found["info"][0]
    assert len(best["pvVisits"]) == len(best["pv"]) > 2
    counts = [int(count) for count in best["pvVisits"]]
    assert counts[0] == int(best["visits"])
    assert counts == sorted(counts, reverse=True)


# Scores and ownership


@pytest.mark.parametrize("mover", ["black", "white"])
@pytest.mark.parametrize("remembered", [False, True])
def test_a_networks_score_and_ownership(network, mover, remembered):
    """Against the network's own answers about the positions of each variation, by playing its moves."""
    game = Game(5, 0.5, "no-suicide", black=["B2"], white=["D4"], to_move=mover)
    evaluator: Any = GoEvaluator(network)
    evaluator = Cached(evaluator) if remembered else evaluator
    found, search, _ = reported(evaluator, Wish(seconds=1e6, ownership=True, root=True, most=4), game=game)
    side = 1 if mover == "black" else -1
    leads, owners, visits = [], [], []
    for info in found["info"]:
        line, said = game.copy(), []
        for move in info["pv"]:
            line.play(move)
            here = search.node([search.problem.action_names.index(one) for one in line.moves])
            if not here.terminal:
                said.append(network.evaluate(line))
        leads.append(-side * np.mean([one.white_lead for one in said]))
        owners.append(-side * np.mean([one.white_ownership for one in said], axis=0))
        visits.append(int(info["visits"]))
        assert float(info["scoreLead"]) == pytest.approx(leads[-1], abs=2e-4)
        assert info["scoreMean"] == info["scoreLead"]
    assert np.std(leads) > 0.001
    assert float(found["rootInfo"]["scoreLead"]) == pytest.approx(np.average(leads, weights=visits), abs=2e-4)
    owner = np.average(owners, axis=0, weights=visits).ravel()
    assert np.array(found["ownership"], float) == pytest.approx(owner, abs=2e-4)


def test_scores_do_not_hold_a_report_up(network, monkeypatch):
    """With no time for any, all moves have the root's own score."""
    asked = []
    monkeypatch.setattr(Network, "judge", lambda *words, old=Network.judge: asked.append(1) or old(*words))
    game = Game(5, 0.5, "no-suicide")
    search = SearchPlayer(go_setting("puct").algorithm(), evaluator=GoEvaluator(network), seed=0).search_at(game)
    search.run(trials=100)
    asked.clear()
    found = read(Reporter(search, 5, "kata", Wish(seconds=0.0)).line())
    assert len(asked) == 1
    lead = -network.evaluate(game).white_lead
    assert all(float(info["scoreLead"]) == pytest.approx(lead, abs=1e-3) for info in found["info"])


def test_without_a_network_there_is_no_score():
    game = Game(5, 0.5, "no-suicide", black=["A3", "B3", "C3", "D3", "E3"])
    found, *_ = reported("rollout", Wish(ownership=True, root=True), game=game)
    assert "scoreLead" not in found["info"][0]
    assert "scoreLead" not in found["rootInfo"]
    owner = np.array(found["ownership"], float)
    assert owner.shape == (25,)
    assert (owner[10:15] > 0.5).all()
    assert "ownership" not in reported("rollout", Wish())[0]


def test_ownership_is_of_whose_turn_it_is():
    talk = Talk()
    talk.all("play b C3", "play b B3", "play b D3", "play b A3", "play b E3")
    black = np.array(last(talk("kata-analyze b 1 ownership true"))["ownership"], float)
    white = np.array(last(talk("kata-analyze w 1 ownership true"))["ownership"], float)
    assert black == pytest.approx(-white, abs=1e-3)
    assert black[12] > 0.5


# Moves that are left out


def test_avoided_moves_are_not_searched():
    talk = Talk(looks=20)
    free = {info["move"] for info in last(talk("kata-analyze b 20 maxmoves 99"))["info"]}
    assert free == {*(f"{c}{r}" for c in "ABCDE" for r in range(1, 6)), "pass"}
    infos = last(talk("kata-analyze b 20 maxmoves 99 avoid b C3,pass,a1 1"))["info"]
    assert {info["move"] for info in infos} == free - {"C3", "pass", "A1"}
    replies = {info["pv"][1] for info in infos if len(info["pv"]) > 1}
    assert replies  # White may still go there
    infos = last(talk("kata-analyze b 20 maxmoves 99 avoid w C3 9"))["info"]
    assert {info["move"] for info in infos} == free


def test_only_allowed_moves_are_searched():
    talk = Talk(looks=20)
    infos = last(talk("lz-analyze b 20 allow b C3,D4 1"))["info"]
    assert {info["move"] for info in infos} == {"C3", "D4"}
    infos = last(talk("lz-analyze w 20 allow b C3 5"))["info"]
    assert len(infos) > 2
    assert {info["pv"][1] for info in infos if len(info["pv"]) > 1 and info["move"] != "C3"} <= {"C3"}


def test_moves_are_left_out_down_to_a_depth():
    """Black's moves but C3 and D4 are out at the root and at depth 2; at depth 4 all are there."""
    talk = Talk(looks=60)
    talk.all("play b A1", "play w A2")
    infos = last(talk("kata-analyze b 100 maxmoves 99 allow b C3,D4 4"))["info"]
    lines = [info["pv"] for info in infos]
    assert {line[0] for line in lines} == {"C3", "D4"}
    third = {line[2] for line in lines if len(line) > 2}
    assert third <= {"C3", "D4", "pass"}  # the pass where nothing else is left


def test_a_move_is_generated_among_those_allowed():
    talk = Talk(trials=100)
    assert talk("kata-genmove_analyze b 10 allow b A5 1").endswith("\nplay A5")
    assert talk("lz-genmove_analyze w 10 allow w E1,E2 1").split("\n")[-1] in ("play E1", "play E2")
    assert talk.gtp.commands.game.moves[0] == "A5"
    assert re.fullmatch(f"= {POINT}", talk("genmove b"))


def test_with_everything_left_out_a_pass_is_left():
    talk = Talk()
    infos = last(talk("lz-analyze b 5 allow b A1 1 maxmoves 9"))["info"]
    assert [info["move"] for info in infos] == ["A1"]
    talk("play b A1")
    infos = last(talk("lz-analyze b 5 allow b A1 1 maxmoves 9"))["info"]  # occupied
    assert [info["move"] for info in infos] == ["pass"]


# Moves with their thoughts, and what ends an analysis


@pytest.mark.parametrize("style", ["lz-", "kata-", ""])
def test_a_move_with_its_thoughts(style):
    talk = Talk(trials=200)
    *thoughts, move = talk(f"{style}genmove_analyze b 10").split("\n")
    assert thoughts[0] == "="
    assert re.fullmatch(f"play {POINT}", move)
    assert move.split()[1] == read(thoughts[-1])["info"][0]["move"]
    assert talk.gtp.commands.game.moves == [move.split()[1]]
    assert talk.gtp.commands.player.search_at(talk.gtp.commands.game).trials == 200


def test_an_accident_in_the_middle_ends_the_answer(monkeypatch, capsys):
    """It has begun as a good answer, which must not hold a second beginning."""
    talk = Talk()
    monkeypatch.setattr(Reporter, "line", lambda _: 1 / 0)
    assert talk("3 lz-analyze 5") == "=3"
    assert capsys.readouterr().err == "boltree: internal error: ZeroDivisionError: division by zero\n"
    assert talk("4 lz-analyze nonsense").startswith("?4 'nonsense'")
    assert talk("5 name") == "=5 Boltree UCT"


def test_a_command_ends_an_analysis():
    """The lines come one by one, the next when the analysis has spoken twice; an empty one will do."""
    out: queue.Queue[str] = queue.Queue()

    class Out(io.StringIO):
        def write(self, text: str) -> int:
            out.put(text)
            return super().write(text)

    def lines() -> Iterator[str]:
        for number, stop in ((1, "\n"), (2, "stop\n"), (3, "4 play b C3\n")):
            yield f"{number} lz-analyze b 5\n"
            told = 0
            while told < 2:
                told += out.get(timeout=LONG).startswith("info ")
            yield stop
        yield "5 genmove w\n"
        yield "6 quit\n"
        yield "7 name\n"

    written = Out()
    player = SearchPlayer(go_setting("uct").algorithm(), seed=0)
    limit = Limit(trials=20)
    serve(lambda write, stop: Gtp(player, limit, size=5, write=write, interrupted=stop), lines(), written)
    answers = written.getvalue().split("\n\n")
    assert [answer.split("\n")[0].split(" ")[0] for answer in answers] == ["=1", "=2", "=", "=3", "=4", "=5", "=6", ""]
    for answer in (answers[0], answers[1], answers[3]):
        assert len(answer.split("\n")) >= 3
        assert answer.split("\n")[1].startswith("info move ")
    assert re.fullmatch(f"=5 {POINT}", answers[5])


# Programs


def test_lizzie():
    """What Lizzie sends, in its order, and how it reads the answers: by number, and reports split at " info "."""
    command = [sys.executable, "-m", "boltree", "gtp", "--network", "none", "--trials", "30", "--say-version", "0.17"]
    environment = {**os.environ, "BOLTREE_QUIET": "1"}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, env=environment, **pipes) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        number = 0

        def send(text: str) -> None:
            nonlocal number
            number += 1
            engine.stdin.write(f"{number} {text}\n")
            engine.stdin.flush()

        def answer() -> str:
            """The first line of the answer to the last command; what stands before belongs to an earlier one."""
            for line in engine.stdout:
                words = line.split()
                if line[0] in "=?" and int(words[0][1:]) == number:
                    return line.strip()
            raise AssertionError("it ended")

        for text in ("name", "version", "boardsize 9", "komi 7.5", "time_settings 0 2 1", "clear_board", "play B E5"):
            send(text)
            said = answer()
            assert said.startswith("=")
            if text == "version":
                assert int(said.split()[1].split(".")[1]) >= 15
        for text in ("lz-analyze 10", "lz-analyze 10 avoid b A1,B2 3 avoid w A1,B2 3"):
            send(text)
            assert answer() == f"={number}"
            report = next(engine.stdout)
            assert report.startswith("info ")
            for info in report[5:].split(" info "):
                words = info.split()
                values = dict(zip(words[: words.index("pv") : 2], words[1 : words.index("pv") : 2], strict=True))
                assert int(values["visits"]) > 0
                assert 0 <= int(values["winrate"]) <= 10_000
                assert values["move"] not in ("A1", "B2") or "avoid" not in text
            send("name")  # ends it
            assert answer().startswith(f"={number} Boltree")
        send("genmove W")
        assert re.fullmatch(rf"={number} ([A-J][1-9]|pass)", answer())
        send("quit")
        assert answer() == f"={number}"
