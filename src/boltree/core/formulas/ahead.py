"""Actions drawn ahead: a node with few actions draws its next ones at once, and visits take them one after the other.

Between two rebuilds of a table a node's draws are independent draws from one fixed distribution. So nothing of a table
is needed but these draws, and a visit neither calculates nor draws. They are numbers of edges, four bits each, in one
64-bit word; a 1 above them marks their end. A new block's first actions are uniform, as its first table would be: the
word then counts up to 0 how many are left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..lanes import LANES, count_up_to, highest_of, running_sums
from ..memory.blocks import visits_to_rebuild
from ..memory.views import ahead_at, mixture_lanes, mixture_of, put_mixture_lanes, rng_of
from ..random import uniform_of

_EMPTY = 1


@inlined
def is_used_up(tree: Any, node: Any) -> bool:
    """Whether a node has no draws left, so that the next visit works out its policy."""
    drawn = ahead_at(tree, node.block - 1).drawn
    return drawn == 0 or drawn == _EMPTY  # type: ignore[no-any-return]


@inlined
def draw_next(tree: Any, node: Any, n: int) -> None:
    """Draw the next actions of a node from the mixture that `mix` wrote, which is overwritten.

    Without branches, unlike `draw_mixed`: nothing waits for these draws.
    """
    last = n - 1
    while last > 0 and mixture_of(tree)[last] <= 0.0:  # rounding must not end on an impossible one
        last -= 1
    below = 0.0
    for i in range(0, n, LANES):
        sums = running_sums(mixture_lanes(tree, i)) + below
        put_mixture_lanes(tree, i, sums)
        below = highest_of(sums)
    word = np.int64(_EMPTY)
    for _ in range(visits_to_rebuild(tree, n, node.visits)):
        u = uniform_of(rng_of(tree))
        slot = np.int64(0)
        for i in range(0, n, LANES):
            slot += count_up_to(mixture_lanes(tree, i), u)
        word = (word << 4) | min(slot, last)
    row = ahead_at(tree, node.block - 1)
    row.drawn = word
    row.total = -1.0  # the soft maximum is summed anew


@inlined
def take_next(tree: Any, node: Any, n: int) -> int:
    """The next of the edges that were drawn ahead."""
    row = ahead_at(tree, node.block - 1)
    word = row.drawn
    if word < 0:
        row.drawn = word + 1
        return np.int64(uniform_of(rng_of(tree)) * n)
    row.drawn = word >> 4
    return word & 15  # type: ignore[no-any-return]
