"""Positions late in a game of Connect Four, which a search can prove."""

from __future__ import annotations

import numpy as np

from ...errors import ProblemError
from ...exact.solve import solve
from ...problem.problem import Problem
from ...problems import ConnectFour
from .drawing import worth_deciding
from .horizons import LIMIT, triples

_CELLS, _STONES = 42, (22, 30)


def connect_four_ending(number: int) -> Problem:
    """A position after random moves in which neither player has won yet, and not all moves are worth the same."""
    rng = np.random.default_rng([number, 4])
    while True:
        moves = "".join(str(c) for c in rng.integers(0, 7, int(rng.integers(*_STONES))))
        try:
            problem = ConnectFour(moves, horizon=_CELLS - len(moves))
            solve(problem, max_states=LIMIT)
        except ProblemError:  # a full column, a game that is over, or too much to prove
            continue
        if triples(problem) <= LIMIT and worth_deciding(problem):
            return problem
