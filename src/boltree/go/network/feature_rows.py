"""The parts of a row of features, as `bt.problems.Go` writes it."""

from __future__ import annotations

import math

from ...errors import ParameterError
from ..board.features import NUMBERS, PLANES, features_size
from .layers import Floats


def parts_of(features: Floats) -> tuple[Floats, Floats, Floats]:
    """The planes [K, 22, n, n], the numbers [K, 19] and Black's worth of a win of the side to move [K]."""
    count, length = features.shape
    size = math.isqrt(max(length - NUMBERS - 1, 0) // PLANES)
    if size == 0 or length != features_size(size):
        raise ParameterError(f"batch: {length} features, must be those of bt.problems.Go")
    spatial = features[:, : PLANES * size * size].reshape(count, PLANES, size, size)
    return spatial, features[:, -NUMBERS - 1 : -1], features[:, -1]
