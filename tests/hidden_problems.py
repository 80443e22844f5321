"""Small problems whose state is hidden, for tests: Tiger as numbers, as records, and in plain Python."""

from __future__ import annotations

import boltree as bt

LISTEN, LEFT, RIGHT = 0, 1, 2


class Tiger(bt.Problem):
    state = bt.record(right="i1")
    params = bt.record(ends="i1")
    observation = 2
    actions = 3
    horizon = 20
    discount = 0.95

    def __init__(self, ends: bool = False, **kwargs) -> None:
        super().__init__(ends=int(ends), **kwargs)

    @staticmethod
    def start(params, state, rng):
        state.right = bt.integer(rng, 2)

    @staticmethod
    def step(params, state, action, rng):
        if action == 0:
            return -1.0, False
        reward = -100.0 if (action == 2) == (state.right == 1) else 10.0
        if params.ends == 0:
            state.right = bt.integer(rng, 2)
        return reward, params.ends == 1

    @staticmethod
    def observe(params, state, action, next_state, rng, out):
        if action != 0:
            return bt.integer(rng, 2)
        return next_state.right if bt.uniform(rng) < 0.85 else 1 - next_state.right

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        if action != 0:
            return 0.5
        return 0.85 if observation == next_state.right else 0.15


class RecordTiger(Tiger):
    """The same with an observation that is a record."""

    observation = bt.record(side="i1", noise="u2")

    @staticmethod
    def observe(params, state, action, next_state, rng, out):
        out.side = next_state.right
        if action != 0:
            out.side = bt.integer(rng, 2)
        elif bt.uniform(rng) >= 0.85:
            out.side = 1 - next_state.right

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        if action != 0:
            return 0.5
        return 0.85 if observation.side == next_state.right else 0.15

    @staticmethod
    def perturb(params, state, rng):
        state.right = 1 - state.right


class PythonTiger(bt.PythonProblem):
    actions, horizon, discount = 3, 20, 0.95

    def start(self, rng):
        return rng.choice(("left", "right"))

    def step(self, state, action, rng):
        if action == 0:
            return state, -1.0, False
        return rng.choice(("left", "right")), (-100.0 if (action == 2) == (state == "right") else 10.0), False

    def observe(self, state, action, next_state, rng):
        if action != 0:
            return rng.choice(("left", "right"))
        other = "left" if next_state == "right" else "right"
        return next_state if rng.random() < 0.85 else other

    def observation_probability(self, observation, state, action, next_state):
        if action != 0:
            return 0.5
        return 0.85 if observation == next_state else 0.15

    def perturb(self, state, rng):
        return "left" if state == "right" else "right"


class RejectedTiger(Tiger):
    """Tiger that does not say how likely an observation is, so that beliefs are found by rejection."""

    observation_probability = None


class ShownTiger(Tiger):
    """Tiger that is always heard right: a search of it is worth what seeing through Tiger's belief would be."""

    observation_probability = None

    @staticmethod
    def observe(params, state, action, next_state, rng, out):
        return next_state.right


class Rooms(bt.Problem):
    """All that histories may lead to: ends at random, an action that is not legal, rewards that differ by the state.

    What is legal and the prior follow from the last observation alone.
    """

    state = bt.record(room="i1", closed="i1")
    observation = bt.record(near="i1", closed="i1", noise="i8")
    params = bt.record(sizes="i1")
    actions = 3
    horizon = 5
    discount = 0.9

    @staticmethod
    def start(params, state, rng):
        state.room = bt.integer(rng, 4)

    @staticmethod
    def legal(params, state, mask):
        for a in range(3):
            mask[a] = state.closed != a + 1

    @staticmethod
    def step(params, state, action, rng):
        reward = 1.5 * (state.room == action) - 0.25 * action
        state.room = (state.room + action + bt.integer(rng, 2)) % 4
        state.closed = bt.integer(rng, 4)
        return reward + 0.125 * state.room, bt.uniform(rng) < 0.25

    @staticmethod
    def observe(params, state, action, next_state, rng, out):
        out.near = (next_state.room >= 2) == (bt.uniform(rng) < 0.8)
        out.closed = next_state.closed

    @staticmethod
    def prior(params, state, out):
        for a in range(3):
            out[a] = 1.0 + a + (state.closed == a)


class RealTiger(Tiger):
    """Tiger heard as a real number, below or above 1: as informative, and never the same twice."""

    observation = bt.record(sound="f8")

    @staticmethod
    def observe(params, state, action, next_state, rng, out):
        side = next_state.right
        if action != 0:
            side = bt.integer(rng, 2)
        elif bt.uniform(rng) >= 0.85:
            side = 1 - side
        out.sound = side + bt.uniform(rng)

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        if action != 0:
            return 0.5
        return 0.85 if (observation.sound >= 1.0) == (next_state.right == 1) else 0.15
