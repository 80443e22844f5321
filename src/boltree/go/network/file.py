"""Reading a network from KataGo's ``.bin.gz``, versions 8 to 14.

The file is a row of words and arrays without any index, so every layer is checked against the one before: a wrong
number is found where it stands, before the weights after it are read.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np

from .layers import (
    Activation,
    Bias,
    Block,
    Conv,
    Layers,
    MatMul,
    NestedBlock,
    Norm,
    NormConv,
    OrdinaryBlock,
    PolicyHead,
    PoolBlock,
    Trunk,
    ValueHead,
)
from .source import Source

SPATIAL, GLOBAL = 22, 19  # input planes and numbers
VERSIONS = (8, 14)  # the first and the last that are read
_POOLED = 3  # numbers that pooling makes of each channel
_MOST_CHANNELS, _MOST_BLOCKS, _LARGEST_KERNEL = 2048, 200, 9
_MULTIPLIERS = (20.0, 20.0, 20.0, 20.0, 40.0, 0.25, 30.0)  # before version 13, which writes them down
_ACTIVATIONS = {f"ACTIVATION_{kind.upper()}": kind for kind in ("identity", "relu", "mish", "silu")}
_KINDS = ("ordinary_block", "gpool_block", "nested_bottleneck_block")


def read_network(path: str | Path) -> Layers:
    """The layers of a network file; `boltree.ParameterError` says what is wrong with a bad one, and where."""
    with Source(Path(path)) as source:
        return _Reader(source).network()


class _Reader:
    """One method for each kind of layer, in the order of the format."""

    def __init__(self, source: Source) -> None:
        self.source, self.version = source, 0

    def network(self) -> Layers:
        source = self.source
        name = source.word("a network's name")
        self.version = source.whole("version", *VERSIONS)
        source.whole("input planes", SPATIAL, SPATIAL)
        source.whole("input numbers", GLOBAL, GLOBAL)
        multipliers: tuple[float, ...] = _MULTIPLIERS
        if self.version >= 13:
            multipliers = tuple(source.number("a multiplier") for _ in _MULTIPLIERS)
        trunk = self.trunk()
        policy = self.policy_head(trunk.conv.channels)
        value = self.value_head(trunk.conv.channels)
        source.finish()
        return Layers(name, self.version, multipliers, trunk, policy, value)

    def channels(self, what: str, exactly: int | None = None) -> int:
        """A count of channels: any sensible one, or the one that must stand here."""
        return self.source.whole(what, exactly or 1, exactly or _MOST_CHANNELS)

    def conv(self, what: str, inputs: int, outputs: int | None = None) -> Conv:
        name = self.source.name(what)
        y = self.source.whole("kernel height", 1, _LARGEST_KERNEL)
        x = self.source.whole("kernel width", 1, _LARGEST_KERNEL)
        if y % 2 == 0 or x % 2 == 0:
            raise self.source.wrong("a kernel of odd size", f"{y}x{x}")
        inputs = self.channels("input channels", inputs)
        outputs = self.channels("output channels", outputs)
        self.source.whole("dilation", 1, 1)
        self.source.whole("dilation", 1, 1)
        return Conv(name, self.source.floats(y, x, inputs, outputs))

    def norm(self, what: str, channels: int) -> Norm:
        name = self.source.name(what)
        self.channels("channels", channels)
        epsilon = self.source.number("epsilon")
        has_scale = self.source.whole("has scale", 0, 1)
        has_bias = self.source.whole("has bias", 0, 1)
        mean, variance = self.source.floats(channels), self.source.floats(channels)
        if not (variance.astype(np.float64) + epsilon > 0).all():
            raise self.source.wrong("variances above 0", f"{float(variance.min())!r}")
        scale = self.source.floats(channels) if has_scale else None
        bias = self.source.floats(channels) if has_bias else None
        norm = Norm(name, epsilon, mean, variance, scale, bias)
        if not all(np.isfinite(part).all() for part in norm.affine()):
            raise self.source.wrong("a batch norm within the range of float32", "an overflow")
        return norm

    def activation(self) -> Activation:
        self.source.name("activation")
        if self.version < 11:
            return "relu"
        return cast(Activation, _ACTIVATIONS[self.source.one_of("a kind", tuple(_ACTIVATIONS))])

    def matmul(self, what: str, inputs: int, outputs: int | None = None) -> MatMul:
        name = self.source.name(what)
        inputs = self.channels("inputs", inputs)
        outputs = self.channels("outputs", outputs)
        return MatMul(name, self.source.floats(inputs, outputs))

    def bias(self, what: str, channels: int) -> Bias:
        name = self.source.name(what)
        self.channels("channels", channels)
        return Bias(name, self.source.floats(channels))

    def norm_conv(self, inputs: int, outputs: int | None = None) -> NormConv:
        norm, activation = self.norm("batch norm", inputs), self.activation()
        return NormConv(norm, activation, self.conv("convolution", inputs, outputs))

    def trunk(self) -> Trunk:
        name = self.source.name("trunk")
        blocks = self.source.whole("blocks", 1, _MOST_BLOCKS)
        channels = self.channels("trunk channels")
        for what in ("middle", "regular", "dilated", "pooled"):  # each block says its own again
            self.source.whole(f"{what} channels", 0, _MOST_CHANNELS)
        conv = self.conv("first convolution", SPATIAL, channels)
        matmul = self.matmul("first matrix", GLOBAL, channels)
        read = tuple(self.block(channels, _KINDS) for _ in range(blocks))
        return Trunk(name, conv, matmul, read, self.norm("trunk's batch norm", channels), self.activation())

    def block(self, channels: int, kinds: tuple[str, ...]) -> Block:
        kind = self.source.one_of("a kind of block", kinds)
        name = self.source.name("block")
        if kind == "nested_bottleneck_block":
            count = self.source.whole("inner blocks", 1, _MOST_BLOCKS)
            first = self.norm_conv(channels)
            inner = tuple(self.block(first.conv.channels, _KINDS[:2]) for _ in range(count))
            return NestedBlock(name, first, inner, self.norm_conv(first.conv.channels, channels))
        first = self.norm_conv(channels)
        middle = first.conv.channels
        if kind == "ordinary_block":
            return OrdinaryBlock(name, first, self.norm_conv(middle, channels))
        pooling = self.pooling(channels, middle)
        return PoolBlock(name, first, *pooling, self.norm_conv(middle, channels))

    def pooling(self, inputs: int, outputs: int) -> tuple[Conv, Norm, Activation, MatMul]:
        """What makes a bias per channel out of the whole board, in blocks and in the policy head."""
        conv = self.conv("pooled convolution", inputs)
        norm, activation = self.norm("pooled batch norm", conv.channels), self.activation()
        return conv, norm, activation, self.matmul("pooled matrix", _POOLED * conv.channels, outputs)

    def policy_head(self, channels: int) -> PolicyHead:
        name = self.source.name("policy head")
        planes = 1 if self.version < 12 else 2
        conv = self.conv("convolution", channels)
        pooling = self.pooling(channels, conv.channels)
        last = self.norm_conv(conv.channels, planes)
        return PolicyHead(name, conv, *pooling, last, self.matmul("pass matrix", _POOLED * pooling[0].channels, planes))

    def value_head(self, channels: int) -> ValueHead:
        name = self.source.name("value head")
        conv = self.conv("convolution", channels)
        norm, activation = self.norm("batch norm", conv.channels), self.activation()
        matmul = self.matmul("value matrix", _POOLED * conv.channels)
        hidden = matmul.weights.shape[1]
        bias, matmul_activation = self.bias("value bias", hidden), self.activation()
        scores = 4 if self.version == 8 else 6
        return ValueHead(
            name, conv, norm, activation, matmul, bias, matmul_activation,
            self.matmul("outcome matrix", hidden, 3), self.bias("outcome bias", 3),
            self.matmul("score matrix", hidden, scores), self.bias("score bias", scores),
            self.conv("ownership convolution", conv.channels, 1),
        )  # fmt: skip
