"""Small networks with random weights, and a writer of the ``.bin.gz`` format."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from boltree.go.network.layers import (
    Bias,
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


def made(version: int, seed: int = 0, channels: int = 8) -> Layers:
    """A network with every kind of block that its version has; no two counts of channels are alike."""
    rng = np.random.default_rng(seed)
    kind: Any = "relu" if version < 11 else "mish"

    def floats(*shape: int) -> Any:
        return (rng.normal(size=shape) / np.sqrt(np.prod(shape[:-1]) or 1)).astype(np.float32)

    def conv(name: str, size: int, inputs: int, outputs: int) -> Conv:
        return Conv(name, floats(size, size, inputs, outputs))

    def norm(c: int) -> Norm:
        scale = None if rng.random() < 0.5 else rng.uniform(0.5, 1.5, c).astype(np.float32)
        variance = rng.uniform(0.5, 2, c).astype(np.float32)
        return Norm("norm", 0.001, floats(c), variance, scale, floats(c))

    def ordinary(c: int, middle: int) -> OrdinaryBlock:
        first = NormConv(norm(c), kind, conv("w1", 3, c, middle))
        return OrdinaryBlock("ordinary", first, NormConv(norm(middle), kind, conv("w2", 3, middle, c)))

    def pooling(c: int, middle: int, pooled: int) -> PoolBlock:
        first = NormConv(norm(c), kind, conv("w1a", 3, c, middle))
        return PoolBlock(
            "pooling", first, conv("w1b", 3, c, pooled), norm(pooled), kind, MatMul("w1r", floats(3 * pooled, middle)),
            NormConv(norm(middle), kind, conv("w2", 3, middle, c)),
        )  # fmt: skip

    def nested(c: int) -> NestedBlock:
        inner = (pooling(5, 4, 3), ordinary(5, 6))
        first = NormConv(norm(c), kind, conv("in", 1, c, 5))
        return NestedBlock("nested", first, inner, NormConv(norm(5), "silu", conv("out", 1, 5, c)))

    blocks = (ordinary(channels, 7), pooling(channels, 6, 3)) + ((nested(channels),) if version >= 11 else ())
    planes, scores, identity = (1 if version < 12 else 2), (4 if version == 8 else 6), version >= 11
    trunk = Trunk(
        "trunk", conv("conv1", 5, 22, channels), MatMul("ginput", floats(19, channels)), blocks, norm(channels), kind
    )
    policy = PolicyHead(
        "policyhead", conv("p1", 1, channels, 5), conv("g1", 1, channels, 4), norm(4), kind,
        MatMul("g1r", floats(12, 5)), NormConv(norm(5), "identity" if identity else kind, conv("p2", 1, 5, planes)),
        MatMul("pass", floats(12, planes)),
    )  # fmt: skip
    value = ValueHead(
        "valuehead", conv("v1", 1, channels, 6), norm(6), kind, MatMul("v2", floats(18, 9)), Bias("v2b", floats(9)),
        kind, MatMul("v3", floats(9, 3)), Bias("v3b", floats(3)), MatMul("sv3", floats(9, scores)),
        Bias("sv3b", floats(scores)), conv("own", 1, 6, 1),
    )  # fmt: skip
    multipliers = (
        (20.0, 20.0, 20.0, 20.0, 40.0, 0.25, 30.0) if version < 13 else (21.0, 22.0, 23.0, 24.0, 41.0, 0.5, 99)
    )
    return Layers("made", version, multipliers, trunk, policy, value)


def written(network: Layers) -> bytes:
    """The network in KataGo's format, before gzip."""
    out = bytearray()

    def say(*words: object) -> None:
        out.extend(("\n".join(map(str, words)) + "\n").encode())

    def array(values: Any) -> None:
        out.extend(b"@BIN@" + np.ascontiguousarray(values, "<f4").tobytes() + b"\n")

    def act(kind: str) -> None:
        say("act", *([f"ACTIVATION_{kind.upper()}"] if network.version >= 11 else []))

    def part(one: Any) -> None:
        if isinstance(one, Conv):
            say(one.name, *one.weights.shape, 1, 1)
            array(one.weights)
        elif isinstance(one, MatMul | Bias):
            say(one.name, *one.weights.shape)
            array(one.weights)
        elif isinstance(one, Norm):
            say(one.name, one.mean.size, one.epsilon, int(one.scale is not None), int(one.bias is not None))
            for values in (one.mean, one.variance, one.scale, one.bias):
                if values is not None:
                    array(values)
        elif isinstance(one, NormConv):
            parts(one.norm, one.activation, one.conv)
        elif isinstance(one, str):
            act(one)
        elif isinstance(one, OrdinaryBlock):
            say("ordinary_block", one.name)
            parts(one.first, one.second)
        elif isinstance(one, PoolBlock):
            say("gpool_block", one.name)
            parts(one.first, one.pool_conv, one.pool_norm, one.pool_activation, one.pool_matmul, one.second)
        else:
            say("nested_bottleneck_block", one.name, len(one.blocks))
            parts(one.first, *one.blocks, one.last)

    def parts(*all_of_them: Any) -> None:
        for one in all_of_them:
            part(one)

    trunk, p, v = network.trunk, network.policy, network.value
    say(network.name, network.version, 22, 19, *(network.multipliers if network.version >= 13 else ()))
    say(trunk.name, len(trunk.blocks), network.channels, 8, 6, 2, 3)
    parts(trunk.conv, trunk.matmul, *trunk.blocks, trunk.norm, trunk.activation)
    say(p.name)
    parts(p.conv, p.pool_conv, p.pool_norm, p.pool_activation, p.pool_matmul, p.last, p.pass_matmul)
    say(v.name)
    parts(v.conv, v.norm, v.activation, v.matmul, v.bias, v.matmul_activation)
    parts(v.value_matmul, v.value_bias, v.score_matmul, v.score_bias, v.ownership_conv)
    return bytes(out)


def zipped(data: bytes) -> bytes:
    return gzip.compress(data, 1)
