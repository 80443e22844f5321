"""From known outcomes to pooled samples where a problem is large, and back when its exact values are known.

To weigh all outcomes of an action by their probabilities takes many times as long as to draw one of them. It pays where
a problem is small, because values are then soon exact. Where the states that are found show that it is large, more
trials are worth more: the search begins anew from its root, and what it samples is pooled over depths. The states are
still listed beside, and if their values are ever known, the root is proven.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .outcomes import SHARE_OF_EXACT_VALUES, Outcomes
from .transpositions import Estimates
from .tree_like import TurningTree

KEPT = ("horizon", "trials", "visits_made", "listed", "lowest", "highest")
"""Fields that go on as they are."""


def turn_if_due(tree: TurningTree) -> None:
    """Turn a tree to samples, or back to known outcomes, if it is time."""
    exact = tree.exact
    if exact is None:
        return
    if tree.fields.proofs and exact.outgrown:
        _begin_anew(tree, "pooled")
    elif not tree.fields.proofs and exact.complete:
        _begin_anew(tree, "known")
        exact.enter_root()


def _begin_anew(tree: TurningTree, outcomes: Outcomes) -> None:
    """Begin anew from the root; with known outcomes, values are proven."""
    node = tree.storage.node(int(tree.fields.root))
    depth, player = int(node.depth), int(node.player)
    state = tree.storage.state(int(tree.fields.root), tree.problem.state_layout()).copy()
    another: Any = type(tree)
    fresh = another(
        tree.problem, tree.algorithm, np.random.SeedSequence(0), state=state, growth=tree.growth,
        evaluator=tree.evaluator, transpositions=tree.transpositions, outcomes=outcomes, proofs=outcomes == "known",
        max_nodes=tree.max_nodes, max_bytes=_bytes_of(tree, outcomes), on_full=tree.on_full,
    )  # fmt: skip
    fresh.storage.plant(state, depth, player)
    for name in KEPT:
        fresh.fields[name] = tree.fields[name]
    fresh.storage.scratch["rng"][:] = tree.storage.scratch["rng"]
    tree.adopt(fresh)
    tree.outcomes = outcomes
    tree.estimates = Estimates(tree, pooled=outcomes == "pooled")
    tree.estimates.make_ready()


def _bytes_of(tree: TurningTree, outcomes: Outcomes) -> int | None:
    """The limit of a new tree's memory: that of pooled outcomes leaves room for exact values beside it."""
    if not tree.is_limited:
        return None
    return tree.max_bytes - (int(SHARE_OF_EXACT_VALUES * tree.max_bytes) if outcomes == "pooled" else 0)
