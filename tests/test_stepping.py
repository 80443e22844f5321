"""A problem steps its states from Python as its functions do in plain Python: one state, or an array of them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.problem.state import PlainState
from python_problems import Grid

PROBLEMS = [
    bt.problems.ConnectFour(),
    bt.problems.Kalah(houses=3, seeds=2),
    bt.problems.Hex(3),
    bt.problems.Sailing(),
    bt.problems.FrozenLake("8x8"),
    bt.problems.Tabular(np.full((3, 2, 3), 1 / 3), np.arange(6.0).reshape(3, 2), horizon=4),
]


class Walk(bt.Problem):
    """As in README; defines neither legal nor player nor features."""

    state = bt.record(x="i4", note="u1")
    actions, horizon = 2, 30

    @staticmethod
    def start(params, state, rng):
        state.x = bt.integer(rng, 5)

    @staticmethod
    def step(params, state, action, rng):
        if state.x < -40:
            raise ValueError("fell off")
        state.x += 1 if bt.uniform(rng) < 0.75 and action == 1 else -1
        return float(state.x), state.x == 9


@pytest.mark.parametrize("problem", [*PROBLEMS, Walk()], ids=lambda problem: problem.display_name())
def test_arrays_of_states_are_stepped_as_in_plain_python(problem):
    choose, count = np.random.default_rng(0), 20
    cls, params = type(problem), problem.plain_params
    states = problem.reset(0, count=count)
    rng = new_generator(0)
    assert states.tobytes() == b"".join(problem.plain_start(rng).tobytes() for _ in range(count))
    for _ in range(12):
        legal = np.stack([np.isin(np.arange(problem.actions), problem.legal_actions(one)) for one in states])
        np.testing.assert_array_equal(problem.legal(states), legal)
        np.testing.assert_array_equal(problem.player(states), [problem.plain_player(one) for one in states])
        if problem.has("features"):
            expected = np.stack([problem.plain_features(one).reshape(problem.features_shape) for one in states])
            np.testing.assert_array_equal(problem.features(states), expected)
        actions = (legal * choose.random(legal.shape)).argmax(axis=1)
        seed = int(choose.integers(2**32))
        following, rewards, done = problem.step(states, actions, np.random.default_rng(seed))
        words = np.random.default_rng(seed).integers(2**64, size=(len(states), 2), dtype=np.uint64)
        for i, one in enumerate(states):
            plain = PlainState(np.asarray(one).reshape(1).copy())
            assert problem.plain_step(plain, int(actions[i]), words[i].copy()) == (rewards[i], done[i])
            assert plain.tobytes() == following[i].tobytes()
            alone = problem.step(one, int(actions[i]), words[i].copy())
            assert (alone[0].tobytes(), *alone[1:]) == (following[i].tobytes(), rewards[i], done[i])
        states = following[~done]
        if not len(states):
            break
    assert cls.functions()["start"] is cls.start
    assert params == problem.plain_params


def test_one_state_is_answered_without_a_row():
    game = bt.problems.ConnectFour()
    state = game.reset()
    after, reward, done = game.step(state, 3)
    assert (reward, done, game.player(state), game.player(after)) == (0.0, False, 0, 1)
    assert game.legal(after).shape == (7,)
    assert game.features(after).shape == (4, 6, 7)
    assert state == game.reset()  # what was given is not changed
    full = game.reset()
    for _ in range(6):
        full, _, _ = game.step(full, 0)
    assert game.legal(full).tolist() == [False] + [True] * 6


def test_what_is_left_out_has_its_default():
    walk = Walk()
    states = walk.reset(3, count=4)
    assert walk.legal(states).all()
    assert walk.player(states).tolist() == [0] * 4
    assert not any(walk.has(name) for name in ("legal", "player", "features"))
    assert set(walk.functions()) == {"start", "step"}
    with pytest.raises(bt.ProblemError, match=r"^Walk: features\(params, state, out\) is missing$"):
        walk.features(states)


def test_on_the_class_a_function_is_what_was_written():
    class Longer(Walk):
        @staticmethod
        def player(params, state):
            return state.x % 2

    state = PlainState(Longer().new_state())
    state.x = 3
    assert Longer.player((), state) == 1
    assert Longer().player({"x": 3, "note": 0}) == 1
    assert Longer.step is Walk.step
    with pytest.raises(AttributeError, match="Walk has no function 'player'"):
        _ = Walk.player
    bt.check(Longer())
    assert pickle.loads(pickle.dumps(bt.problems.Hex(3))).legal({"first": 1, "second": 0}).sum() == 8


def test_random_numbers_come_from_the_generator_that_is_given():
    walk, rng = Walk(), np.random.default_rng(0)
    state = walk.reset(1)
    ends = {walk.step(state, 1, rng)[0].x - state.x for _ in range(50)}
    assert ends == {-1, 1}
    words = new_generator(5)
    one, two = walk.step(state, 1, words), walk.step(state, 1, words)  # drawn from, not begun again
    again = new_generator(5)
    both = walk.step(np.concatenate([state.memory] * 2), [1, 1], again)  # one generator for all, in turn
    assert both[1].tolist() == [one[1], two[1]]
    assert (again == words).all()
    assert walk.reset(np.random.default_rng(0)) == walk.reset(np.random.default_rng(0))
    assert len({walk.reset(seed).x for seed in range(20)}) == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda walk, state: walk.step(state, 1), "rng=None: must be a generator of NumPy's"),
        (lambda walk, state: walk.step(state, 1, 7), "rng=7: must be a generator"),
        (lambda walk, state: walk.step(state, 2, new_generator(0)), "action=2: must be from 0 to 1"),
        (lambda walk, state: walk.step(state, [1], new_generator(0)), r"action=\[1\]: must be a whole number"),
        (lambda walk, state: walk.step(state, 1.0, new_generator(0)), r"action=1\.0: must be a whole number"),
        (
            lambda walk, state: walk.step(walk.reset(0, count=3), [1, 1], new_generator(0)),
            "must be an array of 3 whole numbers, one for each state",
        ),
        (lambda walk, state: walk.reset(count=0), "count=0: must be"),
        (lambda walk, state: walk.legal({"y": 1}), r"Walk: state \{'y': 1\} does not fit the fields x, note"),
    ],
)
def test_what_is_given_is_checked(call, message):
    walk = Walk()
    with pytest.raises(ValueError, match=message):
        call(walk, walk.reset(0))


@pytest.mark.parametrize("words", [np.random.default_rng(0), new_generator(0)], ids=["one each", "in turn"])
def test_an_error_of_the_users_arrives_as_it_was_raised(words):
    walk = Walk()
    states = walk.reset(0, count=3)
    states["x"][1] = -50
    with pytest.raises(ValueError, match=r"^fell off$"):
        walk.step(states, [1, 1, 1], words)


def test_a_problem_in_plain_python_has_its_own_methods():
    problem = Grid()
    state = problem.reset(0)
    following, reward, done = problem.step(state, 0, np.random.default_rng(0))
    assert (following, reward, done) == Grid().step(state, 0, None)
    assert problem.reset(0, count=2) == [state, state]

    class Plain(bt.PythonProblem):
        actions, horizon, deterministic = 3, 2, True

        def start(self, rng):
            return rng.integers(1000)

        def step(self, state, action, rng):
            return state + action, 1.0, False

    plain = Plain()
    assert (list(plain.legal(0)), plain.player(0)) == ([0, 1, 2], 0)
    assert not any(plain.has(name) for name in ("legal", "player", "features"))
    assert plain.reset(1) == plain.reset(1) != plain.reset(2)
    with pytest.raises(AttributeError, match="Plain has no features"):
        plain.features(0)
