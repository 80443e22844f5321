"""What ``print`` and a notebook say of searches, nodes, problems and algorithms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
import pytest

import boltree as bt
from boltree.algorithms.summary import call_text
from boltree.tree.summary import MOST_ROWS

LAKE = bt.problems.FrozenLake("8x12-test")
DENTS = bt.DENTS(alpha=0.1, beta=bt.log_decay(1.0))


class Walk(bt.Problem):
    state = bt.record(x="i4")
    params = bt.record(goal="i4")
    actions, horizon, discount = 3, 30, 0.95
    action_names = ("<b>left</b>", "stay", "right & on")
    name = "a <walk>"

    @staticmethod
    def start(params, state, rng):
        state.x = 0

    @staticmethod
    def step(params, state, action, rng):
        state.x += action - 1
        return (1.0 if state.x == params.goal else 0.0), state.x == params.goal


class Flat(bt.PythonProblem):
    """Twenty actions, the last of which is the only good one."""

    actions, horizon, deterministic = 20, 1, True

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        return 1, float(action == 19), True


@pytest.fixture(scope="module")
def search():
    search = bt.Search(LAKE, DENTS, seed=3, growth="trial")
    search.run(trials=2000)
    return search


def table_of(node):
    """The rows of a node's table: the mark, the action, and the numbers."""
    return [
        re.fullmatch(r"([ *]) (\d+)(.*?)  +([\d,]+)  +(\S+)  +(\S+)", line).groups()
        for line in str(node).splitlines()[2:]
        if "..." not in line
    ]


def test_a_search(search):
    title, progress, recommended = str(search).splitlines()
    assert title == "Search of FrozenLake('8x12-test', horizon=100) by DENTS(alpha=0.1, beta=log_decay(1))"
    assert f"2,000 trials, {search.size:,} nodes, {search.nbytes / 1e6:.1f} MB, growth by trial" in progress
    best = search.recommend()
    name = LAKE.action_names[best]
    assert recommended == f"  recommends {best} ({name}), root value {search.root.value:.4g}"


def test_a_search_that_has_not_run():
    shown = str(bt.Search(LAKE, bt.UCT(), seed=0))
    assert "by UCT()" in shown
    assert "0 trials, 1 node," in shown
    assert "recommends nothing yet" in shown


def test_threads_and_transpositions():
    shown = str(bt.Search(LAKE, bt.UCT(), seed=0, threads=2))
    assert "2 threads (unknown)" in shown
    assert str(bt.Search(LAKE, bt.UCT(), seed=0, transpositions=True)).splitlines()[1].endswith("transpositions")


def test_a_node(search):
    root = search.root
    rows = table_of(root)
    assert str(root).splitlines()[0] == f"Node at depth 0: 2,000 visits, value {root.value:.4g}"
    assert sorted(int(row[1]) for row in rows) == root.actions.tolist()
    by_action = {int(row[1]): row for row in rows}
    for i, action in enumerate(root.actions):
        mark, _, name, visits, q, policy = by_action[int(action)]
        assert name.strip() == LAKE.action_names[action]
        assert int(visits.replace(",", "")) == root.visits[i]
        assert float(q) == pytest.approx(root.q[i], rel=1e-3)
        assert float(policy) == pytest.approx(root.policy[i], abs=1e-3)
        assert (mark == "*") == (action == root.recommended)
    counts = [int(row[3].replace(",", "")) for row in rows]
    assert counts == sorted(counts, reverse=True)
    assert len({len(line) for line in str(root).splitlines()[1:]}) == 1  # aligned


def test_many_actions():
    search = bt.Search(Flat(), bt.Uniform(), seed=0)
    search.run(trials=400)
    root = search.root
    assert root.recommended == 19
    rows = table_of(root)
    assert len(rows) == MOST_ROWS
    assert [int(row[1]) for row in rows if row[0] == "*"] == [19]
    assert str(root).splitlines()[-1] == "  ... and 8 more"
    html = search._repr_html_()
    assert html.count("<tr") == MOST_ROWS + 1
    assert html.count("recommended") == 1
    assert "... and 8 more" in html


def test_a_recommended_action_with_few_visits_is_shown():
    """It may be any of the rest, when a value decides."""
    for seed in range(50):
        search = bt.Search(Flat(), bt.Uniform(), seed=seed)
        search.run(trials=200)
        order = np.argsort(-search.root.visits, kind="stable")
        if 19 in search.root.actions[order[MOST_ROWS:]]:
            break
    else:
        pytest.fail("no seed has few visits of the best action")
    rows = table_of(search.root)
    assert len(rows) == MOST_ROWS
    assert (rows[-1][0], rows[-1][1]) == ("*", "19")


def test_untried_actions():
    search = bt.Search(Flat(), bt.Uniform(), seed=0)
    assert {row[4] for row in table_of(search.root)} == {"-"}
    assert str(search.root).splitlines()[-1] == "  ... and 8 more; 20 actions not tried yet"


