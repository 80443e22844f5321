"""Mistakes get a sentence that names the field, the value and what is allowed, and never cost a finished search."""

from __future__ import annotations

import math

import numpy as np
import pytest

import boltree as bt
from trees import check_invariants


class Line(bt.Problem):
    """A walk on a line with switches for everything that can go wrong."""

    state = bt.record(x="i4")
    params = bt.record(trouble="i4", at="i4")
    actions = 2
    horizon = 12

    @staticmethod
    def start(params, state, rng):
        state.x = 0

    @staticmethod
    def legal(params, state, mask):
        if params.trouble == 3 and state.x == params.at:
            return
        if params.trouble == 4 and state.x == params.at:
            raise KeyError("no such place")
        mask[0] = True
        mask[1] = True

    @staticmethod
    def step(params, state, action, rng):
        state.x += 1 if action == 1 else -1
        if state.x == params.at:
            if params.trouble == 1:
                raise RuntimeError("the bridge is out")
            if params.trouble == 2:
                return math.nan, False
            if params.trouble == 5:
                return math.inf, False
        return 0.0, False


def fails(trouble, error, match, growth="leaf", evaluator=0.0):
    """The error arrives, and the tree is what it was before the failed trial."""
    search = bt.Search(Line(trouble=trouble, at=4), bt.BTS(alpha=1.0), seed=0, growth=growth, evaluator=evaluator)
    with pytest.raises(error, match=match) as caught:
        search.run(trials=100_000)
    assert search.trials < 100_000
    check_invariants(search)
    assert search.recommend() in (0, 1)
    done = search.trials
    with pytest.raises(error):
        search.run(trials=100_000)  # it can be run again, and meets the same trouble
    assert search.trials >= done
    check_invariants(search)
    return caught


@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_a_step_that_raises(growth):
    caught = fails(1, RuntimeError, "the bridge is out", growth)
    assert any("the bridge is out" in str(entry.statement) for entry in caught.traceback)  # the user's own line


def test_a_rollout_that_raises():
    fails(1, RuntimeError, "the bridge is out", evaluator="rollout")


@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_bad_rewards(growth):
    fails(
        2, bt.ProblemError, r"Line.step: reward=nan for action 1 in state State\(x=3\); rewards must be finite", growth
    )
    fails(5, bt.ProblemError, "reward=inf", growth)


@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_no_legal_action(growth):
    fails(
        3,
        bt.ProblemError,
        r"no legal action in state State\(x=4\); a state without legal actions must be terminal",
        growth,
    )


def test_legal_raises():
    search = bt.Search(Line(trouble=4, at=4), bt.BTS(alpha=1.0), seed=0, evaluator=0.0)
    with pytest.raises(KeyError, match="no such place"):
        search.run(trials=100_000)
    assert search.root.count == search.trials == search.root.visits.sum()
    assert search.recommend() in (0, 1)


