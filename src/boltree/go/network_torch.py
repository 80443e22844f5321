"""Inference through PyTorch, on a GPU where there is one: the graph's steps, one after the other."""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..errors import ParameterError
from ..extras import needs
from .network_file import GLOBAL, SPATIAL
from .network_graph import GLOBAL_INPUT, SPATIAL_INPUT, Graph, Outputs, Step, pool_factors
from .network_lanes import Lanes
from .network_layers import Floats


class _Recorded(NamedTuple):
    """A graph of a GPU's kernels for one batch size, where its inputs lie, and its outputs."""

    places: int  # how many positions it takes
    graph: Any
    spatial: Any
    globals_: Any
    outputs: Any  # side by side, a row a position
    bounds: Any  # where they end
    wanted: int  # items of a row that a search reads: policy and value


def places_for(count: int) -> int:
    """The batch size that is recorded for so many positions: at most a fifth of it stays empty, from 64 on.

    Every size is recorded by itself, and keeps memory on the GPU, so there are not too many.

    >>> [places_for(count) for count in (1, 9, 33, 64, 65, 500, 513)]
    [8, 16, 40, 64, 80, 512, 640]
    """
    step = max(8, (1 << (count - 1).bit_length()) // 8)
    return -(-count // step) * step


class TorchBackend:
    """Runs a graph through PyTorch; `half` computes in float16, on a GPU only."""

    def __init__(
        self, graph: Graph, threads: int | None = None, *, device: str | None = None, half: bool = False
    ) -> None:
        torch = self._torch = needs("torch", "torch")
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        if half and self._device.type == "cpu":
            raise ParameterError("half=True: float16 needs a GPU")
        self.name = f"torch {self._device}" + (" float16" if half else "")
        if threads:
            torch.set_num_threads(threads)
        self._type = torch.float16 if half else torch.float32
        self._graph = graph
        self._weights = [tuple(self._upload(array) for array in step.weights) for step in graph.steps]
        self._unused = _last_uses(graph)
        self.lock = Lock()
        self._recording = Lock()
        self._recorded: dict[tuple[int, int], _Recorded] = {}
        self._pool: Any = None
        self._lanes = Lanes(self, torch, self._device) if self._device.type == "cuda" else None

    def _upload(self, array: Floats) -> Any:
        tensor = self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device, self._type)
        return tensor.to(memory_format=self._torch.channels_last) if tensor.dim() == 4 else tensor

    def run(self, spatial: Floats, globals_: Floats) -> Outputs:
        """The outputs for K positions."""
        if self._device.type == "cuda":
            return self._replay(spatial, globals_)
        with self._torch.inference_mode():
            parts = self._forward(self._upload(spatial), self._upload(globals_))
            return Outputs(*(part.numpy() for part in parts))

    def _forward(self, spatial: Any, globals_: Any) -> tuple[Any, ...]:
        """Policy, value, score and ownership, as float32 on the device."""
        torch = self._torch
        values = {SPATIAL_INPUT: spatial, GLOBAL_INPUT: globals_}
        for i, step in enumerate(self._graph.steps):
            values[i + 2] = self._step(step, self._weights[i], [values[source] for source in step.sources])
            for index in self._unused[i]:
                del values[index]
        points, passing, value, score, ownership = (values[index] for index in self._graph.outputs)
        policy = torch.cat((points.flatten(1), passing), 1)
        return tuple(part.float() for part in (policy, value, score, ownership[:, 0]))

    def _replay(self, spatial: Floats, globals_: Floats) -> Outputs:
        """Run through a recorded graph: the launches of a hundred small kernels cost more than the kernels."""
        count, size = len(spatial), spatial.shape[-1]
        recorded = self.recorded(size, count)
        with self.lock, self._torch.inference_mode():
            self._torch.cuda.synchronize(self._device)  # no lane's batch is in the graph's memory any more
            recorded.spatial[:count].copy_(self._torch.from_numpy(spatial))
            recorded.globals_[:count].copy_(self._torch.from_numpy(globals_))
            recorded.graph.replay()
            parts = np.split(recorded.outputs[:count].cpu().numpy(), recorded.bounds, axis=1)
            return Outputs(parts[0], parts[1], parts[2], parts[3].reshape(count, size, size))

    def run_rows(self, features: Floats, size: int) -> tuple[Floats, Floats] | None:
        """Policy and value of K positions as rows of features, side by side with other batches; None if it cannot."""
        return None if self._lanes is None else self._lanes.run(features, size)

    def prepare(self, size: int, most: int) -> None:
        """Record the graphs for all batches of up to so many positions, before somebody waits for one."""
        count = 1
        while self._lanes is not None and count <= most:
            count = self.recorded(size, count).places + 1

    def recorded(self, size: int, count: int) -> _Recorded:
        """The graph for a board's size and at least so many positions."""
        places = places_for(count)
        found = self._recorded.get((size, places))
        if found is None:
            with self._recording, self.lock, self._torch.inference_mode():
                found = self._recorded.get((size, places))
                if found is None:
                    self._torch.cuda.synchronize(self._device)
                    found = self._recorded[size, places] = self._record(size, places, GLOBAL)
        return found

    def _record(self, size: int, places: int, numbers: int) -> _Recorded:
        torch = self._torch
        spatial = torch.zeros((places, SPATIAL, size, size), device=self._device)
        globals_ = torch.zeros((places, numbers), device=self._device)

        def forward() -> tuple[Any, ...]:
            planes = spatial.to(self._type, memory_format=torch.channels_last)
            return self._forward(planes, globals_.to(self._type))

        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream(self._device)
        # TensorFloat-32, on by default, would cost three digits: whoever wants speed takes half
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            stream.wait_stream(torch.cuda.current_stream(self._device))
            with torch.cuda.stream(stream):  # a first run chooses algorithms, which cannot be recorded
                for _ in range(3):
                    forward()
            torch.cuda.current_stream(self._device).wait_stream(stream)
            with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                outputs = [part.flatten(1) for part in forward()]
                joined = torch.cat(outputs, 1)  # one way back for all: each costs as much as a small network
        self._pool = self._pool or graph.pool()
        bounds = np.cumsum([part.shape[1] for part in outputs])[:-1]
        return _Recorded(places, graph, spatial, globals_, joined, bounds, int(bounds[1]))

    def _step(self, step: Step, weights: tuple[Any, ...], sources: list[Any]) -> Any:
        torch, source = self._torch, sources[0]
        if step.kind == "conv":
            bias = weights[1] if len(weights) > 1 else None
            return torch.nn.functional.conv2d(source, weights[0], bias, padding="same")
        if step.kind == "scale":
            return torch.addcmul(weights[1][:, None, None], source, weights[0][:, None, None])
        if step.kind == "activate":
            return getattr(torch.nn.functional, step.option)(source)
        if step.kind == "add":
            return source + sources[1]
        if step.kind == "add_row":
            return source + sources[1][:, :, None, None]
        if step.kind == "pool":
            mean = source.mean((2, 3))
            second, third = pool_factors(step.option, source.shape[2] * source.shape[3])
            return torch.cat((mean, mean * second, source.amax((2, 3)) if third is None else mean * third), 1)
        return torch.addmm(weights[1], source, weights[0]) if len(weights) > 1 else source @ weights[0]


def _last_uses(graph: Graph) -> list[list[int]]:
    """For each step the values that no step reads after it, so that a large batch fits; outputs no step reads."""
    last = {source: i for i, step in enumerate(graph.steps) for source in step.sources}
    unused: list[list[int]] = [[] for _ in graph.steps]
    for value, i in last.items():
        unused[i].append(value)
    return unused
