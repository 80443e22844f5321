"""What is recorded agrees with the searches themselves."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest
from node_by_node import gathered, nodes_of
from watched import both, data_in, dents

import boltree as bt
from boltree.viewer.curves import entropy_of
from boltree.viewer.recording import points, record

ALGORITHMS = [bt.UCT(), dents(), bt.HMCTS(threshold=10), bt.ANTS(), bt.RENTS(), bt.PUCT(), bt.BRUE(), bt.TENTS()]


def as_seen(values):
    """Numbers as JSON holds them: rounded, and nothing for NaN."""
    return [None if math.isnan(value) else pytest.approx(value, rel=1e-4, abs=1e-12) for value in values]


def test_points():
    assert points(0, 1_000_000)[0] == 1
    assert points(0, 1_000_000)[-1] == 1_000_000
    assert 500_000 in points(0, 1_000_000)
    assert 55 <= len(points(0, 1_000_000)) <= 62
    assert points(0, 5) == [1, 2, 3, 4, 5]
    assert points(90, 100)[0] == 90
    assert points(3, 3) == [3]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: one.name)
def test_watching_changes_nothing(algorithm):
    problem = bt.problems.Sailing(4)
    watched, alone = both(problem, algorithm, algorithm)
    record([watched], 700)
    alone.run(trials=700)
    for name in ("parent", "action", "visits", "value", "recommended"):
        np.testing.assert_array_equal(getattr(watched.survey(), name), getattr(alone.survey(), name))
    watched.run(trials=50)
    alone.run(trials=50)
    assert watched.root.visits.tolist() == alone.root.visits.tolist()


def test_moments_are_what_a_search_says_at_that_trial():
    problem = bt.problems.FrozenLake("8x8")
    algorithms = (bt.UCT(), dents(alpha=0.1), bt.ARBTS())
    page = bt.watch(both(problem, *algorithms), trials=1_000)
    data = data_in(page.html)
    for algorithm, recording, shown in zip(algorithms, page.recordings, data["searches"], strict=True):
        other = bt.Search(problem, algorithm, seed=0, growth="trial")
        for i, trials in enumerate(shown["trials"]):
            other.run(trials=trials - other.trials)
            root = other.root
            assert shown["visits"][i] == root.visits.tolist()
            assert shown["q"][i] == as_seen(root.q)
            assert shown["policy"][i] == pytest.approx(root.policy.tolist(), abs=6e-4)
            assert shown["value"][i] == pytest.approx(root.value, rel=1e-4)
            assert shown["recommended"][i] == other.recommend()
            assert shown["nodes"][i] == other.size
            moment = recording.moments[i]
            assert moment.temperature == root.temperature or math.isnan(root.temperature)
            node = root
            assert len(moment.line) == len(shown["line"][i])
            for action, name in zip(moment.line, shown["line"][i], strict=True):
                assert action == node.recommended
                assert name == node.action_name(action)
                node = max(node.children[action], key=lambda child: child.count)
        assert shown["trials"][-1] == 1_000


def test_temperatures_and_entropies_are_drawn():
    page = bt.watch(both(bt.problems.DChain(5), bt.UCT(), dents(alpha=bt.sqrt_decay(2.0))), trials=100)
    figures = {figure["title"]: figure["panels"] for figure in data_in(page.html)["figures"]}
    alpha, beta = figures["Temperatures at the root"]
    assert [curve["label"] for curve in alpha["curves"]] == ["DENTS"]
    for x, y in zip(alpha["curves"][0]["x"], alpha["curves"][0]["mean"], strict=True):
        assert y == pytest.approx(2.0 / math.sqrt(x + 1), rel=1e-5)
    for x, y in zip(beta["curves"][0]["x"], beta["curves"][0]["mean"], strict=True):
        assert y == pytest.approx(1.0 / math.log(math.e + x + 1), rel=1e-5)
    policy, visits = figures["Entropy at the root"]
    for panel, field in ((policy, "policy"), (visits, "visits")):
        for curve, recording in zip(panel["curves"], page.recordings, strict=True):
            exact = []
            for moment in recording.moments:
                shares = getattr(moment, field) / getattr(moment, field).sum()
                exact.append(-sum(p * math.log(p) for p in shares if p > 0))
            assert curve["mean"] == pytest.approx(exact, abs=1e-6)
    q, shares = figures["Q of the root's actions"], figures["Visits of the root's actions"]
    assert [panel["title"] for panel in q] == [panel["title"] for panel in shares] == ["UCT", "DENTS"]
    last = page.recordings[1].search.root
    assert [curve["mean"][-1] for curve in q[1]["curves"]] == pytest.approx(last.q.tolist(), rel=1e-5)
    assert [curve["mean"][-1] for curve in shares[1]["curves"]] == pytest.approx((last.visits / 100).tolist())


def test_the_adaptive_temperature_is_the_solved_one():
    search = bt.Search(bt.problems.Sailing(4), bt.ANTS(alpha=3.0, every=8), seed=0)
    assert search.root.temperature == 3.0
    search.run(trials=200)
    assert search.root.temperature != 3.0
    assert math.isnan(search.root.entropy_weight)
    assert math.isnan(bt.Search(bt.problems.DChain(3), bt.UCT()).root.temperature)
    assert bt.Search(bt.problems.DChain(3), bt.ARMENTS(alpha=0.5)).root.entropy_weight == 0.5


class Row(bt.PythonProblem):
    """A chain of a user's own: going on (2) pays 3 at its end, two ways to leave pay 1 before."""

    actions, horizon, deterministic, length = 3, 20, True, 4

    def start(self, rng):
        return 1

    def step(self, state, action, rng):
        if action != 2:
            return "out", 1.0, True
        return state + 1, 3.0 if state == self.length else 0.0, state == self.length

    def scene(self):
        where = lambda state: None if state == "out" else state  # noqa: E731
        return bt.Chain(rewards=[1.0] * self.length, final_reward=3.0, position=where, forward=2)


