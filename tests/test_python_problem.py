"""Problems in plain Python, and the checker."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from trees import check_invariants


class Grid(bt.PythonProblem):
    """States are tuples; the far corner ends."""

    actions, horizon, deterministic = 4, 20, True
    size = 4

    def start(self, rng):
        return (0, 0)

    def step(self, state, action, rng):
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[action]
        following = min(max(state[0] + dx, 0), self.size), min(max(state[1] + dy, 0), self.size)
        return following, -1.0, following == (self.size, self.size)


class Dice(bt.PythonProblem):
    """Stochastic: go on (1) or keep (0); states are lists, so a key is needed."""

    actions, horizon = 2, 8

    def start(self, rng):
        return [0]

    def key(self, state):
        return tuple(state)

    def legal(self, state):
        return [0, 1] if state[0] < 20 else [0]

    def step(self, state, action, rng):
        if action == 0:
            return state, float(state[0]), True
        thrown = bt.integer(rng, 6) + 1
        return ([0] if thrown == 1 else [state[0] + thrown]), 0.0, thrown == 1


def test_a_grid_is_solved():
    bt.check(Grid())
    search = bt.Search(Grid(), bt.BTS(alpha=0.5), seed=0, evaluator=0.0)
    search.run(trials=20_000)
    check_invariants(search)
    episode = bt.act(Grid(), bt.BTS(alpha=0.5), trials=1_000, evaluator="rollout")
    assert episode.value >= -10.0
    assert episode.states[0] == (0, 0)
    assert episode.states[-1] == (4, 4)


def test_like_the_compiled_one():
    """The same problem, compiled and in Python: the same tree."""

    class Compiled(bt.Problem):
        state = bt.record(x="i4", y="i4")
        actions, horizon, deterministic = 4, 20, True

        @staticmethod
        def start(params, state, rng):
            state.x = 0
            state.y = 0

        @staticmethod
        def step(params, state, action, rng):
            dx = 1 if action == 0 else (-1 if action == 1 else 0)
            dy = 1 if action == 2 else (-1 if action == 3 else 0)
            state.x = min(max(state.x + dx, 0), 4)
            state.y = min(max(state.y + dy, 0), 4)
            return -1.0, state.x == 4 and state.y == 4

    for algorithm in (bt.UCT(), bt.DENTS(alpha=1.0), bt.MENTS()):
        for evaluator in ("rollout", 0.0):
            a, b = (bt.Search(p, algorithm, seed=2, evaluator=evaluator) for p in (Grid(), Compiled()))
            for search in (a, b):
                search.run(trials=500)
            assert a.root.visits.tolist() == b.root.visits.tolist()
            assert a.root.value == b.root.value


def test_a_stochastic_one():
    bt.check(Dice())
    search = bt.Search(Dice(), bt.BTS(alpha=5.0), seed=0)
    search.run(trials=5_000)
    check_invariants(search)
    assert search.recommend() == 1
    assert len(search.children[1]) == 6
    assert "[" in search.problem.show_state(search.root.state)


def test_errors_arrive_as_they_were_raised():
    class Breaks(Grid):
        def step(self, state, action, rng):
            if state == (2, 2):
                raise LookupError("a hole in the map")
            return super().step(state, action, rng)

    search = bt.Search(Breaks(), bt.BTS(), seed=0, evaluator=0.0)
    with pytest.raises(LookupError, match="a hole in the map") as caught:
        search.run(trials=10_000)
    assert caught.traceback[-1].name == "step"
    check_invariants(search)


def test_mistakes():
    class NoKey(Dice):
        def key(self, state):
            return state

    with pytest.raises(bt.ProblemError, match=r"is not hashable; write key\(self, state\)"):
        bt.Search(NoKey(), bt.BTS())

    class NoStep(bt.PythonProblem):
        actions, horizon = 2, 3

        def start(self, rng):
            return 0

    with pytest.raises(bt.ProblemError, match=r"NoStep: step\(self, ...\) is missing"):
        NoStep()

    class Illegal(Dice):
        def legal(self, state):
            return [0, 7]

    with pytest.raises(bt.ProblemError, match=r"action 7 of .* must be 0 to 1"):
        bt.Search(Illegal(), bt.BTS(), seed=0).run(trials=100)

    class Wavers(Grid):
        def step(self, state, action, rng):
            return (bt.integer(rng, 1000), 0), 0.0, False

    with pytest.raises(bt.ProblemError, match="deterministic = True, but action"):
        bt.check(Wavers())


def test_players_and_priors():
    class Nim(bt.PythonProblem):
        """Take 1 to 3 of the stones; whoever takes the last one wins."""

        actions, horizon, deterministic = 3, 12, True

        def start(self, rng):
            return (10, 0)

        def player(self, state):
            return state[1]

        def legal(self, state):
            return range(min(3, state[0]))

        def prior(self, state):
            return [1.0, 2.0, 3.0]

        def heuristic(self, state):
            return 0.0

        def step(self, state, action, rng):
            left, mover = state[0] - action - 1, state[1]
            won = 1.0 if mover == 0 else -1.0
            return (left, 1 - mover), (won if left == 0 else 0.0), left == 0

    bt.check(Nim())
    for algorithm in (bt.BTS(alpha=0.5), bt.PUCT(), bt.UCT(c=1.0)):
        search = bt.Search(Nim(), algorithm, seed=0, evaluator="heuristic")
        search.run(trials=20_000)
        assert search.recommend() == 1  # leaves 8, a multiple of 4
        check_invariants(search)


# The checker, on compiled problems


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


def test_deterministic_problems_are_solved_by_their_steps():
    """The outcomes of a deterministic problem need not be written: exact values come from `step`."""
    assert bt.solve(Grid()).root_value == -8.0
    search = bt.Search(Grid(), bt.BTS(alpha=0.5), seed=0, evaluator=0.0)
    search.run(trials=2_000)
    assert bt.simple_regret(search) >= 0.0

    class Walk(bt.Problem):
        state = bt.record(x="i4")
        actions, horizon, discount, deterministic = 2, 10, 0.9, True

        @staticmethod
        def start(params, state, rng):
            state.x = 0

        @staticmethod
        def step(params, state, action, rng):
            state.x += 1 if action == 1 else -1
            return (1.0 if state.x == 3 else 0.0), state.x == 3

    bt.check(Walk())
    assert bt.solve(Walk()).root_value == pytest.approx(0.9**2)


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
        ({"legals": _no_legal}, bt.ProblemError, "do you mean legal"),
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


def test_python_mistakes_are_named():
    class Mutates(Dice):
        def step(self, state, action, rng):
            state[0] += 1
            return state, 0.0, False

    class Short(Grid):
        def step(self, state, action, rng):
            return state, 0.0

    class Mask(Grid):
        def legal(self, state):
            return [True, False, True, True]

    for cls, message in (
        (Mutates, "changed the state"),
        (Short, "next_state, reward, done"),
        (Mask, "actions' numbers"),
    ):
        with pytest.raises(bt.ProblemError, match=message):
            bt.check(cls())
