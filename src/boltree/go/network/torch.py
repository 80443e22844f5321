"""Inference through PyTorch, on a GPU where there is one: the graph's steps, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ParameterError
from ...extras import needs
from .graph import GLOBAL_INPUT, SPATIAL_INPUT, Graph, Outputs, Step, pool_factors
from .lanes import Lanes
from .layers import Floats, Reals


class TorchBackend:
    """Runs a graph through PyTorch; `half` computes in float16, on a GPU only."""

    def __init__(
        self, graph: Graph, threads: int | None = None, *, device: str | None = None, half: bool = False
    ) -> None:
        torch = self._torch = needs("torch", "torch")
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        if self._device.type == "cuda" and self._device.index is None:  # other threads may have another current one
            self._device = torch.device("cuda", torch.cuda.current_device())
        if half and self._device.type == "cpu":
            raise ParameterError("half=True: float16 needs a GPU")
        self.name = f"torch {self._device}" + (" float16" if half else "")
        if threads:
            torch.set_num_threads(threads)
        self._type = torch.float16 if half else torch.float32
        self._graph = graph
        self._weights = [tuple(self._upload(array) for array in step.weights) for step in graph.steps]
        self._unused = _last_uses(graph)
        self._lanes = Lanes(torch, self._device, self._joined) if self._device.type == "cuda" else None

    def _upload(self, array: Floats) -> Any:
        tensor = self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device, self._type)
        return tensor.to(memory_format=self._torch.channels_last) if tensor.dim() == 4 else tensor

    def run(self, spatial: Floats, globals_: Floats) -> Outputs:
        """The outputs for K positions."""
        count, size = len(spatial), spatial.shape[-1]
        joined = None
        if self._lanes is not None:
            joined = self._lanes.run(np.concatenate((spatial.reshape(count, -1), globals_), 1), size)
        if joined is None:  # there is no GPU, or planes are not of 0 and 1
            with self._torch.inference_mode(), self._torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
                joined = self._joined(self._upload(spatial), self._upload(globals_)).cpu().numpy()
        points = size * size
        policy, value, score, ownership = np.split(joined, [points + 1, points + 4, -points], axis=1)
        return Outputs(policy, value, score, ownership.reshape(count, size, size))

    def judge_rows(self, features: Floats, size: int, priors: Reals, values: Reals) -> bool | None:
        """What `fill_answers` writes for rows of features, side by side with other batches; None if it cannot."""
        return None if self._lanes is None else self._lanes.judge(features, size, priors, values)

    def prepare(self, size: int, most: int) -> None:
        """Get ready for batches of up to `most` positions, before the first is asked for."""
        if self._lanes is not None:
            self._lanes.prepare(size, most)

    def _joined(self, spatial: Any, globals_: Any) -> Any:
        """Policy, value, score and ownership side by side, a row of float32 a position, on the device."""
        torch = self._torch
        planes = spatial.to(self._type, memory_format=torch.channels_last)
        values = {SPATIAL_INPUT: planes, GLOBAL_INPUT: globals_.to(self._type)}
        for i, step in enumerate(self._graph.steps):
            values[i + 2] = self._step(step, self._weights[i], [values[source] for source in step.sources])
            for index in self._unused[i]:
                del values[index]
        points, passing, value, score, ownership = (values[index] for index in self._graph.outputs)
        parts = (points.flatten(1), passing, value, score, ownership.flatten(1))
        return torch.cat([part.float() for part in parts], 1)

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
