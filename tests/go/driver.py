"""Playing the compiled problem from Python: one state, its legal moves and its steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from boltree.core.native import FAILED, plain_call
from boltree.core.random import new_generator
from boltree.problem.state import PlainState
from boltree.problems.go import Go


class Driver:
    def __init__(self, problem: Go) -> None:
        self.problem = problem
        self.state = problem.new_state()
        self.mask = np.zeros(problem.actions, np.uint8)
        self.out = np.zeros(64 + self.state.itemsize)
        self.rng = new_generator(0)
        self.call("start", self.rng.ctypes.data)

    def call(self, name: str, *arguments: int) -> int:
        address = self.problem.address(name)
        result = plain_call(address, (self.problem.params_at, self.state.ctypes.data, *arguments))
        if result == int(FAILED):
            raise ValueError(f"compiled {name} raised")
        return result

    @property
    def view(self) -> Any:
        return PlainState(self.state)

    def legal(self) -> list[int]:
        self.mask[:] = 2
        self.call("legal", self.mask.ctypes.data, self.mask.size)
        assert set(self.mask.tolist()) <= {0, 1}
        return np.flatnonzero(self.mask).tolist()

    def step(self, action: int) -> tuple[float, bool]:
        self.call("step", action, self.rng.ctypes.data, self.out.ctypes.data)
        return float(self.out[0]), bool(self.out[1])

    def rollout(self, seed: int) -> float:
        self.rng[:] = new_generator(seed)
        self.out[0] = 1.0
        arguments = (self.rng.ctypes.data, self.problem.horizon, self.out.ctypes.data)
        self.call("rollout", *arguments, self.mask.ctypes.data, self.mask.size)
        return float(self.out[0])
