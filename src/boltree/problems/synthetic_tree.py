"""A tree of any width and depth whose rewards come from a hash: the synthetic benchmark with many actions."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from ..core.random import hashed
from ..problem.problem import MAX_ACTIONS, Problem
from ..problem.record import record
from .checks import whole

_ROOT, _STEP, _PAY = np.uint64(0), np.uint64(1), np.uint64(2)  # keep the three uses of the hash apart
_U11 = np.uint64(11)
_UNIT = 2.0**-53


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _root(seed: Any) -> Any:
    """The path of the start state. (All arguments are uint64: mixed with int64, Numba would go on in float64.)"""
    return hashed(seed, _ROOT, _ROOT)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _below(path: Any, action: Any) -> Any:
    """The path that an action leads to."""
    return hashed(path, action, _STEP)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _number(path: Any) -> Any:
    """The number in [0, 1) that belongs to the last step of a path."""
    return np.int64(hashed(path, _PAY, _PAY) >> _U11) * _UNIT


class SyntheticTree(Problem):
    """The synthetic benchmark with many actions: a full tree with pseudo-random rewards, made while it is searched.

    Every action of every state pays a number in [0, 1) divided by the depth, so that returns lie in [0, 1). The
    numbers are a hash of the seed and of the actions so far: nothing is stored, and the same seed gives the same tree
    on every machine.

    Args:
        branching: actions at every state.
        depth: steps until a trial ends; also the horizon.
        seed: which tree, 0 to 2**64 - 1.
    """

    state = record(path="u8", depth="u4")
    params = record(depth="i4", seed="u8")
    deterministic = True
    rewards = (0.0, 1.0)

    def __init__(self, branching: int = 16, depth: int = 6, seed: int = 0) -> None:
        branching = whole("SyntheticTree", "branching", branching, 1, MAX_ACTIONS)
        depth = whole("SyntheticTree", "depth", depth, 1, 2**31 - 1)
        seed = whole("SyntheticTree", "seed", seed, 0, 2**64 - 1)
        super().__init__(depth=depth, seed=seed, actions=branching, horizon=depth)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.path = _root(np.uint64(params.seed))
        state.depth = 0

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        path = _below(np.uint64(state.path), np.uint64(action))
        depth = np.int64(state.depth) + 1
        state.path = path
        state.depth = depth
        return _number(np.uint64(path)) / params.depth, depth == params.depth

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        return f"path {state.path:016x} at depth {state.depth} of {params.depth}"

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {"branching": self.actions, "depth": p.depth, "seed": p.seed}
