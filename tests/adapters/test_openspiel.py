"""Games of OpenSpiel's: move by move against OpenSpiel, values against its own and against plain recursions."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import boltree as bt
from boltree.adapters.openspiel import _sequences
from boltree.core.random import new_generator
from boltree.problem import check as checking
from boltree.problem.random import Generator
from boltree.problem.state import PlainState
from boltree.search.show import tree_text
from clock import TICK
from trees import check_invariants


def data_in(html):
    """What a page shows."""
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.S).group(1))


pyspiel = pytest.importorskip("pyspiel", reason="pip install 'boltree[openspiel]'")


def record_of(problem, state):
    return np.asarray(problem.as_state(state)).reshape(1).copy()


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "connect_four", "pig", "backgammon", "2048", "cliff_walking", "mancala"]
)
def test_random_games_are_those_of_openspiel(name):
    """Whole games, by our steps, replayed move by move in OpenSpiel: the same movers, moves, rewards and ends."""
    problem = bt.from_openspiel(name)
    game = problem.game
    rng, choose = new_generator(1), np.random.default_rng(2)
    for _ in range(2):
        here = PlainState(record_of(problem, problem.start(Generator(rng))))
        total, done, moves = 0.0, False, 0
        theirs = None
        while not done and moves < 60:
            before = problem.object_of(here.number)
            legal = problem.legal_actions(here)
            assert legal == sorted(before.legal_actions())
            if game.num_players() == 2:
                assert problem.plain_player(here.memory) == before.current_player()
            action = int(choose.choice(legal))
            reward, done = problem.plain_step(here, action, rng)
            total, moves = total + reward, moves + 1
            theirs = game.new_initial_state()
            for move in problem.object_of(here.number).history():  # chance's moves too
                theirs.apply_action(move)
            assert theirs.is_terminal() == done
            assert not theirs.is_chance_node()
            assert theirs.returns()[0] == pytest.approx(total)
        assert str(theirs) == problem.show_state(here)
    bt.check(bt.from_openspiel(name, horizon=4), episodes=1)


def test_tic_tac_toe_has_the_value_that_openspiel_finds():
    minimax = pytest.importorskip("open_spiel.python.algorithms.minimax")
    problem = bt.from_openspiel("tic_tac_toe")
    assert minimax.alpha_beta_search(problem.game)[0] == 0.0
    for moves in ([4, 1, 0], [0, 1, 3], [0, 4, 8], [1, 0, 5, 2]):
        state = problem.game.new_initial_state()
        for move in moves:
            state.apply_action(move)
        exact = bt.solve(problem, state=state)
        theirs = minimax.alpha_beta_search(problem.game, state.clone(), maximizing_player_id=0)[0]
        assert exact.root_value == theirs
        search = bt.Search(problem, bt.UCT(c=1.0), state=state, seed=0)
        search.run(trials=3_000)
        check_invariants(search)
        after = state.child(search.recommend())
        assert after.is_terminal() or bt.solve(problem, state=after).root_value == theirs


def test_our_own_tic_tac_toe_is_the_same_game():
    theirs, ours = bt.from_openspiel("tic_tac_toe"), bt.problems.TicTacToe()
    state, moves = theirs.game.new_initial_state(), (0, 4, 1, 2)
    for move in moves:
        state.apply_action(move)
    search = bt.Search(ours, bt.UCT(), seed=0)
    search.run(trials=20)
    for move in moves:
        search.advance(move)
    assert bt.solve(theirs, state=state).root_value == bt.solve(ours, state=search.root.state).root_value
    searches = [
        bt.Search(theirs, bt.BTS(alpha=0.5), state=state, seed=5, evaluator=0.0),
        bt.Search(ours, bt.BTS(alpha=0.5), state=search.root.state, seed=5, evaluator=0.0),
    ]
    for one in searches:
        one.run(trials=1_000)
    assert searches[0].root.visits.tolist() == searches[1].root.visits.tolist()
    assert searches[0].root.value == pytest.approx(searches[1].root.value)


def test_connect_four_sees_three_in_a_row():
    problem = bt.from_openspiel("connect_four")
    for moves, best in (([3, 0, 3, 0, 3, 1], 3), ([0, 3, 0, 3, 1, 3], 3)):  # win at once; stop the other
        state = problem.game.new_initial_state()
        for move in moves:
            state.apply_action(move)
        search = bt.Search(problem, bt.UCT(c=1.4), state=state, seed=0)
        search.run(trials=600)
        assert search.recommend() == best


WIN = 8


def test_pig_has_the_value_of_an_expectimax_in_openspiel():
    problem = bt.from_openspiel("pig", winscore=WIN, horizon=7)
    state = problem.game.new_initial_state()
    # OpenSpiel's own rules, one roll: six outcomes, of which the first passes the turn
    assert problem.chances(state, 0) == pytest.approx([1 / 6] * 6)
    lengths = {}
    for horizon in (2, 4):
        exact = bt.solve(bt.from_openspiel("pig", winscore=WIN, horizon=horizon)).root_value
        lengths[horizon] = exact
        assert exact == pytest.approx(openspiel_value(problem.game.new_initial_state(), horizon))
    assert lengths[4] != lengths[2]
    search = bt.Search(problem, bt.UCT(), seed=0)
    search.run(trials=2_000)
    check_invariants(search)
    assert len(search.children[0]) == 6


def test_chance_may_move_twice():
    """The first two tiles of 2048: any two places, each with a 2 or a 4."""
    found = _sequences(pyspiel.load_game("2048").new_initial_state())
    assert len(found) == 32 * 30
    assert sum(chance for chance, _ in found) == pytest.approx(1.0)
    assert max(chance for chance, _ in found) == pytest.approx(0.9 * 0.9 / (16 * 15))


def openspiel_value(state, left):
    """Expectimax in OpenSpiel itself."""
    if state.is_terminal() or (left == 0 and not state.is_chance_node()):
        return state.returns()[0]
    if state.is_chance_node():
        return sum(p * openspiel_value(state.child(a), left) for a, p in state.chance_outcomes())
    values = [openspiel_value(state.child(a), left - 1) for a in state.legal_actions()]
    return max(values) if state.current_player() == 0 else min(values)


@pytest.mark.parametrize("name", ["pig", "connect_four", "2048"])
def test_rollouts_by_openspiel_are_rollouts(name):
    """OpenSpiel's rollouts and our own loop: the same mean return."""
    whole, cut = bt.from_openspiel(name), bt.from_openspiel(name, horizon=10**6)
    cut._to_the_end = False
    assert whole._to_the_end
    rng, n = Generator(new_generator(0)), {"2048": 60, "pig": 150}.get(name, 600)
    state = whole.start(rng)
    returns = [[problem.rollout(state, 10**6, rng) for _ in range(n)] for problem in (whole, cut)]
    spread = np.sqrt(sum(np.var(one) for one in returns) / n)
    assert abs(np.mean(returns[0]) - np.mean(returns[1])) < 4 * spread + 1e-9


