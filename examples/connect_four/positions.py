"""Positions to learn from: late ones with exact values, early ones with what a search by rollouts says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import boltree as bt
from boltree.core.random import new_generator
from boltree.problems.connect_four import FULL, winning_cells

from .exact import BOTTOM, COLUMNS, Solver
from .network import Floats

LATE = 20
"""Positions with so many stones are solved."""

PROBLEM: bt.Problem = bt.problems.ConnectFour()


@dataclass(frozen=True)
class Positions:
    """Positions and their targets: features [n, 4, 6, 7], policies [n, 7] and values [n] for the player to move."""

    features: Floats
    policies: Floats
    values: Floats

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, which: Any) -> Positions:
        return Positions(self.features[which], self.policies[which], self.values[which])

    def __add__(self, other: Positions) -> Positions:
        mine, its = vars(self), vars(other)
        return Positions(**{name: np.concatenate([mine[name], its[name]]) for name in mine})

    def mirrored(self, which: NDArray[np.bool_]) -> Positions:
        """The same positions, some of them seen in a mirror: left and right do not matter."""
        features = np.where(which[:, None, None, None], self.features[..., ::-1], self.features)
        return Positions(features, np.where(which[:, None], self.policies[:, ::-1], self.policies), self.values)


def late_positions(count: int, seed: int) -> Positions:
    """Positions of random games; policies are uniform over the best columns."""
    states = PROBLEM.reset(count=count)
    _random_positions(states.view(np.uint64).reshape(count, 2), new_generator(seed))
    solver = Solver()
    values = np.array([solver.values(state) for state in states])
    best = np.nanmax(values, 1)
    policies = (values == best[:, None]).astype(np.float32)
    policies /= policies.sum(1, keepdims=True)
    return Positions(PROBLEM.features(states), policies, best.astype(np.float32))


@numba.njit  # type: ignore[untyped-decorator]
def _random_positions(out: Any, rng: Any) -> None:
    """Fill rows (mover, other): games that go on to a random number of stones, three in four of them with care.

    With care, a player stops a line of four and does not make room for one.
    """
    nothing, one = np.uint64(0), np.uint64(1)
    k = 0
    while k < out.shape[0]:
        mover, other = nothing, nothing
        left, careful = LATE + bt.integer(rng, 41 - LATE), bt.uniform(rng) < 0.75
        while left > 0:
            stones = mover | other
            drops = (stones + BOTTOM) & FULL
            if careful:
                threats = winning_cells(other, stones)
                if threats & drops != nothing:
                    drops &= threats
                elif drops & ~(threats >> one) != nothing:
                    drops &= ~(threats >> one)
            stone = nothing
            while stone == nothing:
                stone = drops & COLUMNS[bt.integer(rng, 7)]
            if winning_cells(mover, stones) & stone != nothing:
                break  # the game is over
            mover, other = other, mover | stone
            left -= 1
        if left == 0:
            out[k, 0], out[k, 1] = mover, other
            k += 1


def early_positions(count: int, trials: int, seed: int) -> Positions:
    """Positions of games that UCT with rollouts plays, after some random moves, until there are `LATE` stones.

    Policies are the search's visits. Values are half the search's and half the exact value of what the game came to.
    """
    rng, solver = np.random.default_rng(seed), Solver()
    states: list[Any] = []
    policies: list[Floats] = []
    values: list[float] = []
    while len(states) < count:
        state = PROBLEM.reset()
        searched, skip, done, reward, moves = [], int(rng.integers(13)), False, 0.0, 0
        while not done and moves < LATE:
            policy = np.zeros(7, np.float32)
            if moves < skip:
                policy[PROBLEM.legal(state)] = 1.0
            else:
                search = bt.Search(PROBLEM, bt.UCT(), state=state, seed=int(rng.integers(2**32)))
                search.run(trials=trials)
                policy[search.root.actions] = search.root.visits
                states.append(state.memory[0])
                policies.append(policy / policy.sum())
                searched.append((search.root.value, moves % 2))
            state, reward, done = PROBLEM.step(state, int(rng.choice(7, p=policy / policy.sum())))
            moves += 1
        result = reward if done else float(np.nanmax(solver.values(state))) * (1.0 if moves % 2 == 0 else -1.0)
        values += [(value + result) / 2 * (1.0 if player == 0 else -1.0) for value, player in searched]
    return Positions(PROBLEM.features(np.array(states)), np.array(policies), np.array(values, np.float32))[:count]
