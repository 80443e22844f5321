"""What programs of games want of a search: the line it expects, win rates of the mover, thinking meanwhile."""

from __future__ import annotations

import math
import threading

import pytest

import boltree as bt
from boltree.search.report import win_rate
from python_problems import Grid


def game_search(moves="0011", trials=2_000):
    search = bt.Search(bt.problems.ConnectFour(moves), bt.UCT(), seed=0)
    search.run(trials=trials)
    return search


def test_the_line_follows_the_tree():
    search = game_search()
    node, line = search.root, search.line()
    assert len(line) > 3
    for step in line:
        assert (step.action, step.value) == (node.recommended, node.value)
        assert step.visits == node.visits[node.actions == step.action][0]
        assert step.state == node.state
        assert step.name == f"column {step.action}"
        (node, *_) = node.outcomes(step.action) or [None]
    assert search.line(2) == line[:2]
    with pytest.raises(bt.ParameterError, match="steps=0"):
        search.line(0)


def test_a_line_goes_on_beyond_the_tree_where_values_are_known():
    found = bt.plan(bt.problems.DChain(12), seed=0)
    assert [step.action for step in found.line] == [1] * 12
    assert found.line == found.search.line()
    assert {step.visits > 0 for step in found.line} <= {True, False}


def test_win_rates_are_the_movers():
    """What is good for one is bad for the other."""
    for moves, player in (("001122", 0), ("00112", 1)):
        search = game_search(moves)
        report, root = search.report(), search.root
        assert (report.player, root.player, report.trials) == (player, player, 2_000)
        assert report.moves[0].action == search.recommend()
        assert sum(move.visits for move in report.moves) == root.visits.sum()
        assert sum(move.share for move in report.moves) == pytest.approx(1.0)
        for move in report.moves:
            q = float(root.q[root.actions == move.action][0])
            assert move.value == q
            assert move.win_rate == pytest.approx((1.0 + (q if player == 0 else -q)) / 2.0)
        assert [move.visits for move in report.moves[1:]] == sorted((m.visits for m in report.moves[1:]), reverse=True)
    assert game_search("001122").report().moves[0].win_rate == 1.0  # column 3 wins at once
    best = game_search("00112").report().moves[0]  # player 1 must take it
    assert (best.action, best.line[0]) == (3, "column 3")


def test_rates_are_within_a_games_range():
    assert win_rate(50.0, 0, -100.0, 100.0) == 0.75
    assert win_rate(3.0, 1, -1.0, 1.0) == 0.0
    assert math.isnan(win_rate(math.nan, 0, -1.0, 1.0))
    search = bt.Search(bt.problems.Go(size=3, scale=100.0), bt.UCT(), seed=0)
    search.run(trials=300)
    rates = [move.win_rate for move in search.report().moves if move.visits]
    assert all(0.0 <= rate <= 1.0 for rate in rates)
    assert len(set(rates)) > 1


def test_a_report_prints_as_a_table():
    search = game_search("001122")
    lines = str(search.report()).splitlines()
    assert lines[0] == "player 0 to move, 2,000 trials"
    assert lines[1].split() == ["action", "and", "then", "wins", "visits", "share"]
    assert lines[3].split()[:3] == ["column", "3", "100.0%"]
    assert len(lines) == 3 + 7
    assert "<td>100.0%</td>" in search.report()._repr_html_()
    alone = bt.Search(bt.problems.DChain(4), bt.BTS(alpha=0.5), seed=0, growth="trial")
    alone.run(trials=500)
    lines = str(alone.report()).splitlines()
    assert lines[0] == "500 trials"
    assert lines[3].split() == ["right", "right", "right", "right", "1", *lines[3].split()[-2:]]
    assert all(math.isnan(move.win_rate) for move in alone.report().moves)


@pytest.mark.parametrize("problem", [bt.problems.ConnectFour(), Grid()], ids=["compiled", "plain Python"])
def test_it_thinks_while_the_program_does_something_else(problem):
    search = bt.Search(problem, bt.UCT(), seed=0)
    search.run(trials=10)
    search.start()
    thread = next(one for one in threading.enumerate() if one.name == "boltree-pondering")
    with pytest.raises(RuntimeError, match="started already; stop it first"):
        search.start()
    while search.trials < 100 and thread.is_alive():
        pass
    with pytest.raises(RuntimeError, match="already running"):
        search.run(trials=1)
    assert search.stop() == "stop"
    assert not thread.is_alive()
    after = search.trials
    assert after >= 100
    search.run(trials=5)
    assert search.trials == after + 5
    assert search.stop() == "stop"  # there is nothing to stop


def test_pondering_ends_with_its_block_and_with_its_limit():
    search = game_search(trials=10)
    with search.pondering(trials=50) as same:
        assert same is search
        search._pondering._thread.join()  # the limit ends it, however long the block takes
    assert search.trials == 60
    with pytest.raises(ZeroDivisionError), search.pondering():
        1 / 0  # noqa: B018
    search.run(trials=1)


def test_an_error_while_it_thinks_is_raised_where_it_is_stopped():
    class Faulty(bt.PythonProblem):
        actions, horizon = 2, 5

        def start(self, rng):
            return 0

        def step(self, state, action, rng):
            raise LookupError("there is no room 7")

    search = bt.Search(Faulty(), bt.UCT(), seed=0)
    search.start()
    search._pondering._thread.join()
    with pytest.raises(LookupError, match="no room 7"):
        search.stop()
    assert search.stop() == "stop"
