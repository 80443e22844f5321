"""``search.report()``: what a search thinks of each action, from the side of who moves, as game programs show it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..messages import counted
from ..terminal import table
from ..tree import Node, Tree
from .line import line_of

STEPS = 6
"""Steps of a move's line, itself counted."""

MOST_MOVES = 12
"""The most moves that a printed report lists."""


@dataclass(frozen=True)
class Move:
    """What a search thinks of an action.

    Attributes:
        action: its number.
        name: what it is called.
        visits: how often it was tried.
        share: of all visits.
        value: what it is worth to player 0; NaN where it was not tried.
        win_rate: the chance of a win for who moves, from 0 to 1, a draw counting half; NaN with one player.
        line: the names of what is expected to happen from it on, itself first.
    """

    action: Any
    name: str
    visits: int
    share: float
    value: float
    win_rate: float
    line: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What a search thinks of each action of its root, the recommended one first, then by visits.

    Attributes:
        moves: the actions.
        player: who moves.
        trials: run so far.
    """

    moves: tuple[Move, ...]
    player: int
    trials: int

    def __len__(self) -> int:
        return len(self.moves)

    def __str__(self) -> str:
        heads, rows = _cells(self)
        left = len(self.moves) - MOST_MOVES
        more = f"\n... and {left:,} more" if left > 0 else ""
        return f"{_title(self)}\n{table(heads, rows)}{more}"

    def _repr_html_(self) -> str:
        heads, rows = _cells(self)
        lines = ["".join(f"<th>{escape(head)}</th>" for head in heads)]
        lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
        return f"<b>{escape(_title(self))}</b><table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def report_of(tree: Tree, root: Node, trials: int) -> Report:
    """The report of a tree's root."""
    best = None if root.recommended is None else root.place_of(root.recommended)
    low, high = _range_of(tree, root)
    visits, q = root.visits, root.q
    order = sorted(range(len(visits)), key=lambda i: (i != best, -visits[i], i))
    actions = [root.action_at(i) for i in range(len(visits))]
    moves = [
        Move(
            actions[i],
            root.action_name(actions[i]),
            int(visits[i]),
            float(visits[i] / max(visits.sum(), 1)),
            float(q[i]),
            win_rate(float(q[i]), root.player, low, high) if tree.problem.has("player") else math.nan,
            _line(tree, root, actions[i]),
        )
        for i in order
    ]
    return Report(tuple(moves), root.player, trials)


def win_rate(value: float, player: int, low: float, high: float) -> float:
    """The chance of a win for a player, from player 0's value between a loss and a win.

    >>> win_rate(0.5, 0, -1.0, 1.0), win_rate(0.5, 1, -1.0, 1.0)
    (0.75, 0.25)
    """
    if math.isnan(value) or not high > low:
        return math.nan
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return 1.0 - share if player == 1 else share


def _range_of(tree: Tree, root: Node) -> tuple[float, float]:
    """What a game can be worth at least and at most: as its bounds or rewards say, or the returns that were seen."""
    problem = tree.problem
    if problem.has("bounds") and not problem.hidden:
        return problem.plain_bounds(root.state_record)
    if problem.rewards is not None:
        return problem.rewards
    most = max(abs(float(tree.fields.lowest)), abs(float(tree.fields.highest)))
    return (-most, most) if 0.0 < most < math.inf else (-1.0, 1.0)


def _line(tree: Tree, root: Node, action: Any) -> tuple[str, ...]:
    outcomes = root.outcomes(action)
    names = [root.action_name(action)]
    if outcomes:
        following = outcomes[int(np.argmax(root.chances(action)))]
        if not following.terminal:
            names += [step.name for step in line_of(tree, following, STEPS - 1)]
    return tuple(names)


def _title(report: Report) -> str:
    if not report.moves:
        return "nothing left to decide"
    mover = "" if math.isnan(report.moves[0].win_rate) else f"player {report.player} to move, "
    return f"{mover}{counted(report.trials, 'trial')}"


def _cells(report: Report) -> tuple[list[str], list[list[str]]]:
    game = not all(math.isnan(move.win_rate) for move in report.moves)
    heads = ["action", "", "wins" if game else "value", "visits", "share"]
    rows: list[list[Any]] = []
    for move in report.moves[:MOST_MOVES]:
        number = move.win_rate if game else move.value
        shown = "-" if math.isnan(number) else f"{number:.1%}" if game else f"{number:.4g}"
        rows.append([move.name, " ".join(move.line[1:]), shown, f"{move.visits:,}", f"{move.share:.0%}"])
    heads[1] = "and then"
    return heads, rows
