"""Several batches on their way to a GPU at once: while one is computed, the next is packed and sent.

Positions come as rows of features and are packed as bytes into memory that the GPU reads by itself. All graphs run one
after the other on one stream, since they share memory; only the ways there are travelled side by side.
"""

from __future__ import annotations

from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from .features import NUMBERS, PLANES
from .network_layers import Floats
from .packing import pack_rows

if TYPE_CHECKING:
    from .network_torch import TorchBackend

LANES = 4
"""More than are ever asked at a time by searches that run together."""


class Lane:
    """Memory for one batch: on this side and on the GPU's."""

    def __init__(self, torch: Any, device: Any) -> None:
        self._torch, self._device = torch, device
        self.stream, self.sent, self.done = torch.cuda.Stream(device), torch.cuda.Event(), torch.cuda.Event()
        self._shape = (0, 0, 0)

    def fit(self, places: int, items: int, outputs: int) -> None:
        """Make room for so many positions of so many items each."""
        rows, old_items, old_outputs = self._shape
        if places <= rows and items == old_items and outputs == old_outputs:
            return
        torch, self._shape = self._torch, (places, items, outputs)
        self.planes, self.numbers, self.answers = (
            torch.empty((places, width), dtype=kind, pin_memory=True)
            for width, kind in ((items, torch.uint8), (NUMBERS, torch.float32), (outputs, torch.float32))
        )
        self.far_planes, self.far_numbers = (
            torch.empty(near.shape, dtype=near.dtype, device=self._device) for near in (self.planes, self.numbers)
        )


class Lanes:
    """The lanes of one backend."""

    def __init__(self, backend: TorchBackend, torch: Any, device: Any) -> None:
        self._backend, self._torch = backend, torch
        self._compute = torch.cuda.Stream(device)
        self._free: SimpleQueue[Lane] = SimpleQueue()
        for _ in range(LANES):
            self._free.put(Lane(torch, device))

    def run(self, features: Floats, size: int) -> tuple[Floats, Floats] | None:
        """Logits of policies [K, n² + 1] and values [K, 3]; None if the planes cannot be bytes."""
        count, items = len(features), PLANES * size * size
        lane = self._free.get()
        try:
            recorded = self._backend.recorded(size, count)
            lane.fit(recorded.places, items, recorded.wanted)
            if not pack_rows(features, lane.planes.numpy(), lane.numbers.numpy()):
                return None
            self._send(lane, recorded, count, size)
            lane.done.synchronize()
            answers = lane.answers[:count].numpy().copy()
        finally:
            self._free.put(lane)
        return answers[:, : recorded.bounds[0]], answers[:, recorded.bounds[0] :]

    def _send(self, lane: Lane, recorded: Any, count: int, size: int) -> None:
        torch = self._torch
        with torch.inference_mode():
            with torch.cuda.stream(lane.stream):
                lane.far_planes[:count].copy_(lane.planes[:count], non_blocking=True)
                lane.far_numbers[:count].copy_(lane.numbers[:count], non_blocking=True)
                lane.sent.record(lane.stream)
            with self._backend.lock, torch.cuda.stream(self._compute):
                self._compute.wait_event(lane.sent)
                recorded.spatial[:count].copy_(lane.far_planes[:count].view(count, PLANES, size, size))
                recorded.globals_[:count].copy_(lane.far_numbers[:count])
                recorded.graph.replay()
                lane.answers[:count].copy_(recorded.outputs[:count, : recorded.wanted], non_blocking=True)
                lane.done.record(self._compute)
