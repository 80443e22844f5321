"""Slow and plain: what a picture gathers, node by node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import boltree as bt


def nodes_of(search: bt.Search) -> Iterator[tuple[bt.Node, bt.Node | None, int]]:
    """Every node of a search, with its parent and the action that led there."""
    waiting: list[tuple[bt.Node, bt.Node | None, int]] = [(search.root, None, -1)]
    while waiting:
        node, parent, action = waiting.pop()
        yield node, parent, action
        for below, outcomes in node.children.items():
            waiting.extend((child, node, below) for child in outcomes)


def gathered(search: bt.Search, place_of) -> dict:
    """For each place: visits, the mean value weighted by visits, and the action with the most visits behind it."""
    visits, weight, total = defaultdict(int), defaultdict(int), defaultdict(float)
    support = defaultdict(lambda: defaultdict(int))
    for node, _, _ in nodes_of(search):
        place = place_of(node.state)
        if place is None:
            continue
        visits[place] += node.count
        if not node.terminal:
            weight[place] += node.count
            total[place] += node.count * node.value
        if node.recommended is not None:
            support[place][node.recommended] += node.count
    return {
        place: (
            count,
            total[place] / weight[place] if weight[place] else None,
            max(sorted(support[place]), key=support[place].get) if support[place] else -1,
        )
        for place, count in visits.items()
    }
