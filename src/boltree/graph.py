"""A search as a graph of NetworkX, for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import ParameterError
from .extras import needs

if TYPE_CHECKING:
    from .node import Node
    from .search import Search


def graph_of(search: Search, depth: int) -> Any:
    """The tree down to a depth below the root as a ``networkx.DiGraph``; node 0 is the root.

    Nodes carry depth, visits, value, player, terminal and the state as text; edges carry the action, its name, visits,
    Q and probability under the search policy. All are plain numbers and texts, so that every format can hold them.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise ParameterError(f"depth={depth!r}: must be an integer of at least 0")
    graph = needs("networkx", "graph").DiGraph(
        problem=search.problem.display_name(), algorithm=search.algorithm.name, trials=search.trials
    )
    _add(graph, search, search.root)
    level = [(0, search.root)]
    for _ in range(depth):
        level = [pair for number, node in level for pair in _add_below(graph, search, number, node)]
    return graph


def _add(graph: Any, search: Search, node: Node) -> int:
    number = len(graph)
    graph.add_node(
        number,
        depth=node.depth,
        visits=node.count,
        value=node.value,
        player=node.player,
        terminal=node.terminal,
        state=search.problem.show_state(node.state),
    )
    return number


def _add_below(graph: Any, search: Search, number: int, node: Node) -> list[tuple[int, Node]]:
    children = node.children
    if not children:
        return []
    columns = (node.visits.tolist(), node.q.tolist(), node.policy.tolist())
    numbers = dict(zip(node.actions.tolist(), zip(*columns, strict=True), strict=True))
    found = []
    for action, outcomes in children.items():
        name = node.action_name(action)
        visits, q, policy = numbers[action]
        for child in outcomes:
            below = _add(graph, search, child)
            graph.add_edge(number, below, action=action, name=name, visits=visits, q=q, policy=policy)
            found.append((below, child))
    return found