def test_2048_pays_on_the_way():
    problem = bt.from_openspiel("2048", horizon=20)
    search = bt.Search(problem, bt.BTS(alpha=10.0), seed=0)
    search.run(trials=300)
    check_invariants(search)
    assert not problem.has("player")
    assert search.root.value > 0.0
    episode = bt.act(problem, bt.UCT(c="auto"), trials=20, seed=0, steps=12)
    assert episode.value == episode.states[-1].returns()[0]


def test_backgammon_is_searched():
    problem = bt.from_openspiel("backgammon", horizon=6)
    search = bt.Search(problem, bt.UCT(), seed=1, evaluator=0.0)
    search.run(trials=300)
    check_invariants(search)
    counts = [len(outcomes) for outcomes in search.children.values()]
    assert max(counts) > 1  # the other's dice


@pytest.mark.usefixtures("clock")
def test_backgammon_is_checked_in_seconds(monkeypatch):
    """Twenty episodes have a million outcomes; some of them are enough."""
    monkeypatch.setattr(checking, "SECONDS", 20 * TICK)
    problem = bt.from_openspiel("backgammon")
    bt.check(problem)
    assert len(problem._objects) < 50_000


def test_play_goes_on_with_the_subtree():
    problem = bt.from_openspiel("connect_four")
    search = bt.Search(problem, bt.UCT(c=1.4), seed=0)
    search.run(trials=300)
    state = search.root.state.child(search.recommend())
    search.advance(search.recommend(), state)
    assert search.root.count > 10
    assert search.root.state.history() == state.history()


@pytest.mark.parametrize(
    ("game", "parameters", "message"),
    [
        (
            "kuhn_poker",
            {},
            r"game='kuhn_poker\(\)': its players do not know everything \(imperfect information\); must be",
        ),
        ("goofspiel", {}, "its players move at the same time"),
        ("matrix_rps", {}, "its players move at the same time"),
        ("pig", {"players": 3}, "it has 3 players"),
        ("blackjack", {}, "imperfect information"),
        ("stones_and_gems", {}, "its outcomes of chance cannot be listed"),
        ("conect_four", {}, "OpenSpiel has no such game; did you mean connect_four"),
        ("zzzzzz", {}, r"OpenSpiel has no such game; pyspiel.registered_names\(\) lists them"),
        ("connect_four", {"no": 1}, "Unknown parameter 'no'"),
        (3, {}, "game=3: must be a game's name"),
    ],
)
def test_refusals(game, parameters, message):
    with pytest.raises(bt.ParameterError, match=message) as caught:
        bt.from_openspiel(game, **parameters)
    assert "\n" not in str(caught.value)


