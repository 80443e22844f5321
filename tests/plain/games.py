"""Small random problems for the replays: stochastic outcomes, some actions illegal, rewards by outcome, a discount.

Rewards are drawn from a continuous distribution, so that two actions of equal value do not occur by accident.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import boltree as bt

STATES = 6
END = STATES - 1


class Game(bt.Problem):
    """A finite problem from arrays whose states belong to one of two players."""

    state = bt.record(s="i4")
    params = bt.record(
        sums="f8[:,:,:]",  # transition probabilities, summed up over s'
        rewards="f8[:,:,:]",
        allowed="u1[:,:]",
        ends="u1[:]",
        owner="u1[:]",
        guess="f8[:,:]",  # the prior, where there is one
        hint="f8[:]",
    )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.s = 0

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        for a in range(mask.size):
            mask[a] = params.allowed[state.s, a] != 0

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return params.owner[state.s]

    @staticmethod
    def heuristic(params, state):  # type: ignore[no-untyped-def]
        return params.hint[state.s]

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        u = bt.uniform(rng)
        to = 0
        while to < params.ends.size - 1 and u >= params.sums[state.s, action, to]:
            to += 1
        reward = params.rewards[state.s, action, to]
        state.s = to
        return reward, params.ends[to] != 0


class PriorGame(Game):
    """The same with a prior over the legal actions."""

    @staticmethod
    def prior(params, state, out):  # type: ignore[no-untyped-def]
        for a in range(out.size):
            out[a] = params.guess[state.s, a]


def _arrays(seed: int, actions: int, scale: float) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    chances = np.zeros((STATES, actions, STATES))
    for s in range(STATES):
        for a in range(actions):
            to = rng.choice(STATES, size=rng.integers(1, 4), replace=False)
            chances[s, a, to] = rng.dirichlet(np.ones(to.size))
    rewards = scale * rng.normal(size=(STATES, actions, STATES))
    legal = rng.random((STATES, actions)) < 0.7
    legal[np.arange(STATES), rng.integers(actions, size=STATES)] = True
    legal[0, :2] = True
    return rng, chances, rewards, legal


def make(kind: str, seed: int, *, actions: int = 4, horizon: int = 5, discount: float = 0.9, scale: float = 1.0) -> Any:
    """A random problem: ``"tabular"`` (`bt.problems.Tabular`), or words of ``"game"``, ``"two"`` and ``"prior"``."""
    rng, chances, rewards, legal = _arrays(seed, actions, scale)
    if kind == "tabular":
        return bt.problems.Tabular(chances, rewards, horizon, terminal=(END,), legal=legal, discount=discount)
    words = kind.split()
    owner = np.zeros(STATES, np.uint8)
    if "two" in words:
        owner[:] = rng.integers(2, size=STATES)
        owner[:3] = (0, 1, 1)
    guess = rng.dirichlet(np.full(actions, 0.7), size=STATES) * legal
    guess[guess < 0.02] *= 1e-20  # below the floor of log π̃
    guess /= guess.sum(axis=1, keepdims=True)
    ends = np.zeros(STATES, np.uint8)
    ends[END] = 1
    return (PriorGame if "prior" in words else Game)(
        sums=np.cumsum(chances, axis=2),
        rewards=rewards,
        allowed=legal,
        ends=ends,
        owner=owner,
        guess=guess,
        hint=rng.normal(size=STATES),
        actions=actions,
        horizon=horizon,
        discount=discount,
    )
