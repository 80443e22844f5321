"""Several batches in flight to a GPU, each in a lane of its own: while one is computed, the next is packed.

Positions come as rows of features and are packed as bytes into memory that the GPU reads by itself. The copy to the
GPU, the network and the copy back are recorded as one CUDA graph, once for each lane and batch size. All graphs run one
after the other on one stream, since they share memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ...batches.together import Together
from ..board.features import NUMBERS, PLANES
from .answers import read_outputs
from .launching import NOT_BYTES, NOT_FINITE, driver_calls_of, run_and_judge
from .layers import Floats, Reals
from .packing import pack_rows

LANES = Together.at_once
"""How many batches may be in flight: as many as `Together` has at a time; further ones wait."""

NUMBER_BYTES = 4
"""Bytes of a float32."""

_recording = Lock()
"""Held while a graph is recorded: meanwhile no thread of the process may wait for the whole GPU."""


class Recorded(NamedTuple):
    """The kernels of one batch, and where its positions and its answers lie on this side."""

    graph: Any
    planes: Any  # [places, 22 n²], bytes
    numbers: Any  # [places, 19]
    answers: Any  # [places, ...], the outputs side by side
    calls: Any  # for `run_graph`; None where PyTorch must replay the graph
    kept: tuple[Any, ...]  # the memory of these


def places_for(count: int) -> int:
    """The batch size that is recorded for a number of positions: at most a ninth of it stays empty, from 64 on.

    Every size is recorded by itself, so there are not too many.

    >>> [places_for(count) for count in (1, 9, 33, 65, 129, 500, 513)]
    [8, 16, 40, 72, 144, 512, 576]
    """
    step = max(8, (1 << (count - 1).bit_length()) // 16)
    return -(-count // step) * step


class Lane:
    """What one batch in flight uses: its recorded graphs, and the event that says when one is done."""

    def __init__(self, torch: Any) -> None:
        self.recorded: dict[tuple[int, int], Recorded] = {}
        self.done = torch.cuda.Event(blocking=True)


class Lanes:
    """The lanes of one network.

    Args:
        torch: the module.
        device: the GPU.
        forward: the network: from planes [K, 22, n, n] and numbers [K, 19] on the GPU to its outputs, side by side.
    """

    def __init__(self, torch: Any, device: Any, forward: Callable[[Any, Any], Any]) -> None:
        self._torch, self._device, self._forward = torch, device, forward
        self._stream = torch.cuda.Stream(device)
        self._aside = torch.cuda.Stream(device)  # for recording, and nothing else
        self._pool: Any = None
        self._lanes = [Lane(torch) for _ in range(LANES)]
        self._free: SimpleQueue[Lane] = SimpleQueue()
        for lane in self._lanes:
            self._free.put(lane)

    def run(self, features: Floats, size: int) -> Floats | None:
        """The outputs [K, ...] for rows of features; None if the planes cannot be bytes."""
        with self._lane() as lane:
            recorded = self._recorded(lane, size, places_for(len(features)))
            if not pack_rows(features, recorded.planes, recorded.numbers):
                return None
            self._replay(lane, recorded)
            answers: Floats = recorded.answers[: len(features)].copy()
            return answers

    def judge(self, features: Floats, size: int, priors: Reals, values: Reals) -> bool | None:
        """What `fill_answers` writes for rows of features; None if the planes cannot be bytes."""
        with self._lane() as lane:
            recorded = self._recorded(lane, size, places_for(len(features)))
            _, planes, numbers, answers, calls, _ = recorded
            if calls is not None:
                error = run_and_judge(calls.ctypes.data, features, planes, numbers, answers, priors, values)
                if error > 0:
                    raise RuntimeError(f"{self._device}: the CUDA driver's error {error} while a batch was computed")
                return None if error == NOT_BYTES else error != NOT_FINITE
            if not pack_rows(features, planes, numbers):
                return None
            self._replay(lane, recorded)
            return bool(read_outputs(answers, features, priors, values))

    @contextmanager
    def _lane(self) -> Iterator[Lane]:
        """A lane that no other thread uses meanwhile."""
        lane = self._free.get()
        try:
            yield lane
        finally:
            self._free.put(lane)

    def _replay(self, lane: Lane, recorded: Recorded) -> None:
        with self._torch.cuda.stream(self._stream):
            recorded.graph.replay()
            lane.done.record(self._stream)
        lane.done.synchronize()

    def prepare(self, size: int, most: int) -> None:
        """Record the graphs for all batches of up to `most` positions and a few more, before the first is asked for.

        A position or two may be asked about beside a full batch.
        """
        count = 1
        while count <= places_for(most) + 1:
            places = places_for(count)
            for lane in self._lanes:
                self._recorded(lane, size, places)
            count = places + 1
        features, priors, values = _one_position(PLANES * size * size)
        self.judge(features, size, priors, values)  # compiles what it calls

    def _recorded(self, lane: Lane, size: int, places: int) -> Recorded:
        """A lane's graph for a board's size and a number of positions."""
        found = lane.recorded.get((size, places))
        if found is None:
            with _recording, self._torch.inference_mode(), self._torch.cuda.device(self._device):
                found = lane.recorded.get((size, places))  # `prepare` may have been faster
                if found is None:
                    self._torch.cuda.synchronize(self._device)
                    found = lane.recorded[size, places] = self._record(lane, size, places)
        return found

    def _record(self, lane: Lane, size: int, places: int) -> Recorded:
        torch, items = self._torch, PLANES * size * size
        begin = places * NUMBERS * NUMBER_BYTES  # of the planes
        near = torch.zeros(begin + places * items, dtype=torch.uint8, pin_memory=True)

        def forward() -> Any:
            far = near.to(self._device, non_blocking=True)
            numbers = far[:begin].view(torch.float32).view(places, NUMBERS)
            return self._forward(far[begin:].view(places, PLANES, size, size), numbers)

        # TensorFloat-32, on by default, would cost three digits: for speed there is half precision
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            with torch.cuda.stream(self._aside):  # a first run chooses algorithms, which cannot be recorded
                for _ in range(2):
                    back = torch.empty_like(forward(), device="cpu", pin_memory=True)
            self._aside.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, self._pool, self._aside, capture_error_mode="thread_local"):
                back.copy_(forward(), non_blocking=True)
        self._pool = self._pool or graph.pool()
        words = near.numpy()
        planes = words[begin:].reshape(places, items)
        numbers = words[:begin].view(np.float32).reshape(places, NUMBERS)
        plain = Recorded(graph, planes, numbers, back.numpy(), None, (near, back))
        return self._shortened(lane, plain)

    def _shortened(self, lane: Lane, plain: Recorded) -> Recorded:
        """The same with the driver's calls, where they can be had and give what PyTorch gives."""
        self._replay(lane, plain)
        expected = plain.answers[0].copy()
        calls = driver_calls_of(plain.graph, self._stream, lane.done)
        if calls is None:
            return plain
        plain.answers[0] = np.nan
        features, priors, values = _one_position(plain.planes.shape[1])
        error = run_and_judge(calls.ctypes.data, features, plain.planes, plain.numbers, plain.answers, priors, values)
        alike = error == 0 and np.allclose(plain.answers[0], expected, 1e-3, 1e-3)
        return plain._replace(calls=calls) if alike else plain


def _one_position(items: int) -> tuple[Floats, Reals, Reals]:
    """A row of features, and where its prior and its value are written."""
    return np.zeros((1, items + NUMBERS + 1), np.float32), np.empty((1, items // PLANES + 1)), np.empty(1)
