"""The layers of a network, as a KataGo file holds them: plain data, no arithmetic but a batch norm's two numbers.

Weights keep the file's order: a convolution is ``[y, x, in, out]``, a matrix ``[in, out]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Reals = NDArray[np.float64]
Activation = Literal["identity", "relu", "mish", "silu"]


@dataclass(frozen=True, eq=False)
class Conv:
    """A convolution without bias, padded with zeros so that the board keeps its size."""

    name: str
    weights: Floats  # [y, x, in, out]

    @property
    def channels(self) -> int:
        """How many channels come out."""
        return int(self.weights.shape[3])


@dataclass(frozen=True, eq=False)
class Norm:
    """A batch norm with its running statistics."""

    name: str
    epsilon: float
    mean: Floats
    variance: Floats
    scale: Floats | None
    bias: Floats | None

    def affine(self) -> tuple[Floats, Floats]:
        """The norm as a·x + b: a = scale/√(variance + ε), b = bias − a·mean."""
        scale = 1.0 if self.scale is None else self.scale.astype(np.float64)
        bias = 0.0 if self.bias is None else self.bias.astype(np.float64)
        a = scale / np.sqrt(self.variance.astype(np.float64) + self.epsilon)
        b = bias - a * self.mean.astype(np.float64)
        with np.errstate(over="ignore"):  # the reader refuses what overflows
            return a.astype(np.float32), b.astype(np.float32)


@dataclass(frozen=True, eq=False)
class MatMul:
    """A matrix that a row of numbers is multiplied with."""

    name: str
    weights: Floats  # [in, out]


@dataclass(frozen=True, eq=False)
class Bias:
    """Numbers that are added to a row."""

    name: str
    weights: Floats


@dataclass(frozen=True, eq=False)
class NormConv:
    """Batch norm, activation, convolution."""

    norm: Norm
    activation: Activation
    conv: Conv


@dataclass(frozen=True, eq=False)
class OrdinaryBlock:
    """Two convolutions, added to what came in."""

    name: str
    first: NormConv
    second: NormConv


@dataclass(frozen=True, eq=False)
class PoolBlock:
    """An ordinary block to whose middle the whole board is added: pooled channels become a bias per channel."""

    name: str
    first: NormConv
    pool_conv: Conv
    pool_norm: Norm
    pool_activation: Activation
    pool_matmul: MatMul
    second: NormConv


@dataclass(frozen=True, eq=False)
class NestedBlock:
    """Blocks of fewer channels between two 1x1 convolutions, added to what came in."""

    name: str
    first: NormConv
    blocks: tuple[Block, ...]
    last: NormConv


Block = OrdinaryBlock | PoolBlock | NestedBlock


@dataclass(frozen=True, eq=False)
class Trunk:
    """The residual tower."""

    name: str
    conv: Conv
    matmul: MatMul
    blocks: tuple[Block, ...]
    norm: Norm
    activation: Activation


@dataclass(frozen=True, eq=False)
class PolicyHead:
    """Logits of the points, and of the pass from the pooled channels; only the first output channel is the policy."""

    name: str
    conv: Conv
    pool_conv: Conv
    pool_norm: Norm
    pool_activation: Activation
    pool_matmul: MatMul
    last: NormConv
    pass_matmul: MatMul


@dataclass(frozen=True, eq=False)
class ValueHead:
    """Win, loss and no result; numbers about the score; who owns each point."""

    name: str
    conv: Conv
    norm: Norm
    activation: Activation
    matmul: MatMul
    bias: Bias
    matmul_activation: Activation
    value_matmul: MatMul
    value_bias: Bias
    score_matmul: MatMul
    score_bias: Bias
    ownership_conv: Conv


@dataclass(frozen=True, eq=False)
class Layers:
    """A whole network."""

    name: str
    version: int
    multipliers: tuple[float, ...]  # of the outputs: see `score_multipliers`
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead

    @property
    def blocks(self) -> int:
        """How many blocks the trunk has."""
        return len(self.trunk.blocks)

    @property
    def channels(self) -> int:
        """How many channels the trunk has."""
        return self.trunk.conv.channels

    @property
    def parameters(self) -> int:
        """How many numbers the network has."""
        return sum(array.size for array in arrays(self))

    @property
    def score_multipliers(self) -> tuple[float, float, float]:
        """What the first three score outputs are multiplied with, which are the mean, the deviation and the lead."""
        return self.multipliers[1], self.multipliers[2], self.multipliers[3]


def arrays(part: Any) -> Iterator[Floats]:
    """All arrays of a network or a part of one, in the file's order."""
    if isinstance(part, np.ndarray):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from arrays(one)
    elif is_dataclass(part):
        for field in fields(part):
            yield from arrays(getattr(part, field.name))
