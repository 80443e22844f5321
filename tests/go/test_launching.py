"""A batch's one call to the CUDA driver, with functions of Python's in the driver's place."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from boltree.core.jit import JIT_DISABLED
from boltree.go.board.features import NUMBERS, PLANES
from boltree.go.network import lanes as network_lanes
from boltree.go.network.answers import BANNED, OWN
from boltree.go.network.launching import (
    DRIVER_CALLS,
    FUNCTIONS,
    LEFT,
    NOT_BYTES,
    NOT_FINITE,
    driver_calls_of,
    run_and_judge,
    run_graph,
)
from boltree.go.network.network import masked_softmax

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64)

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without compiling, batches go through PyTorch")


class Driver:
    """Writes down what is called; the call of that name fails."""

    def __init__(self, failing: str = "") -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.failing = failing
        self.launch = np.zeros(1, DRIVER_CALLS)
        self.launch["context"], self.launch["graph"], self.launch["stream"], self.launch["event"] = 11, 22, 33, 44
        self.kept = [self.function(name) for name in FUNCTIONS]

    def function(self, name: str) -> Any:
        def call(first: int, second: int) -> int:
            there = self.launch.ctypes.data + LEFT  # where to the driver writes what was left
            self.calls.append((name, "there" if first == there else first, second))
            return 700 if name == self.failing else 0

        compiled = FUNCTION(call)
        self.launch[name] = ctypes.cast(compiled, ctypes.c_void_p).value
        return compiled

    def run_graph(self, features: Any) -> tuple[int, Any, Any]:
        planes, numbers = np.full((8, 4), 9, np.uint8), np.zeros((8, 2), np.float32)
        return int(run_graph(self.launch.ctypes.data, features, planes, numbers)), planes, numbers


ROWS = np.array([[1, 0, 0, 1, 0.5, -2, 1], [0, 1, 1, 0, 3, 4, -1]], np.float32)


def test_a_batch_is_packed_launched_and_waited_for() -> None:
    driver = Driver()
    error, planes, numbers = driver.run_graph(ROWS)
    assert error == 0
    assert planes[:2].tolist() == [[1, 0, 0, 1], [0, 1, 1, 0]]
    assert numbers[:2].tolist() == [[0.5, -2], [3, 4]]
    assert driver.calls == [
        ("enter", 11, 0), ("launch", 22, 33), ("record", 44, 33), ("wait", 44, 0), ("leave", "there", 0),
    ]  # fmt: skip


@pytest.mark.parametrize("failing", ["enter", "launch", "record", "wait"])
def test_an_error_ends_it_and_the_context_is_left(failing: str) -> None:
    driver = Driver(failing)
    assert driver.run_graph(ROWS)[0] == 700
    names = [call[0] for call in driver.calls]
    order = ["enter", "launch", "record", "wait"]
    assert names == order[: order.index(failing) + 1] + ["leave"] * (failing != "enter")


def test_planes_that_are_not_bytes_are_not_sent() -> None:
    driver = Driver()
    assert driver.run_graph(ROWS + np.float32(0.25))[0] == NOT_BYTES
    assert driver.calls == []


@pytest.mark.parametrize("finite", [True, False])
def test_answers_are_judged_on_the_way_back(finite: bool) -> None:
    driver, size = Driver(), 2
    points = size * size
    features = np.zeros((2, PLANES * points + NUMBERS + 1), np.float32)
    features[0, OWN * points + 1], features[1, BANNED * points + 3] = 1, 1  # which cannot be played
    features[:, -1] = -1, 1
    logits = np.random.default_rng(1).normal(size=(8, points + 1 + 3 + 6)).astype(np.float32)
    logits[0, 1] = 80  # cannot be played, however good
    if not finite:
        logits[1, points + 1] = np.nan
    planes, numbers = np.zeros((8, PLANES * points), np.uint8), np.zeros((8, NUMBERS), np.float32)
    priors, values = np.empty((2, points + 1)), np.empty(2)
    arguments = driver.launch.ctypes.data, features, planes, numbers, logits, priors, values
    assert run_and_judge(*arguments) == (0 if finite else NOT_FINITE)
    assert len(driver.calls) == 5
    if finite:
        legal = np.ones((2, points + 1), np.bool_)
        legal[0, 1] = legal[1, 3] = False
        assert np.allclose(priors, masked_softmax(logits[:2, : points + 1], legal))
        assert np.allclose(values, np.tanh((logits[:2, points + 1] - logits[:2, points + 2]) / 2) * (-1, 1))


def test_without_the_driver_there_is_no_way() -> None:
    assert driver_calls_of(object(), None, None) is None  # a PyTorch that does not show the graph


@pytest.mark.parametrize(
    ("error", "answer", "taken"), [(0, 1.0, True), (0, 2.0, False), (0, np.nan, False), (700, 1.0, False)]
)
def test_only_a_way_that_gives_what_pytorch_gives_is_taken(
    error: int, answer: float, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = np.zeros((8, 5), np.float32)

    def run_graph(calls_at: int, *_: Any) -> int:
        answers[0] = answer
        return error

    class Replayed(network_lanes.Lanes):
        def __init__(self) -> None:
            self._stream = None

        def _replay(self, lane: Any, recorded: Any) -> None:
            answers[0] = 1.0

    monkeypatch.setattr(network_lanes, "driver_calls_of", lambda graph, stream, event: np.zeros(1, DRIVER_CALLS))
    monkeypatch.setattr(network_lanes, "run_and_judge", run_graph)
    lane: Any = SimpleNamespace(done=None)
    plain = network_lanes.Recorded(None, np.zeros((8, 4), np.uint8), np.zeros((8, 19)), answers, None, ())
    assert (Replayed()._shortened(lane, plain).calls is not None) == taken
