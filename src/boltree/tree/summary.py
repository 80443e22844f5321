"""What ``print`` and a notebook say of a node: a table of its actions."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..messages import counted
from .proof_text import WITHIN, after_value, bounds_text, bounds_text_of

MOST_ROWS = 12
"""A node's table shows this many actions at most, the most visited first."""


class NodeFacts(Protocol):
    """What a node's table is made of; `Node` says what each means."""

    @property
    def depth(self) -> int:
        """Steps from where the search began."""

    @property
    def count(self) -> int:
        """How often trials arrived here."""

    @property
    def value(self) -> float:
        """The node's value estimate."""

    @property
    def player(self) -> int:
        """Who moves here."""

    @property
    def terminal(self) -> bool:
        """Whether the problem ended here."""

    @property
    def at_horizon(self) -> bool:
        """Whether trials end here."""

    @property
    def actions(self) -> NDArray[Any]:
        """The legal actions."""

    @property
    def visits(self) -> NDArray[np.int64]:
        """The visits of each action."""

    @property
    def q(self) -> NDArray[np.float64]:
        """The value of each action."""

    @property
    def policy(self) -> NDArray[np.float64]:
        """The search policy."""

    @property
    def lower(self) -> float:
        """What the node is worth at least."""

    @property
    def upper(self) -> float:
        """What the node is worth at most."""

    @property
    def action_bounds(self) -> NDArray[np.float64]:
        """The lower and upper bound of each action's value."""

    @property
    def recommended(self) -> Any:
        """The recommended action."""

    def action_name(self, action: Any) -> str:
        """What an action is called here."""

    def action_at(self, place: int) -> Any:
        """One of the actions."""

    def place_of(self, action: Any) -> int:
        """The place of an action among them."""


def node_text(node: NodeFacts) -> str:
    """A node as a table of its actions, the most visited first; the recommended one is marked by ``*``."""
    rows = _rows(node)
    bounded = _any_bounds(rows)
    heads = ("  action", "N", "Q", "pi", *([WITHIN] if bounded else []))
    table = [
        (f"{'*' if row.recommended else ' '} {row.label}", *row.numbers, *([row.bounds] if bounded else []))
        for row in rows
    ]
    widths = [max(len(line[i]) for line in (heads, *table)) for i in range(len(heads))]
    lines = [_title(node)]
    for first, *numbers in (heads, *table) if table else ():
        cells = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    rest = _rest(node)
    return "\n".join([*lines, f"  {rest}"] if rest else lines)


def node_html(node: NodeFacts) -> str:
    """A node for a notebook: a title and a table of its actions."""
    return f'<div style="{PAGE}"><div style="{DIM}">{escape(_title(node))}</div>{table_html(node)}</div>'


@dataclass(frozen=True)
class _Row:
    """An action of a node as the tables show it."""

    label: str
    visits: int
    share: float
    """Of the visits of the node's most visited action."""
    numbers: tuple[str, str, str]
    """Visits, Q and policy."""
    bounds: str
    """The action's bounds; empty where nothing is known."""
    recommended: bool


def _rows(node: NodeFacts) -> list[_Row]:
    """The actions that a node's table shows: the most visited ones, and always the recommended one."""
    visits, q, policy = node.visits, node.q, node.policy
    best = None if node.recommended is None else node.place_of(node.recommended)
    bounds = node.action_bounds
    order = [int(i) for i in np.argsort(-visits, kind="stable")]
    shown = order[:MOST_ROWS]
    if best is not None and best not in shown:
        shown[-1] = best
    most = max(int(visits.max(initial=0)), 1)
    rows = []
    for i in shown:
        action = node.action_at(i)
        name = node.action_name(action)
        label = name if name == str(action) or not isinstance(action, int) else f"{action} {name}"
        lower, upper = bounds[i].tolist()
        worth = lower if lower == upper else q[i]  # of an action that was not tried, the proven value
        value = "-" if np.isnan(worth) else f"{worth:.4g}"
        numbers = (f"{visits[i]:,}", value, f"{policy[i]:.3f}")
        share = int(visits[i]) / most
        rows.append(_Row(label, int(visits[i]), share, numbers, bounds_text(lower, upper), i == best))
    return rows


def _any_bounds(rows: list[_Row]) -> bool:
    """Whether something is known of an action, so that tables have a column for it."""
    return any(row.bounds for row in rows)


def _rest(node: NodeFacts) -> str:
    """What a table says of the actions that it does not show; empty where it shows all."""
    more = len(node.actions) - MOST_ROWS
    if more <= 0:
        return ""
    untried = int((node.visits == 0).sum())
    return f"... and {more:,} more" + (f"; {untried:,} actions not tried yet" if untried else "")


def _title(node: NodeFacts) -> str:
    if node.terminal:
        end = ", terminal"
    elif node.at_horizon:
        end = ", at the horizon"
    else:
        end = f", player {node.player} to move" if node.player else ""
    value = f"value {node.value:.4g}{after_value(bounds_text_of(node))}"
    return f"Node at depth {node.depth}: {counted(node.count, 'visit')}, {value}{end}"


PAGE = "font-size:90%;line-height:1.5"

DIM = "opacity:.75"

_TABLE = "border-collapse:collapse;margin:4px 0;color:inherit;font-size:inherit"

_CELL = "padding:1px 10px;border:0;font-variant-numeric:tabular-nums"

_BAR = "display:inline-block;width:80px;height:.6em;border-radius:2px;background:rgba(128,128,128,.25)"

_FULL = "display:block;height:100%;border-radius:2px;background:#3b82c4"

_CHOSEN = "background:rgba(59,130,196,.18);font-weight:600"


def table_html(node: NodeFacts) -> str:
    """A node's actions as HTML. Colours are the notebook's own, or show on light and on dark."""
    rows = _rows(node)
    if not rows:
        return ""
    bounded = _any_bounds(rows)
    within = [(WITHIN, "right")] if bounded else []
    heads = (("action", "left"), ("N", "right"), ("", "left"), ("Q", "right"), ("π", "right"), *within, ("", "left"))
    cells = "".join(f'<th style="{_CELL};text-align:{align}">{head}</th>' for head, align in heads)
    lines = [f'<tr style="border-bottom:1px solid rgba(128,128,128,.5)">{cells}</tr>']
    for row in rows:
        visits, value, policy = row.numbers
        bar = f'<span style="{_BAR}"><span style="{_FULL};width:{100 * row.share:.0f}%"></span></span>'
        mark = "recommended" if row.recommended else ""
        texts = (escape(row.label), visits, bar, value, policy, *([row.bounds] if bounded else []), mark)
        cells = "".join(
            f'<td style="{_CELL};text-align:{align}">{text}</td>' for (_, align), text in zip(heads, texts, strict=True)
        )
        lines.append(f'<tr style="{_CHOSEN if row.recommended else "background:transparent"}">{cells}</tr>')
    rest = _rest(node)
    below = f'<div style="{DIM}">{escape(rest)}</div>' if rest else ""
    return f'<table style="{_TABLE}">{"".join(lines)}</table>{below}'
