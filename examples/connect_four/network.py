"""A small network for Connect Four in plain NumPy, as the evaluator of a search."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

SIZES = (4 * 6 * 7, 256, 64, 8)
"""Of the layers: the problem's features; two that are dense; one logit for each column, and the value."""

FILE = Path(__file__).with_name("network.npz")


class Answer(NamedTuple):
    """What a network says of K positions, for the player to move."""

    layers: list[Floats]  # what each layer was given, [K, size]; a gradient needs them
    logits: Floats  # [K, 7]
    value: Floats  # [K], from -1 to 1


class ConnectFourNetwork:
    """A network as the evaluator of a search of `bt.problems.ConnectFour`.

    Args:
        weights: a matrix and a shift for every layer, in turn.
        batch: how many leaves are evaluated at a time.

    Example:
        >>> import boltree as bt
        >>> search = bt.Search(bt.problems.ConnectFour("32323"), bt.PUCT(), evaluator=ConnectFourNetwork.load(), seed=0)
        >>> search.run(trials=100)
        'trials'
        >>> search.recommend()  # X has three in column 3; O stops them
        3
    """

    gives_prior = True

    def __init__(self, weights: Sequence[Floats], batch: int = 8) -> None:
        self.weights, self.batch = list(weights), batch

    @classmethod
    def new(cls, seed: int) -> ConnectFourNetwork:
        """A network before training: every layer's answers are about as large as what it is given."""
        rng = np.random.default_rng(seed)
        weights: list[Floats] = []
        for given, size in pairwise(SIZES):
            weights.append(rng.standard_normal((given, size), np.float32) * np.float32(np.sqrt(2 / given)))
            weights.append(np.zeros(size, np.float32))
        return cls(weights)

    @classmethod
    def load(cls, path: Path = FILE, batch: int = 8) -> ConnectFourNetwork:
        """The network in a file."""
        with np.load(path) as file:
            return cls([file[name].astype(np.float32) for name in file.files], batch)

    def save(self, path: Path) -> None:
        """Write the network to a file, with half the digits."""
        np.savez_compressed(path, *(each.astype(np.float16) for each in self.weights))

    def answer(self, features: Floats) -> Answer:
        """Logits and values of K positions, given by the problem's features."""
        here: Floats = features.reshape(len(features), -1)
        layers = [here]
        for matrix, shift in zip(self.weights[:-2:2], self.weights[1:-2:2], strict=True):
            here = np.maximum(here @ matrix + shift, 0.0)
            layers.append(here)
        last = here @ self.weights[-2] + self.weights[-1]
        return Answer(layers, last[:, :-1], np.tanh(last[:, -1]))

    def evaluate(self, batch: Floats) -> tuple[Floats, Floats]:
        """Priors [K, 7] and player 0's values [K] of K positions. Full columns keep a prior; the search drops them."""
        found = self.answer(batch)
        player = batch[:, :2].sum((1, 2, 3)) % 2  # there are as many stones as moves, and player 0 began
        return softmax(found.logits), np.where(player == 0, found.value, -found.value)


def softmax(logits: Floats) -> Floats:
    """Probabilities, row by row."""
    weights = np.exp(logits - logits.max(1, keepdims=True))
    normal: Floats = weights / weights.sum(1, keepdims=True)
    return normal
