"""Where a problem starts: in one state, or in one of several with their probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.random import new_generator
from ..problem.problem import Problem

DRAWN_STARTS = 1_000
"""How often a random start is drawn, where the problem does not list where it may start."""


@dataclass(frozen=True)
class Starts:
    """The states that a problem starts in.

    Attributes:
        states: their records, each once.
        chances: their probabilities.
        drawn: whether these are the shares of `DRAWN_STARTS` draws.
    """

    states: list[Any]
    chances: NDArray[np.float64]
    drawn: bool = False


def starts_of(problem: Problem) -> Starts:
    """All states that a problem may start in, as it lists them; else those that it was seen to start in."""
    listed = problem.listed_starts()
    if listed is not None:
        states = [problem.as_state(state) for _, state in listed]
        return Starts(states, np.array([chance for chance, _ in listed]))
    rng = new_generator(0)
    before = rng.copy()
    found = [problem.plain_start(rng)]
    if (rng == before).all():  # it drew no number
        return Starts(found, np.ones(1))
    found += [problem.plain_start(rng) for _ in range(DRAWN_STARTS - 1)]
    each: dict[bytes, list[Any]] = {}
    for state in found:
        each.setdefault(state.tobytes(), []).append(state)
    chances = np.array([len(same) for same in each.values()]) / len(found)
    return Starts([same[0] for same in each.values()], chances, drawn=len(each) > 1)
