"""A batch's one call to the CUDA driver, with functions of Python's in the driver's place."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from boltree.core.jit import JIT_DISABLED
from boltree.go.launching import NOT_BYTES, WAY, travel

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64)

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without compiling, batches go through PyTorch")


class Driver:
    """Writes down what is called; the call of that name fails."""

    def __init__(self, failing: str = "") -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.turn, self.failing = np.zeros(1, np.int64), failing
        self.way = np.zeros(1, WAY)
        self.way["context"], self.way["graph"], self.way["stream"], self.way["event"] = 11, 22, 33, 44
        self.way["turn"] = self.turn.ctypes.data
        self.kept = [self.function(name) for name in ("enter", "launch", "record", "wait")]

    def function(self, name: str) -> Any:
        def call(first: int, second: int) -> int:
            self.calls.append((name, first, second, int(self.turn[0])))
            return 700 if name == self.failing else 0

        compiled = FUNCTION(call)
        self.way[name] = ctypes.cast(compiled, ctypes.c_void_p).value
        return compiled

    def travel(self, features: Any) -> tuple[int, Any, Any]:
        planes, numbers = np.full((8, 4), 9, np.uint8), np.zeros((8, 2), np.float32)
        return int(travel(self.way.ctypes.data, features, planes, numbers)), planes, numbers


ROWS = np.array([[1, 0, 0, 1, 0.5, -2, 1], [0, 1, 1, 0, 3, 4, -1]], np.float32)


def test_a_batch_is_packed_launched_and_waited_for() -> None:
    driver = Driver()
    error, planes, numbers = driver.travel(ROWS)
    assert error == 0
    assert planes[:2].tolist() == [[1, 0, 0, 1], [0, 1, 1, 0]]
    assert numbers[:2].tolist() == [[0.5, -2], [3, 4]]
    launching, waiting = 1, 0
    assert driver.calls == [
        ("enter", 11, 0, launching), ("launch", 22, 33, launching), ("record", 44, 33, launching),
        ("wait", 44, 0, waiting),
    ]  # fmt: skip


@pytest.mark.parametrize("failing", ["enter", "launch", "record", "wait"])
def test_an_error_ends_it_and_the_next_may_launch(failing: str) -> None:
    driver = Driver(failing)
    assert driver.travel(ROWS)[0] == 700
    assert driver.calls[-1][0] == failing
    assert driver.turn[0] == 0


def test_planes_that_are_not_bytes_are_not_sent() -> None:
    driver = Driver()
    assert driver.travel(ROWS + np.float32(0.25))[0] == NOT_BYTES
    assert driver.calls == []
