"""Where the nodes of a search lie in a picture, and what is gathered there: visits, values, recommended actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..search.search import Search
from ..tree.survey import Survey, distinct_states

NOWHERE = -1


class Places:
    """A place for each node of a search, by a function of its state; known states are not asked for again."""

    def __init__(self, search: Search, place_of: Callable[[Any], int]) -> None:
        self._search, self._place_of = search, place_of
        self._known: dict[bytes, int] = {}
        self._slots: dict[int, int] = {}
        self.of_node: NDArray[np.int64] = np.zeros(0, np.int64)
        """For each node, which of `distinct` its place is; -1 for nowhere."""

    @property
    def distinct(self) -> NDArray[np.int64]:
        """The places seen so far, in the order in which they were."""
        return np.fromiter(self._slots, np.int64, len(self._slots))

    def update(self) -> None:
        """Place the nodes made since the last update."""
        states, which = distinct_states(self._search.tree, first=self.of_node.size)
        new = np.array([self._slot_of(state) for state in states], np.int64)
        self.of_node = np.concatenate([self.of_node, new[which]])

    def _slot_of(self, state: Any) -> int:
        key = state.tobytes()
        found = self._known.get(key)
        if found is None:
            place = self._place_of(self._search.problem.present(state))
            found = NOWHERE if place == NOWHERE else self._slots.setdefault(place, len(self._slots))
            self._known[key] = found
        return found


@dataclass(frozen=True)
class Gathered:
    """What lies at each place that was seen: N summed over its nodes, their mean V, the action most recommended."""

    places: NDArray[np.int64]
    visits: NDArray[np.int64]
    value: NDArray[np.float64]
    """Weighted by visits; NaN where the problem always ended."""
    action: NDArray[np.int64]
    """Weighted by visits, the lowest of equals; -1 where no action was tried."""
    nodes: NDArray[np.int64]
    """The nodes there at which an action was to be chosen."""
    proven: NDArray[np.int64]
    """How many of them are proven."""


def gather(survey: Survey, places: Places, horizon: int) -> Gathered:
    """Gather all nodes at their places; at the horizon of the search no action is chosen any more."""
    here = places.of_node != NOWHERE
    slots, visits = places.of_node[here], survey.visits[here]
    found = places.distinct
    weights = np.where(survey.terminal[here], 0, visits)
    weight = np.bincount(slots, weights, found.size)
    total = np.bincount(slots, weights * survey.value[here], found.size)
    with np.errstate(invalid="ignore"):
        value = total / weight
    acting = ~survey.terminal[here] & (survey.depth[here] < horizon)
    return Gathered(
        places=found,
        visits=np.bincount(slots, visits, found.size).astype(np.int64),
        value=value,
        action=_most_recommended(slots, survey.recommended[here], visits, found.size),
        nodes=np.bincount(slots[acting], minlength=found.size),
        proven=np.bincount(slots[acting & survey.proven[here]], minlength=found.size),
    )


def _most_recommended(
    slots: NDArray[np.int64], actions: NDArray[np.int64], visits: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """The action with the most visits behind its recommendations, at each place."""
    tried = np.flatnonzero(actions >= 0)
    kinds, which = np.unique(actions[tried], return_inverse=True)
    best, most = np.full(size, -1, np.int64), np.zeros(size)
    for kind, action in enumerate(kinds):
        chosen = tried[which == kind]
        support = np.bincount(slots[chosen], visits[chosen], size)
        better = support > most
        best[better], most[better] = action, support[better]
    return best
