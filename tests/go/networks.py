"""The networks that tests use: those in the shared folder beside the project, else those the command has fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boltree.go.network.cache import KNOWN, cached_network

SHARED = Path(__file__).resolve().parents[3] / "shared"


def network_file(name: str) -> Path:
    """The file of a network; the test is skipped where there is none."""
    beside = SHARED / "networks" / KNOWN[name].file
    found = beside if beside.is_file() else cached_network(name)
    if found is None:
        pytest.skip(f"the network {name} is neither in {beside.parent} nor fetched with boltree network get {name}")
    return found


def random_inputs(positions: int, size: int, seed: int = 0) -> tuple[Any, Any]:
    """Planes like a game's, mostly of zeros and ones, and numbers."""
    rng = np.random.default_rng(seed)
    spatial = (rng.random((positions, 22, size, size)) < 0.2).astype(np.float32)
    spatial[:, 0] = 1
    return spatial, rng.uniform(-1, 1, (positions, 19)).astype(np.float32)
