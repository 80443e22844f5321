"""Simulators whose steps are slow: a run ends between two of them, when its time is over or its user says so."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from boltree.core import interrupts
from test_fast_paths import same_tree
from trees import check_invariants, check_shared, fault_of

STEP_SECONDS = 20.0


class Slow(bt.PythonProblem):
    """Every step takes 20 s by a clock that the test moves, and leads to another state."""

    actions, horizon = 3, 30
    clock = None
    steps = 0

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        self.take_time()
        return (5 * state + action + rng.integers(2)), float(rng.random() < 0.5), False

    def take_time(self):
        type(self).steps += 1
        if self.clock is not None:
            self.clock.seconds += STEP_SECONDS


class SlowAndKnown(Slow):
    """What is asked is kept: Python is asked once about each state and action."""

    step = bt.PythonProblem.step

    def outcomes(self, state, action):
        self.take_time()
        for k in range(2):
            yield 0.5, (5 * state + action + k), float(k), False


class SlowAndCertain(Slow):
    deterministic = True

    def step(self, state, action, rng):
        self.take_time()
        return (5 * state + action), float(state % 2), False


class SlowRollouts(Slow):
    """Legal actions, so that rollouts ask about them."""

    def legal(self, state):
        return [0, 2] if state % 2 else [0, 1, 2]


KINDS = (Slow, SlowAndKnown, SlowAndCertain, SlowRollouts)


def slow(kind, clock):
    """A problem of a kind, on a clock that hardly moves by itself."""
    clock.tick = 0.01
    return type(kind.__name__, (kind,), {"clock": clock, "steps": 0})()


WAYS = {
    "a tree": {"algorithm": bt.BTS()},
    "without leaves": {"algorithm": bt.UCT(), "growth": "trial"},
    "shared nodes": {"algorithm": bt.DENTS(), "transpositions": True},
    "as bt.plan": {},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_takes_one_step_too_long_at_most(kind, way, clock):
    problem = slow(kind, clock)
    search = bt.Search(problem, seed=0, **WAYS[way])
    for seconds in (1.0, 30.0, 100.0, 1_000.0, 5_000.0):
        began = clock.seconds
        why = search.run(seconds=seconds)
        spent = clock.seconds - began
        assert why == "seconds" or (why == "proven" and spent < seconds)
        assert spent <= STEP_SECONDS + 1.05 * seconds
        assert why == "proven" or spent >= seconds
        check(search)
    assert search.trials > 0
    assert interrupts.watches == {}


def check(search):
    """Assert that a tree or a graph is whole."""
    if search.outcomes == "known":
        assert fault_of(search) == ""
    elif search.transpositions:
        check_shared(search)
    else:
        check_invariants(search)


class Stop:
    """Says that a run is over when a number of steps were taken, and looks at the search until then."""

    def __init__(self, problem, steps, look=lambda search: None):
        self.problem, self.steps, self.look, self.asked = problem, steps, look, 0

    def __call__(self, search):
        self.asked += 1
        if self.asked % 7 == 1:
            self.look(search)
        return self.problem.steps >= self.steps


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_stop_is_asked_between_steps(kind, way, clock):
    problem = slow(kind, clock)
    search = bt.Search(problem, seed=0, **WAYS[way])
    assert search.run(stop=Stop(problem, 0)) == "stop"  # from the start
    assert problem.steps <= 1
    for steps in (10, 45, 101):
        assert search.run(stop=Stop(problem, steps)) in ("stop", "proven")
        assert problem.steps <= steps + 1
    check(search)


def look_at_everything(search):
    search.policy()
    if search.root.recommended is not None:
        search.recommend()
    search.survey()
    search.tree()
    str(search)
    search.root.entropy, search.root.value, search.root.action_bounds  # noqa: B018
    for outcomes in search.children.values():
        for node in outcomes:
            node.policy, node.recommended  # noqa: B018


ALGORITHMS = [bt.UCT(), bt.PUCT(), bt.HMCTS(budget=30), bt.MENTS(), bt.RENTS(), bt.TENTS(), bt.DENTS(alias=True),
              bt.ARDENTS(), bt.BRUE(), bt.ANTS(every=3)]  # fmt: skip


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.name)
@pytest.mark.parametrize("shared", [False, True])
def test_looking_in_the_middle_of_a_trial_changes_nothing(algorithm, shared, clock, capsys):
    if shared and algorithm.one_parent:
        pytest.skip("no shared nodes")
    problem = slow(SlowRollouts, clock)
    looked_at = bt.Search(problem, algorithm, seed=1, transpositions=shared)
    stop = Stop(problem, 10**9, look_at_everything)
    looked_at.run(trials=30, stop=stop)
    assert stop.asked > 5 * 30
    plain = bt.Search(SlowRollouts(), algorithm, seed=1, transpositions=shared)
    plain.run(trials=30)
    check(looked_at)
    assert same_tree(looked_at, plain)


def test_what_stop_raises_comes_out(clock):
    problem = slow(Slow, clock)
    search = bt.Search(problem, bt.UCT(), seed=0)

    def stop(search):
        if problem.steps > 40:
            raise OSError("no more")
        return False

    with pytest.raises(OSError, match="no more"):
        search.run(stop=stop)
    assert problem.steps == 41
    assert search.run(trials=search.trials + 1) == "trials"


def test_without_a_trial_nothing_is_recommended(clock):
    search = bt.Search(slow(Slow, clock), bt.UCT(), seed=0)
    assert search.run(seconds=100.0) == "seconds"
    assert search.trials == 0
    with pytest.raises(bt.ParameterError, match="no action was tried at this node; run the search"):
        search.recommend()


@pytest.mark.parametrize("algorithm", [None, bt.UCT()])
@pytest.mark.parametrize("kind", KINDS)
def test_acting_takes_a_trial_however_little_time_there_is(kind, algorithm, clock):
    assert len(bt.act(slow(kind, clock), algorithm, seconds=0.0, steps=5).actions) == 5
    assert bt.plan(slow(kind, clock), seconds=1.0).trials == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_plans_seconds_count_its_first_trial(kind, clock):
    problem = slow(kind, clock)
    began = clock.seconds
    bt.plan(problem, seconds=0.0, seed=0)
    first = clock.seconds - began  # a whole trial
    assert first > 4 * STEP_SECONDS
    began = clock.seconds
    found = bt.plan(problem, seconds=3 * first, seed=0)
    assert clock.seconds - began <= 1.05 * 3 * first + STEP_SECONDS
    assert found.proven or found.seconds >= 3 * first


def test_a_search_within_a_step_keeps_its_own_time(clock):
    class Nested(Slow):
        def step(self, state, action, rng):
            inner = bt.Search(slow(Slow, self.clock), bt.UCT(), seed=0)
            began = self.clock.seconds
            assert inner.run(seconds=2_000.0) == "seconds"
            assert 2_000.0 <= self.clock.seconds - began <= 2_000.0 * 1.05 + STEP_SECONDS
            return super().step(state, action, rng)

    search = bt.Search(slow(Nested, clock), bt.UCT(), seed=0)
    began = clock.seconds
    assert search.run(seconds=5_000.0) == "seconds"
    assert 5_000.0 <= clock.seconds - began <= 5_000.0 * 1.05 + 2_100.0 + STEP_SECONDS


class Half:
    gives_prior, batch = False, 4

    def evaluate(self, batch):
        return None, np.full(len(batch), 0.5)


def test_batches_end_between_steps_too(clock):
    search = bt.Search(slow(Slow, clock), bt.UCT(), seed=0, evaluator=Half())
    for seconds in (30.0, 100.0, 1_000.0):
        began = clock.seconds
        assert search.run(seconds=seconds) == "seconds"
        assert clock.seconds - began <= STEP_SECONDS + 1.05 * seconds
        check(search)
    assert search.trials > 0
