"""Problem definitions: what is given is a problem that can be searched and solved, or refused as a ProblemError."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import boltree as bt
from fuzzing import fuzz, in_batches

JUNK: Any = st.sampled_from(
    [None, True, "", "ab", b"x", -1, 0, 1, 2, 7, 10**9, 10**30, 10**400, -0.5, 0.25, 0.5, 1.0, 1e308, float("nan"),
     float("inf"), (), [], [[]], {}, {0: 1}, {10**9: 1}, {"a": 1}, {True: []}, 1j, object, np.zeros(0),
     np.zeros((2, 2)), np.array([0.5, 0.5]), np.float32(0.5), np.int64(1), np.array("x")]
)  # fmt: skip
PARTS: Any = st.recursive(JUNK, lambda inner: st.lists(inner, max_size=4), max_leaves=8)


def use(make: Any) -> bool:
    """Make a problem, search it and solve it; whether it was one."""
    try:
        problem = make()
    except bt.ProblemError:
        return False
    if problem.horizon > 10**6:
        return True  # a trial of so many steps takes memory for them
    search = bt.Search(problem, bt.UCT(c=1.0), seed=0, growth="leaf", evaluator=0.0, max_nodes=1000)
    search.run(trials=20)
    if problem.horizon <= 100:
        bt.solve(problem)
    return True


def table(data: Any, shape: tuple[int, ...]) -> Any:
    """Rows of probabilities, most of them right, and now and then something else in a place."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    made: Any = rng.dirichlet(np.ones(shape[-1]), shape[:-1]).tolist()
    return spoilt(data, made)


def spoilt(data: Any, made: Any) -> Any:
    """Put something else into a nested list, at a place that is drawn."""
    if data.draw(st.integers(0, 3)) == 0:
        return made
    at, path = made, data.draw(st.integers(1, 4))
    for _ in range(path):
        if not isinstance(at, list) or not at:
            break
        k = data.draw(st.integers(0, len(at) - 1))
        if not isinstance(at[k], list) or data.draw(st.integers(0, 4)) == 0:
            at[k] = data.draw(PARTS)
            break
        at = at[k]
    return made


@in_batches(30)
def test_tables_of_probabilities(batches):
    seen = {True: 0, False: 0}

    def check(data):
        states, actions = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
        rewards = spoilt(data, np.zeros((states, actions)).tolist())
        options = {}
        for name, good in (
            ("start", [0, [1.0 / states] * states]), ("terminal", [[], [states - 1]]),
            ("legal", [None, [[True] * actions] * states]), ("discount", [1.0, 0.5]),
        ):  # fmt: skip
            options[name] = data.draw(st.one_of(st.sampled_from(good), st.sampled_from(good), PARTS))
        horizon = data.draw(st.one_of(st.just(5), JUNK))
        transitions = table(data, (states, actions, states))
        seen[use(lambda: bt.problems.Tabular(transitions, rewards, horizon, **options))] += 1

    fuzz(check, st.data(), batches)
    assert seen[False] > 0


@in_batches(60)
def test_tables_of_outcomes(batches):
    seen = {True: 0, False: 0}

    def check(data):
        states = data.draw(st.integers(1, 3))
        rows: Any = [
            [[[1.0, data.draw(st.integers(0, states)), 0.5, data.draw(st.booleans())]] for _ in range(2)]
            for _ in range(states)
        ]
        kind = data.draw(st.sampled_from(["lists", "dictionary", "junk"]))
        outcomes = spoilt(data, rows)
        if kind == "dictionary":
            outcomes = dict(zip(data.draw(st.lists(st.integers(0, 5) | JUNK_KEYS, min_size=4)), outcomes, strict=False))
        elif kind == "junk":
            outcomes = data.draw(PARTS)
        horizon, start = data.draw(st.one_of(st.just(5), JUNK)), data.draw(st.one_of(st.just(0), PARTS))
        seen[use(lambda: bt.problems.OutcomeTable(outcomes, horizon, start))] += 1

    fuzz(check, st.data(), batches)
    assert seen[False] > 0


JUNK_KEYS: Any = st.sampled_from([-1, 10**12, "a", 0.5, True, None, 2**64])


@in_batches(100)
def test_maps(batches):
    letters = st.text("SFHG\n x", max_size=30)
    maps = st.one_of(letters, st.lists(st.text("SFHG", min_size=1, max_size=4), max_size=4), PARTS)

    def check(given):
        use(lambda: bt.problems.FrozenLake(given[0], horizon=given[1]))

    fuzz(check, st.tuples(maps, st.one_of(st.just(5), JUNK)), batches)


class Odd(bt.PythonProblem):
    """Its answers are right until the one in a place that is drawn."""

    actions, horizon = 2, 4

    def __init__(self, method: str, answer: Any, after: int, deterministic: bool, names: Any) -> None:
        self.wrong, self.answer, self.left, self.deterministic = method, answer, after, deterministic
        for name in names:
            setattr(self, name, getattr(self, f"its_{name}"))
        super().__init__()

    def say(self, method: str, right: Any) -> Any:
        if method == self.wrong:
            self.left -= 1
            if self.left < 0:
                return self.answer
        return right

    def start(self, rng: Any) -> Any:
        return self.say("start", 0)

    def step(self, state: Any, action: int, rng: Any) -> Any:
        return self.say("step", ((hash(str(state)) + action) % 5, 0.5, False))

    def its_legal(self, state: Any) -> Any:
        return self.say("legal", [0, 1])

    def its_player(self, state: Any) -> Any:
        return self.say("player", 0)

    def its_prior(self, state: Any) -> Any:
        return self.say("prior", [1.0, 2.0])

    def its_heuristic(self, state: Any) -> Any:
        return self.say("heuristic", 0.5)

    def its_random_action(self, state: Any, rng: Any) -> Any:
        return self.say("random_action", 1)


class OddOutcomes(Odd):
    """The same with a list of outcomes."""

    step = bt.PythonProblem.step

    def outcomes(self, state: Any, action: int) -> Any:
        return self.say("outcomes", [(0.5, 1, 0.5, False), (0.5, 2, 0.5, False)])


@in_batches(40)
def test_answers_of_python_problems(batches):
    """Whatever a method answers: the search goes on, or says what is wrong; and the tree stays usable."""
    names = ("legal", "player", "prior", "heuristic", "random_action")
    near = st.tuples(PARTS, PARTS, PARTS) | st.lists(st.tuples(JUNK, JUNK, JUNK, JUNK), max_size=2)

    def check(data):
        kind = data.draw(st.sampled_from([Odd, OddOutcomes]))
        there = data.draw(st.sets(st.sampled_from(names)))
        method = data.draw(st.sampled_from(["start", "step", "outcomes", *names]))
        answer = data.draw(near if method in ("step", "outcomes") else PARTS)
        try:
            problem = kind(method, answer, data.draw(st.integers(0, 6)), data.draw(st.booleans()), there)
            evaluator = "heuristic" if "heuristic" in there else "rollout"
            search = bt.Search(problem, bt.BTS(), seed=0, evaluator=evaluator)
        except bt.ProblemError:
            return
        for _ in range(3):
            try:
                search.run(trials=20)
            except bt.ProblemError:
                continue
        assert search.root.count == search.trials

    fuzz(check, st.data(), batches)
