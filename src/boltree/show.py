"""A search as text: the tree, action by action."""

from __future__ import annotations

from typing import Any

import numpy as np

from .node import Node

OUTCOMES = 4
"""So many outcomes of an action are shown, the most visited first."""


def tree_text(search: Any, depth: int, width: int = 8) -> str:
    """The tree down to a depth; at each node the `width` most visited actions, the recommended one marked by ``*``."""
    root = search.root
    lines = [
        f"{search.algorithm.name} on {type(search.problem).__name__}: {search.trials:,} trials, {search.size:,} nodes"
    ]
    lines.append(f"root  N {root.count:,}  V {root.value:.4g}")
    _below(search, root, depth, width, "", lines)
    return "\n".join(lines)


def _below(search: Any, node: Node, depth: int, width: int, indent: str, lines: list[str]) -> None:
    if depth == 0 or node.terminal:
        return
    visits, q, actions = node.visits, node.q, node.actions
    if visits.sum() == 0:
        return
    policy = node.policy
    best = node.recommended
    order = [int(i) for i in np.argsort(-visits, kind="stable") if visits[i] > 0]
    children = node.children
    for place, i in enumerate(order[:width]):
        last = place == min(len(order), width) - 1 and len(order) <= width
        action = int(actions[i])
        mark = "*" if action == best else " "
        branch = "`-- " if last else "|-- "
        name = search.problem.action_name(action)
        lines.append(f"{indent}{branch}{mark}{name:<8} N {visits[i]:>10,}  Q {q[i]:>9.4g}  pi {policy[i]:.3f}")
        below = indent + ("    " if last else "|   ")
        outcomes = children.get(action, [])
        seen = sorted(enumerate(outcomes), key=lambda item: -item[1].count)
        for k, child in seen[:OUTCOMES]:
            if len(outcomes) > 1:
                lines.append(f"{below}({k}) N {child.count:,}  V {child.value:.4g}  {_state_line(search, child)}")
            _below(search, child, depth - 1, width, below + ("    " if len(outcomes) > 1 else ""), lines)
        if len(outcomes) > OUTCOMES:
            lines.append(f"{below}... {len(outcomes) - OUTCOMES:,} more outcomes")
    if len(order) > width:
        lines.append(f"{indent}`-- ... {len(order) - width} more actions tried")


def _state_line(search: Any, node: Node) -> str:
    text = search.problem.show_state(node._state_record)
    return text if "\n" not in text else ""
