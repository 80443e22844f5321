"""Entropies of a search policy pi: Shannon, relative to the parent's policy, Tsallis.

All of *normalised* distributions: a uniform policy over n actions has Shannon entropy log n.
"""

from __future__ import annotations

from .elementary import log
from .jit import inlined
from .space import RELATIVE_ENTROPY, TSALLIS


@inlined
def entropy_term(kind: int, p: float, reference: float) -> float:
    """One action's part of the entropy (`finish_entropy` completes the sum)."""
    if kind == TSALLIS:
        return p * p
    if kind == RELATIVE_ENTROPY:
        return p * (log(p) - log(reference))
    return p * log(p)


@inlined
def finish_entropy(kind: int, total: float) -> float:
    """From the sum of the terms to the entropy: -sum p log p, -KL, or (1 - sum p^2) / 2."""
    return 0.5 * (1.0 - total) if kind == TSALLIS else -total


@inlined
def uniform_entropy(kind: int, n: int) -> float:
    """Entropy of the uniform policy over n actions."""
    return 0.5 * (1.0 - 1.0 / n) if kind == TSALLIS else log(float(n))
