"""A problem without outcomes: it can only be sampled."""

from __future__ import annotations

import boltree as bt


class Walk(bt.Problem):
    state = bt.record(x="i4")
    params = bt.record(goal="i4")
    actions = 2
    horizon = 12

    @staticmethod
    def start(params, state, rng):
        state.x = 0

    @staticmethod
    def step(params, state, action, rng):
        state.x += 1 if action == 1 and bt.uniform(rng) < 0.9 else -1
        done = state.x == params.goal
        return (1.0 if done else 0.0), done


def walk() -> Walk:
    return Walk(goal=3)
