"""Problems in plain Python, and the checker."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest

import boltree as bt
from speed import trials_a_second
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


# What Python is asked once


MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Slippery(bt.PythonProblem):
    """A grid that lists its outcomes: straight on, or to one of the sides."""

    actions, horizon, discount, size = 4, 12, 0.9, 4

    def __init__(self):
        super().__init__()
        self.asked = Counter()

    def start(self, rng):
        return (0, 0)

    def outcomes(self, state, action):
        self.asked["outcomes", state, action] += 1
        found = []
        for chance, direction in ((0.8, action), (0.1, action ^ 2), (0.1, action ^ 3)):
            x, y = (min(max(state[i] + MOVES[direction][i], 0), self.size) for i in (0, 1))
            found.append((chance, (x, y), -1.0, (x, y) == (self.size, self.size)))
        return found


class Lazy(Slippery):
    """The same in two parts: chances, and one outcome at a time; also legal actions and players."""

    def start(self, rng):
        return (0, 0, 0)

    def legal(self, state):
        self.asked["legal", state] += 1
        return [0, 2] if state[:2] == (0, 0) else [0, 1, 2, 3]

    def player(self, state):
        self.asked["player", state] += 1
        return state[2]

    def chances(self, state, action):
        self.asked["chances", state, action] += 1
        return [0.8, 0.1, 0.1]

    def outcome(self, state, action, k):
        self.asked["outcome", state, action, k] += 1
        _, place, reward, done = Slippery().outcomes(state[:2], action)[k]
        return (*place, 1 - state[2]), reward, done

    outcomes = None


def test_outcomes_give_the_tree_of_the_compiled_problem():
    class Compiled(bt.Problem):
        state = bt.record(x="i4", y="i4")
        actions, horizon, discount = 4, 12, 0.9

        @staticmethod
        def start(params, state, rng):
            state.x = 0

        @staticmethod
        def count_outcomes(params, state, action):
            return 3

        @staticmethod
        def outcomes(params, state, action, k):
            direction = action if k == 0 else (action ^ 2 if k == 1 else action ^ 3)
            dx = 1 if direction == 0 else (-1 if direction == 1 else 0)
            dy = 1 if direction == 2 else (-1 if direction == 3 else 0)
            state.x = min(max(state.x + dx, 0), 4)
            state.y = min(max(state.y + dy, 0), 4)
            return (0.8 if k == 0 else 0.1), -1.0, state.x == 4 and state.y == 4

    for options in ({"evaluator": "rollout"}, {"evaluator": 0.0}, {"growth": "trial"}):
        ours, theirs = (bt.Search(p, bt.DENTS(alpha=1.0), seed=4, **options) for p in (Slippery(), Compiled()))
        for search in (ours, theirs):
            search.run(trials=800)
        check_invariants(ours)
        assert ours.root.visits.tolist() == theirs.root.visits.tolist()
        assert ours.root.value == theirs.root.value
        assert ours.size == theirs.size
        assert bt.value_of(ours) == pytest.approx(bt.value_of(theirs), abs=1e-12)
    assert bt.solve(Slippery()).root_value == pytest.approx(bt.solve(Compiled()).root_value, abs=1e-12)
    bt.check(Slippery())


def test_python_is_asked_once():
    for make in (Slippery, Lazy):
        problem = make()
        search = bt.Search(problem, bt.BTS(alpha=1.0), seed=0)
        search.run(trials=3_000)
        assert search.size > 3 * len(problem.asked)
        repeated = {what: n for what, n in problem.asked.items() if n > 1}
        allowed = {"player"} if make is Lazy else set()  # the root's player is asked for when it is planted
        assert {what[0] for what in repeated} <= allowed
        check_invariants(search)


def test_outcomes_in_two_parts():
    problem = Lazy()
    bt.check(problem)
    search = bt.Search(problem, bt.UCT(), seed=1)
    search.run(trials=2_000)
    check_invariants(search)
    assert search.root.actions.tolist() == [0, 2]
    assert {child.player for outcomes in search.children.values() for child in outcomes} == {1}
    alone = Lazy()
    alone.player = lambda state: 0  # both want the same
    assert bt.solve(problem).root_value < bt.solve(alone).root_value


def test_rollouts_do_not_depend_on_what_is_known(monkeypatch):
    values = []
    for keep in (1 << 16, 5, 0):
        monkeypatch.setattr("boltree.known.ROLLOUTS_KEEP", keep)
        for make in (Slippery, Lazy, Grid):
            problem = make()
            for _ in range(2):  # the second time more is known
                search = bt.Search(problem, bt.UCT(), seed=3)
                search.run(trials=300)
                values.append((make.__name__, search.root.value, search.root.visits.tolist()))
    for make in (Slippery, Lazy, Grid):
        assert len({str(value) for value in values if value[0] == make.__name__}) == 1


def test_wrong_outcomes():
    class Short(Slippery):
        def outcomes(self, state, action):
            return super().outcomes(state, action)[:2]

    class Breaks(Slippery):
        def outcomes(self, state, action):
            if state == (1, 1):
                raise LookupError("a hole in the map")
            return super().outcomes(state, action)

    class Both(Slippery):
        def step(self, state, action, rng):
            return state, 0.0, True

    class Half(Slippery):
        def chances(self, state, action):
            return [1.0]

    class Third(Lazy):
        def player(self, state):
            return -1 if state[:2] == (1, 1) else 0

    for evaluator in (0.0, "rollout"):
        search = bt.Search(Short(), bt.BTS(), seed=0, evaluator=evaluator)
        with pytest.raises(bt.ProblemError, match=r"chances of action \d in .* must be at least 0 and sum to 1"):
            search.run(trials=100)
        search = bt.Search(Breaks(), bt.BTS(), seed=0, evaluator=evaluator)
        with pytest.raises(LookupError, match="a hole in the map"):
            search.run(trials=1_000)
        check_invariants(search)
    with pytest.raises(LookupError, match="a hole in the map"):
        bt.solve(Breaks())
    with pytest.raises(bt.ProblemError, match="step and outcomes are both there"):
        Both()
    with pytest.raises(bt.ProblemError, match="chances is there but outcome"):
        Half()
    with pytest.raises(bt.ProblemError, match="player returned -1; it must be 0 or 1"):
        bt.Search(Third(), bt.BTS(), seed=0, evaluator=0.0).run(trials=1_000)


def test_problems_travel():
    problem = Lazy()
    bt.Search(problem, bt.UCT(), seed=1).run(trials=100)
    again = pickle.loads(pickle.dumps(problem))
    ours, theirs = (bt.Search(p, bt.UCT(), seed=2) for p in (problem, again))
    for search in (ours, theirs):
        search.run(trials=500)
    assert ours.root.value == theirs.root.value


def test_speed():
    """A grid in Python runs at a good part of the speed of a compiled problem, wherever states come again."""
    compiled = trials_a_second(bt.problems.FrozenLake("8x12-test"), 20_000)
    assert trials_a_second(Grid(), 20_000) > compiled / 8
    assert trials_a_second(Slippery(), 20_000) > compiled / 12


class InPlace(bt.PythonProblem):
    """Changes the state that it was given."""

    actions, horizon = 2, 6

    def key(self, state):
        return tuple(state)

    def start(self, rng):
        return [0]

    def step(self, state, action, rng):
        state[0] += action
        return state, float(state[0]), False


def test_a_state_that_is_changed_is_refused():
    with pytest.raises(bt.ProblemError, match=r"InPlace.step changed the state it was given, \(0,\)"):
        bt.Search(InPlace(), bt.BTS(), seed=0).run(trials=100)


class Forgetful(bt.PythonProblem):
    """Returns too little."""

    actions, horizon = 2, 6

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        return state + 1


def test_a_bad_answer_is_named():
    with pytest.raises(
        bt.ProblemError, match=r"Forgetful.step returned 1; it must return \(next_state, reward, done\)"
    ):
        bt.Search(Forgetful(), bt.BTS(), seed=0).run(trials=10)


def test_exact_solving_of_large_python_problems_is_refused_soon():
    class Endless(bt.PythonProblem):
        actions, horizon, deterministic = 2, 60, True

        def start(self, rng):
            return 1

        def step(self, state, action, rng):
            return 2 * state + action, 0.0, False

    Endless.solvable_states = 3_000
    with pytest.raises(bt.ProblemError, match="more than 3000 reachable states"):
        bt.solve(Endless())
    with pytest.raises(bt.ProblemError, match=r"needs outcomes\(self, state, action\)"):
        bt.solve(Forgetful())