@pytest.mark.parametrize("cls", [bt.BTS, bt.DENTS, bt.MENTS, bt.RENTS, bt.TENTS, bt.ARBTS, bt.ANTS])
@pytest.mark.parametrize("alpha", [0.0, -1.0, math.nan, math.inf, "warm", None, True])
def test_bad_temperatures(cls, alpha):
    with pytest.raises(bt.ParameterError, match=rf"{cls.__name__}: alpha"):
        cls(alpha=alpha)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.BTS(epsilon=-0.1), "BTS: epsilon=-0.1, must be a finite number of at least 0"),
        (lambda: bt.BTS(epsilon_prior=math.nan), "BTS: epsilon_prior=nan"),
        (lambda: bt.BTS(q_init=math.inf), "BTS: q_init=inf, must be a finite number, anchored"),
        (lambda: bt.DENTS(beta=-1.0), "DENTS: beta=-1.0: must be finite and at least 0"),
        (lambda: bt.DENTS(beta=bt.log_decay(-1.0)), "log_decay\\(-1.0\\)"),
        (lambda: bt.UCT(c=-1), r"UCT: c=-1, must be a finite number of at least 0, spread\(x\), or 'auto'"),
        (lambda: bt.PUCT(c="auto"), "PUCT: c='auto'"),
        (lambda: bt.PUCT(first_play="node"), "PUCT: first_play='node', must be a finite number, or 'parent'"),
        (lambda: bt.PUCT(first_play=0.0, reduction=0.2), "PUCT: reduction=0.2 needs first_play='parent', not 0.0"),
        (lambda: bt.PUCT(noise=1.5), "PUCT: noise=1.5, must be a number in"),
        (lambda: bt.HMCTS(budget=0), "HMCTS: budget=0, must be an integer from 1 to"),
        (lambda: bt.HMCTS(threshold=1.5), "HMCTS: threshold=1.5"),
        (lambda: bt.PowerUCT(p=0.5), "PowerUCT: p=0.5, must be a finite number of at least 1"),
        (lambda: bt.ANTS(target=1.0), "ANTS: target=1.0, must be a number between 0 and 1"),
        (lambda: bt.BTS(recommend="best"), "BTS: recommend='best', must be 'value' or 'visits'"),
        (lambda: bt.DENTS(alfa=1), r"DENTS: unknown parameter 'alfa'; it has alpha, .*did you mean alpha\?"),
        (lambda: bt.algorithm("uct", d=1), "UCT: unknown parameter 'd'; it has c, recommend"),
        (lambda: bt.BTS(alias="yes"), "BTS: alias='yes'"),
        (lambda: bt.BTS(rebuild_factor=0), "BTS: rebuild_factor=0"),
        (lambda: bt.BTS(alpha=lambda m: 1.0 - m), "alpha.*at count 1 is 0.0"),
        (lambda: bt.BTS(alpha=lambda m: [][m]), "alpha: the function failed at count 1"),
        (lambda: bt.Custom(search_distribution="greedy"), "search_distribution='greedy', must be one of ucb"),
        (lambda: bt.Custom(search_distribution="ucb", entropy_bonus="shannon"), "entropy_bonus='shannon' needs"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(bt.ParameterError, match=message):
        make()


class Environment:
    """What has the methods of one."""

    def __repr__(self):
        return "an environment"

    def reset(self):
        return None

    step = reset


@pytest.mark.parametrize("call", [bt.solve, bt.check, lambda given: bt.Search(given, bt.UCT())])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, r"problem=3: must be a bt.Problem, such as"),
        ("CartPole-v1", r"bt.from_gymnasium\('CartPole-v1'\) makes one"),
        (Environment(), r"bt.from_gymnasium\(env\) makes one"),
        (bt.problems.TicTacToe, r"TicTacToe\(\) makes one of the class"),
    ],
    ids=str,
)
def test_what_is_no_problem(call, given, message):
    with pytest.raises(bt.ParameterError, match=message):
        call(given)


@pytest.mark.parametrize("call", [bt.value_of, bt.simple_regret, bt.sample_value])
def test_what_is_no_search(call):
    with pytest.raises(bt.ParameterError, match=r"search=DChain.* must be a bt.Search that was run; bt.solve"):
        call(bt.problems.DChain(3))
    with pytest.raises(bt.ParameterError, match=r"search=3: must be a bt.Search that was run$"):
        call(3)


def test_where_a_search_cannot_be_saved(tmp_path):
    search = bt.Search(bt.problems.DChain(3), bt.UCT(), seed=0)
    with pytest.raises(bt.ParameterError, match="is a folder; give a file's name, such as"):
        search.save(tmp_path)
    with pytest.raises(bt.ParameterError, match="there is no folder"):
        search.save(tmp_path / "none" / "mine.search")


