"""Where the nodes of a search lie in a picture, and what is gathered there: visits, values, recommended actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..search import Search
from ..survey import Survey, distinct_states

NOWHERE = -1


class Places:
    """A number for each node of a search, by a function of its state; known nodes are not asked for again."""

    def __init__(self, search: Search, place_of: Callable[[Any], int]) -> None:
        self._search, self._place_of = search, place_of
        self._known: dict[bytes, int] = {}
        self.all: NDArray[np.int64] = np.zeros(0, np.int64)

    def update(self) -> NDArray[np.int64]:
        """The places of the nodes made since the last update."""
        states, which = distinct_states(self._search, first=self.all.size)
        new = np.array([self._of(state) for state in states], np.int64)[which]
        self.all = np.concatenate([self.all, new])
        return new

    def _of(self, state: Any) -> int:
        key = state.tobytes()
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._place_of(self._search.problem.present(state))
        return found


@dataclass(frozen=True)
class Gathered:
    """What lies at each place that has a visit: N summed over its nodes, their mean V, the action most recommended."""

    places: NDArray[np.int64]
    visits: NDArray[np.int64]
    value: NDArray[np.float64]
    """Weighted by visits; NaN where the problem always ended."""
    action: NDArray[np.int64]
    """Weighted by visits; -1 where no action was tried."""


def gather(survey: Survey, places: NDArray[np.int64]) -> Gathered:
    """Gather all nodes at their places."""
    here = np.flatnonzero((places != NOWHERE) & (survey.visits > 0))
    found, which = np.unique(places[here], return_inverse=True)
    visits = survey.visits[here]
    going = ~survey.terminal[here]
    weight = np.bincount(which[going], visits[going], found.size)
    total = np.bincount(which[going], visits[going] * survey.value[here][going], found.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = total / weight
    return Gathered(
        places=found,
        visits=np.bincount(which, visits, found.size).astype(np.int64),
        value=value,
        action=_most_recommended(which, survey.recommended[here], visits, found.size),
    )


def _most_recommended(
    which: NDArray[np.int64], action: NDArray[np.int64], visits: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """The action with the most visits behind its recommendations, at each place; the lowest of equals."""
    tried = action >= 0
    width = int(action.max(initial=0)) + 1
    pairs, of_pair = np.unique(which[tried] * width + action[tried], return_inverse=True)
    support = np.bincount(of_pair, visits[tried], pairs.size)
    best = np.full(size, -1, np.int64)
    order = np.lexsort((-pairs, support))  # the last one written stays
    best[pairs[order] // width] = pairs[order] % width
    return best
