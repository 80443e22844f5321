"""The frontier of a search that proves values: actions that may still matter and that no trial has taken yet.

In a large problem each new node adds more of them than trials take. Once the frontier is small beside the graph, nearly
all states that can be reached are known: then it is quicker to list the missing outcomes, and what follows from them,
than to wait until trials have come to each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.bounds import is_open, is_settled
from ..jit import kernel
from ..memory.layout import DONE, NONE
from ..memory.room import room_for
from ..memory.views import edge_at, node_at
from .known import expand
from .step import new_block


@kernel
def count_frontier(handle: Any, counts: Any) -> None:
    """Count the actions whose outcomes are listed, and those of unproven nodes that could matter and are not."""
    tree = handle[0]
    listed, missing = np.int64(0), np.int64(0)
    for index in range(tree.node_count):
        node = node_at(tree, index)
        if node.block == NONE:
            missing += 0 if is_settled(tree, node) else tree.actions
            continue
        for i in range(np.int64(node.actions)):
            if edge_at(tree, node.block + i).child != NONE:
                listed += 1
            elif not is_settled(tree, node) and is_open(tree, node, i):
                missing += 1
    counts[0], counts[1] = listed, missing


@kernel
def list_frontier(handle: Any, progress: Any, most: int) -> int:
    """List the outcomes of the frontier and of all that follows, for `most` actions; DONE, an event or an error.

    ``progress[0]`` is the node to go on with, ``progress[1]`` how many actions were listed so far.
    """
    tree = handle[0]
    while progress[0] < tree.node_count and progress[1] < most:
        index = np.int64(progress[0])
        node = node_at(tree, index)
        if is_settled(tree, node):
            progress[0] += 1
            continue
        status = DONE
        if node.block == NONE:
            status = room_for(tree, 1, 8 * (tree.actions + 2))
            if status == DONE:
                status = new_block(tree, index, False)
        for i in range(np.int64(node.actions)):
            if status == DONE and edge_at(tree, node.block + i).child == NONE and is_open(tree, node, i):
                status = expand(tree, index, node.block + i, 0)
                progress[1] += 1
        if status != DONE:
            return status
        progress[0] += 1
    return DONE
