"""Inference through onnxruntime, on the CPU: one ONNX model for each board size, with any number of positions."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...extras import needs
from .file import GLOBAL, SPATIAL
from .graph import GLOBAL_INPUT, SPATIAL_INPUT, Graph, Outputs, Step, pool_factors
from .layers import Floats, Reals

_OPSET, _IR = 17, 8  # what every onnxruntime since 1.12 reads


class OnnxBackend:
    """Runs a graph through onnxruntime."""

    name = "onnxruntime"

    def __init__(self, graph: Graph, threads: int | None = None) -> None:
        self._graph, self._sessions = graph, dict[int, Any]()
        self._threads = threads or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else threads or 0

    def run(self, spatial: Floats, globals_: Floats) -> Outputs:
        """The outputs for K positions."""
        size = spatial.shape[-1]
        if size not in self._sessions:
            self._sessions[size] = self._session(size)
        return Outputs(*self._sessions[size].run(None, {"spatial": spatial, "globals": globals_}))

    def judge_rows(self, features: Floats, size: int, priors: Reals, values: Reals) -> None:
        """None: `run` is as fast."""

    def prepare(self, size: int, most: int) -> None:
        """There is nothing to prepare."""

    def _session(self, size: int) -> Any:
        runtime = needs("onnxruntime", "go")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.log_severity_level = 3
        return runtime.InferenceSession(onnx_model(self._graph, size), options, providers=["CPUExecutionProvider"])


def onnx_model(graph: Graph, size: int) -> bytes:
    """A graph as an ONNX model for boards of size x size."""
    return _Writer(graph, size).model()


class _Writer:
    """Turns steps into nodes and initializers."""

    def __init__(self, graph: Graph, size: int) -> None:
        self.onnx, self.graph, self.size = needs("onnx", "go"), graph, size
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def model(self) -> bytes:
        graph, helper, size = self.graph, self.onnx.helper, self.size
        for i, step in enumerate(graph.steps):
            self.step(step, f"v{i + 2}")
        flat = self.node("Flatten", [self.value(graph.points)])
        self.node("Concat", [flat, self.value(graph.passing)], "policy", axis=1)
        self.node("Identity", [self.value(graph.value)], "value")
        self.node("Identity", [self.value(graph.score)], "score")
        axis = self.constant("axis", np.array([1], np.int64))
        self.node("Squeeze", [self.value(graph.ownership), axis], "ownership")
        scores = graph.steps[graph.score - 2].weights[0].shape[1]
        inputs = [self.tensor("spatial", SPATIAL, size, size), self.tensor("globals", GLOBAL)]
        outputs = [
            self.tensor("policy", size * size + 1), self.tensor("value", 3), self.tensor("score", scores),
            self.tensor("ownership", size, size),
        ]  # fmt: skip
        made = helper.make_graph(self.nodes, "network", inputs, outputs, list(self.constants.values()))
        opset = [helper.make_opsetid("", _OPSET)]
        model = helper.make_model(made, producer_name="boltree", opset_imports=opset, ir_version=_IR)
        return bytes(model.SerializeToString())

    def tensor(self, name: str, *shape: int) -> Any:
        return self.onnx.helper.make_tensor_value_info(name, self.onnx.TensorProto.FLOAT, ["positions", *shape])

    def value(self, index: int) -> str:
        return {SPATIAL_INPUT: "spatial", GLOBAL_INPUT: "globals"}.get(index, f"v{index}")

    def constant(self, name: str, array: Any) -> str:
        if name not in self.constants:
            self.constants[name] = self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def node(self, kind: str, sources: list[str], out: str = "", **attributes: Any) -> str:
        out = out or f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, sources, [out], **attributes))
        return out

    def step(self, step: Step, out: str) -> None:
        sources = [self.value(source) for source in step.sources]
        weights = [self.constant(f"{out}_{i}", array) for i, array in enumerate(step.weights)]
        if step.kind == "conv":
            y, x = (size // 2 for size in step.weights[0].shape[2:])
            self.node("Conv", [*sources, *weights], out, pads=[y, x, y, x])
        elif step.kind == "scale":  # onnxruntime fuses a batch norm better than a product and a sum
            zeros = self.constant(f"zeros{step.weights[0].size}", np.zeros_like(step.weights[0]))
            ones = self.constant(f"ones{step.weights[0].size}", np.ones_like(step.weights[0]))
            self.node("BatchNormalization", [*sources, *weights, zeros, ones], out, epsilon=0.0)
        elif step.kind == "activate":
            self.activate(step.option, sources[0], out)
        elif step.kind == "add":
            self.node("Add", sources, out)
        elif step.kind == "add_row":
            axes = self.constant("axes", np.array([2, 3], np.int64))
            self.node("Add", [sources[0], self.node("Unsqueeze", [sources[1], axes])], out)
        elif step.kind == "pool":
            self.pool(step.option, sources[0], out)
        else:
            self.node("Gemm", [*sources, *weights], out)

    def activate(self, kind: str, source: str, out: str) -> None:
        if kind == "relu":
            self.node("Relu", [source], out)
        elif kind == "silu":
            self.node("Mul", [source, self.node("Sigmoid", [source])], out)
        else:
            self.mish(source, out)

    def mish(self, source: str, out: str) -> None:
        """x·tanh(log(1 + eˣ)) = x·w/(w + 2) with w = eˣ·(eˣ + 2): half again as fast as onnxruntime's Softplus."""
        two, most = (self.constant(f"number{n}", np.array(n, np.float32)) for n in (2, 20))
        power = self.node("Exp", [self.node("Min", [source, most])])  # beyond 20 the factor is 1
        w = self.node("Mul", [power, self.node("Add", [power, two])])
        self.node("Mul", [source, self.node("Div", [w, self.node("Add", [w, two])])], out)

    def pool(self, option: str, source: str, out: str) -> None:
        second, third = pool_factors(option, self.size * self.size)
        mean = self.node("Flatten", [self.node("GlobalAveragePool", [source])])
        parts = [mean, self.times(mean, second)]
        if third is None:
            parts.append(self.node("Flatten", [self.node("GlobalMaxPool", [source])]))
        else:
            parts.append(self.times(mean, third))
        self.node("Concat", parts, out, axis=1)

    def times(self, source: str, factor: float) -> str:
        return self.node("Mul", [source, self.constant(f"number{factor}", np.array(factor, np.float32))])
