"""Prints a tree, action by action; with colours and bars in a terminal, where rich is installed."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import whole
from ..errors import ParameterError
from ..extras import needs
from ..messages import shortened
from ..tree import Node, Tree
from ..tree.advance import root_of
from ..tree.proof_text import PROVEN, WITHIN, bounds_text, bounds_text_of

WIDTHS = (8, 4)
"""The most actions that are shown at the root, and at every node below it; the most visited first."""

LITTLE = 0.02
"""Below the root's actions, what has a smaller share of the root's visits is not shown."""

OUTCOMES = 4
"""The most outcomes of an action that are shown, the most visited first."""

PAGE_LINES = 60
"""The most lines of a tree that are shown."""

BAR = 12
"""Width of the bar that shows an action's share of its node's visits."""


@dataclass(frozen=True)
class Line:
    """A line of the tree: an action, an outcome, or the number of those that are not shown."""

    open: tuple[bool, ...]
    """For each level above, whether further lines of it follow."""
    last: bool
    text: str
    recommended: bool = False
    visits: int | None = None
    share: float = 0.0
    value: float = float("nan")
    policy: float | None = None
    """None for an outcome, whose value is its state's."""
    bounds: str = ""
    note: str = ""


class PrintableTree(Tree):
    """A search's tree, which prints itself when it is called: ``search.tree(depth=3)``."""

    def __call__(self, depth: int = 3) -> None:
        """Print the tree down to a depth, the most visited actions first."""
        whole("depth", depth, 1)
        show_tree(self, depth)


def show_tree(tree: Tree, depth: int) -> None:
    """Print the tree: in a terminal as a table of rich's, if that is installed; else as text."""
    if sys.stdout.isatty():
        try:
            console = needs("rich.console").Console()
        except ParameterError:
            pass
        else:
            console.print(tree_table(tree, depth))
            return
    print(tree_text(tree, depth))


def tree_text(tree: Tree, depth: int) -> str:
    """The tree down to a depth: the most visited actions of each node, the recommended one marked by ``*``."""
    root = root_of(tree)
    lines = [_title(tree), _joined(f"root  N {root.count:,}  V {root.value:.4g}", _sure(bounds_text_of(root)))]
    for line in _page(tree, root, depth):
        guides = "".join("|   " if more else "    " for more in line.open) + ("`-- " if line.last else "|-- ")
        if line.visits is None:
            lines.append(guides + line.text)
        elif line.policy is None:
            numbers = f"{guides}{line.text} N {line.visits:,}  V {line.value:.4g}"
            lines.append(_joined(numbers, _sure(line.bounds), line.note))
        else:
            name = f"{'*' if line.recommended else ' '}{line.text:<8}"
            numbers = f"{guides}{name} N {line.visits:>10,}  Q {line.value:>9.4g}  pi {line.policy:.3f}"
            lines.append(_joined(numbers, _sure(line.bounds)))
    return "\n".join(lines)


def _joined(*parts: str) -> str:
    return "  ".join(part for part in parts if part)


def _sure(bounds: str) -> str:
    """Bounds where no head of a column says what they are."""
    return bounds if bounds in ("", PROVEN) else f"{WITHIN} {bounds}"


def tree_table(tree: Tree, depth: int) -> Any:
    """`tree_text` as a table of rich's: bars for the shares of visits, the recommended actions in colour."""
    table, texts = needs("rich.table"), needs("rich.text")
    root = root_of(tree)
    shown = table.Table(title=_title(tree), title_justify="left", title_style="bold", box=None, pad_edge=False)
    proofs = bool(tree.fields.proofs)
    within = [(WITHIN, "right")] if proofs else []
    heads = (
        ("", "left"), ("visits", "right"), ("", "left"), ("value", "right"), ("policy", "right"), *within, ("", "left")
    )  # fmt: skip
    for head, justify in heads:
        shown.add_column(head, justify=justify, no_wrap=True, header_style="dim")

    def bounds(text: str) -> list[str]:
        return [text] if proofs else []

    shown.add_row("root", f"{root.count:,}", "", f"{root.value:.4g}", "", *bounds(bounds_text_of(root)), "")
    for line in _page(tree, root, depth):
        guides = "".join("│  " if more else "   " for more in line.open) + ("╰─ " if line.last else "├─ ")
        if line.visits is None:
            shown.add_row(texts.Text(guides + line.text, style="dim"))
            continue
        of_action = line.policy is not None
        name = f"{line.text} ★" if line.recommended else line.text
        first = texts.Text.assemble((guides, "dim"), (name, _style(line, of_action)))
        full = "━" * max(1, round(BAR * line.share))
        bar = texts.Text(full, style="green" if line.recommended else "blue") if of_action else ""
        policy = "" if line.policy is None else f"{line.policy:.3f}"
        numbers = (bar, f"{line.value:.4g}", policy, *bounds(line.bounds))
        shown.add_row(first, f"{line.visits:,}", *numbers, texts.Text(line.note, style="dim"))
    return shown


