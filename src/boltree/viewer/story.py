"""What happened, in words: on a chain, on a grid, and what is proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .explanation import explained
from .grid_story import grid_story
from .proof_story import with_proofs
from .recording import Recording


def story(recordings: Sequence[Recording]) -> dict[str, Any] | None:
    """What the problem is, and a verdict and some sentences for each search; None for problems without a story."""
    return with_proofs(explained(recordings) or grid_story(recordings), recordings)
