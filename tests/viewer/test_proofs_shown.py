"""What is proven, and bounds: in texts, tables, graphs, recordings and words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from watched import both, data_in, playing, proving

import boltree as bt
from boltree.search.show import tree_text
from boltree.tree.proof_text import bounds_text
from boltree.viewer.branches import branches_of
from boltree.viewer.proof_story import INTRO
from boltree.viewer.recording import record
from boltree.viewer.story import story

TWO_MOVES, PROVEN_AFTER = "3344", 49
"""Moves after which Connect Four is won in two, and the trials in which `playing` sees that."""


@pytest.fixture(scope="module")
def partly():
    """Much is proven, but not the root."""
    search = playing(bt.problems.TicTacToe())
    search.run(trials=3_750)
    assert not search.proven
    return search


@pytest.fixture(scope="module")
def proven():
    search = playing(bt.problems.ConnectFour(TWO_MOVES))
    assert search.run(trials=1_000) == "proven"
    return search


def nodes_below(search):
    """Some nodes of every kind."""
    return [search.node_at(i) for i in range(0, search.size, 7)]


def test_nodes_are_printed_with_their_bounds(partly, proven):
    kinds, sailing = set(), proving(bt.problems.Sailing(3))
    sailing.run(trials=100)
    for node in [*nodes_below(partly), *(node for node in nodes_below(sailing) if node.terminal)]:
        title, *lines = str(node).splitlines()
        assert (", proven" in title) == node.proven
        words = f"(surely within {bounds_text(node.lower, node.upper)})"
        assert (words in title) == (not node.proven and not node.terminal and math.isfinite(node.lower))
        kinds.add((node.proven, node.terminal))
        if lines and lines[0].endswith("surely within"):
            bounds = {int(a): bounds_text(*b) for a, b in zip(node.actions, node.action_bounds.tolist(), strict=True)}
            for line in lines[1:]:
                assert line.endswith(f" {bounds[int(line.split()[int(line[0] == '*')])]}")
    assert kinds == {(False, False), (True, False), (False, True)}  # not proven, proven, ends
    assert str(proven.root).splitlines()[0].endswith("value 1, proven")
    assert str(proven).splitlines()[1].endswith("transpositions, proofs")
    assert str(proven).splitlines()[2].endswith("recommends 5 (column 5), root value 1, proven")
    assert str(partly).splitlines()[2].endswith("(surely within 0 to 1)")


def test_an_action_that_is_proven_without_a_visit_shows_its_value():
    search = bt.Search(bt.problems.FrozenLake(("SF", "HG")), seed=0)
    search.run(trials=500)
    node = next(
        n for n in nodes_below(search) if ((n.visits == 0) & (n.action_bounds[:, 0] == n.action_bounds[:, 1])).any()
    )
    for i, action in enumerate(node.actions):
        if node.visits[i] == 0:
            [line] = [line for line in str(node).splitlines() if line[2:].startswith(f"{action} ")]
            lower, upper = node.action_bounds[i]
            assert (f" {lower:.4g} " in line and line.endswith("proven")) == (lower == upper)


def test_trees_are_printed_with_their_bounds(partly, proven):
    lines = tree_text(partly.tree, 2).splitlines()
    assert lines[1].endswith("surely within 0 to 1")
    of_root = [line for line in lines[2:] if line.startswith("|-- ") and " pi " in line]
    by_name = {partly.root.action_name(int(a)): i for i, a in enumerate(partly.root.actions)}
    for line in of_root:
        lower, upper = partly.root.action_bounds[by_name[line[5:].split(" N ")[0].strip()]]
        words = bounds_text(lower, upper)
        assert line.endswith("  proven" if words == "proven" else f"surely within {words}")
    assert any(line.startswith("|   ") and line.endswith("  proven") for line in lines)
    assert tree_text(proven.tree, 1).splitlines()[1].endswith("V 1  proven")


def test_outcomes_are_printed_with_their_bounds():
    search = bt.Search(bt.problems.Sailing(3), seed=0)
    search.run(trials=5_000)
    assert search.proven
    outcomes = [line for line in tree_text(search.tree, 1).splitlines() if " (0) " in line]
    assert outcomes
    assert all("  proven" in line for line in outcomes)


def test_a_table_in_a_terminal_has_a_column_of_bounds(partly):
    console = pytest.importorskip("rich.console")
    from boltree.search.show import tree_table

    def shown(search):
        made = console.Console(width=120, force_terminal=True, color_system=None)
        with made.capture() as caught:
            made.print(tree_table(search.tree, 2))
        return caught.get()

    table = shown(partly)
    assert table.splitlines()[1].split()[-2:] == ["surely", "within"]
    assert table.splitlines()[2].rstrip().endswith("0 to 1")
    assert "proven" in table
    [without] = both(bt.problems.TicTacToe(), bt.UCT())
    without.run(trials=100)
    assert "surely" not in shown(without)


def test_notebooks_show_the_column(partly):
    assert "<th" in partly.root._repr_html_()
    assert partly.root._repr_html_().count("surely within</th>") == 1
    found = bt.plan(bt.problems.FrozenLake(), seed=0)
    html = found._repr_html_()
    assert html.count("surely within</th>") == 1
    assert html.count(">proven</td>") == sum(one.proven for one in found.alternatives) == 4


def test_nothing_is_said_without_proofs():
    [search] = both(bt.problems.TicTacToe(), bt.UCT())
    search.run(trials=500)
    page = search.watch()
    data = data_in(page.html)
    texts = [str(search), tree_text(search.tree, 3), search._repr_html_(), *map(str, nodes_below(search))]
    assert not any(word in text for text in texts for word in ("surely", "proven", "proofs"))
    assert data["said"] is None
    assert not {"bounds", "inside"} & set(data["searches"][0])
    assert not any({"bounds", "inside"} & set(node) for node in data["searches"][0]["tree"]["nodes"])
    grid = data_in(bt.watch(both(bt.problems.FrozenLake("8x8")), trials=20).html)
    assert set(grid["searches"][0]["picture"]) == {"visits", "value", "action"}
    assert grid["figures"][0]["title"] == "Q of the root's actions"


def test_graphs_carry_bounds_that_are_known(partly, proven):
    pytest.importorskip("networkx")
    graph = partly.to_networkx(1)
    assert (graph.nodes[0]["proven"], graph.nodes[0]["lower"], graph.nodes[0]["upper"]) == (False, 0.0, 1.0)
    bounds = dict(zip(partly.root.actions.tolist(), partly.root.action_bounds.tolist(), strict=True))
    for _, _, edge in graph.out_edges(0, data=True):
        assert [edge["lower"], edge["upper"]] == bounds[edge["action"]]
    assert proven.to_networkx(0).nodes[0]["proven"]
    half = playing(bt.problems.ConnectFour("33"))
    half.run(trials=1)
    assert all(math.isfinite(edge["upper"]) for _, _, edge in half.to_networkx(1).edges(data=True))
    assert all("lower" not in node or math.isfinite(node["lower"]) for _, node in half.to_networkx(1).nodes(data=True))


@pytest.mark.parametrize("trials", [3, PROVEN_AFTER, 1_000])
def test_a_recording_ends_when_the_root_is_proven(trials):
    watched, alone = (playing(bt.problems.ConnectFour(TWO_MOVES)) for _ in range(2))
    [recording] = record([watched], trials)
    alone.run(trials=trials)
    assert recording.trials[-1] == watched.trials == alone.trials == min(trials, PROVEN_AFTER)
    assert recording.trials == sorted(set(recording.trials))
    assert recording.moments[-1].bounds == ("proven" if trials >= PROVEN_AFTER else "-1 to 1")
    np.testing.assert_array_equal(watched.survey().value, alone.survey().value)
    [again] = record([watched], 1_000)
    assert again.trials[-1] == PROVEN_AFTER
    assert len(again.moments) == len(set(again.trials))


def test_moments_hold_the_bounds_of_that_trial():
    [recording] = record([proving(bt.problems.Sailing(3))], 3_000)
    other, seen = proving(bt.problems.Sailing(3)), set()
    for moment in recording.moments:
        other.run(trials=moment.trials - other.trials)
        assert (moment.lower, moment.upper) == (other.root.lower, other.root.upper)
        assert moment.action_bounds == [bounds_text(*row) for row in other.root.action_bounds.tolist()]
        seen.add(moment.bounds)
    assert len(seen) > 10
    assert recording.moments[-1].bounds == "proven"


def test_the_band_and_the_marks_are_the_searches_own():
    problem = bt.problems.Sailing(4)
    searches = [proving(problem), *both(problem, bt.UCT())]
    page = bt.watch(searches, trials=400)
    data = data_in(page.html)
    figure = data["figures"][0]
    assert figure["title"] == "Value of the root, and its bounds"
    first, second = figure["panels"][0]["curves"]
    moments = page.recordings[0].moments
    assert first["low"] == pytest.approx([moment.lower for moment in moments], rel=1e-5)
    assert first["high"] == pytest.approx([moment.upper for moment in moments], rel=1e-5)
    assert "low" not in second
    shown, cells = data["searches"][0]["picture"], data["scene"]["cells"]
    place, search = problem.scene().cell, searches[0]
    nodes = [search.node_at(i) for i in range(search.size)]
    acting = [node for node in nodes if not node.terminal and node.depth < search.horizon]
    for i, cell in enumerate(cells):
        here = [node for node in acting if place(node.state) == tuple(cell)]
        assert shown["nodes"][-1][i] == len(here)
        assert shown["proven"][-1][i] == sum(node.proven for node in here)
    assert 0 < sum(shown["proven"][-1]) < sum(shown["nodes"][-1])
    assert "proven" not in data["searches"][1]["picture"]


def test_branches_carry_bounds_in_words(partly):
    nodes = branches_of(partly, 200_000)["nodes"]
    assert nodes[0]["bounds"] == "0 to 1"
    bounds = dict(zip(partly.root.actions.tolist(), partly.root.action_bounds.tolist(), strict=True))
    assert nodes[0]["inside"] == [bounds_text(*bounds[row[0]]) for row in nodes[0]["rows"]]
    assert {node["bounds"] for node in nodes} >= {"proven", "-1 to 1"}
    sailing = proving(bt.problems.Sailing(3))
    sailing.run(trials=100)
    ends = [node for node in branches_of(sailing, 200_000)["nodes"] if "end" in node]
    assert {node["bounds"] for node in ends} == {""}


def test_a_chain_is_marked_state_by_state():
    page = bt.watch(proving(bt.problems.DChain(6)), trials=1_000)
    [shown] = data_in(page.html)["searches"]
    assert shown["picture"]["proven"][0] == [False] * 6
    assert shown["picture"]["proven"][-1] == [True] * 6


def test_it_is_said_after_how_many_trials():
    problem = bt.problems.ConnectFour(TWO_MOVES)
    searches = [playing(problem), *both(problem, bt.UCT(), growth="leaf")]
    said = story(record(searches, 1_000))
    assert said["intro"] == INTRO
    assert said["searches"][0]["verdict"] == "AR-BTS recommends column 5"
    assert said["searches"][0]["sentences"][-1] == "The root's value, 1, is proven, after 49 trials."
    assert not any("proven" in sentence for sentence in said["searches"][1]["sentences"])
    early = story(record([playing(problem)], 5))["searches"][0]["sentences"][-1]
    assert early == "After 5 trials the root's value is not proven yet; it is surely within -1 to 1."
    chain = story(record([bt.Search(bt.problems.DChain(10), seed=0)], 1_000))
    assert chain["intro"].startswith("A chain of 10 states.")
    assert chain["intro"].endswith(INTRO)
    assert chain["searches"][0]["sentences"][-1] == "The root's value, 1, is proven, after 11 trials."
    lake = story(record([bt.Search(bt.problems.FrozenLake(("SF", "HG")), seed=0)], 1_000))
    assert "The root's value, 0.9801, is proven, after " in lake["searches"][0]["sentences"][-1]


def test_the_line_goes_on_where_values_are_known_without_trials():
    search = bt.Search(bt.problems.FrozenLake(), seed=0)
    [recording] = record([search], 2_000)
    assert search.proven
    moment, node, line = recording.moments[-1], search.root, recording.moments[-1].line
    for action in line:
        assert action == node.recommended
        if action not in node.children:
            break
        [node] = node.children[action]
    else:
        pytest.fail("the test needs a best action that was not tried")
    assert len(line) == len(moment.names) == 18  # as many steps as it is to the goal
    assert pytest.approx(moment.value) == 0.99**18
