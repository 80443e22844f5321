"""What a user is told of an error in a function of their own: which function, in which state, and which field."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import boltree as bt


def problem(**functions):
    """A walk of 5 steps with some functions of one's own."""

    class Mine(bt.Problem):
        state = bt.record(x="i4", level="i4")
        params = bt.record(goal="i4")
        actions, horizon = 2, 5

        @staticmethod
        def start(params, state, rng):
            state.x = 3

        @staticmethod
        def step(params, state, action, rng):
            state.x += action
            return 0.0, False

    for name, function in functions.items():
        setattr(Mine, name, staticmethod(function))
    return Mine(goal=3)


def told(error):
    """What a traceback shows at its end."""
    return "".join(traceback.format_exception_only(type(error), error))


def no_action_beyond(params, state, mask):
    for a in range(mask.size):
        mask[a] = state.x < 4


@pytest.mark.parametrize("evaluator", ["rollout", 0.0])
@pytest.mark.parametrize("transpositions", [False, True])
def test_no_legal_action(evaluator, transpositions):
    search = bt.Search(problem(legal=no_action_beyond), bt.UCT(), evaluator=evaluator, transpositions=transpositions)
    with pytest.raises(bt.ProblemError, match=r"no legal action in state State\(x=4, level=0\); a state without legal"):
        search.run(trials=100)


class NoWay(bt.PythonProblem):
    actions, horizon = 2, 5

    def start(self, rng):
        return 3

    def legal(self, state):
        return [0, 1] if state < 4 else []

    def step(self, state, action, rng):
        return state + action, 0.0, False


def test_no_legal_action_in_plain_python():
    with pytest.raises(bt.ProblemError, match="no legal action in state 4; a state without legal actions must be term"):
        bt.Search(NoWay(), bt.UCT(), seed=0).run(trials=100)


def reads_state(params, state, action, rng):
    state.y += 1
    return 0.0, False


def reads_params(params, here, action, rng):
    return float(params.gaol), False


def writes_state(params, s, mask):
    s.levle = 1
    mask[:] = True


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"step": reads_state}, r"Mine.step: state has no field 'y'; it has x, level"),
        ({"step": reads_params}, r"Mine.step: params has no field 'gaol'; it has goal; did you mean goal\?"),
        ({"legal": writes_state}, r"Mine.legal: s has no field 'levle'; it has x, level; did you mean level\?"),
    ],
)
def test_misspelt_fields(functions, message):
    with pytest.raises(bt.ProblemError, match=message):
        bt.Search(problem(**functions), bt.UCT(), evaluator=0.0).run(trials=10)


def pays_a_truth(params, state, action, rng):
    return float(state.x == 3), False


def helper(x):
    return x + 1


def calls_plain_python(params, state, action, rng):
    state.x = helper(state.x)
    return 0.0, False


def returns_one_or_two(params, state, action, rng):
    if action == 1:
        return 1.0, False
    return 0.0


def draws_as_numpy(params, state, action, rng):
    state.x += rng.integers(3)
    return 0.0, False


def changes_params(params, state, action, rng):
    params.goal = 3
    return 0.0, False


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (pays_a_truth, r"Numba has no float\(bool\), in line \d+ of test_user_errors.py: return float\(state.x == 3\), "
                       r"False; write \(1.0 if ... else 0.0\)\. A problem's"),
        (calls_plain_python, r"name 'helper'.*, in line \d+ of test_user_errors.py: state.x = helper\(state.x\); "
                             r"write @numba.njit above helper\."),
        (returns_one_or_two, r"Can't unify return type.*; it must return as many values in every case"),
        (draws_as_numpy, r"'integers'.*: state.x \+= rng.integers\(3\); rng is for bt.uniform\(rng\) and bt.integer"),
        (changes_params, r"; parameters cannot be changed\."),
    ],
)  # fmt: skip
def test_why_a_function_does_not_compile(step, message, caplog):
    with caplog.at_level("DEBUG", logger="boltree"), pytest.raises(bt.ProblemError, match=message) as caught:
        bt.Search(problem(step=step), bt.UCT())
    said = str(caught.value)
    assert "Mine.step does not compile: " in said
    assert "\n" not in said
    assert "pipeline" in caplog.text or "lowering" in caplog.text  # all that Numba says


TABLE = np.zeros(4)


def steps_over(params, state, action, rng):
    state.x += action
    return TABLE[state.x], False


@pytest.mark.parametrize("evaluator", ["rollout", 0.0])
def test_an_error_names_the_function_and_the_state(evaluator):
    with pytest.raises(IndexError) as caught:
        bt.Search(problem(step=steps_over), bt.UCT(), seed=0, evaluator=evaluator).run(trials=100)
    assert "in Mine.step, action 1 in state State(x=3, level=0)" in told(caught.value)


class Over(NoWay):
    legal = None

    def step(self, state, action, rng):
        return state + action, [0, 0, 0, 0][state + action], False


def test_an_error_in_plain_python_names_them_too():
    with pytest.raises(IndexError) as caught:
        bt.Search(Over(), bt.UCT(), seed=0, evaluator=0.0).run(trials=100)
    assert "in Over.step, action 1 in state 3" in told(caught.value)
    with pytest.raises(IndexError) as caught:
        bt.solve(type("Over", (Over,), {"deterministic": True})())
    assert "in Over.outcomes, action 1 in state 3" in told(caught.value)


def test_before_python_3_11(monkeypatch):
    from boltree import errors

    class Old(Exception):
        add_note = property()

    error = Old("index 4")
    errors.note(error, "in Mine.step")
    assert str(error) == "index 4 (in Mine.step)"
