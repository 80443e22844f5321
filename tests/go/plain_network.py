"""A network's forward pass in plain NumPy, layer by layer as the file has them: nothing is folded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boltree.go.network.layers import Conv, Layers, NestedBlock, Norm, OrdinaryBlock, PoolBlock

Array = Any


def convolve(conv: Conv, board: Array) -> Array:
    """Zero padding; weights are [y, x, in, out]."""
    height, width = conv.weights.shape[:2]
    positions, _, n, m = board.shape
    padded = np.pad(board, ((0, 0), (0, 0), (height // 2,) * 2, (width // 2,) * 2))
    out = np.zeros((positions, conv.weights.shape[3], n, m))
    for y in range(height):
        for x in range(width):
            shifted = padded[:, :, y : y + n, x : x + m]
            out += np.tensordot(conv.weights[y, x].astype(np.float64), shifted, (0, 1)).transpose(1, 0, 2, 3)
    return out


def normalise(norm: Norm, board: Array) -> Array:
    out = np.empty_like(board)
    for c in range(board.shape[1]):
        spread = math.sqrt(float(norm.variance[c]) + norm.epsilon)
        scale = 1.0 if norm.scale is None else float(norm.scale[c])
        bias = 0.0 if norm.bias is None else float(norm.bias[c])
        out[:, c] = (board[:, c] - float(norm.mean[c])) / spread * scale + bias
    return out


def activate(kind: str, x: Array) -> Array:
    if kind == "identity":
        return x
    if kind == "relu":
        return np.maximum(x, 0)
    if kind == "silu":
        return x / (1 + np.exp(-x))
    assert kind == "mish"
    return x * np.tanh(np.log1p(np.exp(x)))


def pool(board: Array) -> Array:
    """Trunk and policy head: [mean, mean·s/10, max]."""
    s = math.sqrt(board.shape[2] * board.shape[3]) - 14
    mean = board.mean((2, 3))
    return np.concatenate([mean, mean * s / 10, board.max((2, 3))], 1)


def pool_value(board: Array) -> Array:
    """Value head: [mean, mean·s/10, mean·(s²/100 − 0.1)]."""
    s = math.sqrt(board.shape[2] * board.shape[3]) - 14
    mean = board.mean((2, 3))
    return np.concatenate([mean, mean * s / 10, mean * (s**2 / 100 - 0.1)], 1)


def block(one: OrdinaryBlock | PoolBlock | NestedBlock, x: Array) -> Array:
    begun = activate(one.first.activation, normalise(one.first.norm, x))
    middle = convolve(one.first.conv, begun)
    if isinstance(one, NestedBlock):
        for inner in one.blocks:
            middle = block(inner, middle)
        last = one.last
    else:
        last = one.second
    if isinstance(one, PoolBlock):
        seen = activate(one.pool_activation, normalise(one.pool_norm, convolve(one.pool_conv, begun)))
        middle = middle + (pool(seen) @ one.pool_matmul.weights)[:, :, None, None]
    return x + convolve(last.conv, activate(last.activation, normalise(last.norm, middle)))


def forward(network: Layers, spatial: Array, numbers: Array) -> tuple[Array, Array, Array, Array]:
    """Policy logits [K, n² + 1], value logits [K, 3], score outputs, ownership [K, n, n]."""
    x = convolve(network.trunk.conv, spatial.astype(np.float64))
    x = x + (numbers.astype(np.float64) @ network.trunk.matmul.weights)[:, :, None, None]
    for one in network.trunk.blocks:
        x = block(one, x)
    x = activate(network.trunk.activation, normalise(network.trunk.norm, x))

    head = network.policy
    g = pool(activate(head.pool_activation, normalise(head.pool_norm, convolve(head.pool_conv, x))))
    p = convolve(head.conv, x) + (g @ head.pool_matmul.weights)[:, :, None, None]
    p = convolve(head.last.conv, activate(head.last.activation, normalise(head.last.norm, p)))
    policy = np.concatenate([p[:, 0].reshape(len(p), -1), (g @ head.pass_matmul.weights)[:, :1]], 1)

    end = network.value
    v = activate(end.activation, normalise(end.norm, convolve(end.conv, x)))
    hidden = activate(end.matmul_activation, pool_value(v) @ end.matmul.weights + end.bias.weights)
    value = hidden @ end.value_matmul.weights + end.value_bias.weights
    score = hidden @ end.score_matmul.weights + end.score_bias.weights
    return policy, value, score, convolve(end.ownership_conv, v)[:, 0]
