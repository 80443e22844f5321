"""Sailing as a yardstick has it: every action is allowed, and one that cannot be done leaves the boat in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.random import uniform
from ..problem.problem import Problem
from ..problem.record import record
from ..problems.sailing import WIND

SIZE, SOUTH_EAST = 6, 3
_EAST = np.array([0, 1, 1, 1, 0, -1, -1, -1])
_SOUTH = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
_COSTS = np.array([1.0, 2.0, 3.0, 4.0, 4.0])


class SailingInPlace(Problem):
    """A boat goes from the lower left to the upper right corner of a square lake, by any of eight directions.

    Off the lake and straight against the wind it stays where it is; the wind changes as in `Sailing`.
    """

    state = record(place="i8")  # 8 times the cell, plus the wind
    params = record(sums="f8[:,:]", east="i8[:]", south="i8[:]", costs="f8[:]")
    actions = 8
    horizon = 50
    rewards = (-4.0, -1.0)

    def __init__(self) -> None:
        super().__init__(sums=np.cumsum(WIND, axis=1), east=_EAST, south=_SOUTH, costs=_COSTS)

    @staticmethod
    def start(params: Any, state: Any, rng: Any) -> None:
        """The lower left corner."""
        state.place = 8 * SIZE * (SIZE - 1) + SOUTH_EAST

    @staticmethod
    def step(params: Any, state: Any, action: int, rng: Any) -> tuple[float, bool]:
        """Sail, and let the wind change."""
        wind, cell = state.place & 7, state.place >> 3
        row, column = cell // SIZE, cell % SIZE
        turn = abs(action - wind)
        if turn > 4:
            turn = 8 - turn
        if turn < 4:
            to_row, to_column = row + params.south[action], column + params.east[action]
            if to_row >= 0 and to_row < SIZE and to_column >= 0 and to_column < SIZE:
                row, column = to_row, to_column
        u = uniform(rng)
        following = 0
        while following < 7 and u >= params.sums[wind, following]:
            following += 1
        state.place = 8 * (row * SIZE + column) + following
        return -params.costs[turn], row == 0 and column == SIZE - 1