def test_a_schedule_that_goes_wrong_later():
    algorithm = bt.BTS(alpha=lambda m: 1.0 if m < 500 or m >= 1000 else 0.0)
    search = bt.Search(bt.problems.DChain(4), algorithm, seed=0)
    with pytest.raises(bt.ParameterError, match=r"a temperature is 0\.0 at count 500"):
        search.run(trials=10_000)
    check_invariants(search)
    assert search.trials == 499


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"growth": "tree"}, "growth='tree': must be 'leaf' or 'trial'"),
        ({"evaluator": "network"}, "evaluator='network': must be a number"),
        ({"evaluator": math.nan}, "evaluator=nan: must be a finite number"),
        ({"evaluator": "heuristic"}, "DChain has no heuristic"),
        ({"seed": -1}, "seed=-1"),
        ({"threads": 0}, "threads=0: must be an integer from 1 to"),
        ({"transpositions": "state"}, "transpositions='state': DChain has discount=1"),
        ({"max_nodes": 0}, "max_nodes=0"),
        ({"max_nodes": 1}, "max_nodes=1: one trial of this problem may need"),
        ({"max_bytes": 100}, "max_bytes=100: one trial of this problem may need"),
        ({"state": {"y": 3}}, "does not fit the fields d"),
        ({"state": (1, 2)}, "does not fit the fields d"),
    ],
)
def test_bad_searches(options, message):
    with pytest.raises(ValueError, match=message):
        bt.Search(bt.problems.DChain(4), bt.BTS(), **options)


def test_wrong_objects():
    with pytest.raises(bt.ParameterError, match=r"problem='frozen-lake': must be a bt\.Problem"):
        bt.Search("frozen-lake", bt.BTS())
    with pytest.raises(bt.ParameterError, match=r"must be an algorithm, bt.UCT\(\) makes one of the class"):
        bt.Search(bt.problems.DChain(4), bt.UCT)
    with pytest.raises(bt.ParameterError, match="algorithm='bts': must be an algorithm"):
        bt.Search(bt.problems.DChain(4), "bts")


def test_bad_runs():
    search = bt.Search(bt.problems.DChain(4), bt.BTS(), seed=0)
    for options, message in (
        ({}, "give trials"),
        ({"trials": -1}, "trials=-1"),
        ({"trials": 1.5}, "trials=1.5"),
        ({"seconds": math.inf}, "seconds=inf"),
        ({"seconds": -1.0}, "seconds=-1.0"),
    ):
        with pytest.raises(bt.ParameterError, match=message):
            search.run(**options)
    with pytest.raises(bt.ParameterError, match="no action was tried"):
        search.recommend()
    search.run(trials=100)
    with pytest.raises(bt.ParameterError, match="not in the tree"):
        search.recommend((99,))
    with pytest.raises(bt.ParameterError, match="action=7: must be a legal action of the root"):
        search.advance(7)
    with pytest.raises(bt.ParameterError, match=r"path step 5"):
        search.node([5])


def problem_class(**attributes):
    base = {
        "state": bt.record(x="i4"),
        "actions": 2,
        "horizon": 5,
        "start": staticmethod(lambda params, state, rng: None),
        "step": staticmethod(lambda params, state, action, rng: (0.0, True)),
    }
    base.update(attributes)
    return type("Mine", (bt.Problem,), {k: v for k, v in base.items() if v is not None})


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"horizon": 0}, "Mine: horizon=0, must be an integer of at least 1"),
        ({"actions": 0}, "Mine: actions=0, must be an integer from 1 to 65535"),
        ({"actions": 2.5}, "Mine: actions=2.5"),
        ({"discount": 1.5}, r"Mine: discount=1.5, must be in \(0, 1\]"),
        ({"state": None}, "Mine: state is missing"),
        ({"start": None}, r"Mine: start\(params, state, rng\) is missing"),
        ({"step": None}, r"Mine: step\(params, state, action, rng\) is missing"),
        ({"step": staticmethod(lambda state: 0)}, r"Mine.step\(state\) must take \(params, state, action, rng\)"),
        ({"step": lambda params, state, action, rng: (0.0, True)}, "Mine.step must be a @staticmethod"),
        ({"state": bt.record(x="f8[:]")}, "state field x needs a fixed size"),
        ({"outcomes": staticmethod(lambda params, state, action, k: (1.0, 0.0, True))}, "count_outcomes.*is missing"),
        ({"params": bt.record(horizon="i4")}, "params field 'horizon' must be called something else"),
    ],
)
def test_bad_problems(attributes, message):
    with pytest.raises(bt.ProblemError, match=message):
        problem_class(**attributes)()


