"""From a network's outputs to what a search reads: priors over the points that may be played, and Black's values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.jit import inlined, kernel

OWN, OPPONENT, BANNED = 1, 2, 6
"""Planes of the features: a point with a 1 in one of them cannot be played."""


@kernel
def fill_answers(policy: Any, value: Any, features: Any, worth: Any, priors: Any, values: Any) -> bool:
    """Write the priors [K, n² + 1] and values [K] for logits [K, n² + 1] and [K, 3]; False if one is not finite."""
    count, moves = policy.shape
    points = moves - 1
    for k in range(count):
        largest = policy[k, points]  # the pass is always legal
        for p in range(points):
            if open_point(features, k, points, p) and policy[k, p] > largest:
                largest = policy[k, p]
        total = 0.0
        for p in range(moves):
            weight = 0.0
            if p == points or open_point(features, k, points, p):
                weight = math.exp(float(policy[k, p]) - float(largest))
            priors[k, p] = weight
            total += weight
        for p in range(moves):
            priors[k, p] /= total
        values[k] = math.tanh((float(value[k, 0]) - float(value[k, 1])) / 2.0) * worth[k]  # the softmax of two logits
        if not (np.isfinite(total) and np.isfinite(values[k])):
            return False
    return True


@inlined
def open_point(features: Any, k: int, points: int, p: int) -> bool:
    """Whether a point is empty and not banned by superko."""
    taken = features[k, OWN * points + p] + features[k, OPPONENT * points + p] + features[k, BANNED * points + p]
    return taken == 0.0
