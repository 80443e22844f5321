"""Beliefs: particles, their weights, and what an action and an observation make of them."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from hidden_problems import PythonTiger, RecordTiger, RejectedTiger, ShownTiger, Tiger

SIDES = [(0,), (1,)]


def exact(heard):
    """How probable the tiger on the right is after what was heard, by Bayes."""
    odds = 1.0
    for side in heard:
        odds *= 0.85 / 0.15 if side else 0.15 / 0.85
    return odds / (1.0 + odds)


def test_weights_are_bayes():
    belief = bt.Belief(Tiger(), states=SIDES, seed=0)
    assert belief.effective == 2.0
    belief = belief.update(0, 1)
    assert belief.histogram("right") == {0: pytest.approx(0.15), 1: pytest.approx(0.85)}
    assert belief.mean("right") == pytest.approx(0.85)
    assert belief.effective == pytest.approx(1 / (0.85**2 + 0.15**2))
    assert belief.histogram(lambda state: "right" if state.right else "left") == {
        "left": pytest.approx(0.15), "right": pytest.approx(0.85)
    }  # fmt: skip


@pytest.mark.parametrize("problem", [Tiger(), RejectedTiger()], ids=lambda one: type(one).__name__)
def test_many_particles_follow_bayes(problem):
    heard = (1, 1, 0, 1)
    belief = bt.Belief(problem, seed=1)
    for side in heard:
        belief = belief.update(0, side)
    assert belief.histogram("right")[1] == pytest.approx(exact(heard), abs=0.02)
    drawn = np.mean([belief.draw().right for _ in range(2000)])
    assert drawn == pytest.approx(exact(heard), abs=0.03)
    assert np.mean(belief.equally_weighted() != 0) == pytest.approx(exact(heard), abs=0.02)
    assert len(belief) == 10_000


def test_an_update_leaves_the_belief_as_it_was():
    belief = bt.Belief(Tiger(), 100, seed=0)
    before = belief.particles.copy()
    assert repr(belief.update(0, 1)) == repr(belief.update(0, 1))
    assert (belief.particles == before).all()
    assert belief.effective == pytest.approx(100)


def test_few_effective_particles_are_drawn_anew():
    belief = bt.Belief(Tiger(), 1000, seed=0)
    for _ in range(3):
        belief = belief.update(0, 1)
        assert belief.effective >= 500


def test_python_objects():
    belief = bt.Belief(PythonTiger(), seed=0).update(0, "left")
    assert len(belief) == 1000
    assert belief.histogram(lambda side: side)["left"] == pytest.approx(0.85, abs=0.04)
    assert set(belief.particles) == {"left", "right"}
    assert belief.draw() in ("left", "right")


def test_perturbed_states_rescue_a_belief_that_was_wrong():
    class Rescued(ShownTiger):
        @staticmethod
        def perturb(params, state, rng):
            state.right = 1 - state.right

    belief = bt.Belief(Rescued(), states=[(0,)] * 50, seed=0)
    assert belief.update(0, 1).histogram("right") == {1: pytest.approx(1.0)}
    with pytest.raises(bt.ParameterError, match="none of the belief's 50 particles explains it"):
        bt.Belief(ShownTiger(), states=[(0,)] * 50, seed=0).update(0, 1)


class Impossible(RecordTiger):
    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        return 0.0 if action == 0 else -1.0 if action == 1 else float("nan")

    perturb = None


@pytest.mark.parametrize(
    ("action", "says"),
    [
        (0, r"after action 0: none of the belief's 100 particles explains it"),
        (1, r"observation_probability gives -1.0 for observation .* must be finite and at least 0"),
        (2, r"observation_probability gives nan for observation .* must be finite and at least 0"),
    ],
)
def test_probabilities_that_cannot_be(action, says):
    with pytest.raises((bt.ParameterError, bt.ProblemError), match=says):
        bt.Belief(Impossible(), 100, seed=0).update(action, {"side": 1, "noise": 0})


class Fails(Tiger):
    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        if action == 1:
            raise ValueError("who knows")
        return 0.5


def test_a_users_own_exception_arrives():
    with pytest.raises(ValueError, match="who knows"):
        bt.Belief(Fails(), 100, seed=0).update(1, 0)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: bt.Belief("tiger"), "must be a bt.Problem"),
        (lambda: bt.Belief(bt.problems.DChain(3)), "its state is seen"),
        (lambda: bt.Belief(Tiger(), 0), "particles=0"),
        (lambda: bt.Belief(Tiger(), states=[]), "states: is empty"),
        (lambda: bt.Belief(Tiger(), weights=[1.0]), "give states"),
        (lambda: bt.Belief(Tiger(), states=SIDES, weights=[1.0]), "must be 2 finite numbers"),
        (lambda: bt.Belief(Tiger(), states=SIDES, weights=[1.0, -1.0]), "must be 2 finite numbers"),
        (lambda: bt.Belief(Tiger(), states=SIDES, weights=[0.0, 0.0]), "must be 2 finite numbers"),
        (lambda: bt.Belief(Tiger(), states=SIDES).update(3, 0), "action=3"),
        (lambda: bt.Belief(Tiger(), states=SIDES).histogram("left"), "field 'left': must be one of right"),
        (lambda: bt.Belief(PythonTiger(), 10).mean("left"), "must be a function of the state"),
    ],
)
def test_bad_input(make, says):
    with pytest.raises(bt.ParameterError, match=says):
        make()


def test_states_in_which_the_problem_ended_are_left_out():
    belief = bt.Belief(Tiger(ends=True), states=SIDES, seed=0)
    with pytest.raises(bt.ParameterError, match="none of the belief's 2 particles explains it"):
        belief.update(1, 0)
