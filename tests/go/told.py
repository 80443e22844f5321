"""What the compiled features say of a game, and games from pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from boltree.core.native import plain_call
from boltree.go import Game
from boltree.go.board.points import move_name


def told(problem: Any, state: Any) -> tuple[Any, Any, float]:
    """The planes, the numbers and the worth of a win, compiled; the state must be as before."""
    state = np.asarray(state).reshape(1)
    before = state.tobytes()
    out = np.full(problem.features_shape, np.nan, np.float32)
    assert (
        plain_call(problem.address("features"), (problem.params_at, state.ctypes.data, out.ctypes.data, out.size)) == 0
    )
    assert state.tobytes() == before
    size = problem.plain_params.size
    return out[:-20].reshape(22, size, size), out[-20:-1], float(out[-1])


def pictured(picture: str, **options: Any) -> Game:
    """A game whose stones stand as in a picture: X is Black, O is White, lower-case letters mark empty points."""
    rows = [line.split() for line in picture.strip().splitlines()]
    points = {(r, c): rows[r][c] for r in range(len(rows)) for c in range(len(rows))}
    named = {s: [move_name(r * len(rows) + c, len(rows)) for (r, c), t in points.items() if t == s] for s in "XO"}
    return Game(len(rows), black=named["X"], white=named["O"], **options)


def stones_of(picture: str) -> dict[tuple[int, int], str]:
    """The stones of a picture, for the plain version."""
    rows = [line.split() for line in picture.strip().splitlines()]
    return {(r, c): "BW"["XO".index(s)] for r, row in enumerate(rows) for c, s in enumerate(row) if s in "XO"}


def marked(picture: str, mark: str) -> set[tuple[int, int]]:
    """The points with a mark in a picture."""
    rows = [line.split() for line in picture.strip().splitlines()]
    return {(r, c) for r, row in enumerate(rows) for c, s in enumerate(row) if s == mark}


def points_of(plane: Any) -> set[tuple[int, int]]:
    """Where a plane is 1; it must be 0 elsewhere."""
    assert set(np.unique(plane).tolist()) <= {0.0, 1.0}
    return {(int(r), int(c)) for r, c in np.argwhere(plane)}