def _style(line: Line, of_action: bool) -> str:
    return "bold green" if line.recommended else "" if of_action else "italic"


def _title(tree: Tree) -> str:
    name = tree.problem.display_name()
    return f"{tree.algorithm.name} on {name}: {tree.trials:,} trials, {tree.size:,} nodes"


def _page(tree: Tree, root: Node, depth: int) -> Iterator[Line]:
    """The lines below the root, as many as fit on a page; of the deepest levels none where not all of them fit."""
    for levels in range(depth, 0, -1):
        lines = list(itertools.islice(_below(tree, root, levels, (), {}), PAGE_LINES + 1))
        if len(lines) <= PAGE_LINES:
            break
    yield from lines[:PAGE_LINES]
    if len(lines) > PAGE_LINES:
        yield Line((), True, "... and more")
    elif levels < depth:
        yield Line((), True, "... deeper levels do not fit on a page; search.node(path) leads to any node")


def _below(tree: Tree, node: Node, depth: int, open: tuple[bool, ...], shown_before: dict[int, int]) -> Iterator[Line]:
    """The lines below a node, from the most visited action to the least; of a shared node only where it is met first.

    `shown_before` holds the nodes that are shown already, and down to which depth below them.
    """
    if depth == 0 or node.terminal:
        return
    if tree.fields.transpositions:
        if shown_before.get(node.number, 0) >= depth:
            yield Line(open, True, f"... shown above (state {_state_named(tree, node)})")
            return
        shown_before[node.number] = depth
    visits, q = node.visits, node.q
    if visits.sum() == 0:
        return
    policy, best = node.policy, None if node.recommended is None else node.place_of(node.recommended)
    shown = _shown(tree, visits, best, root=not open)
    if not shown:
        return
    more = int((visits > 0).sum()) - len(shown)
    bounds = [bounds_text(*row) for row in node.action_bounds.tolist()]
    for place, i in enumerate(shown):
        last = place == len(shown) - 1 and not more
        action = node.action_at(i)
        name, share = node.action_name(action), float(visits[i] / visits.sum())
        numbers = int(visits[i]), share, float(q[i]), float(policy[i])
        yield Line(open, last, name, i == best, *numbers, bounds=bounds[i])
        outcomes = node.outcomes(action)
        yield from _outcomes(tree, outcomes, node.arrivals(action), depth, (*open, not last), shown_before)
    if more:
        untried = int((visits == 0).sum())
        yield Line(open, True, f"... and {more + untried} more" + (f", {untried} of them not tried" if untried else ""))


def _shown(tree: Tree, visits: Any, best: int | None, root: bool) -> list[int]:
    """Which of a node's actions are shown: the most visited ones and the best, by place; none if all have few."""
    least = 1 if root else _least(tree)
    order = [int(i) for i in np.argsort(-visits, kind="stable") if visits[i] >= least]
    shown = order[: WIDTHS[0 if root else 1]]
    return shown + ([best] if shown and best is not None and best not in shown else [])


def _outcomes(
    tree: Tree, outcomes: list[Node], arrivals: Any, depth: int, open: tuple[bool, ...], shown_before: dict[int, int]
) -> Iterator[Line]:
    """What lies below an action: the nodes of its outcomes, or of its only one."""
    if len(outcomes) == 1:
        yield from _below(tree, outcomes[0], depth - 1, open, shown_before)
        return
    seen = sorted(enumerate(outcomes), key=lambda item: -arrivals[item[0]])
    shown = [(k, child) for k, child in seen[:OUTCOMES] if arrivals[k] >= _least(tree)]
    more = len(seen) - len(shown)
    for place, (k, child) in enumerate(shown):
        last = place == len(shown) - 1 and not more
        line = _state_line(tree, child)
        bounds = bounds_text_of(child)
        yield Line(open, last, f"({k})", visits=int(arrivals[k]), value=child.value, bounds=bounds, note=line)
        yield from _below(tree, child, depth - 1, (*open, not last), shown_before)
    if more and shown:
        yield Line(open, True, f"... and {more:,} more")
    elif more > OUTCOMES:
        yield Line(open, True, f"... {more:,} outcomes with few trials each")


def _least(tree: Tree) -> float:
    return max(1.0, LITTLE * float(root_of(tree).count))


def _state_named(tree: Tree, node: Node) -> str:
    """A state in few words: its picture where that is one line, else its fields."""
    text = _state_line(tree, node)
    return shortened(text) if text else tree.problem.written(node.state_record)


def _state_line(tree: Tree, node: Node) -> str:
    text = node.shown
    return text if "\n" not in text else ""