def test_parameters():
    small = bt.from_openspiel("connect_four(rows=4,columns=4)")
    assert small.actions == 4
    assert bt.from_openspiel("connect_four", rows=4, columns=4).horizon == small.horizon == 16
    assert bt.from_openspiel(pyspiel.load_game("tic_tac_toe")).actions == 9
    with pytest.raises(bt.ParameterError, match="rows: is for a game's name"):
        bt.from_openspiel(pyspiel.load_game("tic_tac_toe"), rows=3)


def test_names():
    """Moves are called what OpenSpiel calls them where they are made, and a search is of the game."""
    search = bt.Search(bt.from_openspiel("connect_four"), bt.UCT(), seed=0)
    search.run(trials=200)
    assert [search.root.action_name(a) for a in range(7)] == [f"x{a}" for a in range(7)]
    assert search.node([3]).action_name(0) == "o0"
    text = tree_text(search.tree, 2)
    assert text.startswith("UCT on connect_four: 200 trials")
    assert re.search(r"^(\||`)-- .x\d", text, re.M)
    assert re.search(r"^(\||`| )   (\||`)-- .o\d", text, re.M)
    assert repr(search).startswith("<Search connect_four by UCT")
    assert bt.from_openspiel("pig", winscore=20).display_name() == "pig(winscore=20)"
    pig = bt.Search(bt.from_openspiel("pig", winscore=20), bt.UCT(), seed=0)
    pig.run(trials=200)
    assert {pig.root.action_name(a) for a in pig.root.actions.tolist()} == {"roll", "stop"}
    page = pig.watch(trials=100)
    data = data_in(page.html)
    assert data["title"] == "pig(winscore=20): UCT"
    assert data["names"] == ["roll", "stop"]
    assert set(data["searches"][0]["line"][-1]) <= {"roll", "stop"}


def test_names_on_a_page_differ_from_node_to_node():
    search = bt.Search(bt.from_openspiel("connect_four"), bt.UCT(), seed=0)
    data = data_in(search.watch(trials=300).html)
    assert data["names"] == [f"x{a}" for a in range(7)]
    root, *others = data["searches"][0]["tree"]["nodes"]
    assert "names" not in root  # they are those of the page
    below = next(node for node in others if node["up"] == 0 and "rows" in node)
    assert below["names"] == [f"o{row[0]}" for row in below["rows"]]
    line = data["searches"][0]["line"][-1]
    assert [name[0] for name in line] == list("xoxoxoxoxo")[: len(line)]


@pytest.mark.parametrize(
    ("game", "ours"),
    [
        ("connect_four", "ConnectFour()"),
        ("tic_tac_toe", "TicTacToe()"),
        ("hex(board_size=5)", "Hex(5)"),
        ("breakthrough(rows=6,columns=5)", "Breakthrough(6, 5)"),
        ("othello", "Othello()"),
        ("mancala", "Kalah()"),
        ("hex", ""),  # 11 x 11 is more than ours can be
        ("connect_four(rows=5)", ""),
        ("pig", ""),
    ],
)
def test_a_game_that_is_compiled_too_is_named(game, ours, caplog):
    with caplog.at_level("INFO", logger="boltree"):
        theirs = bt.from_openspiel(game)
    assert caplog.text.endswith(f"bt.problems.{ours} too, compiled: many times as fast\n") if ours else not caplog.text
    if ours:
        compiled = eval(f"bt.problems.{ours}")
        assert len(compiled.legal_actions(compiled.start_state())) == len(theirs.start(None).legal_actions())


def test_rollouts_pay_what_openspiels_games_pay():
    """Whoever moves, the result is player 0's."""
    problem = bt.from_openspiel("tic_tac_toe")
    state = problem.game.new_initial_state()
    for move in (0, 3, 1, 4, 8):  # O moves, and can win at 5
        state.apply_action(move)
    rng = Generator(new_generator(3))
    found = [problem.rollout(state, 9, rng) for _ in range(4_000)]
    exact = random_value(state)
    assert np.mean(found) == pytest.approx(exact, abs=4 * np.std(found) / 4_000**0.5)
    assert set(found) <= {-1.0, 0.0, 1.0}


def random_value(state):
    """Player 0's mean return of random moves to the end."""
    if state.is_terminal():
        return state.returns()[0]
    return np.mean([random_value(state.child(a)) for a in state.legal_actions()])
