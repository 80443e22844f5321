"""What is seen in a tree after a run and a user should know: the search cannot get better as it is."""

from __future__ import annotations

import numpy as np

from ..core.memory import layout as records
from ..tree import Tree

FEWEST_VISITS = 500
"""Fewer visits of the root's actions say nothing; after `Search.advance` few may be left."""

SEEN_NODES = 20_000
"""This number of nodes, the first ones, is looked at."""

MOST_NEW = 0.9
"""Where a larger share of the root's outcomes were new states, the tree does not grow beyond them."""


def flatness_of(tree: Tree) -> str:
    """A sentence about a tree that is one step deep, as nearly every outcome is another state; "" about others."""
    edges = tree.edges_of(int(tree.fields.root))
    if tree.fields.deterministic or tree.fields.known or edges is None:
        return ""
    visits = int(edges["visits"].sum())
    states = int((tree.storage.nodes["parent"][1 : tree.size] == int(tree.fields.root)).sum())
    if visits < FEWEST_VISITS or states <= MOST_NEW * visits:
        return ""
    if tree.problem.hidden:
        return (
            f"{tree.problem.display_name()}: {states:,} of the {visits:,} observations after the first actions were "
            "new ones, so nothing is learnt of what follows; write observation_probability and let widening=(k, a) "
            "bound the outcomes of an action, or observe less finely"
        )
    return (
        f"{tree.problem.display_name()}: {states:,} of the {visits:,} outcomes of the first actions were "
        "states that no trial had come to before, so the tree is one step deep and nothing is learnt of what follows; "
        "let states that hardly differ be the same one (round what step draws, or in a PythonProblem what key(state) "
        "returns), or let step draw from a few outcomes"
    )


def sameness_of(tree: Tree) -> str:
    """A sentence about a tree whose trials all came to the same, so that nothing was learnt; "" about others."""
    t = tree.fields
    if tree.is_proven:
        return ""
    if t.automatic:
        if t.lowest != t.highest:
            return ""
        returned = f" ({t.lowest:g})"
    else:
        nodes = tree.storage.nodes.view(np.ndarray)[: min(tree.size, SEEN_NODES)]
        ended = nodes["marks"] & records.TERMINAL != 0
        if t.transpositions or ended.any() or np.ptp(nodes["reward"][1:]) != 0.0:
            return ""
        seen = nodes[nodes["visits"] > 0]
        _, first, place = np.unique(seen["depth"], return_index=True, return_inverse=True)
        if (seen["value"] != seen["value"][first][place.ravel()]).any():
            return ""
        returned = ""
    return (
        f"{tree.problem.display_name()}: all {tree.trials:,} trials returned the same{returned}, so nothing is known "
        f"yet that tells actions apart; run more trials, take another horizon (it is {tree.horizon}), or pay rewards "
        "on the way or give a heuristic (evaluator='heuristic')"
    )
