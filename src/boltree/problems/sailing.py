"""Sailing: across a lake in a changing wind (map and wind matrix of Appendix D.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.random import integer, uniform
from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Grid
from .checks import whole

DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
"""What the numbers 0..7 mean; a wind is named by where it blows to."""

WIND = np.array(
    [
        [0.4, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3],
        [0.4, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.4, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.4, 0.3, 0.3, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.4, 0.2, 0.4, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.4, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.4],
        [0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3],
    ]
)
"""``WIND[i, j]``: the probability that a wind i becomes j. Every row has three possible winds."""

_EAST = np.array([0, 1, 1, 1, 0, -1, -1, -1])
_SOUTH = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
_ARROWS = "↑↗→↘↓↙←↖"


class Sailing(Problem):
    """A boat goes from the lower left to the upper right corner of a square lake, one cell at a time.

    Directions are 0..7 = N, NE, E, SE, S, SW, W, NW; the wind is where it blows to. Moves off the lake and moves
    straight against the wind are illegal. A move costs 1 + tack (as a negative reward), where tack is the number of
    45 degree steps between it and the wind, 0..3. Then the wind changes by its row of `WIND`.

    The state's cell counts row by row from the upper left corner.

    Args:
        size: the lake has size x size cells.
        wind: the wind at the start: "N", "NE", ... or 0..7.
        horizon: steps until a trial is cut off.
    """

    state = record(cell="u2", wind="u1")
    params = record(
        successors="i4[:,:]",  # [cell, action]; -1 off the lake
        rewards="f8[:,:]",  # [wind, action]; 0 against the wind
        legal_count="u1[:,:]",  # [cell, wind]
        legal_moves="u1[:,:,:]",  # [cell, wind, k]: the legal moves in order
        winds="u1[:,:]",  # [wind, k]: the winds that may follow ...
        chances="f8[:,:]",  # ... with what probability ...
        sums="f8[:,:]",  # ... and these summed up to k
        size="i4",
        wind="i4",
    )
    actions = 8
    horizon = 50
    rewards = (-4.0, -1.0)
    action_names = DIRECTIONS

    def __init__(self, size: int = 6, wind: str | int = "SE", *, horizon: int = 50) -> None:
        size = whole("Sailing", "size", size, 2, 255)
        blowing = _direction(wind)
        rows, columns = np.divmod(np.arange(size * size), size)
        to_row, to_column = rows[:, None] + _SOUTH, columns[:, None] + _EAST
        inside = (to_row >= 0) & (to_row < size) & (to_column >= 0) & (to_column < size)
        turn = np.abs(np.arange(8)[:, None] - np.arange(8))
        tack = np.minimum(turn, 8 - turn)
        legal = inside[:, None, :] & (tack < 4)  # [cell, wind, action]
        winds = np.array([np.flatnonzero(row) for row in WIND])
        chances = np.take_along_axis(WIND, winds, axis=1)
        super().__init__(
            successors=np.where(inside, to_row * size + to_column, -1),
            rewards=np.where(tack < 4, -1.0 - tack, 0.0),
            legal_count=legal.sum(axis=2),
            legal_moves=np.argsort(~legal, axis=2, kind="stable"),
            winds=winds,
            chances=chances,
            sums=np.cumsum(chances, axis=1),
            size=size,
            wind=blowing,
            horizon=horizon,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.cell = params.size * (params.size - 1)
        state.wind = params.wind

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        for a in range(8):
            mask[a] = params.successors[state.cell, a] >= 0 and params.rewards[state.wind, a] != 0.0

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        k = integer(rng, params.legal_count[state.cell, state.wind])
        return np.int64(params.legal_moves[state.cell, state.wind, k])

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        wind = state.wind
        cell = params.successors[state.cell, action]
        reward = params.rewards[wind, action]
        if cell < 0 or reward == 0.0:
            raise ValueError("this move is illegal here")
        state.cell = cell
        if cell == params.size - 1:  # no wind blows at the goal: one outcome instead of three
            state.wind = 0
            return reward, True
        u = uniform(rng)
        k = 0
        while k < 2 and u >= params.sums[wind, k]:
            k += 1
        state.wind = params.winds[wind, k]
        return reward, False

    @staticmethod
    def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
        return 1 if params.successors[state.cell, action] == params.size - 1 else 3

    @staticmethod
    def outcomes(params, state, action, k):  # type: ignore[no-untyped-def]
        wind = state.wind
        cell = params.successors[state.cell, action]
        reward = params.rewards[wind, action]
        if cell < 0 or reward == 0.0:
            raise ValueError("this move is illegal here")
        state.cell = cell
        if cell == params.size - 1:
            state.wind = 0
            return 1.0, reward, True
        state.wind = params.winds[wind, k]
        return params.chances[wind, k], reward, False

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        cells = ["."] * (params.size * params.size)
        cells[params.size - 1] = "G"
        cells[state.cell] = "*"
        rows = [" ".join(cells[i : i + params.size]) for i in range(0, len(cells), params.size)]
        return "\n".join([*rows, f"wind {DIRECTIONS[state.wind]} {_ARROWS[state.wind]}"])

    def scene(self) -> Grid:
        size = int(self.plain_params.size)
        lake = ["." * size] * (size - 2)
        return Grid(
            rows=size,
            columns=size,
            cell=lambda state: divmod(state.cell, size),
            letters=["." * (size - 1) + "G", *lake, "S" + "." * (size - 1)],
            moves={a: (int(_SOUTH[a]), int(_EAST[a])) for a in range(8)},
        )

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {"size": p.size, "wind": DIRECTIONS[p.wind], "horizon": self.horizon}


def _direction(wind: Any) -> int:
    if isinstance(wind, str) and wind in DIRECTIONS:
        return DIRECTIONS.index(wind)
    if isinstance(wind, (int, np.integer)) and not isinstance(wind, bool) and 0 <= wind < 8:
        return int(wind)
    raise ProblemError(f"Sailing: wind={wind!r}, must be one of {', '.join(DIRECTIONS)}, or an integer from 0 to 7")
