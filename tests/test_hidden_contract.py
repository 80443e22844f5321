"""The functions of a problem whose state is hidden: what is refused, and what `bt.check` finds."""

from __future__ import annotations

import pytest

import boltree as bt
from hidden_problems import PythonTiger, RecordTiger, Tiger


@pytest.mark.parametrize("problem", [Tiger(), Tiger(ends=True), RecordTiger(), PythonTiger()], ids=repr)
def test_sound_problems_pass(problem):
    bt.check(problem)
    assert problem.hidden
    assert "hidden state" in str(problem)


def test_an_observation_is_what_users_wrote():
    assert Tiger().present_observation(Tiger().as_observation(1)) == 1
    given = RecordTiger().as_observation({"side": 1, "noise": 7})
    shown = RecordTiger().present_observation(given)
    assert (shown.side, shown.noise) == (1, 7)
    assert repr(shown) == "Observation(side=1, noise=7)"
    problem = PythonTiger()
    assert problem.present_observation(problem.as_observation("left")) == "left"


def test_observations_that_cannot_be():
    with pytest.raises(bt.ProblemError, match=r"Tiger: observation=2, must be an integer from 0 to 1"):
        Tiger().as_observation(2)
    with pytest.raises(bt.ProblemError, match=r"RecordTiger: observation \{'side': 1\} does not fit the fields"):
        RecordTiger().as_observation({"side": 1})
    with pytest.raises(bt.ProblemError, match=r"observation \[1\] is not hashable"):
        PythonTiger().as_observation([1])


def without(name):
    """Tiger without one of its parts."""
    kept = {key: value for key, value in vars(Tiger).items() if key not in (name, "__dict__", "__weakref__")}
    kept.pop("__init__", None)
    kept["params"] = bt.record()
    return type("Cut", (bt.Problem,), kept)


def test_parts_that_need_each_other():
    with pytest.raises(bt.ProblemError, match=r"Cut: observe is there but observation is missing"):
        without("observation")()
    with pytest.raises(bt.ProblemError, match=r"Cut: observation is there but observe\(params, state, action"):
        without("observe")()


class NumberTooHigh(Tiger):
    @staticmethod
    def observe(params, state, action, next_state, rng, out):
        return 2


class SeesThrough(Tiger):
    @staticmethod
    def legal(params, state, mask):
        mask[:] = True
        mask[2] = state.right == 0


class RolloutSeesThrough(Tiger):
    @staticmethod
    def random_action(params, state, rng):
        return 1 if state.right == 1 else 2


class WrongProbability(Tiger):
    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        if action != 0:
            return 0.5
        return 0.75 if observation == next_state.right else 0.25


class SumsToTwo(Tiger):
    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        return 1.0


class Negative(RecordTiger):
    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        return -0.5


class NotANumber(RecordTiger):
    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        return 0.0 / (0.0 * observation.side) if action > 3 else float("nan")


class Impossible(RecordTiger):
    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        return 0.0


class ChangesTheState(Tiger):
    @staticmethod
    def observe(params, state, action, next_state, rng, out):
        next_state.right = 1 - next_state.right
        return 0


class PerturbsWhatIsKnown(RecordTiger):
    state = bt.record(right="i1", blocked="i1")

    @staticmethod
    def legal(params, state, mask):
        mask[:] = True
        mask[1] = state.blocked == 0

    @staticmethod
    def perturb(params, state, rng):
        state.blocked = 1


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (NumberTooHigh(), r"observe returned 2; it must be from 0 to 1"),
        (SeesThrough(), r"legal gives \[0, 1(, 2)?\] in state State\(right=\d\) but .* same actions and observations"),
        (RolloutSeesThrough(), r"random_action gives \d in state .* same actions and observations"),
        (WrongProbability(), r"observation_probability gives 0\.\d+ for observation .* times in 2000"),
        (SumsToTwo(), r"probabilities after action \d in state State\(right=\d\) sum to 2\.0, must be 1"),
        (Negative(), r"observation_probability gives -0\.5 .* must be finite and at least 0"),
        (NotANumber(), r"observation_probability gives nan .* must be finite and at least 0"),
        (Impossible(), r"observation_probability gives 0 for observation .* which observe drew there"),
        (ChangesTheState(), r"observe changes a state"),
        (PerturbsWhatIsKnown(), r"perturb makes .* in which other actions are legal"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, bt.Problem) else "",
)
def test_what_the_check_finds(problem, says):
    with pytest.raises(bt.ProblemError, match=says):
        bt.check(problem)
