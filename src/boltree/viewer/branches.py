"""The part of a tree that matters: the most visited nodes of every level, and the recommended line, within a size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..search.search import Search
from ..tree.proof_text import bounds_text, bounds_text_of
from ..tree.survey import Survey
from ..web.page import json_text, number
from .curves import entropy_of

NODES = 3_000
"""The most nodes that are kept, about."""

ACTIONS = 30
"""The most actions of a node that are kept, those visited most."""

TEXT = 600
"""The most letters of a state's picture that is kept."""


def branches_of(search: Search, size: int, names: Sequence[str] = ()) -> dict[str, Any]:
    """The nodes to unfold, the root first, within a limit of bytes of JSON (but always the root).

    Every node names the place of the node above it in this list, and carries its actions with N, Q, policy and the
    number of outcomes; what they are called, where that is not what `names` calls them; and, where bounds are kept, its
    own in words and theirs.
    """
    seen = search.survey()
    most = NODES
    while True:
        kept = _kept(seen, most) if most else [seen.root]
        places = {index: place for place, index in enumerate(kept)}
        outcomes = _graph_outcomes(search, kept) if search.transpositions else _outcomes(seen, kept)
        shown = [
            {"up": places.get(int(seen.parent[index]), -1), "action": int(seen.action[index])}
            | _node(search, index, seen, outcomes, names)
            for index in kept
        ]
        found = {"nodes": shown, "whole": len(kept) == search.size}
        length = len(json_text(found))
        if length <= size or not most:
            return found
        most = int(0.9 * most * size / length) if size > 0 else 0


def _outcomes(seen: Survey, kept: list[int]) -> Counter[tuple[int, int]]:
    """How many outcomes each action of the kept nodes has had, by node and action."""
    keep = np.zeros(seen.parent.size + 1, bool)  # the last is for the root, whose parent is -1
    keep[kept] = True
    below = np.flatnonzero(keep[seen.parent])
    return Counter(zip(seen.parent[below].tolist(), seen.action[below].tolist(), strict=True))


def _graph_outcomes(search: Search, kept: list[int]) -> Counter[tuple[int, int]]:
    """The same where an outcome may be another action's too."""
    children = {index: search.node_at(index).children for index in kept}
    return Counter({(index, a): len(nodes) for index, found in children.items() for a, nodes in found.items()})


def _kept(seen: Survey, most: int) -> list[int]:
    """The indices of the kept nodes, level by level: as many of each level as keep the sum within a limit.

    Of a larger tree only what more than one trial came to is kept, beside the recommended line.
    """
    order = np.lexsort((-seen.visits, seen.depth))
    if order.size > most:
        order = order[(seen.visits[order] > 1) | (order == seen.root)]
    levels = np.split(order, np.flatnonzero(np.diff(seen.depth[order])) + 1)
    width = most
    while width > 1 and sum(level.size for level in _widest(seen, levels, width)) > most:
        width = width * 2 // 3
    kept = {int(index) for level in _widest(seen, levels, width) for index in level}
    kept.update(_recommended_line(seen))
    return sorted(kept, key=lambda index: (int(seen.depth[index]), -int(seen.visits[index]), index))


def _widest(seen: Survey, levels: list[NDArray[Any]], width: int) -> list[NDArray[Any]]:
    """The `width` most visited nodes of every level among those whose parents are kept."""
    keep = np.zeros(seen.visits.size, bool)
    found = []
    for level in levels:
        below = level[(level == seen.root) | keep[seen.parent[level]]][:width]
        keep[below] = True
        found.append(below)
    return found


def _recommended_line(seen: Survey) -> list[int]:
    """The nodes along the recommended actions, through the most visited outcomes."""
    line, here = [], seen.root
    while True:
        line.append(here)
        below = np.flatnonzero((seen.parent == here) & (seen.action == seen.recommended[here]))
        if seen.recommended[here] < 0 or not below.size:
            return line
        here = int(below[np.argmax(seen.visits[below])])


def _node(
    search: Search, index: int, seen: Survey, outcomes: Counter[tuple[int, int]], names: Sequence[str]
) -> dict[str, Any]:
    node = search.node_at(index)
    found: dict[str, Any] = {"count": int(seen.visits[index]), "value": number(seen.value[index], 5)}
    text = node.shown
    if len(text) <= TEXT:
        found["state"] = text
    if search.proofs:
        found["bounds"] = bounds_text_of(node)
    if seen.terminal[index]:
        return found | {"end": number(node.reward, 5)}
    if seen.recommended[index] < 0:
        return found
    visits, actions, q, policy = node.visits, node.actions.tolist(), node.q, node.policy
    order = [int(i) for i in np.argsort(-visits, kind="stable") if visits[i] > 0]
    rows = [
        [actions[i], int(visits[i]), number(q[i], 5), number(policy[i], 3), outcomes[index, actions[i]]]
        for i in order[:ACTIONS]
    ]
    called = [node.action_name(row[0]) for row in rows]
    if any(row[0] < len(names) and name != names[row[0]] for row, name in zip(rows, called, strict=True)):
        found["names"] = called
    if search.proofs:
        bounds = node.action_bounds.tolist()
        found["inside"] = [bounds_text(*bounds[i]) for i in order[:ACTIONS]]
    return found | {
        "best": int(seen.recommended[index]),
        "entropy": number(entropy_of(policy), 4),
        "rows": rows,
        "more": len(order) - len(rows),
        "untried": int((visits == 0).sum()),
    }
