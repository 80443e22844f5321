"""Problems in plain Python that several tests search."""

from __future__ import annotations

from collections import Counter

import boltree as bt


class Grid(bt.PythonProblem):
    """States are tuples; the far corner ends."""

    actions, horizon, deterministic = 4, 20, True
    size = 4

    def start(self, rng):
        return (0, 0)

    def step(self, state, action, rng):
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[action]
        following = min(max(state[0] + dx, 0), self.size), min(max(state[1] + dy, 0), self.size)
        return following, -1.0, following == (self.size, self.size)


class Dice(bt.PythonProblem):
    """Stochastic: go on (1) or keep (0); states are lists, so a key is needed."""

    actions, horizon = 2, 8

    def start(self, rng):
        return [0]

    def key(self, state):
        return tuple(state)

    def legal(self, state):
        return [0, 1] if state[0] < 20 else [0]

    def step(self, state, action, rng):
        if action == 0:
            return state, float(state[0]), True
        thrown = bt.integer(rng, 6) + 1
        return ([0] if thrown == 1 else [state[0] + thrown]), 0.0, thrown == 1


MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Slippery(bt.PythonProblem):
    """A grid that lists its outcomes: straight on, or to one of the sides."""

    actions, horizon, discount, size = 4, 12, 0.9, 4

    def __init__(self):
        super().__init__()
        self.asked = Counter()

    def start(self, rng):
        return (0, 0)

    def outcomes(self, state, action):
        self.asked["outcomes", state, action] += 1
        found = []
        for chance, direction in ((0.8, action), (0.1, action ^ 2), (0.1, action ^ 3)):
            x, y = (min(max(state[i] + MOVES[direction][i], 0), self.size) for i in (0, 1))
            found.append((chance, (x, y), -1.0, (x, y) == (self.size, self.size)))
        return found


class Lazy(Slippery):
    """The same in two parts: chances, and one outcome at a time; also legal actions and players."""

    def start(self, rng):
        return (0, 0, 0)

    def legal(self, state):
        self.asked["legal", state] += 1
        return [0, 2] if state[:2] == (0, 0) else [0, 1, 2, 3]

    def player(self, state):
        self.asked["player", state] += 1
        return state[2]

    def chances(self, state, action):
        self.asked["chances", state, action] += 1
        return [0.8, 0.1, 0.1]

    def outcome(self, state, action, k):
        self.asked["outcome", state, action, k] += 1
        _, place, reward, done = Slippery().outcomes(state[:2], action)[k]
        return (*place, 1 - state[2]), reward, done

    outcomes = None