def test_a_chain_of_ones_own():
    page = bt.watch(both(Row()), trials=500)
    data = data_in(page.html)
    assert data["scene"]["kind"] == "chain"
    assert data["said"]["intro"].startswith("A chain of 4 states. Leaving it at state 1, 2, … pays 1, 1, 1, 1;")
    assert [one["verdict"] for one in data["said"]["searches"]] == ["UCT finds the far end", "DENTS finds the far end"]
    visits = data["searches"][1]["picture"]["visits"][-1]
    assert visits[0] == 500
    assert visits[1] == page.recordings[1].search.root.visits[2]


class Back(Row):
    def step(self, state, action, rng):
        return (max(state - 1, 1), 0.0, False) if action == 0 else super().step(state, action, rng)


class Paid(Row):
    def step(self, state, action, rng):
        following, reward, done = super().step(state, action, rng)
        return following, reward + 0.5 * (action == 2), done


class Placed(Row):
    def scene(self):
        return bt.Chain(rewards=[1.0] * 4, final_reward=3.0, position=lambda state: (state, 0), forward=2)


class Forward(Row):
    def scene(self):
        return bt.Chain(rewards=[1.0] * 4, final_reward=3.0, position=lambda state: state, forward=3)


class Cells(Row):
    moves: ClassVar = {3: (0, 1)}

    def scene(self):
        return bt.Grid(rows=1, columns=6, cell=lambda state: None, moves=self.moves)


class Moved(Cells):
    moves: ClassVar = {2: 1}


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            Back,
            r"Back.scene: bt.Chain: action 0 at state 1 goes to 1, pays 0 and does not end, must be one that leaves "
            r"the chain, pays 1 and ends; a row of states with other rules is drawn by bt.Grid\(rows=1, ...\)",
        ),
        (Paid, "action 2 at state 1 goes to 2, pays 0.5 and does not end, must be one that goes to 2, pays 0 and does"),
        (Placed, r"Placed.scene: position of 1: \(1, 0\), must be a whole number, or None off the chain"),
        (Forward, "Forward.scene: bt.Chain: forward=3 is none of its actions, 0 to 2"),
        (Cells, "Cells.scene: moves: 3 is none of its actions, which are 0 to 2"),
        (Moved, r"Moved.scene: moves: 1 of action 2 must be \(rows, columns\)"),
    ],
)
def test_scenes_that_do_not_fit_are_refused(problem, message):
    with pytest.raises(bt.ProblemError, match=message):
        bt.watch(both(problem()), trials=10)
    with pytest.raises(bt.ProblemError, match="Chain: rewards: 'much', must be a finite number"):
        bt.Chain(rewards=["much"], final_reward=1.0, position=int)


GRIDS = [bt.problems.FrozenLake("8x8"), bt.problems.Sailing(4), bt.problems.AdaptedChain(4, 3)]


