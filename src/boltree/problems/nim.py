"""Nim: take matches from heaps; who takes the last one loses, or wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.random import integer
from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Board
from .checks import whole

MOST_HEAPS, LARGEST_HEAP = 7, 255
"""Limits: the heaps and who moves are one 64-bit word."""


class Nim(Problem):
    """Nim: players take one match or more from one heap in turn; rewards are player 0's: +1 for a win, -1 for a loss.

    Player 0 begins. It is OpenSpiel's `nim`. Action (n - 1) * number of heaps + heap takes n matches from a heap. The
    state is what is left of each heap, and who moves.

    Args:
        heaps: matches of each heap at the start: 1 to 7 heaps of 1 to 255.
        misere: who takes the last match loses; if False, that player wins.
        horizon: steps until a game is cut off; a whole game if None.

    Example:
        >>> import boltree as bt
        >>> bt.solve(bt.problems.Nim((3, 5, 6))).root_value, bt.solve(bt.problems.Nim((3, 5, 7))).root_value
        (-1.0, 1.0)
    """

    state = record(heaps="u1[7]", player="u1")
    params = record(heaps="u1[:]", misere="u1")
    deterministic = True

    def __init__(self, heaps: Sequence[int] = (1, 3, 5, 7), misere: bool = True, *, horizon: int | None = None) -> None:
        if isinstance(heaps, str) or not isinstance(heaps, (Sequence, np.ndarray)) or not 1 <= len(heaps) <= MOST_HEAPS:
            raise ProblemError(
                f"Nim: heaps={heaps!r}, must be 1 to {MOST_HEAPS} numbers of matches, such as (1, 3, 5, 7)"
            )
        if not isinstance(misere, (bool, np.bool_)):
            raise ProblemError(f"Nim: misere={misere!r}, must be True or False")
        counts = [whole("Nim", f"heaps[{i}]", heap, 1, LARGEST_HEAP) for i, heap in enumerate(heaps)]
        n, largest = len(counts), max(counts)
        self.action_names = tuple(f"heap {a % n + 1}: take {a // n + 1}" for a in range(n * largest))
        super().__init__(
            heaps=counts,
            misere=misere,
            actions=n * largest,
            horizon=sum(counts) if horizon is None else horizon,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        for i in range(7):
            state.heaps[i] = params.heaps[i] if i < len(params.heaps) else 0
        state.player = 0

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return state.player

    @staticmethod
    def bounds(params, state):  # type: ignore[no-untyped-def]
        return -1.0, 1.0

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        a, take = 0, 1
        while a < len(mask):
            for heap in range(len(params.heaps)):
                mask[a] = state.heaps[heap] >= take
                a += 1
            take += 1

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        left = np.int64(0)
        for heap in range(len(params.heaps)):
            left += np.int64(state.heaps[heap])
        k = integer(rng, left)  # there are as many moves as matches left
        for heap in range(len(params.heaps)):
            if k < np.int64(state.heaps[heap]):
                return k * len(params.heaps) + heap
            k -= np.int64(state.heaps[heap])
        raise ValueError("no match is left")

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        n = len(params.heaps)
        heap, take = action % n, action // n + 1
        if np.int64(state.heaps[heap]) < take:
            raise ValueError("this heap has fewer matches")
        state.heaps[heap] = np.int64(state.heaps[heap]) - take
        player = np.int64(state.player)
        state.player = 1 - player
        for other in range(n):
            if state.heaps[other] != 0:
                return 0.0, False
        return (1.0 if (player == 0) != (params.misere != 0) else -1.0), True

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        heaps = [int(state.heaps[i]) for i in range(len(params.heaps))]
        lines = [f"{i}: {'| ' * heap}({heap})" for i, heap in enumerate(heaps, 1)]
        if any(heaps):
            word = f"player {state.player} to move"
        else:
            word = f"player {state.player if params.misere else 1 - state.player} has won"
        return "\n".join([*lines, word])

    def scene(self) -> Board:
        heaps = self.plain_params.heaps.tolist()
        n, longest = len(heaps), max(heaps)

        def stones(state: Any) -> list[str]:
            return [("|" * int(state.heaps[i])).ljust(longest, ".") for i in range(n)]

        def place(state: Any, action: int) -> tuple[int, int]:
            return action % n, int(state.heaps[action % n]) - action // n - 1

        return Board(rows=n, columns=longest, stones=stones, place=place)

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {"heaps": p.heaps.tolist(), "misere": bool(p.misere), "horizon": self.horizon}
