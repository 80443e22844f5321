"""The alias method (Walker; Vose): after O(n) preparation a sample costs O(1).

Section 4.3 and Appendix C.1 of the paper. A row holds a threshold and an alias: row i yields i with
probability ``threshold``, else the alias.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..memory.views import row_at, stack_of


@inlined
def build_table(tree: Any, first: int, weights: Any, n: int) -> None:
    """Fill rows ``first .. first+n-1`` for the probabilities ``weights[:n]``; overwrites the weights."""
    stack = stack_of(tree)
    low, high = 0, n  # two stacks in one array: light rows from the left, heavy rows from the right
    for i in range(n):
        weights[i] *= n
        if weights[i] < 1.0:
            stack[low] = i
            low += 1
        else:
            high -= 1
            stack[high] = i
    while low > 0 and high < n:
        low -= 1
        light, heavy = stack[low], stack[high]
        row_at(tree, first + light).threshold = weights[light]
        row_at(tree, first + light).alias = heavy
        weights[heavy] -= 1.0 - weights[light]
        if weights[heavy] < 1.0:
            high += 1
            stack[low] = heavy
            low += 1
    while high < n:
        row_at(tree, first + stack[high]).threshold = 1.0
        row_at(tree, first + stack[high]).alias = stack[high]
        high += 1
    while low > 0:  # rows that are left over only because of rounding
        low -= 1
        row_at(tree, first + stack[low]).threshold = 1.0
        row_at(tree, first + stack[low]).alias = stack[low]


@inlined
def sample_table(tree: Any, first: int, n: int, u: float) -> int:
    """A draw from the table by one uniform number u."""
    scaled = u * n
    row = min(np.int64(scaled), n - 1)
    if scaled - row < row_at(tree, first + row).threshold:
        return row
    return np.int64(row_at(tree, first + row).alias)
