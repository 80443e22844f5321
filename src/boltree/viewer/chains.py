"""The picture of a chain: how far along it trials get, where they leave, and when one first reaches the far end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import is_whole
from ..core.random import new_generator
from ..errors import ProblemError
from ..messages import shortened
from ..problem.scene import Chain
from ..problem.state import PlainState
from ..search.search import Search
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
    proven: NDArray[np.bool_]
    """Whether the state's value is proven."""


def place_of(search: Search, chain: Chain, state: Any) -> int:
    """A state's place on the chain, 1..D+1; NOWHERE off it."""
    position = chain.position(state)
    if position is None:
        return NOWHERE
    if not is_whole(position):
        name = type(search.problem).__name__
        raise ProblemError(
            f"{name}.scene: position of {shortened(state)}: {position!r}, must be a whole number, or None off the chain"
        )
    return int(position) if 1 <= position <= chain.length + 1 else NOWHERE


def check_chain(search: Search, chain: Chain) -> None:
    """Walk along the chain from the root, and refuse a problem that is not the chain its scene says it is."""
    problem, rng = search.problem, new_generator(0)
    where = f"{type(problem).__name__}.scene: bt.Chain"
    if not 0 <= chain.forward < problem.actions:
        raise ProblemError(f"{where}: forward={chain.forward!r} is none of its actions, 0 to {problem.actions - 1}")
    here = np.asarray(search.root.state_record).reshape(1).copy()
    place = place_of(search, chain, search.root.state)
    for at in range(place, min(chain.length, LONGEST) + 1) if place != NOWHERE else ():
        following = here
        for action in problem.legal_actions(here[0]):
            after = PlainState(here.copy())
            reward, done = problem.plain_step(after, action, rng)
            on = action == chain.forward
            last = on and at == chain.length
            wanted = (
                at + 1 if on else NOWHERE,
                (chain.final_reward if last else 0.0) if on else chain.rewards[at - 1],
                last or not on,
            )
            found = (place_of(search, chain, problem.present(after.memory[0])), reward, done)
            if found[0] != wanted[0] or not math.isclose(found[1], wanted[1], abs_tol=1e-9) or found[2] != wanted[2]:
                raise ProblemError(
                    f"{where}: action {action} at state {at} {_said(*found)}, must be one that {_said(*wanted)}; a "
                    "row of states with other rules is drawn by bt.Grid(rows=1, ...)"
                )
            if on:
                following = after.memory
        here = following


def _said(place: int, reward: float, done: bool) -> str:
    to = "leaves the chain" if place == NOWHERE else f"goes to {place}"
    return f"{to}, pays {reward:.4g} and {'ends' if done else 'does not end'}"


class ChainPainter(Painter):
    """Counts how often trials come to each state of a chain, and leave there."""

    def __init__(self, search: Search, chain: Chain) -> None:
        super().__init__(search)
        self.chain = chain
        self.steps = chain.length + 1  # the recommended line is judged by where it leaves
        check_chain(search, chain)
        self.start = self._place_of(search.root.state)
        """The root's state."""
        self.began = search.trials
        self.first: int | None = None
        """Trials when the far end was first seen to be reached; `began` if that was before the recording."""
        self.passages: list[Passage] = []
        self._places = Places(search, self._place_of)
        self.glance()

    def _place_of(self, state: Any) -> int:
        return place_of(self.search, self.chain, state)

    @property
    def wants_glances(self) -> bool:
        """Whether the far end has not been reached yet, so that it is looked for between moments."""
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
        found = gather(seen, self._places, self.search.horizon)
        visits, value, action = np.zeros(length + 1, np.int64), np.full(length, np.nan), np.full(length, -1)
        visits[found.places - 1] = found.visits
        inside = found.places <= length
        value[found.places[inside] - 1], action[found.places[inside] - 1] = found.value[inside], found.action[inside]
        proven = np.zeros(length, bool)
        proven[found.places[inside] - 1] = ((found.nodes > 0) & (found.proven == found.nodes))[inside]
        slots = self._places.of_node
        off = np.flatnonzero((slots == NOWHERE) & (seen.parent >= 0))
        before = slots[seen.parent[off]]
        at = found.places[before[before != NOWHERE]]
        left = np.bincount(at, seen.visits[off][before != NOWHERE], length + 2)[1 : length + 1].astype(np.int64)
        self.passages.append(Passage(self.search.trials, visits, left, value, action, proven))

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
            | ({"proven": [passage.proven.tolist() for passage in painter.passages]} if painter.search.proofs else {})
            for painter in painters
        ]
