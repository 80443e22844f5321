"""What methods in plain Python take and return: wrong ones are named, and what they raise arrives as it was raised."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import boltree as bt
from python_problems import Dice, Grid, Lazy, Slippery
from trees import check_invariants

STEP = r"it must return \(next_state, reward, done\)"
OUTCOMES = r"it must return a list of \(probability, next_state, reward, done\)"
SUM = "they must be at least 0 and sum to 1"
LEGAL = "it must return the numbers of the legal actions, each once, from 0 to 3"


def ways(problem):
    """Wherever a user may meet a wrong answer first."""
    yield lambda: bt.check(problem())
    for evaluator in (0.0, "rollout"):
        yield lambda evaluator=evaluator: bt.Search(problem(), bt.BTS(), seed=0, evaluator=evaluator).run(trials=200)


def refused(problem, message):
    for way in ways(problem):
        with pytest.raises(bt.ProblemError, match=message) as caught:
            way()
        assert "\n" not in str(caught.value)
        assert "State(number" not in str(caught.value)


WRONG_STEPS = {
    "too short": (lambda state: (state, 0.0), rf"returned \(\(0, 0\), 0.0\) for action \d in state \(0, 0\); {STEP}"),
    "as Gymnasium": (lambda state: (state, 0.0, False, False, {}), STEP),
    "forgotten": (lambda state: None, rf"returned None .*; {STEP}"),
    "a number": (lambda state: 3, STEP),
    "swapped": (lambda state: (1.0, state, False), f"{STEP}, the reward a number"),
    "text": (lambda state: (state, "1.0", False), f"{STEP}, the reward a number"),
    "no reward": (lambda state: (state, None, False), f"{STEP}, the reward a number"),
    "no done": (lambda state: (state, 1.0, None), f"{STEP}, done True or False"),
    "reward last": (lambda state: (state, True, 1.0), f"{STEP}, done True or False"),
    "nan": (
        lambda state: (state, math.nan, False),
        r": reward=nan for action \d in state \(0, 0\); rewards must be",
    ),
}


@pytest.mark.parametrize("sure", [True, False])
@pytest.mark.parametrize("name", WRONG_STEPS)
def test_steps(name, sure):
    answer, message = WRONG_STEPS[name]

    class Wrong(Grid):
        deterministic = sure

        def step(self, state, action, rng):
            return answer(state)

    refused(Wrong, rf"Wrong\.step.*{message}")


@pytest.mark.parametrize("done", [True, 1, np.True_, np.int64(1)])
@pytest.mark.parametrize("reward", [2, 2.0, np.float32(2), np.int64(2), np.array(2.0)])
def test_numbers_of_any_kind_are_taken(reward, done):
    class Kinds(Grid):
        deterministic = False

        def step(self, state, action, rng):
            return [state, reward, done]

    bt.check(Kinds())
    search = bt.Search(Kinds(), bt.BTS(), seed=0)
    search.run(trials=50)
    assert search.root.value == 2.0


WRONG_OUTCOMES = {
    "not a list": (lambda rows: rows[0], OUTCOMES),
    "forgotten": (lambda rows: None, rf"returned None for action \d in state \(0, 0\); {OUTCOMES}"),
    "too short": (lambda rows: [row[:3] for row in rows], OUTCOMES),
    "order": (lambda rows: [(s, p, r, d) for p, s, r, d in rows], f"{OUTCOMES}: a number, a state, a number, True or"),
    "text": (lambda rows: [("0.5", s, r, d) for p, s, r, d in rows], f"{OUTCOMES}: a number"),
    "too little": (lambda rows: rows[:2], rf"probabilities are \[0.8, 0.1\] for action \d in state \(0, 0\); {SUM}"),
    "too much": (lambda rows: rows + rows, SUM),
    "negative": (lambda rows: [(1.2, *rows[0][1:]), (-0.2, *rows[1][1:])], SUM),
    "nan chance": (lambda rows: [(math.nan, *rows[0][1:])], SUM),
    "infinite chances": (lambda rows: [(math.inf, *rows[0][1:]), (-math.inf, *rows[1][1:])], SUM),
    "none": (lambda rows: [], SUM),
    "nan reward": (lambda rows: [(p, s, math.nan, d) for p, s, r, d in rows], r"reward=nan for action \d in state"),
}


@pytest.mark.parametrize("name", WRONG_OUTCOMES)
def test_outcomes(name):
    answer, message = WRONG_OUTCOMES[name]

    class Wrong(Slippery):
        def outcomes(self, state, action):
            return answer(super().outcomes(state, action))

    refused(Wrong, rf"Wrong\.outcomes.*{message}")
    with pytest.raises(bt.ProblemError, match=message):
        bt.solve(Wrong())


def test_outcomes_may_be_yielded():
    class Yields(Slippery):
        def outcomes(self, state, action):
            yield from super().outcomes(state, action)

    bt.check(Yields())
    assert bt.solve(Yields()).root_value == bt.solve(Slippery()).root_value


@pytest.mark.parametrize(
    ("chances", "message"),
    [
        (
            lambda: 1.0,
            r"returned 1.0 for action \d in state \(0, 0, 0\); it must return a list of probabilities",
        ),
        (lambda: [0.8, None], "it must return a list of probabilities"),
        (lambda: [0.8], SUM),
    ],
)
def test_chances(chances, message):
    class Wrong(Lazy):
        def chances(self, state, action):
            return chances()

    refused(Wrong, message)


def test_outcome():
    class Wrong(Lazy):
        def outcome(self, state, action, k):
            return state, 0.0

    refused(Wrong, rf"Wrong.outcome returned \(\(0, 0, 0\), 0.0\) for action \d in state \(0, 0, 0\); {STEP}")


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("legal", None, rf"Wrong.legal returned None in state \(0, 0\); {LEGAL}"),
        ("legal", 2, LEGAL),
        ("legal", [True, False, True, True], LEGAL),
        ("legal", [0, 7], rf"returned \[0, 7\] .*{LEGAL}"),
        ("legal", [0.5, 1.0], LEGAL),
        ("legal", [1, 1], LEGAL),
        ("player", None, r"Wrong.player returned None in state \(0, 0\); it must return 0 or 1"),
        ("player", 2, "it must (return|be) 0 or 1"),
        ("player", "white", "it must return 0 or 1"),
        ("prior", [1.0, 2.0], r"prior returned \[1.0, 2.0\] in state \(0, 0\); it must return 4 weights, one for each"),
        ("prior", 1.0, "it must return 4 weights"),
        ("prior", None, "it must return 4 weights"),
        ("prior", [1.0, 1.0, 1.0, -1.0], "a prior must be finite and at least 0"),
    ],
)
def test_what_a_state_is_like(method, answer, message):
    wrong = type("Wrong", (Grid,), {method: lambda self, state: answer})
    refused(wrong, message)


def test_heuristics_and_rollouts():
    wrong = type("Wrong", (Grid,), {"heuristic": lambda self, state: None})
    with pytest.raises(bt.ProblemError, match=r"Wrong.heuristic returned None in state \(\d, \d\); .* a number"):
        bt.Search(wrong(), bt.BTS(), seed=0, evaluator="heuristic").run(trials=10)
    with pytest.raises(bt.ProblemError, match="heuristic returned None"):
        bt.check(wrong())
    wrong = type("Wrong", (Grid,), {"rollout": lambda self, state, steps, rng: None})
    with pytest.raises(bt.ProblemError, match=r"Wrong.rollout returned None in state \(\d, \d\); .* a number"):
        bt.Search(wrong(), bt.BTS(), seed=0).run(trials=10)
    for answer in (None, 4, 1.5):
        wrong = type("Wrong", (Grid,), {"random_action": lambda self, state, rng, answer=answer: answer})
        with pytest.raises(bt.ProblemError, match=f"random_action returned {answer} in .* an action, from 0 to 3"):
            bt.Search(wrong(), bt.BTS(), seed=0).run(trials=10)


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"start": lambda self: (0, 0)}, r"Wrong.start\(self\): must be start\(self, rng\)"),
        (
            {"step": lambda self, state, action: (state, 0.0, True)},
            r"Wrong.step\(self, state, action\): must be step\(self, state, action, rng\)",
        ),
        ({"legal": lambda self: [0]}, r"Wrong.legal\(self\): must be legal\(self, state\)"),
        (
            {"player": lambda self, state, *, turn: 0},
            r"Wrong.player\(self, state, \*, turn\): must be player\(self, state\)",
        ),
    ],
)
def test_arguments(functions, message):
    with pytest.raises(bt.ProblemError, match=message):
        type("Wrong", (Grid,), functions)()


def test_arguments_of_other_forms_are_taken():
    class Forms(Grid):
        @staticmethod
        def legal(state):
            return range(4)

        def step(self, *arguments):
            return super().step(*arguments)

        def key(self, state, deep=False):
            return state

    bt.check(Forms())


@pytest.mark.parametrize("error", [LookupError, TypeError, ValueError, AttributeError])
@pytest.mark.parametrize("evaluator", [0.0, "rollout"])
def test_errors_arrive_as_they_were_raised(error, evaluator):
    def hole(state):
        if state[:2] == (2, 2):
            raise error("a hole in the map")

    class Steps(Grid):
        def step(self, state, action, rng):
            hole(state)
            return super().step(state, action, rng)

    class Unsure(Steps):
        deterministic = False

    class Outcomes(Slippery):
        def outcomes(self, state, action):
            hole(state)
            return super().outcomes(state, action)

    class Yields(Slippery):
        def outcomes(self, state, action):
            hole(state)
            yield from super().outcomes(state, action)

    class Keys(Grid):
        def key(self, state):
            hole(state)
            return state

    class Legal(Grid):
        def legal(self, state):
            hole(state)
            yield from range(4)

    for problem in (Steps, Unsure, Outcomes, Yields, Keys, Legal):
        search = bt.Search(problem(), bt.BTS(), seed=0, evaluator=evaluator)
        with pytest.raises(error, match="a hole in the map") as caught:
            search.run(trials=10_000)
        assert caught.traceback[-1].name == "hole"
        if problem is not Legal:  # it would be asked again
            check_invariants(search)


def test_states_are_named_as_the_user_knows_them():
    class Stuck(Grid):
        def legal(self, state):
            return [] if state == (1, 0) else range(4)

    class Long(Grid):
        def start(self, rng):
            return ("x" * 1000, 0)

        def step(self, state, action, rng):
            return state, math.nan, False

    refused(Stuck, r"no legal action in state \(1, 0\); a state without legal actions must be terminal")
    with pytest.raises(bt.ProblemError, match=r"no legal action in state \(1, 0\)"):
        bt.solve(Stuck())
    refused(Long, r"reward=nan for action \d in state \('xxx[x]*…; rewards must be finite")
    search = bt.Search(Grid(), bt.BTS(), seed=0)
    with pytest.raises(bt.ParameterError, match=r"state \(9, 9\): not in the tree"):
        search.recommend((9, 9))


def test_states_that_cannot_be_told_apart_or_are_changed():
    class NoKey(Dice):
        def key(self, state):
            return state

    class Changes(Dice):
        def step(self, state, action, rng):
            state[0] += 1
            return state, 0.0, False

    with pytest.raises(bt.ProblemError, match=r"state \[0\] is not hashable; write key\(self, state\)"):
        bt.Search(NoKey(), bt.BTS())
    refused(Changes, r"Changes.step changed the state it was given, \(0,\)")


def test_what_must_be_there():
    class NoStep(bt.PythonProblem):
        actions, horizon = 2, 3

        def start(self, rng):
            return 0

    class Both(Slippery):
        def step(self, state, action, rng):
            return state, 0.0, True

    class Half(Slippery):
        def chances(self, state, action):
            return [1.0]

    with pytest.raises(bt.ProblemError, match=r"NoStep: step\(self, ...\) is missing"):
        NoStep()
    with pytest.raises(bt.ProblemError, match="step and outcomes are both there"):
        Both()
    with pytest.raises(bt.ProblemError, match="chances is there but outcome"):
        Half()


def test_a_deterministic_problem_is_one():
    class Wavers(Grid):
        def step(self, state, action, rng):
            return (rng.integers(1000), 0), 0.0, False

    with pytest.raises(bt.ProblemError, match="deterministic = True, but action"):
        bt.check(Wavers())


def test_chance_must_come_from_rng():
    class Elsewhere(Dice):
        def step(self, state, action, rng):
            return [random.random()], 0.0, False

    class Starts(Dice):
        def start(self, rng):
            return [random.random()]

    class Legal(Dice):
        def legal(self, state):
            return [random.randrange(2)]

    for problem, function in ((Elsewhere(), r"step\(\d\)"), (Starts(), "start")):
        with pytest.raises(
            bt.ProblemError, match=rf"\.{function} gives .* but .*all chance must come from rng"
        ) as said:
            bt.check(problem)
        assert "compiled" not in str(said.value)
    with pytest.raises(bt.ProblemError, match=r"Legal.legal gives \[\d\] the first time but \[\d\] the second time"):
        bt.check(Legal())


def test_every_action_has_a_name_or_none():
    class Named(Grid):
        action_names = ("east", "west", "north")

    with pytest.raises(bt.ProblemError, match=r"Named: action_names=\('east', 'west', 'north'\) are 3, must be 4"):
        Named()


def test_searches_of_objects_are_not_saved(tmp_path):
    search = bt.Search(Grid(), bt.UCT(), seed=0)
    with pytest.raises(bt.ParameterError, match=r"Grid: its search cannot be saved, .*run code when it is loaded"):
        search.save(tmp_path / "grid.search")
