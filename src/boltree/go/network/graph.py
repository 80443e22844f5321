"""A network as a short list of steps, the same for every backend and every board size.

A batch norm that follows a convolution is folded into it: a·(w∗x) + b = (a·w)∗x + b. So it is for the matrices that
are added to such a convolution. The norm that begins a block reads a sum and stays, as a scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from .layers import (
    Activation,
    Block,
    Conv,
    Floats,
    Layers,
    MatMul,
    NestedBlock,
    Norm,
    NormConv,
    OrdinaryBlock,
    PolicyHead,
    Trunk,
    ValueHead,
)

SPATIAL_INPUT, GLOBAL_INPUT = 0, 1  # the first two values; the i-th step makes value i + 2


class Outputs(NamedTuple):
    """What a network says of K positions, as it comes out: from the side to move, before any softmax or scale."""

    policy: Floats  # [K, n² + 1], logits row by row from the top, the pass last
    value: Floats  # [K, 3], logits of win, loss, no result
    score: Floats  # [K, 4] or [K, 6]: mean, deviation, lead, ...
    ownership: Floats  # [K, n, n], before tanh


Kind = Literal["conv", "scale", "activate", "add", "add_row", "pool", "matmul"]


@dataclass(frozen=True, eq=False)
class Step:
    """One operation.

    conv: weights ``[out, in, y, x]`` and perhaps a bias; scale: a and b per channel; matmul: weights ``[in, out]`` and
    perhaps a bias; activate: `option` is the activation; add: two boards; add_row: a number per channel onto a board;
    pool: `option` is ``max`` or ``value``, and three numbers per channel come out.
    """

    kind: Kind
    sources: tuple[int, ...]
    weights: tuple[Floats, ...] = ()
    option: str = ""


@dataclass(eq=False)
class Graph:
    """Steps in the order they are taken, and which values are the outputs."""

    steps: list[Step] = field(default_factory=list)
    points: int = -1  # [K, 1, n, n]: logits of the points
    passing: int = -1  # [K, 1]: logit of the pass
    value: int = -1
    score: int = -1
    ownership: int = -1  # [K, 1, n, n]

    @property
    def outputs(self) -> tuple[int, ...]:
        """The values that are kept."""
        return self.points, self.passing, self.value, self.score, self.ownership

    def add(self, kind: Kind, *sources: int, weights: tuple[Floats, ...] = (), option: str = "") -> int:
        """Take one more step; returns the value it makes."""
        self.steps.append(Step(kind, sources, weights, option))
        return len(self.steps) + 1


def pool_factors(option: str, area: int) -> tuple[float, float | None]:
    """What the mean is multiplied with for pooling's second and third number; None: the third is the maximum."""
    s = math.sqrt(area) - 14.0
    return s / 10.0, (s * s / 100.0 - 0.1 if option == "value" else None)


def graph_of(layers: Layers) -> Graph:
    """The steps of a network."""
    graph = Graph()
    top = _trunk(graph, layers.trunk)
    _policy(graph, layers.policy, top)
    _value(graph, layers.value, top)
    return graph


def _conv(graph: Graph, source: int, conv: Conv, norm: Norm | None = None) -> int:
    weights = conv.weights.transpose(3, 2, 0, 1)
    if norm is None:
        return graph.add("conv", source, weights=(np.ascontiguousarray(weights),))
    a, b = norm.affine()
    return graph.add("conv", source, weights=(np.ascontiguousarray(weights * a[:, None, None, None]), b))


def _activate(graph: Graph, source: int, kind: Activation) -> int:
    return source if kind == "identity" else graph.add("activate", source, option=kind)


def _enter(graph: Graph, source: int, norm: Norm, activation: Activation) -> int:
    """A block's first norm and activation."""
    return _activate(graph, graph.add("scale", source, weights=norm.affine()), activation)


def _pooled(graph: Graph, source: int, conv: Conv, norm: Norm, activation: Activation) -> int:
    return graph.add("pool", _activate(graph, _conv(graph, source, conv, norm), activation), option="max")


def _add_pooled(graph: Graph, board: int, pooled: int, matmul: MatMul, norm: Norm) -> int:
    """Add pooled numbers to a board to which `norm` was folded already."""
    row = graph.add("matmul", pooled, weights=(matmul.weights * norm.affine()[0],))
    return graph.add("add_row", board, row)


def _trunk(graph: Graph, trunk: Trunk) -> int:
    row = graph.add("matmul", GLOBAL_INPUT, weights=(trunk.matmul.weights,))
    value = graph.add("add_row", _conv(graph, SPATIAL_INPUT, trunk.conv), row)
    for block in trunk.blocks:
        value = _block(graph, block, value)
    return _enter(graph, value, trunk.norm, trunk.activation)


def _block(graph: Graph, block: Block, source: int) -> int:
    entered = _enter(graph, source, block.first.norm, block.first.activation)
    if isinstance(block, NestedBlock):
        value = _conv(graph, entered, block.first.conv)
        for inner in block.blocks:
            value = _block(graph, inner, value)
        value = _enter(graph, value, block.last.norm, block.last.activation)
        return graph.add("add", source, _conv(graph, value, block.last.conv))
    value = _conv(graph, entered, block.first.conv, block.second.norm)
    if not isinstance(block, OrdinaryBlock):
        pooled = _pooled(graph, entered, block.pool_conv, block.pool_norm, block.pool_activation)
        value = _add_pooled(graph, value, pooled, block.pool_matmul, block.second.norm)
    return graph.add("add", source, _leave(graph, value, block.second))


def _leave(graph: Graph, value: int, second: NormConv) -> int:
    """A block's second activation and convolution; its norm was folded."""
    return _conv(graph, _activate(graph, value, second.activation), second.conv)


def _policy(graph: Graph, head: PolicyHead, top: int) -> None:
    board = _conv(graph, top, head.conv, head.last.norm)
    pooled = _pooled(graph, top, head.pool_conv, head.pool_norm, head.pool_activation)
    board = _add_pooled(graph, board, pooled, head.pool_matmul, head.last.norm)
    first = Conv(head.last.conv.name, head.last.conv.weights[..., :1])  # a second channel is not the policy
    graph.points = _conv(graph, _activate(graph, board, head.last.activation), first)
    weights = np.ascontiguousarray(head.pass_matmul.weights[:, :1])
    graph.passing = graph.add("matmul", pooled, weights=(weights,))


def _value(graph: Graph, head: ValueHead, top: int) -> None:
    board = _activate(graph, _conv(graph, top, head.conv, head.norm), head.activation)
    row = graph.add("pool", board, option="value")
    row = graph.add("matmul", row, weights=(head.matmul.weights, head.bias.weights))
    row = _activate(graph, row, head.matmul_activation)
    graph.value = graph.add("matmul", row, weights=(head.value_matmul.weights, head.value_bias.weights))
    graph.score = graph.add("matmul", row, weights=(head.score_matmul.weights, head.score_bias.weights))
    graph.ownership = _conv(graph, board, head.ownership_conv)