@pytest.mark.parametrize("problem", GRIDS, ids=lambda one: type(one).__name__)
def test_cells_are_gathered_as_node_by_node(problem):
    searches = both(problem, bt.UCT(), dents())
    data = data_in(bt.watch(searches, trials=200).html)
    cells = [tuple(cell) for cell in data["scene"]["cells"]]
    for search, shown in zip(searches, data["searches"], strict=True):
        exact = gathered(search, problem.scene().cell)
        assert set(exact) <= set(cells)
        for i, cell in enumerate(cells):
            visits, value, action = exact.get(cell, (0, None, -1))
            assert shown["picture"]["visits"][-1][i] == visits
            assert shown["picture"]["action"][-1][i] == action
            drawn = shown["picture"]["value"][-1][i]
            assert drawn == (None if value is None else pytest.approx(value, rel=2e-3, abs=1e-9))
        earlier = shown["picture"]["visits"][10]
        assert sum(earlier) < sum(shown["picture"]["visits"][-1])


def test_a_large_grid_is_cut_to_what_was_visited():
    search = bt.Search(bt.problems.Sailing(200, horizon=40), bt.UCT(), seed=0)
    page = bt.watch(search, trials=2_000)
    scene = data_in(page.html)["scene"]
    assert scene["cut"]
    assert scene["rows"] < 100
    assert scene["columns"] < 100
    rows, columns = zip(*scene["cells"], strict=True)
    assert (min(rows), min(columns)) == (0, 0)
    assert scene["letters"][-1][0] == "S"


@pytest.mark.parametrize("algorithm", [bt.UCT(), dents()], ids=lambda one: one.name)
def test_chains_are_counted_as_node_by_node(algorithm):
    problem = bt.problems.DChain(6)
    search = bt.Search(problem, algorithm, seed=1, growth="trial")
    [recording] = record([search], 500)
    visits, left = [0] * 7, [0] * 6
    for node, parent, action in nodes_of(search):
        if 1 <= node.state.d <= 7:
            visits[node.state.d - 1] += node.count
        if parent is not None and action == 0:
            left[parent.state.d - 1] += node.count
    end = recording.painter.passages[-1]
    assert end.visits.tolist() == visits
    assert end.left.tolist() == left
    assert end.trials == 500


def test_the_first_arrival_is_the_first():
    for seed in range(5):
        search = bt.Search(bt.problems.DChain(6), dents(), seed=seed, growth="trial")
        [recording] = record([search], 500)
        other = bt.Search(bt.problems.DChain(6), dents(), seed=seed, growth="trial")
        while not any(node.state.d == 7 for node, _, _ in nodes_of(other)):
            other.run(trials=1)
        assert recording.painter.first == other.trials


def test_boards_show_the_roots_moves():
    game = bt.problems.ConnectFour("3340")
    shown = data_in(bt.watch(bt.Search(game, bt.UCT(), seed=0), trials=300).html)
    tops = [4, 5, 5, 3, 4, 5, 5]
    assert shown["scene"]["places"] == {str(column): [row, column] for column, row in enumerate(tops)}
    assert shown["scene"]["stones"][-2:] == ["...O...", "O..XX.."]
    tictactoe = data_in(bt.watch(bt.Search(bt.problems.TicTacToe(), bt.UCT(), seed=0), trials=99).html)
    assert tictactoe["scene"]["places"]["5"] == [1, 2]
    go = bt.go.Game(size=5)
    go.play("C3")
    board = data_in(bt.watch(bt.Search(go.problem, bt.UCT(), state=go.state, seed=0), trials=50).html)["scene"]
    assert board["stones"][2] == "..X.."
    assert board["places"]["25"] is None
    assert board["crossings"]


def test_boards_must_show_the_same_position():
    game = bt.problems.TicTacToe()
    searches = both(game, bt.UCT(), bt.BTS(), growth="leaf")
    searches[0].run(trials=20)
    searches[0].advance(4)
    with pytest.raises(bt.ParameterError, match="different positions"):
        bt.watch(searches, trials=10)
    assert searches[1].trials == 0


