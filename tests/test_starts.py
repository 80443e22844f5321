"""Exact values where the start is random, problems that are too large, and a look at how far solving is."""

from __future__ import annotations

import sys

import pytest

import boltree as bt
from boltree.exact import size
from boltree.exact.size import steps_to_more
from boltree.exact.solve import Solution
from child import Interrupt, call

LINE = [[[(1.0, max(s - 1, 0), -1.0, s == 1)], [(1.0, min(s + 1, 5), -1.0, False)]] for s in range(6)]
"""The way to 0 costs 1 a step: state s is worth -s."""


def line(start):
    table = {s: {a: LINE[s][a] for a in range(2)} if s else {} for s in range(6)}
    return bt.problems.OutcomeTable(table, horizon=20, start=start)


def test_listed_starts_count_by_their_probability():
    chances = [0.0, 0.1, 0.0, 0.2, 0.3, 0.4]
    solution = bt.solve(line(chances))
    assert solution.root_value == pytest.approx(-(0.1 * 1 + 0.2 * 3 + 0.3 * 4 + 0.4 * 5))
    assert [round(chance, 9) for chance, *_ in solution.starts] == [0.1, 0.2, 0.3, 0.4]
    assert [value for *_, value in solution.starts] == [-1.0, -3.0, -4.0, -5.0]
    assert "value -3.9, the mean over 4 starts (-5 to -1)" in str(solution)
    assert solution.value((4,)) == -4.0
    with pytest.raises(bt.ParameterError, match=r"state=None: .* may start in 4 states; give one of them"):
        solution.q()
    one = bt.solve(line(chances), state=(5,))
    assert one.root_value == -5.0
    assert bt.solve(line(3)).root_value == -3.0


class Drawn(bt.PythonProblem):
    """Begins at 1, 2 or 3, and counts down."""

    actions, horizon, deterministic = 2, 10, True

    def start(self, rng):
        return 1 + min(rng.integers(4), 2)

    def step(self, state, action, rng):
        return state - 1, -1.0 - action, state == 1


def test_drawn_starts():
    solution = bt.solve(Drawn())
    assert solution.root_value == pytest.approx(-(1 + 2 + 2 * 3) / 4, abs=0.1)
    assert "the mean over 3 starts that 1,000 draws came to" in repr(solution)
    assert sorted(value for *_, value in solution.starts) == [-3.0, -2.0, -1.0]


@pytest.mark.parametrize("seed", range(6))
def test_regret_is_that_of_the_searchs_own_root(seed):
    search = bt.Search(Drawn(), bt.BTS(), seed=seed, growth="trial")
    search.run(trials=500)
    assert bt.simple_regret(search) == pytest.approx(0.0, abs=1e-12)
    assert bt.value_of(search) == -search.root.state


class Wide(bt.PythonProblem):
    """A state for every sequence of actions: four billion."""

    actions, horizon, deterministic = 4, 16, True
    asked = 0

    def start(self, rng):
        return ()

    def step(self, state, action, rng):
        type(self).asked += 1
        return (*state, action), 0.0, False


class Square(Wide):
    """20,000 states, each of which is reached in many ways."""

    horizon = 400

    def start(self, rng):
        return (0, 0)

    def step(self, state, action, rng):
        type(self).asked += 1
        return ((state[0] + action % 2) % 200, (state[1] + action // 2) % 100), 0.0, False


def test_too_many_states_are_refused_early():
    Wide.asked = 0
    with pytest.raises(bt.ProblemError, match=r"more than 200,000 reachable states, as random walks .* after 1\d st"):
        bt.solve(Wide())
    assert Wide.asked < 100_000
    assert bt.solve(Square(), max_states=20_000).model.size == 20_000
    with pytest.raises(bt.ProblemError, match="more than 19999 reachable states; too many"):
        bt.solve(Square(), max_states=19_999)


@pytest.mark.parametrize("states", [50, 400, 3_000])
def test_walks_never_take_a_small_problem_for_a_large_one(states, monkeypatch):
    """From every state to every other, all equally likely: where walks differ most."""

    class Mixed(bt.PythonProblem):
        actions, horizon = 2, 40

        def start(self, rng):
            return 0

        def step(self, state, action, rng):
            return rng.integers(states), 0.0, False

    problem = Mixed()
    assert steps_to_more(problem, problem.start_state(0), states) is None
    assert steps_to_more(problem, problem.start_state(0), states // 40) is None or states > 40
    monkeypatch.setattr(size, "DOUBT", 30.0)  # fewer walks than are enough: the answer is then wrong
    assert steps_to_more(problem, problem.start_state(0), states) is not None


def test_progress(capsys):
    seen = []
    bt.solve(Square(), progress=lambda found, listed: seen.append((found, listed)))
    assert seen[-1] == (20_000, 20_000)
    assert len(seen) > 2
    assert all(listed <= found for found, listed in seen)
    bt.solve(bt.problems.FrozenLake("8x8"), progress=True)
    assert "FrozenLake: " in capsys.readouterr().err


def interrupt_solving():
    with Interrupt() as interrupt, pytest.raises(KeyboardInterrupt):
        bt.solve(bt.problems.ConnectFour(), progress=interrupt.ready)
    sys.stdout.write("interrupted\n")


def test_an_interrupt_ends_it():
    """Five million states of a compiled problem take long to list."""
    assert call(interrupt_solving) == "interrupted\n"


def test_other_objectives_have_the_same_starts():
    solution = bt.solve(line([0.0, 0.5, 0.0, 0.0, 0.0, 0.5]))
    assert Solution(solution.model, "uniform", 1.0).root_value < solution.root_value == -3.0
