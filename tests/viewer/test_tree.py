"""The tree in a terminal, and as a graph for other tools."""

from __future__ import annotations

import sys

import pytest

import boltree as bt
from boltree.search.show import tree_text


@pytest.fixture(scope="module")
def chain():
    search = bt.Search(bt.problems.DChain(4), bt.BTS(alpha=1.0), seed=0, growth="trial")
    search.run(trials=1_000)
    return search


@pytest.fixture(scope="module")
def sailing():
    search = bt.Search(bt.problems.Sailing(4), bt.UCT(), seed=0)
    search.run(trials=1_000)
    return search


def test_plain_text_where_there_is_no_terminal(chain, capsys):
    chain.tree(2)
    lines = capsys.readouterr().out.splitlines()
    visits, q, policy = chain.root.visits, chain.root.q, chain.root.policy
    assert lines[0] == "BTS on DChain: 1,000 trials, 9 nodes"
    assert lines[1] == "root  N 1,000  V 1"
    assert lines[2] == f"|-- *right    N {visits[1]:>10,}  Q {q[1]:>9.4g}  pi {policy[1]:.3f}"
    assert lines[-1] == f"`--  left     N {visits[0]:>10,}  Q {q[0]:>9.4g}  pi {policy[0]:.3f}"
    assert len(lines) == 6


def test_a_table_in_a_terminal(chain, sailing, monkeypatch):
    console = pytest.importorskip("rich.console")
    from boltree.search.show import tree_table

    def shown(search, depth):
        made = console.Console(width=100, force_terminal=True, color_system=None)
        with made.capture() as caught:
            made.print(tree_table(search.tree, depth))
        return caught.get()

    lines = shown(chain, 2).splitlines()
    assert lines[0].strip() == "BTS on DChain: 1,000 trials, 9 nodes"
    assert lines[1].split() == ["visits", "value", "policy"]
    first, second, star, visits, bar, value, policy = lines[3].split()
    assert (first, second, star, visits, value) == ("├─", "right", "★", f"{chain.root.visits[1]:,}", "1")
    assert set(bar) == {"━"}
    assert float(policy) == pytest.approx(chain.root.policy[1], abs=6e-4)
    assert lines[-1].startswith("╰─ left")
    assert "(0)" in shown(sailing, 2)
    asked = []
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("boltree.search.show.tree_table", lambda *given: asked.append(given) or "a table")
    chain.tree(1)
    assert len(asked) == 1


def test_text_in_a_terminal_without_rich(chain, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    chain.tree(1)
    assert "|-- *right" in capsys.readouterr().out


class Wide(bt.PythonProblem):
    """82 actions, most of which are of no use."""

    actions, horizon, deterministic = 82, 4, True

    def start(self, rng):
        return ()

    def step(self, state, action, rng):
        return (*state, action), 1.0 if action == 5 else 0.0, False


@pytest.mark.parametrize("trials", [60, 2_000, 20_000])
def test_a_wide_tree_is_short(trials):
    search = bt.Search(Wide(), bt.UCT(), seed=0)
    search.run(trials=trials)
    lines = tree_text(search.tree, 3).splitlines()
    assert len(lines) < 100
    at_root = [line for line in lines[2:] if line[:3] in ("|--", "`--")]
    tried = int((search.root.visits > 0).sum())
    shown = [int(line.split(" N ")[1].split()[0].replace(",", "")) for line in at_root[:-1]]
    assert len(shown) in (8, 9)  # the recommended one may be less visited
    assert shown[:8] == sorted(search.root.visits.tolist(), reverse=True)[:8]
    untried = f", {82 - tried} of them not tried" if tried < 82 else ""
    assert at_root[-1] == f"`-- ... and {82 - len(shown)} more{untried}"


def test_what_is_recommended_is_shown():
    class Late(Wide):
        def step(self, state, action, rng):
            return (*state, action), float(len(state) == 0 and action == 81), False

    search = bt.Search(Late(), bt.Uniform(), seed=3, evaluator=0.0)
    search.run(trials=300)
    order = search.root.visits.argsort(kind="stable")[::-1].tolist()
    assert order.index(81) >= 8, "the test needs an action that others are visited more often than"
    text = tree_text(search.tree, 1)
    assert "*81" in text
    assert text.splitlines()[-1].startswith(f"`-- ... and {82 - 9} more")


def check_below(graph, number, node, depth):
    """A node of the graph against the search's own, and all below."""
    tree = node._tree
    shown = graph.nodes[number]
    assert (shown["depth"], shown["visits"], shown["value"]) == (node.depth, node.count, node.value)
    assert (shown["player"], shown["terminal"]) == (node.player, node.terminal)
    assert shown["state"] == tree.problem.show_state(node.state)
    children = [(action, child) for action, outcomes in node.children.items() for child in outcomes]
    if depth == 0:
        assert list(graph.successors(number)) == []
        return 1
    below = list(graph.successors(number))
    assert len(below) == len(children)
    total = 1
    for following, (action, child) in zip(below, children, strict=True):
        edge, i = graph.edges[number, following], node.actions.tolist().index(action)
        assert edge == {
            "action": action,
            "name": tree.problem.action_name(action),
            "visits": node.visits[i],
            "q": node.q[i],
            "policy": node.policy[i],
        }
        total += check_below(graph, following, child, depth - 1)
    return total


def test_graphs_are_the_tree_node_by_node(chain, sailing, tmp_path):
    networkx = pytest.importorskip("networkx")
    for search, depth in ((chain, 9), (sailing, 2), (sailing, 0)):
        graph = search.to_networkx(depth)
        assert check_below(graph, 0, search.root, depth) == len(graph)
        assert networkx.is_arborescence(graph)
        assert graph.graph == {
            "problem": type(search.problem).__name__,
            "algorithm": search.algorithm.name,
            "trials": search.trials,
        }
        networkx.write_graphml(graph, tmp_path / "tree.graphml")
        assert len(networkx.read_graphml(tmp_path / "tree.graphml")) == len(graph)
    assert len(chain.to_networkx(9)) == chain.size
    with pytest.raises(bt.ParameterError, match="depth=-1: must be an integer of at least 0"):
        chain.to_networkx(-1)


def test_graphs_without_networkx_say_how_to_get_it(chain, monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(bt.ParameterError, match=r"run pip install 'boltree\[graph\]'"):
        chain.to_networkx(1)
