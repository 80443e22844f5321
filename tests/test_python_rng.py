"""The `rng` of a problem in plain Python."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.problem.random import Generator


class Walk(bt.PythonProblem):
    """Draws in every way that there is."""

    actions, horizon = 2, 6

    def start(self, rng):
        return rng.choice((-1, 0, 1))

    def step(self, state, action, rng):
        blown = rng.choice([-1, 1]) if rng.random() < 0.3 else rng.integers(0, 2)
        return state + action + blown, float(state), False

    def random_action(self, state, rng):
        return rng.integers(2)


class OldWalk(Walk):
    """The same draws by the package's functions."""

    def start(self, rng):
        return (-1, 0, 1)[bt.integer(rng, 3)]

    def step(self, state, action, rng):
        blown = (-1, 1)[bt.integer(rng, 2)] if bt.uniform(rng) < 0.3 else bt.integer(rng, 2)
        return state + action + blown, float(state), False

    def random_action(self, state, rng):
        return bt.integer(rng, 2)


def test_both_ways_to_draw_are_the_same():
    bt.check(Walk())
    for evaluator in (0.0, "rollout"):
        trees = []
        for problem in (Walk(), OldWalk()):
            search = bt.Search(problem, bt.UCT(), seed=3, evaluator=evaluator)
            search.run(trials=500)
            trees.append((search.root.state, search.root.visits.tolist(), search.root.value, search.size))
        assert trees[0] == trees[1]


def test_an_episode_too():
    episodes = [bt.act(problem, bt.UCT(), trials=50, seed=1) for problem in (Walk(), OldWalk())]
    assert episodes[0].states == episodes[1].states


def test_draws():
    rng = Generator(new_generator(0))
    drawn = np.array([rng.random() for _ in range(4000)])
    assert 0.0 <= drawn.min() < 0.01
    assert 0.99 < drawn.max() < 1.0
    assert abs(drawn.mean() - 0.5) < 0.02
    assert {rng.integers(3) for _ in range(100)} == {0, 1, 2}
    assert {rng.integers(5, 8) for _ in range(100)} == {5, 6, 7}
    assert {rng.choice("abc") for _ in range(100)} == set("abc")
    assert {rng.choice(2) for _ in range(100)} == {0, 1}
    assert all(type(rng.integers(9)) is int for _ in range(3))


def test_compiled_functions_draw_the_same():
    @numba.njit
    def compiled(words):
        return bt.uniform(words), bt.integer(words, 1000)

    words = new_generator(5)
    rng = Generator(words.copy())
    assert compiled(words.copy()) == (bt.uniform(rng), bt.integer(rng, 1000))
    assert compiled(words.copy())[0] == bt.uniform(words.copy()) == Generator(words.copy()).random()


def test_mistakes():
    rng = Generator(new_generator(0))
    with pytest.raises(AttributeError, match=r"rng.normal: it has random\(\), integers\(n\) and choice\(sequence\)"):
        rng.normal()
    with pytest.raises(ValueError, match=r"rng.integers\(0, 0\): there is none"):
        rng.integers(0)
    with pytest.raises(ValueError, match=r"rng.integers\(3, 3\): there is none"):
        rng.integers(3, 3)

    class Normal(Walk):
        def step(self, state, action, rng):
            return state + rng.normal(), 0.0, False

    with pytest.raises(AttributeError, match="for other distributions make a generator of NumPy's"):
        bt.Search(Normal(), bt.UCT(), seed=0).run(trials=10)
