"""What ``print`` and a notebook say of a search, a node, a problem and an algorithm."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from .wording import counted, shortened

if TYPE_CHECKING:
    from .algorithms import Algorithm
    from .problem import Problem
    from .search import Search
    from .tree import Node

MOST_ROWS = 12
"""A node's table shows this many actions at most, the most visited first."""

WIDTH = 100
"""An algorithm's parameters are wrapped to lines of this many characters."""

MOST_NAMES = 12
"""A problem's summary names this many of its actions at most."""


def search_text(search: Search) -> str:
    """A search in a few lines: what is searched and how, how far it has come, and what it recommends."""
    title = f"Search of {shortened(search.problem)} by {call_text(search.algorithm)}"
    return "\n".join([title, f"  {_progress(search)}", f"  {_recommendation(search)}"])


def node_text(node: Node) -> str:
    """A node as a table of its actions, the most visited first; the recommended one is marked by ``*``."""
    heads = ("  action", "N", "Q", "pi")
    table = [(f"{'*' if row.recommended else ' '} {row.label}", *row.numbers) for row in _rows(node)]
    widths = [max(len(line[i]) for line in (heads, *table)) for i in range(len(heads))]
    lines = [_title(node)]
    for first, *numbers in (heads, *table) if table else ():
        cells = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    rest = _rest(node)
    return "\n".join([*lines, f"  {rest}"] if rest else lines)


def problem_text(problem: Problem) -> str:
    """A problem in a few lines: its parameters, actions, horizon, discount, players, outcomes and functions."""
    name, call = problem.display_name(), shortened(problem)
    title = call if name in call else f"{name}: {call}"
    if problem.deterministic:
        outcomes = "deterministic"
    elif problem.has("outcomes"):
        outcomes = "random with known probabilities"
    else:
        outcomes = "random, drawn by step"
    facts = [
        counted(int(problem.actions), "action") + _names(problem.action_names),
        f"horizon {problem.horizon}",
        f"discount {problem.discount:g}",
        "two players" if problem.has("player") else "one player",
        outcomes,
    ]
    return "\n".join([title, f"  {', '.join(facts)}", f"  functions: {', '.join(problem.functions())}"])


def algorithm_text(algorithm: Algorithm) -> str:
    """An algorithm in a few lines: what it is, its choices in the design space, and every parameter."""
    about = _first_sentence(type(algorithm))
    choices = [
        f"search distribution {algorithm.search_distribution}",
        f"state value {algorithm.state_value}",
        f"entropy bonus {algorithm.entropy_bonus}",
    ]
    own = {"search_distribution", "state_value", "entropy_bonus"}  # parameters of bt.Custom
    parameters = [f"{key}={_value(value)}" for key, value in algorithm.parameters().items() if key not in own]
    lines = [f"{algorithm.name}: {about}" if about else algorithm.name, f"  {', '.join(choices)}"]
    wrapped = textwrap.wrap(", ".join(parameters), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, *(f"  {line}" for line in wrapped)])


def call_text(algorithm: Algorithm) -> str:
    """An algorithm as a call, with the parameters that differ from their defaults.

    >>> from boltree import DENTS, log_decay
    >>> call_text(DENTS(alpha=0.1, beta=log_decay(1.0), epsilon=1.0))
    'DENTS(alpha=0.1, beta=log_decay(1))'
    """
    given = {field.name: getattr(algorithm, field.name) for field in fields(algorithm)}
    defaults = {field.name: field.default for field in fields(algorithm)}
    changed = (f"{key}={_value(value)}" for key, value in given.items() if value != defaults[key])
    return f"{algorithm.name}({', '.join(changed)})"


def search_html(search: Search) -> str:
    """A search for a notebook: a line of facts and its root as a table."""
    title = f"<b>{escape(call_text(search.algorithm))}</b> on <b>{escape(search.problem.display_name())}</b>"
    facts = escape(f"{_progress(search)}; {_recommendation(search)}")
    return f'<div style="{_PAGE}"><div>{title}</div><div style="{_DIM}">{facts}</div>{_table(search.root)}</div>'


def node_html(node: Node) -> str:
    """A node for a notebook: a title and a table of its actions."""
    return f'<div style="{_PAGE}"><div style="{_DIM}">{escape(_title(node))}</div>{_table(node)}</div>'


def bytes_text(size: int) -> str:
    """A number of bytes for people.

    >>> bytes_text(900), bytes_text(1_500), bytes_text(2_345_678), bytes_text(12_000_000_000)
    ('900 bytes', '1.5 kB', '2.3 MB', '12.0 GB')
    """
    for factor, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


@dataclass(frozen=True)
class _Row:
    """An action of a node as the tables show it."""

    label: str
    visits: int
    share: float
    """Of the visits of the node's most visited action."""
    numbers: tuple[str, str, str]
    """Visits, Q and policy."""
    recommended: bool