def test_bad_records():
    for text in ("int", "i3", "f8[]", "f8[:,2]", 7):
        with pytest.raises(bt.ProblemError, match="record field x="):
            bt.record(x=text)


def test_bad_problem_parameters():
    line = problem_class(params=bt.record(table="u1[:]", size="i4"))
    with pytest.raises(bt.ProblemError, match="unknown parameter 'tabel'"):
        line(tabel=[1], size=1)
    with pytest.raises(bt.ProblemError, match="parameter 'size' is missing"):
        line(table=[1])
    with pytest.raises(bt.ProblemError, match=r"parameter table=.*does not fit u1\[:\]"):
        line(table=[300], size=1)
    with pytest.raises(bt.ProblemError, match=r"parameter table=.*2 dimensions"):
        line(table=[[1]], size=1)
    with pytest.raises(bt.ProblemError, match=r"parameter size=2.5 does not fit i4"):
        line(table=[1], size=2.5)


def test_functions_that_do_not_compile():
    def step(params, state, action, rng):
        return open("/dev/null"), True

    with pytest.raises(
        bt.ProblemError, match=r"Mine.step does not compile: .*for arbitrary Python use bt.PythonProblem"
    ):
        bt.Search(problem_class(step=staticmethod(step))(), bt.BTS())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.problems.FrozenLake(["SFX", "FFG"]), "X"),
        (lambda: bt.problems.FrozenLake(["SFF", "FG"]), "row"),
        (lambda: bt.problems.FrozenLake("9x9"), "8x12-test"),
        (lambda: bt.problems.Sailing(6, "UP"), "wind"),
        (lambda: bt.problems.DChain(0), "length=0"),
        (lambda: bt.problems.DChain(4, math.nan), "final_reward=nan"),
        (lambda: bt.problems.Bandit([0.0, math.inf]), "inf"),
        (lambda: bt.problems.Tabular(np.full((2, 1, 2), 0.4), np.zeros((2, 1)), horizon=2), "sum to"),
        (lambda: bt.problems.Tabular(np.full((2, 1, 2), 0.5), np.full((2, 1), math.nan), horizon=2), "nan"),
        (
            lambda: bt.problems.Tabular(np.full((2, 1, 2), 0.5), np.zeros((2, 1)), horizon=2, legal=[[True], [False]]),
            "legal",
        ),
        (lambda: bt.problems.Tabular(np.full((2, 1, 2), 0.5), np.zeros((2, 1)), horizon=0), "horizon=0"),
    ],
)
def test_bad_built_in_problems(make, message):
    with pytest.raises(bt.ProblemError, match=message):
        make()


def test_an_action_out_of_range_is_refused_by_plain_checks():
    search = bt.Search(bt.problems.Sailing(6), bt.BTS(), seed=0)
    search.run(trials=10)
    with pytest.raises(bt.ParameterError, match="legal action of the root"):
        search.advance(5)  # south: off the grid


def test_solve_reports_mistakes():
    wrong = problem_class(
        step=None,
        count_outcomes=staticmethod(lambda params, state, action: 2),
        outcomes=staticmethod(lambda params, state, action, k: (0.4, 0.0, True)),
    )
    with pytest.raises(bt.ProblemError, match=r"probabilities of action 0 in state State\(x=0\) sum to 0.8, must be 1"):
        bt.solve(wrong())
    with pytest.raises(bt.ProblemError, match="exact solving needs outcomes"):
        bt.solve(Line(trouble=0, at=0))
    with pytest.raises(bt.ParameterError, match="objective='best'"):
        bt.solve(bt.problems.DChain(3), objective="best")
    with pytest.raises(bt.ParameterError, match="alpha=0"):
        bt.solve(bt.problems.DChain(3), objective="soft", alpha=0)


@pytest.mark.parametrize("depth", [0, -1, 1.5, "x", True])
def test_a_trees_depth(depth):
    search = bt.Search(bt.problems.DChain(4), bt.BTS(), seed=0)
    with pytest.raises(bt.ParameterError, match="depth="):
        search.tree(depth)


def test_watching_what_is_no_search():
    with pytest.raises(bt.ParameterError, match="searches="):
        bt.watch(bt.problems.DChain(4), trials=10)
