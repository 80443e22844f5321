""".pomdp files: the whole grammar, equal values however a problem is written, and errors with lines."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt

TIGER = """# two doors
discount: 0.95
values: reward
states: tiger-left tiger-right
actions: listen open-left open-right
observations: heard-left heard-right
start: uniform
T: listen
identity
T:open-left
uniform
T: open-right : * uniform
O: listen
0.85 0.15
0.15 0.85
O: open-left uniform
O: open-right : tiger-left : * 0.5
O: open-right : 1
.5 .5
R: listen : * : * : * -1
R: open-left : tiger-left : * : * -100
R: open-left : tiger-right : * : * 10
R: open-right : tiger-left : *
10 10
R: open-right : tiger-right
-100 -100
-100 -100
"""

NUMBERED = """
observations: 2
actions: 3
states: 2
start: 0.5 0.5
values: cost
discount: 0.95
T: * uniform
T: 0 : 0 : 0 1.0
T: 0 : 0 : 1 0
T: 0 : 1
0 1
O: * : * uniform
O: 0 : 0 8.5e-1 +0.15
O: 0 : 1 0.15 0.85
R: * : * : * : * 1
R: 1 : * : * : * -10
R: 1 : 0 : * : * 100
R: 2 : 0 : * : * -10
R: 2 : 1 : * : * 100
"""

CORRIDOR = """# four cells in a row, of which the third is the goal; going on from it is being put elsewhere
discount: 0.75
values: reward
states: left middle right goal
actions: w0 e0
observations: nothing goal
start: 0.333333 0.333333 0.333333 0.0
T: w0
1.0 0.0 0.0 0.0
1.0 0.0 0.0 0.0
0.0 0.0 0.0 1.0
0.333333 0.333333 0.333333 0.0
T: e0
0.0 1.0 0.0 0.0
0.0 0.0 0.0 1.0
0.0 0.0 1.0 0.0
0.333333 0.333333 0.333333 0.0
O: *
1.0 0.0
1.0 0.0
1.0 0.0
0.0 1.0
R: * : * : goal : * 1.0
"""


@pytest.mark.parametrize("text", [TIGER, NUMBERED])
@pytest.mark.parametrize(("horizon", "value"), [(3, 2.3098), (10, 6.693368)])
def test_tiger(text, horizon, value):
    problem = bt.from_pomdp(text, horizon=horizon)
    assert problem.discount == 0.95
    assert bt.solve(problem).root_value == pytest.approx(value, abs=1e-5)


def test_it_is_sound(tmp_path):
    path = tmp_path / "tiger.95.pomdp"
    path.write_text(TIGER, encoding="utf-8")
    problem = bt.from_pomdp(path)
    bt.check(problem)
    assert problem.display_name() == "tiger.95.pomdp"
    assert problem.action_names == ("listen", "open-left", "open-right")
    assert problem.observation_names == ("heard-left", "heard-right")
    assert problem.show_state((1,)) == "tiger-right"
    assert bt.from_pomdp(path, discount=0.5, horizon=7).discount == 0.5


def test_corridor_by_hand():
    """One step pays as probably as it leads to the goal; two steps by hand."""
    assert bt.solve(bt.from_pomdp(CORRIDOR, horizon=1)).root_value == pytest.approx(1 / 3)
    # east: 1/3 pays at once and is then put anew, worth 1/3; else it is in the middle or on the right, where 1/2 pays
    assert bt.solve(bt.from_pomdp(CORRIDOR, horizon=2)).root_value == pytest.approx(1 / 3 + 0.75 * (2 / 3) * 0.5)


def test_a_start_state_that_is_called_start():
    text = TIGER.replace("tiger-left", "start").replace("start: uniform", "start exclude: tiger-right")
    problem = bt.from_pomdp(text, horizon=1)
    assert problem.state_names == ("start", "tiger-right")
    assert problem.start_states() == [(1.0, (0,))]
    assert bt.solve(problem).root_value == 10.0


@pytest.mark.parametrize(
    ("start", "chances"),
    [
        ("start: middle", [0, 1, 0, 0]),
        ("start: 2", [0, 0, 1, 0]),
        ("start include: left 2", [0.5, 0, 0.5, 0]),
        ("start exclude: goal", [1 / 3, 1 / 3, 1 / 3, 0]),
        ("start: uniform", [0.25] * 4),
        ("", [0.25] * 4),
        ("start:\n0.1 0.2\n0.3 0.4", [0.1, 0.2, 0.3, 0.4]),
    ],
)
def test_starts(start, chances):
    problem = bt.from_pomdp(CORRIDOR.replace("start: 0.333333 0.333333 0.333333 0.0", start))
    found = dict.fromkeys(range(4), 0.0) | {s: p for p, (s,) in problem.start_states()}
    assert [found[s] for s in range(4)] == pytest.approx(chances)


def test_reset_and_what_comes_later_counts():
    text = CORRIDOR.replace("start: 0.333333 0.333333 0.333333 0.0", "start: middle")
    text += "T: e0 reset\nT: w0 : goal reset\nT: w0 : left : * 0\nT: w0 : left : goal 1\nT: w0 : left : goal 0\n"
    text += "T: w0 : left : right 1"
    problem = bt.from_pomdp(text)
    table = np.array(problem._further()["seen"])
    assert table.shape == (2, 4, 2)
    recipe = bt.problems.HiddenTabular.recipe(problem)["transitions"]
    assert [row[1] for row in recipe] == [[0, 1, 0, 0]] * 4
    assert recipe[3][0] == [0, 1, 0, 0]
    assert recipe[0][0] == [0, 0, 1, 0]


def test_rewards_by_observation_are_their_mean():
    paid = "R: listen : tiger-left : * : heard-left 2\nR: listen : tiger-right : tiger-right\n5 -3\n"
    problem = bt.from_pomdp(TIGER + paid, horizon=1)
    expected = 0.5 * (0.85 * 2 + 0.15 * -1) + 0.5 * (0.15 * 5 + 0.85 * -3)
    assert bt.solve(problem).q()[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "0.85 0.15",
            "0.85 0.1",
            "text, line 15: O: listen : tiger-left: the probabilities sum to 0.95, must sum to 1",
        ),
        ("states: tiger-left", "states: one", "text, line 17: 'tiger-left' is none of the states"),
        ("T:open-left", "T:open-lift", "line 10: 'open-lift' is none of the actions, .*; did you mean open-left"),
        ("values", "valus", "line 3: 'valus', must be one of discount, .*; did you mean values"),
        ("values: reward", "values: money", "line 3: values: 'money', must be reward or cost"),
        ("start: uniform", "start: 0.5 0.6", "line 7: start: the probabilities sum to 1.1, must sum to 1"),
        ("start: uniform", "start exclude: 0 1", "line 7: start: no state is left"),
        ("0.15 0.85", "0.15 x", r"line 15: 'x', must be a probability \(4 of 4\), a number"),
        ("0.85 0.15", "1.85 -0.85", "line 15: 1.85, must be a probability from 0 to 1"),
        ("T: listen\nidentity\n", "", "T: listen : tiger-left is missing"),
        ("observations: heard-left heard-right\n", "", "line 7: observations: must come before T:"),
        ("discount: 0.95\n", "", "discount: is missing"),
        ("actions: listen open-left", "actions: listen listen", "line 5: actions: every name must be there once"),
        ("R: listen : * : * : * -1", "R: listen -1", "line 20: R: must name an action and a state, at least"),
        ("R: listen : * : * : * -1", "R: listen : * : * uniform", "line 20: R: uniform, must be numbers"),
        ("identity", "identity\nT: listen : 0 : 1 : 0 1", "T: has more than 3 names"),
        ("-100 -100\n-100 -100\n", "-100 -100\n-100", r"line 27: ends where a reward \(4 of 4\) is wanted"),
    ],
)
def test_errors_name_the_line(old, new, says):
    assert old in TIGER
    with pytest.raises(bt.ProblemError, match=says):
        bt.from_pomdp(TIGER.replace(old, new, 1) if new else TIGER.replace(old, new))


def test_what_is_no_file():
    with pytest.raises(bt.ParameterError, match=r"source='nowhere\.pomdp': No such file"):
        bt.from_pomdp("nowhere.pomdp")
