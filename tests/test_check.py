"""`bt.check` on compiled problems."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from boltree.problem import check as checking
from clock import TICK
from trees import check_invariants


def mine(**functions):
    base = {
        "state": bt.record(x="i4", small="u1"),
        "actions": 2,
        "horizon": 5,
        "start": staticmethod(lambda params, state, rng: None),
        "step": staticmethod(lambda params, state, action, rng: (0.0, True)),
    }
    return type(
        "Mine", (bt.Problem,), base | {k: staticmethod(f) if callable(f) else f for k, f in functions.items()}
    )()


def _wraps(params, state, action, rng):
    state.x = state.small - 1  # an unsigned byte: -1 in Python and in Numba alike
    return 0.0, False


def _nan(params, state, action, rng):
    return float("nan"), True


def _random(params, state, action, rng):
    state.x = bt.integer(rng, 100)
    return 0.0, False


def _no_legal(params, state, mask):
    mask[0] = state.x == 5


def _changes(params, state, mask):
    state.x += 1
    mask[0] = True


def _two(params, state):
    return 2


def _negative(params, state, out):
    out[0] = -1.0


def _beyond(params, state, action, rng):
    table = np.zeros(3)
    return table[state.x + 7], True


def _count(params, state, action):
    return 2


def _halves(params, state, action, k):
    return 0.4, 0.0, True


def _whole(params, state, action, k):
    state.x = 7
    return 0.5, 0.0, True


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"step": _nan}, r"Mine.step: reward=nan for action \d in state"),
        ({"step": _random, "deterministic": True}, "deterministic = True, but action"),
        ({"legal": _no_legal}, "no legal action in state"),
        ({"legal": _changes}, "legal changes the state"),
        ({"player": _two}, "it must be 0 or 1"),
        ({"prior": _negative}, "a prior must be finite and at least 0"),
        ({"count_outcomes": _count, "outcomes": _halves}, "sum to 0.8, must be 1"),
        ({"count_outcomes": _count, "outcomes": _whole}, "which is none of its outcomes"),
    ],
)
def test_the_checker_says_what_is_wrong(functions, message):
    with pytest.raises(bt.ProblemError, match=message):
        bt.check(mine(**functions))


def test_the_checker_lets_errors_through():
    with pytest.raises(IndexError):
        bt.check(mine(step=_beyond))


def test_the_checker_is_content():
    bt.check(mine(step=_wraps))
    bt.check(mine(step=_random))
    for problem in (
        bt.problems.FrozenLake(),
        bt.problems.Sailing(),
        bt.problems.TicTacToe(),
        bt.problems.ConnectFour(),
        bt.problems.Bandit([1.0, 2.0]),
        bt.problems.SyntheticTree(20, 3, seed=1),
        bt.problems.AdaptedChain(4, 3),
        bt.problems.AverageReturnTrap(4),
    ):
        bt.check(problem)


def _steps_wrongly(params, state, action, rng):
    return 1.0


def _swapped(params, state, action, rng):
    return True, 1.0


def _mixes(params, state, action, rng):
    if state.x == 1 and action == 0:
        raise ArithmeticError("0 after 1")
    state.x = action
    return 0.0, False


def _never_legal(params, state, rng):
    return 7


def _half(params, state, out):
    out[0] = 1.0
    if state.x > 0:
        raise ValueError("no features there")


@pytest.mark.parametrize(
    ("functions", "error", "message"),
    [
        ({"step": _steps_wrongly}, bt.ProblemError, r"Mine.step returned 1.0; it must return \(reward, done\)"),
        ({"step": _swapped}, bt.ProblemError, r"it must return \(reward, done\)"),
        ({"step": _mixes}, ArithmeticError, "0 after 1"),
        (
            {"random_action": _never_legal},
            bt.ProblemError,
            r"returned 7 .* the legal actions are \[0, 1\]",
        ),
        ({"features": _half, "features_shape": (2,), "step": _random}, ValueError, "no features there"),
        ({"legals": _no_legal}, bt.ProblemError, r"not a function of a problem; did you mean legal\?"),
    ],
)
def test_the_checker_sees_more(functions, error, message):
    with pytest.raises(error, match=message):
        bt.check(mine(**functions))


def test_failing_features_are_raised():
    class Zero:
        gives_prior = False

        def evaluate(self, batch):
            return None, [0.0]

    search = bt.Search(mine(features=_half, features_shape=(2,), step=_random), bt.BTS(), seed=0, evaluator=Zero())
    with pytest.raises(ValueError, match="no features there"):
        search.run(trials=50)
    check_invariants(search)


def test_random_actions_out_of_range_are_raised():
    search = bt.Search(mine(random_action=_never_legal, step=_random), bt.BTS(), seed=0)
    with pytest.raises(Exception, match=r"out of range|raised when compiled"):
        search.run(trials=50)


# Where there is too much to look at


def _many(params, state, action):
    return 10_000_000


def _one_of_many(params, state, action, k):
    state.x = k
    return 1e-7, 0.0, False


def _beyond_outcome(params, state, action, k):
    table = np.zeros(3)
    return 1e-7, table[k + 3], False


class Raffle(bt.PythonProblem):
    """Each action has very many outcomes, all of them new states."""

    actions, horizon, tickets = 3, 50, 50_000
    asked = 0

    def start(self, rng):
        return ()

    def outcomes(self, state, action):
        self.asked += 1
        assert self.asked < 200, "it does not end"
        return [(1.0 / self.tickets, (*state, action, k), 0.0, False) for k in range(self.tickets)]


@pytest.mark.usefixtures("clock")
def test_the_checker_ends(monkeypatch):
    monkeypatch.setattr(checking, "SECONDS", 5 * TICK)
    raffle = Raffle()
    bt.check(raffle)
    assert len(raffle._objects) < 10 * Raffle.tickets
    bt.check(mine(count_outcomes=_many, outcomes=_one_of_many, step=_random))


def test_the_checker_still_looks_at_some():
    with pytest.raises(IndexError):
        bt.check(mine(count_outcomes=_many, outcomes=_beyond_outcome))


def test_compiling_does_not_count(monkeypatch):
    """The time begins to run after the first state, in which compiling happens."""
    monkeypatch.setattr(checking, "SECONDS", 0.0)
    problem, seen = mine(step=_random), []
    written = problem.written
    monkeypatch.setattr(problem, "written", lambda state: seen.append(state) or written(state))
    bt.check(problem)
    assert len(seen) == 1
    monkeypatch.setattr(checking, "SECONDS", 60.0)
    bt.check(problem)
    assert len(seen) == 1 + 20 * 5
