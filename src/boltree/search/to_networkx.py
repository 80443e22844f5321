"""A search as a graph of NetworkX, for other tools."""

from __future__ import annotations

import math
from typing import Any

from ..checks import whole
from ..extras import needs
from ..tree import Node
from .facts import SearchFacts


def graph_of(search: SearchFacts, depth: int) -> Any:
    """The tree down to a depth below the root as a ``networkx.DiGraph``; node 0 is the root.

    Where nodes are shared it is a ``MultiDiGraph``: two actions may lead to the same node.

    Nodes carry depth, visits, value, player, terminal and the state as text; edges carry the action, its name, visits,
    Q and probability under the search policy. Where values are proven, nodes also say whether theirs is, and both carry
    the bounds that are known. All are plain numbers and texts, so that every format can hold them.
    """
    whole("depth", depth, 0)
    networkx = needs("networkx", "graph")
    graph = (networkx.MultiDiGraph if search.transpositions else networkx.DiGraph)(
        problem=search.problem.display_name(), algorithm=search.algorithm.name, trials=search.trials
    )
    numbers: dict[int, int] = {}
    _add(graph, search, search.root, numbers)
    level = [search.root]
    for _ in range(depth):
        level = [below for node in level for below in _add_below(graph, search, node, numbers)]
    return graph


def _add(graph: Any, search: SearchFacts, node: Node, numbers: dict[int, int]) -> None:
    """Add a node; `numbers` are those of the nodes that are there, by index."""
    number = numbers[node.index] = len(graph)
    graph.add_node(
        number,
        depth=node.depth,
        visits=node.count,
        value=node.value,
        player=node.player,
        terminal=node.terminal,
        state=node.shown,
        **({"proven": node.proven} | _known(node.lower, node.upper) if search.proofs else {}),
    )


def _known(lower: float, upper: float) -> dict[str, float]:
    """The bounds that are finite, which every format can hold."""
    return {name: bound for name, bound in (("lower", lower), ("upper", upper)) if math.isfinite(bound)}


def _add_below(graph: Any, search: SearchFacts, node: Node, numbers: dict[int, int]) -> list[Node]:
    """Add the edges below a node and the nodes they lead to; those that are new."""
    children = node.children
    if not children:
        return []
    columns = (node.visits.tolist(), node.q.tolist(), node.policy.tolist(), node.action_bounds.tolist())
    keys = (tuple(action) if isinstance(action, list) else action for action in node.actions.tolist())
    by_action = dict(zip(keys, zip(*columns, strict=True), strict=True))
    found = []
    for action, outcomes in children.items():
        name = node.action_name(action)
        visits, q, policy, bounds = by_action[action]
        for child in outcomes:
            if child.index not in numbers:
                _add(graph, search, child, numbers)
                found.append(child)
            ends = numbers[node.index], numbers[child.index]
            graph.add_edge(*ends, action=action, name=name, visits=visits, q=q, policy=policy, **_known(*bounds))
    return found
