"""One line of a live analysis: what a search thinks of the root's best moves, as GUIs read it.

The two styles differ in how they write a chance: ``lz`` in whole ten-thousandths, ``kata`` from 0 to 1, always with a
decimal point, because Sabaki takes a number without one for the other style. ``kata`` also has scores and, last,
the root and ownership. All numbers are of whose turn it is.

What a network says of the score and of ownership stands for one position; a search's average is what GUIs expect. The
positions along a move's principal variation stand for all below it: their mean is the move's, and the root's is the
moves' by their visits. They are evaluated as time allows; a move that none was evaluated of has the root's own.
Without a network there are no scores, and ownership is how random games from the root end.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...search.search import Search
from ...tree import Node
from ..board.points import move_name
from ..network.outlook import Outlook, network_of, outlook_of
from ..player import winning_chance
from .wish import Wish

LINE = 12
"""Moves of a principal variation."""

_SHARE = 0.2
"""The part of an interval that a report may spend on a network's scores."""


@dataclass(frozen=True)
class _Move:
    """A move at the root and what the search knows of it."""

    action: int
    visits: int
    chance: float
    prior: float
    line: list[tuple[int, int]]  # the principal variation from this move on, with visits
    nodes: list[Node]  # the positions that it passes


class Reporter:
    """Reports about one search.

    Args:
        search: the search.
        size: of the board.
        style: "lz" or "kata".
        wish: what the command asked for.
    """

    def __init__(self, search: Search, size: int, style: str, wish: Wish) -> None:
        self._search, self._size, self._style, self._wish = search, size, style, wish
        self._seen: dict[bytes, Outlook] = {}

    def line(self) -> str:
        """The line about the search as it is now; empty before the first visit."""
        root = self._search.root
        moves = self._moves(root)
        if not moves or not moves[0].visits:
            return ""
        side = -1.0 if root.player else 1.0
        outlooks = self._outlooks(root, moves) if self._style == "kata" else None
        parts = []
        for rank, move in enumerate(moves):
            outlook = None if outlooks is None else outlooks[rank]
            parts.append(self._info(rank, move, outlook, side))
        if outlooks is not None:
            parts += self._whole(root, moves, outlooks, side)
        return " ".join(parts)

    def _moves(self, root: Node) -> list[_Move]:
        """The moves to be told of: the recommended one, then the most visited, then those of the largest prior."""
        actions, visits, values, best = root.actions, root.visits, root.q, root.recommended
        prior = np.full(actions.size, 1 / max(actions.size, 1)) if root.prior is None else root.prior
        order = sorted(range(actions.size), key=lambda i: (actions[i] != best, -visits[i], -prior[i]))
        wanted = max(self._wish.least, int(np.count_nonzero(visits)))
        side, children = -1.0 if root.player else 1.0, root.children
        moves = []
        for i in order[: min(wanted, self._wish.limit)]:
            action, count = int(actions[i]), int(visits[i])
            chance = winning_chance(side * (float(values[i]) if count else root.value))
            line, nodes = _variation(action, count, children.get(action, []))
            moves.append(_Move(action, count, chance, float(prior[i]), line, nodes))
        return moves

    def _info(self, rank: int, move: _Move, outlook: Outlook | None, side: float) -> str:
        name = move_name(move.action, self._size)
        text = f"info move {name} visits {move.visits} winrate {self._chance(move.chance)}"
        if outlook is not None:
            text += _score(outlook, side)
        text += f" prior {self._chance(move.prior)} lcb {self._chance(_bound(move))} order {rank} pv "
        text += " ".join(move_name(action, self._size) for action, _ in move.line)
        if self._wish.line_visits:
            text += " pvVisits " + " ".join(str(count) for _, count in move.line)
        return text

    def _whole(self, root: Node, moves: list[_Move], outlooks: list[Outlook], side: float) -> list[str]:
        """What is said of the root."""
        weights = np.array([move.visits for move in moves], np.float64)
        outlook = _mean(outlooks, weights)
        parts = []
        if self._wish.root:
            chance = winning_chance(side * root.value)
            parts.append(f"rootInfo visits {root.count} winrate {self._chance(chance)}{_score(outlook, side)}")
        if self._wish.ownership:
            parts.append("ownership " + " ".join(f"{side * one:.4f}" for one in outlook.owner))
        return parts

    def _chance(self, chance: float) -> str:
        return str(round(chance * 10_000)) if self._style == "lz" else f"{chance:.6f}"

    # Scores and ownership

    def _outlooks(self, root: Node, moves: list[_Move]) -> list[Outlook] | None:
        """The moves' outlooks; None where nothing of them is wanted or known."""
        if network_of(self._search.evaluator) is None:
            if not (self._wish.ownership or self._wish.root):
                return None
            return [self._outlook(root)] * len(moves)
        ends = time.perf_counter() + _SHARE * self._wish.seconds
        own = self._outlook(root)
        deepest = max(len(move.nodes) for move in moves)
        for depth in range(deepest):  # every move's first position, then every move's second
            for move in moves:
                if time.perf_counter() > ends:
                    break
                if depth < len(move.nodes):
                    self._outlook(move.nodes[depth])
        means = []
        for move in moves:
            known = [self._seen[key] for key in map(_key, move.nodes) if key in self._seen]
            means.append(_mean(known, np.ones(len(known))) if known else own)
        return means

    def _outlook(self, node: Node) -> Outlook:
        key = _key(node)
        if key not in self._seen:
            self._seen[key] = outlook_of(self._search.evaluator, self._search.problem, node.state_record)
        return self._seen[key]


def _key(node: Node) -> bytes:
    return bytes(node.state_record.tobytes())


def _variation(action: int, count: int, nodes: list[Node]) -> tuple[list[tuple[int, int]], list[Node]]:
    """A move and its most visited continuation, with visits; and the positions that it passes."""
    line, passed = [(action, count)], []
    while nodes and len(line) < LINE:
        node: Any = max(nodes, key=lambda one: one.count)
        if node.terminal:
            break
        passed.append(node)
        visits = node.visits
        if not visits.size or not visits.max():
            break
        action = int(node.actions[int(visits.argmax())])
        line.append((action, int(visits.max())))
        nodes = node.children.get(action, [])
    return line, passed


def _bound(move: _Move) -> float:
    """A lower bound of a move's chance (95 %), as if its visits were games."""
    count = move.visits
    if not count:
        return 0.0
    width = 1.96 * math.sqrt(max(move.chance * (1 - move.chance), 0.25 / (count + 1)) / count)
    return max(move.chance - width, 0.0)


def _score(outlook: Outlook, side: float) -> str:
    """The lead, under both names that programs look for."""
    if outlook.lead is None:
        return ""
    return f" scoreMean {side * outlook.lead:.4f} scoreLead {side * outlook.lead:.4f}"


def _mean(outlooks: list[Outlook], weights: NDArray[np.float64]) -> Outlook:
    weights = weights / weights.sum()
    owner = sum(weight * one.owner for weight, one in zip(weights, outlooks, strict=True))
    leads = [one.lead for one in outlooks if one.lead is not None]
    lead = float(np.dot(weights, leads)) if len(leads) == len(outlooks) else None
    return Outlook(np.asarray(owner, np.float64), lead)
