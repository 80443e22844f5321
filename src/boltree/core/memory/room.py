"""How much memory trials may need, and whether there is room for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.elementary import exp, log
from ..jit import inlined, kernel
from .blocks import units_of
from .layout import DONE, FULL, INDEX, LEAF, NODE, UNIT
from .outcomes import index_is_short
from .views import node_at

NODE_BYTES = NODE.itemsize


@inlined
def nodes_of_trial(tree: Any, levels: int) -> int:
    """Nodes that a trial may make."""
    return 1 if tree.growth == LEAF else levels + 1


@inlined
def units_of_trial(tree: Any, levels: int) -> int:
    """Units of blocks, and links, that a trial may need."""
    if tree.box_words:  # a block may move at each level, and none has more actions than its visits allow
        visits = 2.0 + node_at(tree, tree.root).visits
        most = np.int64(2.0 + tree.action_widening * exp(tree.action_power * log(visits)))
        return (levels + 1) * units_of(tree, min(most, tree.actions))
    if tree.transpositions:  # a trial may go through any number of nodes that others made
        return (levels + 1) * (units_of(tree, tree.actions) + 1)
    return (2 if tree.growth == LEAF else levels + 1) * units_of(tree, tree.actions)


@inlined
def room_for(tree: Any, new_nodes: int, new_units: int) -> int:
    """DONE when there is room for this much more; INDEX; or FULL, with the totals that are needed in the record."""
    nodes, units = tree.node_count + new_nodes + 1, tree.unit_count + new_units
    size = nodes * (NODE_BYTES + 8 * tree.words) + units * UNIT + 4 * tree.index_size
    if tree.index_stale or index_is_short(tree, new_nodes):
        return INDEX
    if nodes > tree.max_nodes or units > tree.max_units or size > tree.max_bytes:
        tree.needed_nodes, tree.needed_units = nodes, units
        return FULL
    return DONE


@kernel
def room_for_batch(handle: Any, trials: int) -> int:
    """`room_for_trials`, for Python."""
    return room_for_trials(handle[0], trials)


@inlined
def room_for_trials(tree: Any, trials: int) -> int:
    """`room_for` a number of trials that are selected before any is backed up."""
    levels = tree.horizon - node_at(tree, tree.root).depth
    return room_for(tree, trials * nodes_of_trial(tree, levels), trials * units_of_trial(tree, levels))


@kernel
def bytes_of_trial(handle: Any, levels: int) -> int:
    """What an empty tree and its first trial may need."""
    tree = handle[0]
    nodes, units = nodes_of_trial(tree, levels) + 2, units_of_trial(tree, levels)
    return nodes * (NODE_BYTES + 8 * tree.words) + units * UNIT
