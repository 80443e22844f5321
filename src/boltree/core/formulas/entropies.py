"""Entropies of a search policy pi: Shannon, relative to the parent's policy, Tsallis.

All of *normalised* distributions: a uniform policy over n actions has Shannon entropy log n.
"""

from __future__ import annotations

from typing import Any

from ..jit import inlined
from .elementary import log
from .space import RELATIVE_ENTROPY, TSALLIS


@inlined
def entropy_of(kind: int, policy: Any, references: Any, first: int, n: int) -> float:
    """The entropy of ``policy[:n]``, which is overwritten; relative to the references from `first` on.

    -sum p log p, -sum p log(p / reference), or (1 - sum p^2) / 2.
    """
    if kind == TSALLIS:
        for i in range(n):
            policy[i] *= policy[i]
    elif kind == RELATIVE_ENTROPY:
        for i in range(n):
            policy[i] *= log(policy[i]) - log(references[first + i])
    else:
        for i in range(n):
            policy[i] *= log(policy[i])
    total = 0.0
    for i in range(n):
        total += policy[i]
    return 0.5 * (1.0 - total) if kind == TSALLIS else -total


@inlined
def uniform_entropy(kind: int, n: int) -> float:
    """Entropy of the uniform policy over n actions."""
    return 0.5 * (1.0 - 1.0 / n) if kind == TSALLIS else log(float(n))
