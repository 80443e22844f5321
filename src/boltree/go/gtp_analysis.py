"""Live analysis over GTP, as Sabaki, Lizzie and others read it: what a search thinks of the best moves so far.

``lz-analyze`` counts chances in hundredths of a per cent, ``kata-analyze`` from 0 to 1; both are of whose turn it is.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..node import Node
from ..search import Search
from .player import Limit, winning_chance
from .points import move_name

LINE = 12
"""Moves of a principal variation."""

INTERVAL = 1.0
"""Seconds between two reports, where the command names none."""

_SKIPPED = {"minmoves": 1, "ownership": 1, "movesownership": 1, "rootinfo": 1, "pvvisits": 1, "pvedgevisits": 1}
"""Options that other engines have, and how many words follow them; their values are not given here."""


@dataclass(frozen=True)
class Wish:
    """What an analysis command asks for."""

    colour: str | None = None
    seconds: float = INTERVAL
    moves: int = 20


def wish_of(words: list[str]) -> Wish:
    """The arguments of an analysis command: ``[COLOUR] [INTERVAL] [KEY VALUE ...]``, the interval in 1/100 s.

    >>> wish_of(["b", "50", "maxmoves", "3"])
    Wish(colour='black', seconds=0.5, moves=3)
    """
    colour, seconds, moves = None, INTERVAL, 20
    words = [word.lower() for word in words]
    if words and words[0] in ("b", "w", "black", "white"):
        colour = "black" if words.pop(0)[0] == "b" else "white"
    if words and words[0].isdecimal():
        words.insert(0, "interval")
    while words:
        key = words.pop(0)
        if key in ("avoid", "allow"):
            raise ParameterError(f"{key}: moves cannot be left out of the analysis")
        if key not in ("interval", "maxmoves") and key not in _SKIPPED:
            raise ParameterError(f"{key!r}: must be a colour, an interval in 1/100 s, or maxmoves N")
        value = words.pop(0) if words else ""
        if key in _SKIPPED:
            continue
        if not value.isdecimal() or len(value) > 6:
            raise ParameterError(f"{key} {value}: must be a whole number")
        if key == "interval":
            seconds = max(int(value), 1) / 100
        else:
            moves = int(value)
    return Wish(colour, seconds, moves)


def report(search: Search, size: int, style: str, most: int) -> str:
    """One line about the root's visited moves, the most visited first; empty before the first visit.

    Args:
        search: the search.
        size: of the board.
        style: "lz" or "kata".
        most: at most so many moves.
    """
    root = search.root
    visits, actions, values = root.visits, root.actions, root.q
    prior = root.prior
    best = root.recommended
    order = sorted(np.flatnonzero(visits > 0).tolist(), key=lambda i: (actions[i] != best, -visits[i]))[:most]
    children = root.children
    parts = []
    for rank, i in enumerate(order):
        chance = winning_chance(float(values[i]) * (-1 if root.player else 1))
        count = int(visits[i])
        width = 1.96 * math.sqrt(max(chance * (1 - chance), 0.25 / (count + 1)) / count)
        share = 1 / actions.size if prior is None else float(prior[i])
        line = [move_name(int(actions[i]), size), *_line(children.get(int(actions[i]), []), size)]
        numbers = [_chance(style, one) for one in (chance, share, max(chance - width, 0.0))]
        parts.append(
            f"info move {line[0]} visits {count} winrate {numbers[0]} prior {numbers[1]} lcb {numbers[2]} "
            f"order {rank} pv {' '.join(line)}"
        )
    return " ".join(parts)


def watch(
    search: Search, size: int, style: str, wish: Wish, write: Callable[[str], Any], interrupted: Callable[[], bool]
) -> None:
    """Search and report until interrupted; a search whose memory is full only waits."""
    full = False
    while True:
        if full:
            time.sleep(0.05)
        else:
            full = search.run(seconds=wish.seconds, stop=lambda _: interrupted()) == "memory"
            line = report(search, size, style, wish.moves)
            write(f"{line}\n" if line else "")
        if interrupted():
            return


def think_aloud(search: Search, limit: Limit, size: int, style: str, wish: Wish, write: Callable[[str], Any]) -> None:
    """Search up to a limit (but for one trial, which is left for the choice) and report meanwhile."""
    left, ends = (limit.trials or math.inf) - 1, time.perf_counter() + (limit.seconds or math.inf)
    reason = "seconds"
    while reason == "seconds" and left > 0 and time.perf_counter() < ends:
        before = search.trials
        seconds = min(wish.seconds, max(ends - time.perf_counter(), 0.0))
        reason = search.run(trials=None if left == math.inf else int(left), seconds=seconds)
        left -= search.trials - before
        line = report(search, size, style, wish.moves)
        write(f"{line}\n" if line else "")


def _chance(style: str, chance: float) -> str:
    return str(round(chance * 10_000)) if style == "lz" else f"{chance:.6g}"


def _line(nodes: list[Node], size: int) -> list[str]:
    """The most visited continuation."""
    names: list[str] = []
    while nodes and len(names) < LINE - 1:
        node: Any = max(nodes, key=lambda one: one.count)
        visits = node.visits
        if node.terminal or not visits.size or not visits.max():
            break
        action = int(node.actions[int(visits.argmax())])
        names.append(move_name(action, size))
        nodes = node.children.get(action, [])
    return names
