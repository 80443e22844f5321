"""What each of several trees that grow at the same time may take of the arenas in which all of them lie.

Every tree has a range of node numbers to itself. Blocks need not lie together, and it is not known how many a tree will
have: the trees take turns in windows of units, which get larger as they take more of them. Where a window lies depends
only on the tree's turn and the window's number, so threads need not communicate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .layout import NODE, UNIT

GROWTH = 4
"""A window is a quarter as large as what its tree has had."""


@dataclass(frozen=True)
class Windows:
    """Units from `first` on, in which `turns` trees take turns, at least `least` units at a time."""

    first: int
    turns: int
    least: int

    def window(self, number: int, turn: int) -> tuple[int, int]:
        """The first unit of a tree's window, and the one after its last."""
        before, size = 0, self.least
        for _ in range(number):
            before += size
            size = max(self.least, before // GROWTH)
        start = self.first + before * self.turns + turn * size
        return start, start + size

    def end(self, units: int) -> int:
        """The end of all windows that are needed so that every tree has `units` units."""
        number = had = 0
        while had < units:
            start, end = self.window(number, 0)
            number, had = number + 1, had + end - start
        return self.window(max(number - 1, 0), self.turns - 1)[1]


@dataclass
class Partition:
    """One tree's part of the arenas: nodes from `first` to the `end`, windows of units, a limit of bytes for all."""

    first: int
    end: int
    limit: int
    windows: Windows
    turn: int
    had: int = 0
    """Units of the tree that lie before its present window."""
    grafted: list[tuple[int, int]] = field(default_factory=list)
    """Where nodes lie that came from other trees."""

    def __post_init__(self) -> None:
        self._number, self._before = 0, self.had
        self._start, self._end = self.windows.window(0, self.turn)

    @property
    def start(self) -> int:
        """The first unit of the present window."""
        return self._start

    def bound(self, t: Any) -> None:
        """Set a tree's limits to the end of the present window; what other trees have before it adds to its bytes."""
        others = self.first * node_bytes(t) + (self._start - self.had) * UNIT
        t.max_nodes, t.max_units, t.max_bytes = self.end, self._end, self.limit + others

    def grow(self, t: Any, nodes: int, units: int, room: int, *, anyhow: bool = False) -> bool:
        """Open windows until a tree may have `nodes` and `units`; False at a limit, which may not hold `anyhow`.

        `room` is how many units the arena has.
        """
        wanted = units - int(t.unit_count)
        if nodes > self.end:
            return False
        while int(t.unit_count) + wanted > self._end:
            start, end = self.windows.window(self._number + 1, self.turn)
            if end > room:
                return False
            self.had += int(t.unit_count) - self._start
            self._number, self._start, self._end = self._number + 1, start, end
            t.unit_count = start
        self.bound(t)
        size = nodes * node_bytes(t) + (int(t.unit_count) + wanted) * UNIT + 4 * int(t.index_size)
        return anyhow or size <= t.max_bytes

    def units(self, t: Any) -> int:
        """Units that a tree has had."""
        return self.had + int(t.unit_count) - self._start

    def taken(self, t: Any) -> int:
        """Units of these windows that a tree has taken."""
        return self.units(t) - self._before

    def spans(self, t: Any) -> Any:
        """The spans of numbers that a tree's nodes have."""
        return np.array([(self.first, int(t.node_count)), *self.grafted], np.int64)


def node_bytes(t: Any) -> int:
    """Bytes of a node and its state."""
    return NODE.itemsize + 8 * int(t.words)