def _rows(node: Node) -> list[_Row]:
    """The actions that a node's table shows: the most visited ones, and always the recommended one."""
    actions, visits, q, policy, best = node.actions, node.visits, node.q, node.policy, node.recommended
    order = [int(i) for i in np.argsort(-visits, kind="stable")]
    shown = order[:MOST_ROWS]
    if best is not None and best not in actions[shown]:
        shown[-1] = int(np.flatnonzero(actions == best)[0])
    most = max(int(visits.max(initial=0)), 1)
    rows = []
    for i in shown:
        action, name = int(actions[i]), node.action_name(int(actions[i]))
        label = name if name == str(action) else f"{action} {name}"
        value = "-" if np.isnan(q[i]) else f"{q[i]:.4g}"
        numbers = (f"{visits[i]:,}", value, f"{policy[i]:.3f}")
        rows.append(_Row(label, int(visits[i]), int(visits[i]) / most, numbers, action == best))
    return rows


def _rest(node: Node) -> str:
    """What a table says of the actions that it does not show; empty where it shows all."""
    more = node.actions.size - MOST_ROWS
    if more <= 0:
        return ""
    untried = int((node.visits == 0).sum())
    return f"... and {more:,} more" + (f"; {untried:,} actions not tried yet" if untried else "")


def _title(node: Node) -> str:
    if node.terminal:
        end = ", terminal"
    elif node.actions.size == 0:
        end = ", at the horizon"
    else:
        end = f", player {node.player} to move" if node.player else ""
    return f"Node at depth {node.depth}: {counted(node.count, 'visit')}, value {node.value:.4g}{end}"


def _progress(search: Search) -> str:
    facts = [counted(search.trials, "trial"), counted(search.size, "node"), bytes_text(search.nbytes)]
    if search.growth != "leaf":
        facts.append(f"growth by {search.growth}")
    if search.threads > 1:
        facts.append(f"{search.threads} threads ({search.sharing})")
    if search.transpositions:
        facts.append("transpositions")
    return ", ".join(facts)


def _recommendation(search: Search) -> str:
    root = search.root
    best = root.recommended
    if best is None:
        return "recommends nothing yet: no action of the root was tried"
    name = root.action_name(best)
    return f"recommends {best}{'' if name == str(best) else f' ({name})'}, root value {root.value:.4g}"


def _names(names: Iterable[str]) -> str:
    known = list(names)
    if not known:
        return ""
    return f" ({', '.join(known[:MOST_NAMES])}{', ...' if len(known) > MOST_NAMES else ''})"


def _value(value: Any) -> str:
    """A parameter as it is written."""
    if isinstance(value, np.generic):
        value = value.item()
    if inspect.isroutine(value):
        return value.__name__
    return shortened(value)


def _first_sentence(cls: type) -> str:
    """The first sentence of a class's own docstring; empty where it has none."""
    text = inspect.cleandoc(cls.__dict__.get("__doc__") or "").partition("\n\n")[0]
    if text.startswith(f"{cls.__name__}("):  # what a dataclass is given for want of a docstring
        return ""
    sentence, stop, _ = " ".join(text.split()).partition(". ")
    return sentence + "." if stop else sentence


_PAGE = "font-size:90%;line-height:1.5"
_DIM = "opacity:.75"
_TABLE = "border-collapse:collapse;margin:4px 0;color:inherit;font-size:inherit"
_CELL = "padding:1px 10px;border:0;font-variant-numeric:tabular-nums"
_BAR = "display:inline-block;width:80px;height:.6em;border-radius:2px;background:rgba(128,128,128,.25)"
_FULL = "display:block;height:100%;border-radius:2px;background:#3b82c4"
_CHOSEN = "background:rgba(59,130,196,.18);font-weight:600"


def _table(node: Node) -> str:
    """A node's actions as HTML. Colours are the notebook's own, or show on light and on dark."""
    rows = _rows(node)
    if not rows:
        return ""
    heads = (("action", "left"), ("N", "right"), ("", "left"), ("Q", "right"), ("π", "right"), ("", "left"))
    cells = "".join(f'<th style="{_CELL};text-align:{align}">{head}</th>' for head, align in heads)
    lines = [f'<tr style="border-bottom:1px solid rgba(128,128,128,.5)">{cells}</tr>']
    for row in rows:
        visits, value, policy = row.numbers
        bar = f'<span style="{_BAR}"><span style="{_FULL};width:{100 * row.share:.0f}%"></span></span>'
        mark = "recommended" if row.recommended else ""
        texts = (escape(row.label), visits, bar, value, policy, mark)
        cells = "".join(
            f'<td style="{_CELL};text-align:{align}">{text}</td>' for (_, align), text in zip(heads, texts, strict=True)
        )
        lines.append(f'<tr style="{_CHOSEN if row.recommended else "background:transparent"}">{cells}</tr>')
    rest = _rest(node)
    below = f'<div style="{_DIM}">{escape(rest)}</div>' if rest else ""
    return f'<table style="{_TABLE}">{"".join(lines)}</table>{below}'