def test_a_search_as_it_is_now():
    search = bt.Search(bt.problems.FrozenLake("8x8"), dents(), seed=0, growth="trial")
    with pytest.raises(bt.ParameterError, match="no trials yet"):
        search.watch()
    search.run(trials=300)
    before = search.watch()
    shown = data_in(before.html)
    assert shown["searches"][0]["trials"] == [300]
    assert shown["figures"] == []
    search.run(trials=300)
    assert data_in(before.html) == shown  # the page stays what it was
    assert data_in(search.watch(trials=100).html)["searches"][0]["trials"][0] == 600
    assert search.trials == 700


def test_memory_may_end_a_recording():
    search = bt.Search(bt.problems.FrozenLake("8x8"), dents(), seed=0, growth="trial", max_nodes=2_000)
    [recording] = record([search], 100_000)
    assert recording.full
    assert recording.moments[-1].trials == search.trials < 100_000


def test_mistakes_are_named():
    chain = bt.problems.DChain(5)
    one, two = both(chain)
    for given, message in [
        ([], "must be a bt.Search or a list of them"),
        ([one, 3], "must be a bt.Search or a list of them"),
        ([one, one], "the same search stands there twice"),
        ([one, bt.Search(bt.problems.DChain(6), bt.UCT())], "must be of the same problem"),
    ]:
        with pytest.raises(bt.ParameterError, match=message):
            bt.watch(given, trials=10)
    for trials in (0, -1, True, 2.5):
        with pytest.raises(bt.ParameterError, match=f"trials={trials!r}: must be an integer of at least 1"):
            bt.watch([one, two], trials=trials)


class Maze(bt.PythonProblem):
    actions, horizon, deterministic = 2, 6, True
    drawn = None

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        return state + 1 + action, 0.5, state > 4

    def scene(self):
        return self.drawn


def watched(drawn, trials=40):
    problem = Maze()
    problem.drawn = drawn
    return data_in(bt.watch(bt.Search(problem, bt.BTS(), seed=0), trials=trials).html)


def test_ones_own_scene():
    shown = watched(bt.Grid(rows=1, columns=9, cell=lambda state: (0, state) if state else None, moves={0: (0, 1)}))
    assert shown["scene"]["kind"] == "grid"
    assert [0, 0] not in shown["scene"]["cells"]
    assert watched(None)["scene"] is None
    for drawn, message in [
        (bt.Grid(rows=1, columns=2, cell=lambda state: (0, state)), r"Maze.scene: cell of 2: \(0, 2\) must be"),
        (bt.Grid(rows=1, columns=2, cell=lambda state: state), "Maze.scene: cell of 0: 0 must be"),
        (bt.Board(rows=1, columns=2, stones=lambda s: ["."], place=lambda s, a: None), "must be 1 rows of 2 letters"),
        (bt.Board(rows=1, columns=1, stones=lambda s: ["."], place=lambda s, a: (1, 1)), "place of 0: .1, 1. must be"),
        ("a grid", "must return a bt.Grid, bt.Chain or bt.Board, or None"),
    ]:
        with pytest.raises(bt.ProblemError, match=message):
            watched(drawn)
    with pytest.raises(bt.ProblemError, match="rows=0, must be an integer of at least 1"):
        bt.Grid(rows=0, columns=2, cell=lambda state: None)
    with pytest.raises(bt.ProblemError, match="must be 2 rows of 2 letters"):
        bt.Grid(rows=2, columns=2, cell=lambda state: None, letters=["ab", "c"])
    with pytest.raises(bt.ProblemError, match="rewards is empty"):
        bt.Chain(rewards=[], final_reward=1.0, position=lambda state: 1)


def test_the_survey_is_what_nodes_say():
    search = bt.Search(bt.problems.Sailing(4), bt.UCT(), seed=0)
    search.run(trials=300)
    seen = search.survey()
    assert seen.visits.size == search.size
    for i in range(search.size):
        node = search.node_at(i)
        assert (node.depth, node.count, node.value, node.terminal) == (
            seen.depth[i], seen.visits[i], seen.value[i], seen.terminal[i],
        )  # fmt: skip
        assert (-1 if node.recommended is None else node.recommended) == seen.recommended[i]
        for action, outcomes in node.children.items():
            for child in outcomes:
                assert (seen.parent[child._index], seen.action[child._index]) == (i, action)
    assert seen.parent[seen.root] == -1


def test_the_entropy_of_nothing_is_nothing():
    assert entropy_of(np.zeros(3)) == 0.0
    assert entropy_of(np.array([2, 2, 4])) == pytest.approx(1.5 * math.log(2))
