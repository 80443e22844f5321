"""The suite's games: moves and results are the same on both boards, and a match counts what was played."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boltree.cli import main
from boltree.errors import ParameterError
from boltree.jobs.settings import Setting
from boltree.lab.suite.boards import GAMES, Board, game_named
from boltree.lab.suite.match_report import score_of
from boltree.lab.suite.matches import MOST_MOVES, MatchJob, Player, match
from boltree.lab.suite.opponents import OpenSpielMCTS
from boltree.lab.suite.planners import Default, Fixed
from boltree.problem.state import PlainState

pyspiel = pytest.importorskip("pyspiel", reason="pip install 'boltree[openspiel]'")

UCT = Fixed(Setting("uct", {"c": 1.0}))


@pytest.mark.parametrize("through", ["problem", "openspiel"])
@pytest.mark.parametrize("name", list(GAMES))
def test_random_games_are_the_same_on_both_boards(name: str, through: Any) -> None:
    game, rng = game_named(name), np.random.default_rng(1)
    problem, theirs = game.problem(through), game.load()
    results: Counter[float] = Counter()
    for _ in range(40 if through == "problem" else 3):
        board, total = Board(game, problem, theirs), 0.0
        while not board.over:
            here = problem.as_state(board.ours)
            assert board.player == problem.plain_player(here)
            moves = board.moves()
            assert sorted(moves) == sorted(board.theirs.legal_actions())
            assert sorted(moves.values()) == problem.legal_actions(here)
            move = int(rng.choice(sorted(moves)))
            memory = PlainState(np.asarray(here).reshape(1).copy())
            reward, done = problem.plain_step(memory, moves[move], rng)
            total += reward
            assert board.play(move) == moves[move]
            assert done == board.over
            assert done or problem.as_state(board.ours).tobytes() == memory.memory.tobytes()
        assert board.result == (total + 1.0) / 2.0
        results[board.result] += 1
    assert through == "openspiel" or {0.0, 1.0} <= set(results)


def test_openings_are_random_and_always_the_same() -> None:
    game = game_named("othello")
    problem, theirs = game.problem("problem"), game.load()

    def opened(seed: int) -> list[int]:
        board = Board(game, problem, theirs)
        board.open(game.opening, seed)
        return list(board.theirs.history())

    assert opened(3) == opened(3)
    assert len(opened(3)) == game.opening
    assert len({tuple(opened(seed)) for seed in range(10)}) > 5


def test_the_opponent_sees_a_win_in_one() -> None:
    theirs = game_named("connect-four").load()
    state = theirs.new_initial_state()
    for move in (3, 0, 3, 0, 3, 1):
        state.apply_action(move)
    found = OpenSpielMCTS(theirs, 0.02, seed=1).move(state)
    assert found.move == 3
    assert found.simulations > 0
    assert found.seconds > 0.0


@pytest.mark.parametrize("through", ["problem", "openspiel"])
@pytest.mark.parametrize("contender", [Default(), UCT], ids=["default", "uct"])
def test_a_game_is_played_to_its_end(contender: Any, through: Any) -> None:
    found = MatchJob("connect-four", contender, 0.01, opening=0, seat=1, through=through).run()
    assert found["score"] in (0.0, 0.5, 1.0)
    assert 2 <= found["answers"] <= 19
    assert found["their_trials"] > 0
    assert found["seconds"] >= 0.0
    assert found["their_seconds"] > 0.0


def test_our_side_keeps_what_it_searched() -> None:
    """A second move begins with what the first one found below both sides' moves."""
    game = game_named("connect-four")
    problem = game.problem("problem")
    board = Board(game, problem, game.load())
    us = Player(problem, UCT, 0.05, seed=0)
    for _ in range(2):
        names = {ours: move for move, ours in board.moves().items()}
        us.played(board.play(names[us.move(board.ours)]), board.ours)
        us.played(board.play(3), board.ours)
    assert us.kept[0] == 0
    assert 0 < us.kept[1] < us.trials[0]


def test_rows_name_results() -> None:
    jobs = match("hex-7x7", UCT, 6, 0.1)
    assert [(job.opening, job.seat) for job in jobs] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert [job.repeat for job in jobs] == list(range(6))
    assert len({job.key() for job in jobs}) == 6
    assert jobs[0].key() == match("hex-7x7", UCT, 2, 0.1)[0].key()
    others = [match("hex-7x7", UCT, 2, 0.2), match("hex-7x7", UCT, 2, 0.1, "openspiel"), match("othello", UCT, 2, 0.1)]
    assert jobs[0].key() not in {other[0].key() for other in others}
    assert others[1][0].problem == "hex-7x7 through OpenSpiel"


def test_a_score_has_an_interval_over_pairs() -> None:
    assert score_of([1.0, 0.0, 1.0, 0.0]).mean == 0.5
    certain = score_of([1.0] * 20)
    assert certain.mean == certain.high == 1.0
    assert 0.6 < certain.low < 0.8
    mixed = score_of([1.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    assert mixed.mean == pytest.approx(5 / 6)
    assert mixed.low < mixed.mean < mixed.high == 1.0


def test_a_move_that_takes_too_long_shortens_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands still but where the search is made to take three times what it may."""
    now, given = [0.0], []

    class Slow:
        trials = 0

        class root:
            count, recommended = 1, 0

        def run(self, seconds: float) -> None:
            given.append(seconds)
            now[0] += 0.3 if len(given) == 1 else seconds

        def recommend(self) -> int:
            return 0

    class Maker:
        def search(self, problem: Any, state: Any, seed: int) -> Slow:
            return Slow()

    monkeypatch.setattr("boltree.lab.suite.matches.time.perf_counter", lambda: now[0])
    us = Player(game_named("hex-7x7").problem("problem"), Maker(), 0.2, seed=0)  # type: ignore[arg-type]
    for _ in range(3):
        us.move(None)
    assert given == pytest.approx([0.2, 0.1, 0.2])
    assert us.spent == pytest.approx([0.3, 0.1, 0.2])


def test_a_move_without_time_is_made_after_a_few_trials() -> None:
    game = game_named("hex-7x7")
    problem = game.problem("problem")
    us = Player(problem, UCT, 0.0, seed=0)
    board = Board(game, problem, game.load())
    assert us.move(board.ours) in problem.legal_actions(board.ours)
    assert us.trials[0] < 1000


def test_games_have_fewer_moves_than_a_watcher_counts() -> None:
    for game in GAMES.values():
        assert game.load().max_game_length() <= MOST_MOVES


def test_the_command_plays_keeps_and_reports(tmp_path: Path, capsys: Any) -> None:
    words = ["suite", "--part", "games", "--problems", "connect*", "--games", "2", "--move-seconds", "0.005"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "connect-four" in shown
    assert "2 games at 0.005 s a move" in shown
    assert "hex" not in shown
    rows = list(csv.DictReader((tmp_path / "matches.csv").open()))
    assert sorted(row["repeat"] for row in rows) == ["0", "1"]
    assert all(row["score"] in ("0.0", "0.5", "1.0") for row in rows)
    assert "| connect-four" in (tmp_path / "matches.md").read_text()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "results").iterdir()}
    assert main([*words, "--out", str(tmp_path)]) == 0
    assert kept == {path: path.stat().st_mtime_ns for path in (tmp_path / "results").iterdir()}
    assert main(["suite", "--part", "games", "--problems", "chess", "--out", str(tmp_path)]) != 0
    assert "--problems chess: must match a game: connect-four" in capsys.readouterr().err


def test_unknown_games_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"game='hexx': must be one of connect-four, .*hex-7x7"):
        game_named("hexx")
