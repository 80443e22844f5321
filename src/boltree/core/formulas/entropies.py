"""Entropies of a search policy pi: Shannon, relative to the parent's policy, Tsallis.

All of *normalised* distributions: a uniform policy over n actions has Shannon entropy log n.
"""

from __future__ import annotations

from typing import Any

from ..jit import inlined
from ..lanes import LANES, all_lanes, fused, sum_of
from ..memory.views import mixture_lanes, mixture_of, references_of
from .elementary import log
from .space import RELATIVE_ENTROPY, TSALLIS


@inlined
def entropy_of(kind: int, tree: Any, first: int, n: int) -> float:
    """The entropy of ``mixture_of(tree)[:n]``; relative to the references from `first` on.

    -sum p log p, -sum p log(p / reference), or (1 - sum p^2) / 2. Beyond n the lanes of the mixture are 0.
    """
    if kind == RELATIVE_ENTROPY:
        total = 0.0
        for i in range(n):
            p = mixture_of(tree)[i]
            total -= p * (log(p) - log(references_of(tree)[first + i]))
        return total
    sums = all_lanes(0.0)
    for i in range(0, n, LANES):
        p = mixture_lanes(tree, i)
        if kind == TSALLIS:
            sums = fused(p, p, sums)
        else:
            sums = fused(p, log(p), sums)
    return 0.5 * (1.0 - sum_of(sums)) if kind == TSALLIS else -sum_of(sums)


@inlined
def uniform_entropy(kind: int, n: int) -> float:
    """Entropy of the uniform policy over n actions."""
    return 0.5 * (1.0 - 1.0 / n) if kind == TSALLIS else log(float(n))
