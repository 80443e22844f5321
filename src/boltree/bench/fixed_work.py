"""A fixed piece of work, half arithmetic and half a walk through memory: how fast a machine is at a moment."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.jit import kernel
from ..core.random import hashed


@kernel
def fixed_work(chain: Any, calculations: int, steps: int) -> int:
    """Calculate `steps` times, each time with the last result, and follow a chain of places as often."""
    x = np.uint64(1)
    for i in range(calculations):
        x = hashed(x, i, i)
    place = np.int64(x & np.uint64(1))
    for _ in range(steps):
        place = np.int64(chain[place])
    return place  # type: ignore[return-value]


def new_chain(size: int) -> Any:
    """Places in a random order, each with the number of the next."""
    order = np.random.default_rng(0).permutation(size).astype(np.int32)
    chain = np.empty(size, np.int32)
    chain[order] = np.roll(order, -1)
    return chain
