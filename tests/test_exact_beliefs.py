"""Exact values where the state is hidden: published and closed-form numbers, and an independent recursion."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boltree as bt
from boltree.problems import RockSample, Tag, Tiger

TIGER = {
    (False, 1.0): (-1, -2, 2.72, 2.42125, 3.609150, 5.618819, None, 7.096616, None, 9.438168),
    (False, 0.95): (-1, -1.95, 2.3098, 1.795544, 2.763096, 4.428531, None, 5.324021, None, 6.693368),
    (True, 1.0): (-1, -2, 2.72, 2.465, 4.226650, 4.129112, None, 4.765636, None, 5.009106),
    (True, 0.95): (-1, -1.95, 2.3098, 2.091169, 3.266054, 3.190581, None, 3.570105, None, 3.701119),
}
LATER = {
    (False, 1.0): (20.390826, 52.888053, 107.077457),
    (False, 0.95): (11.879569, 17.759760, 19.247365),
    (True, 1.0): (5.158684, 5.159919, 5.159919),
    (True, 0.95): (3.769851, 3.770189, 3.770189),
}


@pytest.mark.parametrize(("ends", "discount"), TIGER)
def test_tiger(ends, discount):
    expected = dict(enumerate(TIGER[ends, discount], 1)) | dict(zip((20, 50, 100), LATER[ends, discount], strict=True))
    for horizon, value in expected.items():
        if value is not None:
            problem = Tiger(horizon, discount, ends)
            assert bt.solve(problem).root_value == pytest.approx(value, abs=1e-5), horizon


@pytest.mark.parametrize(("discount", "value"), [(0.75, 1.933439), (0.9, 8.507260), (0.99, 106.096043)])
def test_tiger_without_an_end(discount, value):
    horizon = math.ceil(math.log(1e-7) / math.log(discount))  # what is beyond is worth less than 1e-5
    assert bt.solve(Tiger(horizon, discount)).root_value == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(("distance", "value"), [(20.0, 12.725880), (1.0, 12.646281)])
def test_rock_sample_2_1(distance, value):
    for horizon, expected in ((2, 9.5), (4, 9.5), (5, value), (12, value)):
        problem = RockSample(2, [(1, 0)], start=(0, 1), distance=distance, horizon=horizon)
        solution = bt.solve(problem)
        assert solution.root_value == pytest.approx(expected, abs=1e-5)
        assert solution.action() == 1


@pytest.mark.parametrize(
    ("distance", "horizon", "value"),
    [
        (20.0, 5, 9.025),
        (20.0, 6, 12.296628),
        (20.0, 7, 13.752306),
        (2.0, 6, 12.228311),
        (2.0, 7, 12.886546),
        pytest.param(20.0, 10, 14.844238, marks=pytest.mark.slow),
        pytest.param(2.0, 9, 13.306017, marks=pytest.mark.slow),
        pytest.param(2.0, 10, 14.329838, marks=pytest.mark.slow),
    ],
)
def test_rock_sample_3_2(distance, horizon, value):
    problem = RockSample(3, [(1, 0), (2, 2)], start=(0, 1), distance=distance, horizon=horizon)
    assert bt.solve(problem).root_value == pytest.approx(value, abs=1e-5)


def test_preferred_actions_change_no_value():
    for rollout in ("legal", "preferred"):  # the state then remembers what was seen, and a check has two outcomes
        problem = RockSample(2, [(1, 0)], start=(0, 1), horizon=6, rollout=rollout)
        assert bt.solve(problem).root_value == pytest.approx(12.725880, abs=1e-5)


def random_problem(seed, states, actions, observations, horizon, discount):
    source = np.random.default_rng(seed)
    arrays = (
        source.dirichlet(np.ones(states) * 0.5, (states, actions)),
        source.normal(size=(states, actions, states)),
        source.dirichlet(np.ones(observations) * 0.5, (actions, states)),
    )
    start = source.dirichlet(np.ones(states))
    terminal = [states - 1] if states > 2 and source.random() < 0.5 else []
    start[terminal] = 0.0
    start /= start.sum()
    problem = bt.problems.HiddenTabular(*arrays, horizon, start, terminal, discount)
    return problem, arrays, start, terminal


def by_alpha_vectors(arrays, terminal, horizon, discount):
    """All vectors of all plans, none left out: V(b) = max over vectors of b · vector."""
    chances, rewards, seen = arrays
    states, actions, _ = chances.shape
    going_on = np.ones(states)
    going_on[terminal] = 0.0
    vectors = [np.zeros(states)]
    for _ in range(horizon):
        found = []
        for a in range(actions):
            now = (chances[:, a] * rewards[:, a]).sum(axis=1)
            moves, heard = discount * chances[:, a] * going_on, seen[a].T
            back = [[moves @ (chance * v) for v in vectors] for chance in heard]
            found += [now + sum(chosen) for chosen in itertools.product(*back)]
        vectors = found
    return np.array(vectors)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    states=st.integers(1, 4),
    observations=st.integers(1, 3),
    horizon=st.integers(1, 3),
    discount=st.sampled_from([1.0, 0.8]),
)
def test_equals_all_alpha_vectors(seed, states, observations, horizon, discount):
    problem, arrays, start, terminal = random_problem(seed, states, 2, observations, horizon, discount)
    vectors = by_alpha_vectors(arrays, terminal, horizon, discount)
    solution = bt.solve(problem)
    assert solution.root_value == pytest.approx((vectors @ start).max(), abs=1e-9)
    other = np.random.default_rng(seed).dirichlet(np.ones(states))
    other[terminal] = 0.0
    other /= other.sum()
    belief = [(p, (s,)) for s, p in enumerate(other) if p > 0.0]
    assert solution.value(belief) == pytest.approx((vectors @ other).max(), abs=1e-9)


@pytest.mark.parametrize("objective", ["soft", "uniform"])
def test_other_objectives_by_histories(objective):
    """Against a recursion over unnormalised beliefs, history by history."""
    problem, (chances, rewards, seen), start, terminal = random_problem(3, 4, 3, 2, 3, 0.9)
    going_on = np.ones(4)
    going_on[terminal] = 0.0

    def value(belief, left):
        if left == 0:
            return 0.0
        q = []
        for a in range(3):
            total = belief @ (chances[:, a] * rewards[:, a]).sum(axis=1)
            after = belief @ chances[:, a] * going_on
            for o in range(2):
                unnormalised = after * seen[a, :, o]
                total += 0.9 * unnormalised.sum() * value(unnormalised / unnormalised.sum(), left - 1)
            q.append(total)
        return 0.5 * np.logaddexp.reduce(np.array(q) / 0.5) if objective == "soft" else np.mean(q)

    assert bt.solve(problem, objective, 0.5).root_value == pytest.approx(value(start, 3), abs=1e-9)


def test_a_belief_and_what_is_seen():
    solution = bt.solve(Tiger(horizon=3, discount=1.0))
    heard = solution.after(None, 0, 0)
    assert [(round(p, 9), state.tiger) for p, state in heard] == [(0.85, 0), (0.15, 1)]
    twice = solution.after(heard, 0, 0)
    assert twice[0][0] == pytest.approx(0.85**2 / (0.85**2 + 0.15**2))
    assert solution.action(twice, depth=2) == 2  # the tiger is on the left
    assert solution.value(twice, depth=2) == pytest.approx(10 * twice[0][0] - 100 * twice[1][0])
    assert solution.value(depth=3) == 0.0
    assert solution.q().max() == solution.root_value
    assert list(solution.actions()) == [0, 1, 2]
    assert str(solution) == (
        "Tiger: value 2.72 over 3 steps, best listen (0)\n"
        "  4 beliefs over 2 states\n"
        "  listen      2.72\n"
        "  open left   -47\n"
        "  open right  -47"
    )


def test_a_policy_that_is_followed_is_worth_what_it_says():
    problem = RockSample(2, [(1, 0)], start=(0, 1), distance=1.0, horizon=5)
    solution, source = bt.solve(problem), np.random.default_rng(0)
    states, chances = [s for _, s in problem.start_states()], [p for p, _ in problem.start_states()]
    total = []
    known = {}
    for _ in range(400):
        state = np.asarray(problem.as_state(states[source.choice(2, p=chances)])).reshape(1)
        belief, history, paid = None, (), 0.0
        for depth in range(5):
            if history not in known:
                known[history] = solution.action(belief, depth)
            action = known[history]
            before, rng = state.copy(), source.integers(2**63, size=2, dtype=np.uint64)
            reward, done = problem.plain_step(bt.problem.state.PlainState(state), action, rng)
            paid += 0.95**depth * reward
            if done:
                break
            seen = int(problem.plain_observe(before[0], action, state[0], rng)["number"])
            belief, history = solution.after(belief, action, seen), (*history, action, seen)
        total.append(paid)
    assert abs(np.mean(total) - 12.646281) < 5.0 * np.std(total) / 20.0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: bt.solve(bt.problems.LightDark()), "LightDark: exact solving needs observation = a number"),
        (lambda: bt.solve(bt.problems.Pocman()), "Pocman: exact solving needs outcomes"),
        (lambda: bt.solve(Tag(), max_states=100), r"Tag: [\d,]+ beliefs over [\d,]+ states, at depth \d+ of 90"),
        (lambda: bt.solve(Tiger(), state=[(0.5, (0,))]), r"Tiger: belief=\[\(0.5, \(0,\)\)\]: the sum is 0.5; must be"),
        (lambda: bt.solve(Tiger(), state=7), "Tiger: belief=7: must be a list of"),
        (lambda: bt.solve(Tiger()).after(None, 0, 2), "observation=2: cannot follow action 0"),
        (lambda: bt.solve(Tiger()).value(depth=21), "depth=21: must be from 0 to 20"),
    ],
)
def test_what_is_refused(make, says):
    with pytest.raises((bt.ProblemError, bt.ParameterError), match=says):
        make()


class LegalByWhatIsHidden(Tiger):
    @staticmethod
    def legal(params, state, mask):
        mask[:] = False
        mask[1 + state.tiger] = True


def test_no_action_is_legal_in_all_states():
    with pytest.raises(bt.ProblemError, match="no action is legal in all states that have the same history"):
        bt.solve(LegalByWhatIsHidden())
