"""Frozen Lake without slipping: the three maps of Appendix D.1, or one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Grid
from .checks import whole

MAPS: dict[str, tuple[str, ...]] = {
    "8x8": (
        "SFFFFFHF",
        "FFFFFFFF",
        "FHFHFFFF",
        "FFFFFFHH",
        "FFFHFFFF",
        "FHHHFFFF",
        "FFFFFHFF",
        "FFFFFFFG",
    ),
    "8x12": (
        "SFHFFFHFFFFF",
        "FFFFFFFHFFFF",
        "HFFFFFHFFFFF",
        "FHFFHFFFFFFF",
        "HHFFFFFFFFFF",
        "FHFFFFHFFFFF",
        "FHFFFHHFHFFF",
        "FFFFFFFFFHHG",
    ),
    "8x12-test": (
        "SFHFFFFFFFHF",
        "FFFFFFFFFFFF",
        "FHFFFFHFFFFF",
        "FFFHFFFFFFHF",
        "FFFFFFFFFFFF",
        "FFFFHFFFHFFF",
        "FFHFFFFFFFFH",
        "FFFFFFFFFFFG",
    ),
}
"""The maps of the paper: "8x12" is the one for tuning."""

FADING = 0.99
LONGEST = 65535  # what the state's u2 fields can count
FLOOR, HOLE, GOAL = 0, 1, 2
_KINDS = {"S": FLOOR, "F": FLOOR, "H": HOLE, "G": GOAL}


class FrozenLake(Problem):
    """A lake to cross: holes (H) end a trial with 0, arriving at the goal (G) after t steps pays 0.99**t.

    Moves are 0 left, 1 down, 2 right, 3 up and always succeed, except that the map's edge keeps you in place. The time
    is part of the state, because it decides what the goal pays.

    Args:
        map: "8x8", "8x12" or "8x12-test" (the paper's), or rows of the letters S, F, H, G: a list, or one text with
            line breaks.
        horizon: steps until a trial is cut off.
    """

    state = record(cell="u2", t="u2")
    params = record(successors="u2[:,:]", kinds="u1[:]", discounts="f8[:]", start="i4", width="i4")
    actions = 4
    horizon = 100
    deterministic = True
    rewards = (0.0, 1.0)
    action_names = ("left", "down", "right", "up")

    def __init__(self, map: str | Sequence[str] = "8x12-test", *, horizon: int = 100) -> None:
        horizon = whole("FrozenLake", "horizon", horizon, 1, LONGEST)
        rows = _rows_of(map)
        height, width = len(rows), len(rows[0])
        cells = np.arange(height * width).reshape(height, width)
        y, x = np.divmod(cells.ravel(), width)
        moves = [
            cells[y, np.maximum(x - 1, 0)],
            cells[np.minimum(y + 1, height - 1), x],
            cells[y, np.minimum(x + 1, width - 1)],
            cells[np.maximum(y - 1, 0), x],
        ]
        letters = "".join(rows)
        self._map: str | list[str] = map if isinstance(map, str) and map in MAPS else list(rows)
        super().__init__(
            successors=np.stack(moves, axis=1),
            kinds=[_KINDS[letter] for letter in letters],
            discounts=[FADING**t for t in range(horizon + 1)],
            start=letters.index("S"),
            width=width,
            horizon=horizon,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.cell = params.start
        state.t = 0

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        cell = params.successors[state.cell, action]
        t = np.int64(state.t) + (1 if state.t < LONGEST else 0)
        state.cell = cell
        state.t = t
        kind = params.kinds[cell]
        if kind == GOAL:  # beyond the table where a receding horizon let time go on
            return (params.discounts[t] if t < params.discounts.size else FADING**t), True
        return 0.0, kind == HOLE

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        letters = ["FHG"[kind] for kind in params.kinds]
        letters[params.start] = "S"
        letters[state.cell] = "*"
        rows = ["".join(letters[i : i + params.width]) for i in range(0, len(letters), params.width)]
        return "\n".join([*rows, f"t={state.t}"])

    def scene(self) -> Grid:
        rows = _rows_of(self._map)
        width = len(rows[0])
        return Grid(
            rows=len(rows),
            columns=width,
            cell=lambda state: divmod(state.cell, width),
            letters=[row.replace("F", ".") for row in rows],
            solid="H",
            moves={0: (0, -1), 1: (1, 0), 2: (0, 1), 3: (-1, 0)},
            legend={"S": "start", "G": "goal", "H": "hole, which ends a trial with 0"},
        )

    def __repr__(self) -> str:
        return f"FrozenLake({self._map!r}, horizon={self.horizon})"

    def recipe(self) -> dict[str, Any]:
        return {"map": self._map, "horizon": self.horizon}


def _rows_of(given: Any) -> tuple[str, ...]:
    """The checked rows of a map given by its name, as one text, or as rows."""
    names = ", ".join(repr(name) for name in MAPS)
    allowed = f"must be {names}, or rows of the letters S, F, H, G"
    if isinstance(given, str):
        if given in MAPS:
            return MAPS[given]
        rows = [line.strip() for line in given.strip().splitlines()]
        if len(rows) < 2 and not set(given.strip()) <= set(_KINDS):
            raise ProblemError(f"FrozenLake: map={given!r}, {allowed}")
    elif isinstance(given, Sequence) and all(isinstance(row, str) for row in given):
        rows = list(given)
    else:
        raise ProblemError(f"FrozenLake: map={given!r}, {allowed}")
    if not rows or not rows[0]:
        raise ProblemError(f"FrozenLake: map={given!r} is empty, {allowed}")
    starts = []
    for r, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ProblemError(
                f"FrozenLake: map row {r} is {row!r} with {len(row)} letters, must have {len(rows[0])} like row 1"
            )
        for c, letter in enumerate(row, 1):
            if letter not in _KINDS:
                raise ProblemError(f"FrozenLake: map row {r}, column {c} is {letter!r}, must be S, F, H or G")
            if letter == "S":
                starts.append(f"row {r}, column {c}")
    if len(starts) != 1:
        found = "none" if not starts else f"{len(starts)} ({'; '.join(starts)})"
        raise ProblemError(f"FrozenLake: map must have exactly one S, it has {found}")
    if not any("G" in row for row in rows):
        raise ProblemError("FrozenLake: map must have at least one G, it has none")
    if len(rows) * len(rows[0]) > LONGEST:
        raise ProblemError(f"FrozenLake: map has {len(rows) * len(rows[0])} cells, must have at most {LONGEST}")
    return tuple(rows)
