"""Learning from positions: the loss, its gradient, and Adam."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .network import Answer, ConnectFourNetwork, Floats, softmax
from .positions import Positions

BATCH = 256


class Loss(NamedTuple):
    """Means over positions: the policy's cross-entropy and the value's squared error."""

    policy: float
    value: float

    @property
    def total(self) -> float:
        """What is made small."""
        return self.policy + self.value


def loss_of(found: Answer, positions: Positions) -> Loss:
    """The loss of a network's answer about some positions."""
    logs = np.log(softmax(found.logits) + 1e-12)
    policy = -(positions.policies * logs).sum(1).mean()
    return Loss(float(policy), float(((found.value - positions.values) ** 2).mean()))


def gradient(network: ConnectFourNetwork, positions: Positions) -> list[Floats]:
    """The slope of the loss on some positions by every weight."""
    found = network.answer(positions.features)
    slope: Floats = np.empty((len(positions), 8), np.float32)  # by what the layer at hand answers, here the last one
    slope[:, :7] = softmax(found.logits) - positions.policies
    slope[:, 7] = 2.0 * (found.value - positions.values) * (1.0 - found.value**2)
    slope /= len(positions)
    slopes: list[Floats] = []
    for given, matrix in zip(reversed(found.layers), reversed(network.weights[::2]), strict=True):
        slopes = [given.T @ slope, slope.sum(0), *slopes]
        slope = (slope @ matrix.T) * (given > 0.0)
    return slopes


class Adam:
    """Adam (Kingma and Ba 2015): a step goes by the mean of a weight's slopes over the root of their mean square.

    Weights shrink a little with every step (Loshchilov and Hutter 2019), so that fewer positions are learnt by heart.
    """

    def __init__(self, weights: list[Floats], means: tuple[float, float] = (0.9, 0.999), shrink: float = 0.1) -> None:
        self.weights, self.means, self.shrink, self.steps = weights, means, shrink, 0
        self._means = [np.zeros_like(each) for each in weights]
        self._squares = [np.zeros_like(each) for each in weights]

    def step(self, slopes: list[Floats], rate: float) -> None:
        """Change the weights in place."""
        self.steps += 1
        one, two = self.means
        keep = np.float32(1.0 - rate * self.shrink)
        rate *= float(np.sqrt(1.0 - two**self.steps) / (1.0 - one**self.steps))  # both means began at 0
        for weights, slope, mean, square in zip(self.weights, slopes, self._means, self._squares, strict=True):
            mean += (1.0 - one) * (slope - mean)
            square += (1.0 - two) * (slope**2 - square)
            weights *= keep
            weights -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))


def learn(network: ConnectFourNetwork, positions: Positions, epochs: int, seed: int, rate: float = 3e-3) -> None:
    """Train on every position `epochs` times, at a rate that falls to 0 along half a cosine."""
    rng, adam = np.random.default_rng(seed), Adam(network.weights)
    batches = len(positions) // BATCH
    for _ in range(epochs):
        for which in rng.permutation(len(positions))[: batches * BATCH].reshape(batches, BATCH):
            some = positions[which].mirrored(rng.random(BATCH) < 0.5)
            adam.step(gradient(network, some), rate * 0.5 * (1.0 + np.cos(np.pi * adam.steps / (epochs * batches))))
