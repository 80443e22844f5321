"""Packing positions for a GPU: planes as bytes take a quarter of the memory of float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.jit import kernel


@kernel
def pack_rows(features: Any, planes: Any, numbers: Any) -> bool:
    """Write rows of features as planes [K, ...] of bytes and numbers [K, 19]; False if a plane is not of 0 and 1."""
    count, items, more = features.shape[0], planes.shape[1], numbers.shape[1]
    for k in range(count):
        odd = 0
        for i in range(items):
            byte = np.uint8(features[k, i] != 0.0)
            planes[k, i] = byte
            odd += np.int64(features[k, i] != np.float32(byte))
        if odd:
            return False
        for i in range(more):
            numbers[k, i] = features[k, items + i]
    return True