def test_where_nothing_is_to_be_done(search):
    below = bt.Search(bt.problems.DChain(1), bt.UCT(), seed=0)
    below.run(trials=10)
    ended = next(child for children in below.children.values() for child in children if child.terminal)
    assert str(ended).endswith(", terminal")
    assert len(str(ended).splitlines()) == 1
    flat = bt.Search(bt.problems.SyntheticTree(2, 1, seed=0), bt.UCT(), seed=0, growth="trial")
    flat.run(trials=10)
    leaf = flat.children[0][0]
    assert re.search("terminal|at the horizon", str(leaf))
    assert "<table" not in leaf._repr_html_()


def test_two_players():
    search = bt.Search(bt.problems.TicTacToe(), bt.UCT(), seed=0)
    search.run(trials=100)
    assert "to move" not in str(search.root)
    assert str(search.node([4])).splitlines()[0].endswith(", player 1 to move")


def test_a_problem():
    assert str(LAKE).splitlines() == [
        "FrozenLake('8x12-test', horizon=100)",
        "  4 actions (left, down, right, up), horizon 100, discount 1, one player, deterministic",
        "  functions: start, step, show",
    ]
    shown = str(Walk(goal=3))
    assert shown.startswith("a <walk>: Walk(goal=3)\n")
    assert "horizon 30, discount 0.95, one player, random, drawn by step" in shown
    assert "two players" in str(bt.problems.TicTacToe())
    sailing = str(bt.problems.Sailing(6, "N"))
    assert "random with known probabilities" in sailing
    assert "outcomes" in sailing.splitlines()[2]
    assert "(A9, B9, C9, D9, E9, F9, G9, H9, J9, A8, B8, C8, ...)" in str(bt.problems.Go(9))
    assert "  20 actions, horizon 1," in str(Flat())


@pytest.mark.parametrize("name", sorted(bt.algorithms.ALGORITHMS))
def test_every_algorithm(name):
    algorithm = bt.algorithm(name)
    first, second, *parameters = str(algorithm).splitlines()
    assert first.startswith(f"{algorithm.name}: ")
    assert first.endswith(".")
    assert second.startswith(f"  search distribution {algorithm.search_distribution}, ")
    given = " ".join(parameters)
    own = {"search_distribution", "state_value", "entropy_bonus"}
    for key, value in algorithm.parameters().items():
        assert (f" {key}={value!r}" in given) == (key not in own)
    assert max(map(len, parameters), default=0) <= 102
    assert call_text(algorithm) == f"{algorithm.name}()"


def test_parameters_of_ones_own():
    def falling(visits):
        return 1 / (1 + visits)

    assert call_text(bt.BTS(alpha=falling, epsilon=np.float64(0.5))) == "BTS(alpha=falling, epsilon=0.5)"
    assert "alpha=falling" in str(bt.BTS(alpha=falling))


def test_an_algorithm_without_a_docstring():
    @dataclass(frozen=True)
    class Own(bt.BTS):
        epsilon: float = 2.0  # its docstring is the one that dataclass writes

    assert str(Own()).startswith("Own\n  search distribution boltzmann")


def test_repr_is_one_line(search):
    for thing in (search, search.root, LAKE, DENTS):
        assert "\n" not in repr(thing)
        assert repr(thing) != str(thing)


class Reader(HTMLParser):
    """Reads a table, and sees that every tag that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.tags = [], [], set()

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


def test_in_a_notebook(search):
    reader = Reader()
    reader.feed(search._repr_html_())
    reader.close()
    assert reader.open == []
    assert reader.rows[0] == ["action", "N", "", "Q", "π", ""]
    shown = table_of(search.root)
    assert [row[1] for row in reader.rows[1:]] == [row[3] for row in shown]
    assert [row[5] for row in reader.rows[1:]] == ["recommended" if row[0] == "*" else "" for row in shown]
    assert "2,000 trials" in search._repr_html_()
    assert "Node at depth 0" in search.root._repr_html_()


def test_texts_are_escaped():
    search = bt.Search(Walk(goal=3), bt.UCT(), seed=0)
    search.run(trials=50)
    for html in (search._repr_html_(), search.root._repr_html_()):
        reader = Reader()
        reader.feed(html)
        assert reader.open == []
        assert "0 <b>left</b>" in [row[0] for row in reader.rows]
        assert "&lt;b&gt;left" in html
        assert "right &amp; on" in html
    assert "a &lt;walk&gt;" in search._repr_html_()


def test_printing_changes_nothing():
    searches = [bt.Search(LAKE, bt.BTS(alpha=0.1), seed=5) for _ in range(2)]
    for search in searches:
        search.run(trials=300)
    for text in (str(searches[0]), str(searches[0].root), searches[0]._repr_html_()):
        assert text
    for search in searches:
        search.run(trials=300)
    assert searches[0].root.q.tobytes() == searches[1].root.q.tobytes()


@pytest.mark.parametrize(("page", "text"), [("white", "rgb(30, 30, 30)"), ("#111", "rgb(220, 220, 220)")])
def test_colours_are_those_of_the_notebook(search, page, text, visit, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(f"<div style='background:{page};color:{text}'>{search._repr_html_()}</div>")
    seen = visit(file)
    for cell in seen.locator("td, th").all():
        assert cell.evaluate("cell => getComputedStyle(cell).color") == text
