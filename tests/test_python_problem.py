"""Problems in plain Python: searched, solved and moved like compiled ones."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import boltree as bt
from python_problems import Dice, Grid, Lazy, Slippery
from speed import trials_a_second
from trees import check_invariants


def test_a_grid_is_solved():
    bt.check(Grid())
    search = bt.Search(Grid(), bt.BTS(alpha=0.5), seed=0, evaluator=0.0)
    search.run(trials=20_000)
    check_invariants(search)
    episodes = [bt.act(Grid(), bt.BTS(alpha=0.5), trials=1_000, evaluator="rollout", seed=seed) for seed in range(5)]
    assert np.mean([episode.value for episode in episodes]) >= -10.0
    for episode in episodes:
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


def test_exact_solving_of_large_python_problems_is_refused_soon():
    class Endless(bt.PythonProblem):
        actions, horizon, deterministic = 2, 60, True

        def start(self, rng):
            return 1

        def step(self, state, action, rng):
            return 2 * state + action, 0.0, False

    Endless.solvable_states = 3_000
    with pytest.raises(bt.ProblemError, match="more than 3,000 reachable states"):
        bt.solve(Endless())
    with pytest.raises(bt.ProblemError, match=r"needs outcomes\(self, state, action\)"):
        bt.solve(Dice())


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
    compiled, grid, slippery = trials_a_second(20_000, bt.problems.FrozenLake("8x12-test"), Grid(), Slippery())
    assert grid > compiled / 8
    assert slippery > compiled / 12
