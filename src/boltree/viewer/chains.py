"""The picture of a chain: how far along it trials get, where they leave, and when one first reaches the far end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..scenes import Chain
from ..search import Search
from ..web.page import numbers
from .painter import Painter
from .places import NOWHERE, Places, gather

LONGEST = 200
"""A longer chain is not drawn; what happened on it is still told."""


@dataclass(frozen=True)
class Passage:
    """A moment of a chain. All arrays begin with state 1; `visits` ends with the far end."""

    trials: int
    visits: NDArray[np.int64]
    left: NDArray[np.int64]
    """How often trials left the chain at each state."""
    value: NDArray[np.float64]
    action: NDArray[np.int64]
    """The recommended actions, -1 where none was tried."""


class ChainPainter(Painter):
    """Counts how often trials come to each state of a chain, and leave there."""

    def __init__(self, search: Search, chain: Chain) -> None:
        super().__init__(search)
        self.chain = chain
        self.steps = chain.length + 1  # the recommended line is judged by where it leaves
        self.start = self._place_of(search.root.state)
        """The root's state."""
        self.began = search.trials
        self.first: int | None = None
        """The first trial that reached the far end, as far as it was looked at; `began` if it was before that."""
        self.passages: list[Passage] = []
        self._places = Places(search, self._place_of)
        self.glance()

    def _place_of(self, state: Any) -> int:
        position = self.chain.position(state)
        return int(position) if position is not None and 1 <= position <= self.chain.length + 1 else NOWHERE

    @property
    def impatient(self) -> bool:
        """Until the far end is reached, so as to know when."""
        return self.first is None

    def glance(self) -> None:
        """See whether the far end has been reached."""
        if self.search.size > self._places.of_node.size:
            self._places.update()
            if self.first is None and self.chain.length + 1 in self._places.distinct:
                self.first = self.search.trials

    def note(self) -> None:
        """Count visits, and leavings: nodes off the chain, at their parents' places."""
        self.glance()
        seen, length = self.search.survey(), self.chain.length
        found = gather(seen, self._places)
        visits, value, action = np.zeros(length + 1, np.int64), np.full(length, np.nan), np.full(length, -1)
        visits[found.places - 1] = found.visits
        inside = found.places <= length
        value[found.places[inside] - 1], action[found.places[inside] - 1] = found.value[inside], found.action[inside]
        slots = self._places.of_node
        off = np.flatnonzero((slots == NOWHERE) & (seen.parent >= 0))
        before = slots[seen.parent[off]]
        at = found.places[before[before != NOWHERE]]
        left = np.bincount(at, seen.visits[off][before != NOWHERE], length + 2)[1 : length + 1].astype(np.int64)
        self.passages.append(Passage(self.search.trials, visits, left, value, action))

    @classmethod
    def page(cls, painters: Sequence[ChainPainter]) -> tuple[dict[str, Any] | None, list[Any]]:
        """The chain with its rewards, and the counts at each moment."""
        chain = painters[0].chain
        if chain.length > LONGEST:
            return super().page(painters)
        scene = {
            "kind": "chain",
            "rewards": numbers(chain.rewards, 4),
            "final": float(chain.final_reward),
            "forward": int(chain.forward),
        }
        return scene, [
            {
                "visits": [passage.visits.tolist() for passage in painter.passages],
                "left": [passage.left.tolist() for passage in painter.passages],
                "value": [numbers(passage.value, 4) for passage in painter.passages],
                "action": [passage.action.tolist() for passage in painter.passages],
            }
            for painter in painters
        ]
