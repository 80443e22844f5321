"""The part of the tree that is on the page: right, connected, and small enough."""

from __future__ import annotations

import math

import pytest
from watched import LIMIT, both, data_in, dents

import boltree as bt
from boltree.viewer.branches import branches_of
from boltree.web.page import json_text


def followed(search, nodes):
    """The search's own nodes for those on the page, by the ways that lead there."""
    found = [search.root]
    for node in nodes[1:]:
        outcomes = found[node["up"]].children[node["action"]]
        same = [child for child in outcomes if child.count == node["count"]]
        found.append(next(child for child in same if search.problem.show_state(child.state) == node["state"]))
    return found


@pytest.mark.parametrize("problem", [bt.problems.Sailing(4), bt.problems.FrozenLake("8x8"), bt.problems.TicTacToe()])
def test_numbers_are_the_nodes_own(problem):
    for search in both(problem, bt.UCT(), dents()):
        search.run(trials=1_000)
        nodes = branches_of(search, 60_000)["nodes"]
        assert 50 < len(nodes) < search.size
        for shown, node in zip(nodes, followed(search, nodes), strict=True):
            assert shown["value"] == pytest.approx(node.value, rel=1e-4)
            assert ("end" in shown) == node.terminal
            if node.terminal:
                assert shown["end"] == pytest.approx(node.reward, rel=1e-4)
                continue
            if "rows" not in shown:
                assert node.recommended is None
                continue
            assert shown["best"] == node.recommended
            assert shown["entropy"] == pytest.approx(-sum(p * math.log(p) for p in node.policy if p > 0), abs=1e-3)
            actions = node.actions.tolist()
            assert sum(1 for visits in node.visits if visits) == len(shown["rows"]) + shown["more"]
            assert shown["untried"] == int((node.visits == 0).sum())
            assert [row[1] for row in shown["rows"]] == sorted((row[1] for row in shown["rows"]), reverse=True)
            for action, visits, q, policy, outcomes in shown["rows"]:
                i = actions.index(action)
                assert visits == node.visits[i]
                assert q == pytest.approx(node.q[i], rel=1e-4)
                assert policy == pytest.approx(node.policy[i], rel=1e-2, abs=1e-9)
                assert outcomes == len(node.children[action])


def test_the_most_visited_of_every_level_are_kept():
    search = bt.Search(bt.problems.FrozenLake("8x8"), dents(alpha=0.1), seed=0, growth="trial")
    search.run(trials=5_000)
    found = branches_of(search, 120_000)
    assert not found["whole"]
    assert len(json_text(found)) <= 120_000
    nodes = found["nodes"]
    line, node = [], search.root
    while node.recommended is not None:
        line.append(node.recommended)
        node = max(node.children[node.recommended], key=lambda child: child.count)
    here = 0
    for action in line:  # the recommended line is there to its end
        here = next(i for i, node in enumerate(nodes) if node["up"] == here and node["action"] == action)
    for i, node in enumerate(nodes[1:], 1):
        assert 0 <= node["up"] < i
    seen = search.survey()
    second = sorted(seen.visits[seen.depth == 2].tolist(), reverse=True)
    kept = sorted((node["count"] for node in nodes if node["up"] > 0 and nodes[node["up"]]["up"] == 0), reverse=True)
    assert kept == second[: len(kept)]


def test_a_small_tree_is_there_as_a_whole():
    search = bt.Search(bt.problems.DChain(4), dents(), seed=0, growth="trial")
    search.run(trials=500)
    found = branches_of(search, 100_000)
    assert found["whole"]
    assert len(found["nodes"]) == search.size
    assert len(branches_of(search, 1)["nodes"]) == 1


def test_many_actions_and_many_searches_stay_small():
    problem = bt.problems.SyntheticTree(branching=1_000, depth=3)
    page = bt.watch(both(problem, bt.Uniform(), bt.UCT(), bt.BTS(), growth="leaf"), trials=1_100)
    assert len(page.html.encode()) < 3_000_000
    shown = data_in(page.html)["searches"][0]
    assert 9 <= len(shown["actions"]) < 1_000
    assert shown["recommended"][-1] is not None


class Wordy(bt.PythonProblem):
    actions, horizon, deterministic = 4, 8, True

    def start(self, rng):
        return ""

    def step(self, state, action, rng):
        return state + str(action), 0.1 * action, False

    def show(self, state):
        return state.ljust(590, ".")


def test_a_page_keeps_to_its_size():
    searches = both(Wordy(), *(bt.BTS(alpha=alpha) for alpha in (0.1, 0.3, 0.5, 0.8)))
    page = bt.watch(searches, trials=2_000)
    alone = len(json_text(branches_of(searches[0], 10 * LIMIT)))
    assert 4 * alone > LIMIT  # so something must be left out
    assert 0.6 * LIMIT < len(page.html.encode()) < LIMIT
    assert all(len(shown["tree"]["nodes"]) > 300 for shown in data_in(page.html)["searches"])
