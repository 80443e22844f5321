"""How results print, and what help says."""

from __future__ import annotations

import inspect
import pydoc

import numpy as np
import pytest

import boltree as bt
from boltree.search.show import PAGE_LINES, tree_text


@pytest.mark.parametrize("algorithm", [bt.DENTS, bt.UCT, bt.PUCT, bt.HMCTS, bt.Custom], ids=lambda one: one.__name__)
def test_help_shows_parameters(algorithm):
    shown = str(inspect.signature(algorithm))
    assert "values" not in shown
    if algorithm is not bt.Custom:
        for name, value in algorithm().parameters().items():
            assert f"{name}: " in shown
            assert f"= {value!r}" in shown
    assert f"class {algorithm.__name__}" in pydoc.plain(pydoc.render_doc(algorithm))
    assert "alpha: " in str(inspect.signature(bt.DENTS))


def test_results_print_in_a_line():
    solution = bt.solve(bt.problems.DChain(10, final_reward=0.5))
    assert repr(solution) == "<Solution of DChain: value 0.9; 10 states, 100 steps>"
    assert str(solution).splitlines()[1:] == ["  left          0.9", "  right         0.8"]
    assert "soft with alpha=0.1" in repr(bt.solve(bt.problems.DChain(4), "soft", 0.1))
    search = bt.Search(bt.problems.DChain(4), bt.BTS(), seed=0)
    search.run(trials=100)
    assert repr(search.survey()).startswith(f"<Survey of {search.size} nodes, down to depth 4: parent, action, ")
    episode = bt.act(bt.problems.DChain(4), trials=500)
    assert repr(episode) == "<Episode of 4 steps: value 1, ended>"
    lines = str(episode).splitlines()
    assert len(lines) == 6
    assert "action 1  reward 1" in lines[4]
    assert lines[5].startswith("  last  ")
    assert "... and 10 more steps" in str(bt.act(Grid(horizon=40), bt.Uniform(), trials=3))


class Grid(bt.PythonProblem):
    """Steps right and down: many ways lead to a cell."""

    actions, horizon, deterministic = 4, 8, True

    def start(self, rng):
        return (0, 0)

    def step(self, state, action, rng):
        return (state[0] + action % 2, state[1] + action // 2), float(state[0] == state[1]), False


def test_shared_nodes_are_printed_once():
    search = bt.Search(Grid(), bt.BTS(), seed=0, transpositions=True)
    search.run(trials=3_000)
    text = tree_text(search.tree, 3)
    assert "... shown above (state " in text
    assert "shown above" not in tree_text(searched_as_a_tree().tree, 3)


def test_shared_states_with_a_picture_of_several_lines_are_named_by_their_fields():
    lake = bt.problems.FrozenLake("8x8")
    search = bt.Search(lake, bt.UCT(), seed=0, transpositions=True, growth="trial")
    search.run(trials=1_000)
    text = tree_text(search.tree, 3)
    assert "... shown above (state State(cell=" in text
    assert "(state '')" not in text


def test_a_line_prints_as_a_table():
    search = bt.Search(bt.problems.DChain(4), bt.BTS(), seed=0)
    search.run(trials=500)
    line = search.line()
    heads, _, first, *_ = str(line).splitlines()
    assert heads.split() == ["step", "action", "value", "visits"]
    assert first.split() == ["1", line[0].name, f"{line[0].value:.4g}", f"{line[0].visits:,}"]
    assert str(bt.Search(bt.problems.DChain(4), bt.BTS()).line()) == "nothing is known of what comes next"


def test_warnings_point_at_the_users_line():
    options = {"evaluator": 0.5, "transpositions": True}
    with pytest.warns(UserWarning, match=r"transpositions=True with UCT and evaluator=0.5") as found:
        bt.act(Grid(), bt.UCT(), trials=5, **options)
    with pytest.warns(UserWarning, match=r"transpositions=True with UCT and evaluator=0.5") as again:
        bt.Search(Grid(), bt.UCT(), **options)
    assert {one.filename for one in (*found, *again)} == {__file__}


def searched_as_a_tree():
    search = bt.Search(Grid(), bt.BTS(), seed=0)
    search.run(trials=3_000)
    return search


@pytest.mark.parametrize("depth", [1, 2, 3, 6, 8])
def test_a_tree_is_cut_to_a_page(depth):
    lines = tree_text(searched_as_a_tree().tree, depth).splitlines()
    assert len(lines) <= PAGE_LINES + 3
    if depth == 8:
        assert "deeper levels do not fit" in lines[-1]
    assert sum("N " in line for line in lines) >= 5


def test_many_actions_are_cut_too():
    bandit = bt.problems.Tabular(np.ones((1, 200, 1)), np.arange(200.0).reshape(1, 200), horizon=2)
    search = bt.Search(bandit, bt.Uniform(), seed=0)
    search.run(trials=2_000)
    assert len(tree_text(search.tree, 2).splitlines()) <= PAGE_LINES + 3
