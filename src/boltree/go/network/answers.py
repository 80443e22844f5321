"""From a network's outputs to what a search reads: priors over the points that may be played, and Black's values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.formulas.elementary import exp
from ...core.jit import inlined, kernel

OWN, OPPONENT, BANNED = 1, 2, 6
"""Planes of the features: a point with a 1 in one of them cannot be played."""


@kernel
def fill_answers(policy: Any, value: Any, features: Any, priors: Any, values: Any) -> bool:
    """Write the priors [K, n² + 1] and Black's values [K] of K rows of features; False if one is not finite.

    Their logits are the first K rows of [., n² + 1] and [., 3].
    """
    count, moves = priors.shape
    points, worth = moves - 1, features.shape[1] - 1
    for k in range(count):
        check = largest = float(policy[k, points])  # the pass is always legal
        priors[k, points] = largest
        for p in range(points):
            logit = float(policy[k, p])
            check += logit
            logit = logit if is_open(features, k, points, p) else -np.inf
            priors[k, p] = logit
            largest = max(largest, logit)
        for p in range(moves):
            weight = exp(priors[k, p] - largest)
            priors[k, p] = weight if priors[k, p] > -np.inf else 0.0
        total = 0.0
        for p in range(moves):
            total += priors[k, p]
        scale = 1.0 / total
        for p in range(moves):
            priors[k, p] *= scale
        ahead = math.tanh((float(value[k, 0]) - float(value[k, 1])) / 2.0)  # the softmax of two logits
        values[k] = ahead * features[k, worth]
        if not (np.isfinite(check) and np.isfinite(values[k])):
            return False
    return True


@kernel
def read_outputs(outputs: Any, features: Any, priors: Any, values: Any) -> bool:
    """The same for all outputs of a network side by side, [., n² + 1 + 3 + ...]."""
    moves = priors.shape[1]
    return fill_answers(outputs[:, :moves], outputs[:, moves : moves + 3], features, priors, values)


@inlined
def is_open(features: Any, k: int, points: int, p: int) -> bool:
    """Whether a point is empty and not banned by superko."""
    taken = features[k, OWN * points + p] + features[k, OPPONENT * points + p] + features[k, BANNED * points + p]
    return taken == 0.0
