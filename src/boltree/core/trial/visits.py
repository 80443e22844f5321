"""Visits that the way down only announced (``node.flights``), in batches and with several threads: entered later.

They are counted just before the trial is backed up, as if it had come down the tree only then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.policies import BAD, sample
from ..formulas.space import NO_ENTROPY
from ..jit import inlined
from ..memory.blocks import is_tabled
from ..memory.views import node_at, step_at


@inlined
def count_visit(tree: Any, level: int) -> None:
    """Turn the announcement of a visit, at the node on a level of the path, into a visit."""
    at = step_at(tree, level)
    node = node_at(tree, np.int64(at.node))
    node.flights -= 1
    node.visits += 1
    at.entropy = node.entropy


@inlined
def enter_policy(tree: Any, level: int) -> bool:
    """Update what the node on a level of the path stores of its policy; False if a temperature's schedule failed.

    That is the policy itself, where entropies are computed from it, and alias tables. The action stays the one that was
    drawn on the way down.
    """
    at = step_at(tree, level)
    n = np.int64(node_at(tree, np.int64(at.node)).actions)
    kept = tree.entropy_bonus != NO_ENTROPY or tree.relative != 0 or is_tabled(tree, n)
    if not (tree.sampled != 0 and kept):
        return True
    if sample(tree, np.int64(at.node), level, False, np.int64(at.slot)) != BAD:
        return True
    tree.error_node = at.node
    return False


@inlined
def enter_visit(tree: Any, level: int) -> None:
    """Enter a visit by one of several threads, which holds the node's lock.

    If a schedule fails the backup goes on, since nodes below count the trial already; the worker stops after it.
    """
    count_visit(tree, level)
    if not enter_policy(tree, level):
        at = step_at(tree, level)
        tree.fresh = BAD
        at.policy, at.rest = 0.0, node_at(tree, np.int64(at.node)).entropy
