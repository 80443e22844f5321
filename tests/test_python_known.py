"""What a problem in plain Python is asked once, and that the search does not depend on it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import boltree as bt
from python_problems import Grid, Lazy, Slippery
from trees import check_invariants


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
        monkeypatch.setattr("boltree.problem.python.answers.ROLLOUTS_KEEP", keep)
        for make in (Slippery, Lazy, Grid):
            problem = make()
            for _ in range(2):  # the second time more is known
                search = bt.Search(problem, bt.UCT(), seed=3)
                search.run(trials=300)
                values.append((make.__name__, search.root.value, search.root.visits.tolist()))
    for make in (Slippery, Lazy, Grid):
        assert len({str(value) for value in values if value[0] == make.__name__}) == 1


class Plane(bt.PythonProblem):
    """So many states that what is known of them is moved to larger memory again and again."""

    actions, horizon, deterministic = 4, 60, True

    def start(self, rng):
        return 0, 0

    def step(self, state, action, rng):
        x, y = state[0] + (1, -1, 0, 0)[action], state[1] + (0, 0, 1, -1)[action]
        return (x, y), -float(abs(x - 20) + abs(y - 10)), False


class Nothing:
    """Values of no worth, in batches."""

    batch, gives_prior = 4, False

    def evaluate(self, batch):
        return None, np.zeros(len(batch))


@pytest.mark.parametrize("together", [False, True])
def test_searches_of_one_problem_in_several_threads(together):
    """What each of them finds is what it finds alone."""
    with bt.Together(Nothing(), threads=2) as shared:
        options = {"evaluator": shared} if together else {"growth": "trial"}
        trials = 3_000 if together else 10_000

        def values(workers):
            plane = Plane()
            searches = [bt.Search(plane, bt.BTS(alpha=10.0), seed=i, **options) for i in range(4)]
            with ThreadPoolExecutor(workers) as threads:
                assert set(threads.map(lambda search: search.run(trials=trials), searches)) == {"trials"}
            return [(search.root.value, search.root.visits.tolist()) for search in searches]

        alone = values(1)
        assert values(4) == alone
        assert values(4) == alone
