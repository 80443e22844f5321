"""A Go network: what it says of positions, whatever computes it.

>>> import boltree as bt
>>> network = bt.go.load_network("b15")                                    # doctest: +SKIP
>>> network.evaluate(bt.go.Game(9)).white_win                              # doctest: +SKIP
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from .answers import fill_answers
from .cache import find_network
from .feature_rows import parts_of
from .file import GLOBAL, SPATIAL, read_network
from .graph import Graph, Outputs, graph_of
from .layers import Floats, Layers, Reals
from .position import Answer, Evaluation, answer_of, features_of

if TYPE_CHECKING:
    from ..game import Game

BACKENDS = ("auto", "onnx", "torch")
_WIN, _LOSS = 0, 1  # value logits; the third, no result, cannot happen under superko with area scoring
_MEAN, _LEAD = 0, 2  # score outputs


class Backend(Protocol):
    """What computes a graph."""

    name: str

    def run(self, spatial: Floats, globals_: Floats) -> Outputs:
        """The outputs for K positions."""
        ...

    def judge_rows(self, features: Floats, size: int, priors: Reals, values: Reals) -> bool | None:
        """Write what `fill_answers` writes for rows of features; None where `run` is as fast."""
        ...

    def prepare(self, size: int, most: int) -> None:
        """Get ready for batches of up to `most` positions."""
        ...


class Network:
    """A network ready to be asked; it may be asked from several threads."""

    def __init__(self, layers: Layers, backend: Backend) -> None:
        self.name, self.version = layers.name, layers.version
        self.blocks, self.channels, self.parameters = layers.blocks, layers.channels, layers.parameters
        self.backend = backend.name
        self._backend = backend
        self._mean, _, self._lead = layers.score_multipliers

    def __repr__(self) -> str:
        return f"Network({self.name}, version {self.version}, b{self.blocks}c{self.channels}, {self.backend})"

    def run(self, spatial: Floats, globals_: Floats) -> Outputs:
        """The raw outputs for planes ``[K, 22, n, n]`` and numbers ``[K, 19]``, both float32."""
        spatial = np.ascontiguousarray(spatial, np.float32)
        globals_ = np.ascontiguousarray(globals_, np.float32)
        shape = spatial.shape
        if len(shape) != 4 or shape[0] < 1 or shape[1] != SPATIAL or shape[2] != shape[3] or not 2 <= shape[2] <= 19:
            raise ParameterError(f"spatial: shape {shape}, must be (K, {SPATIAL}, n, n) with n from 2 to 19")
        if globals_.shape != (shape[0], GLOBAL):
            raise ParameterError(f"globals_: shape {globals_.shape}, must be {(shape[0], GLOBAL)}")
        return self._backend.run(spatial, globals_)

    def judge_rows(self, features: Floats) -> tuple[Reals, Reals]:
        """Priors ``[K, n² + 1]`` and Black's values ``[K]`` for rows of `bt.problems.Go`'s features.

        All of it is compiled: beside a GPU, NumPy would take most of the time.
        """
        spatial, numbers, _ = parts_of(features)
        count, size = len(features), spatial.shape[-1]
        priors, values = np.empty((count, size * size + 1)), np.empty(count)
        finite = self._backend.judge_rows(features, size, priors, values)
        if finite is None:
            out = self.run(spatial, numbers)
            finite = fill_answers(out.policy, out.value, features, priors, values)
        if not finite:
            raise self._not_finite()
        return priors, values

    def prepare(self, size: int, most: int) -> None:
        """Get ready for batches of up to `most` positions on boards of a size, where that takes time (on a GPU)."""
        self._backend.prepare(size, most)

    def _not_finite(self) -> ParameterError:
        """What is raised when an output is no number."""
        return ParameterError(f"{self.name}: the outputs are not finite; with half=True, try without")

    def evaluate(self, game: Game) -> Answer:
        """What the network says of a game's position: its policy, and White's chances, lead and ownership.

        The policy of a finished game is the one by which the network would play on.
        """
        features, legal = features_of(game)
        spatial, numbers, worth = parts_of(features)
        return answer_of(self.judge(spatial, numbers, legal), float(worth[0]))

    def judge(self, spatial: Floats, globals_: Floats, legal: NDArray[np.bool_] | None = None) -> Evaluation:
        """What the network says of K positions; `legal` is a mask ``[K, n² + 1]`` of the moves that may be made."""
        out = self.run(spatial, globals_)
        if not (np.isfinite(out.value).all() and np.isfinite(out.policy).all()):
            raise self._not_finite()
        ahead = out.value[:, _WIN].astype(np.float64) - out.value[:, _LOSS]
        value = np.tanh(ahead / 2)  # the softmax of two logits
        score = out.score.astype(np.float64)
        return Evaluation(
            masked_softmax(out.policy, legal), (1 + value) / 2, value, score[:, _LEAD] * self._lead,
            score[:, _MEAN] * self._mean, np.tanh(out.ownership.astype(np.float64)),
        )  # fmt: skip


def masked_softmax(logits: Floats, legal: NDArray[np.bool_] | None = None) -> Reals:
    """Probabilities in proportion to the exponentials of the legal logits of each row.

    >>> masked_softmax(np.array([[0.0, 9.0, 0.0]], np.float32), np.array([[True, False, True]]))
    array([[0.5, 0. , 0.5]])
    """
    numbers = logits.astype(np.float64)
    if legal is not None:
        if legal.shape != logits.shape or legal.dtype != np.bool_:
            raise ParameterError(f"legal: {legal.dtype} of shape {legal.shape}, must be bool of {logits.shape}")
        if not legal.any(1).all():
            raise ParameterError("legal: a row without a legal move, must have one")
        numbers[~legal] = -np.inf
    weights: Reals = np.exp(numbers - numbers.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    return weights


def load_network(
    name: str | Path,
    backend: str = "auto",
    *,
    threads: int | None = None,
    device: str | None = None,
    half: bool = False,
) -> Network:
    """A network by its name (b6, b15, b18: see ``boltree network``) or by the path of a ``.bin.gz``.

    The backend ``auto`` is PyTorch where it sees a GPU, else onnxruntime. `threads` is how many cores a batch may use;
    `device` (such as ``cuda:1``) and `half` (float16) are PyTorch's.
    """
    if backend not in BACKENDS:
        raise ParameterError(f"backend={backend!r}, must be one of {', '.join(BACKENDS)}")
    if threads is not None and threads < 1:
        raise ParameterError(f"threads={threads!r}, must be at least 1")
    layers = read_network(find_network(name))
    graph = graph_of(layers)
    if backend == "auto":
        backend = "torch" if device or half or _sees_gpu() else "onnx"
    if backend == "onnx" and (device or half):
        raise ParameterError(f"device={device!r}, half={half!r}: only with backend='torch'")
    return Network(layers, _onnx(graph, threads) if backend == "onnx" else _torch(graph, threads, device, half))


def _onnx(graph: Graph, threads: int | None) -> Backend:
    from .onnx import OnnxBackend

    return OnnxBackend(graph, threads)


def _torch(graph: Graph, threads: int | None, device: str | None, half: bool) -> Backend:
    from .torch import TorchBackend

    return TorchBackend(graph, threads, device=device, half=half)


def _sees_gpu() -> bool:
    if importlib.util.find_spec("torch") is None:
        return False
    torch: Any = importlib.import_module("torch")
    return bool(torch.cuda.is_available())
