"""Kalah, the best known game of the mancala family: seeds are sown around a ring of houses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Board
from .checks import whole

MOST_HOUSES, MOST_SEEDS = 6, 20
"""Limits: a pit is one byte, and all seeds may come to lie in one."""


class Kalah(Problem):
    """Kalah: who has more seeds in the end wins; rewards are player 0's: +1 for a win, -1 for a loss, 0 for a draw.

    A move takes all seeds of one of the player's own houses and sows them one by one into the next pits around the
    board, into the player's own store but not into the other player's. If the last seed falls into the own store, the
    same player moves again. If it falls into an empty house of the player's and there are seeds in the house opposite,
    it and those go into the player's store. When one side has no seeds left in its houses, the game is over, and each
    player counts the seeds in the own store and houses. With 6 houses and 4 seeds it is OpenSpiel's `mancala`.

    Action a sows house a of the player to move, 0 farthest from the own store. The state has the pits in the order of
    sowing: player 0's houses and store, then player 1's; and who moves.

    Args:
        houses: of each player, 1 to 6.
        seeds: in each house at the start, 1 to 20.
        horizon: steps until a game is cut off, with 0; 1000 is far more than games have.

    Example:
        >>> import boltree as bt
        >>> bt.solve(bt.problems.Kalah(houses=3, seeds=1)).root_value
        0.0
    """

    state = record(pits="u1[14]", player="u1")
    params = record(houses="i4", seeds="i4")
    deterministic = True

    def __init__(self, houses: int = 6, seeds: int = 4, *, horizon: int = 1000) -> None:
        houses = whole("Kalah", "houses", houses, 1, MOST_HOUSES)
        seeds = whole("Kalah", "seeds", seeds, 1, MOST_SEEDS)
        self.action_names = tuple(f"house {a + 1}" for a in range(houses))
        super().__init__(houses=houses, seeds=seeds, actions=houses, horizon=horizon)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        store = params.houses
        for i in range(14):
            is_house = i != store and i <= 2 * store
            state.pits[i] = params.seeds if is_house else 0
        state.player = 0

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return state.player

    @staticmethod
    def bounds(params, state):  # type: ignore[no-untyped-def]
        return -1.0, 1.0

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        first = np.int64(state.player) * (params.houses + 1)
        for a in range(len(mask)):
            mask[a] = state.pits[first + a] != 0

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        houses, player = params.houses, np.int64(state.player)
        first = player * (houses + 1)  # the pits of the player to move: these houses, then the store
        store = first + houses
        left_out = (1 - player) * (houses + 1) + houses
        pit = first + action
        seeds = np.int64(state.pits[pit])
        if action < 0 or action >= houses or seeds == 0:
            raise ValueError("this house is empty")
        state.pits[pit] = 0
        for _ in range(seeds):
            pit += 1
            if pit == left_out:
                pit += 1
            if pit >= 2 * houses + 2:
                pit = 0
            state.pits[pit] = np.int64(state.pits[pit]) + 1
        if first <= pit < store and state.pits[pit] == 1:
            opposite = 2 * houses - pit
            if state.pits[opposite] != 0:
                state.pits[store] = np.int64(state.pits[store]) + np.int64(state.pits[opposite]) + 1
                state.pits[pit] = 0
                state.pits[opposite] = 0
        if pit != store:
            state.player = 1 - player
        mine, theirs = np.int64(0), np.int64(0)
        for i in range(houses):
            mine += np.int64(state.pits[i])
            theirs += np.int64(state.pits[houses + 1 + i])
        if mine != 0 and theirs != 0:
            return 0.0, False
        lead = mine + np.int64(state.pits[houses]) - theirs - np.int64(state.pits[2 * houses + 1])
        return (1.0 if lead > 0 else -1.0 if lead < 0 else 0.0), True

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        upper, lower, stores = _sides(state, params.houses)
        wide = " " * 4
        lines = [wide + "".join(f"{n:4d}" for n in upper), f"{stores[1]:4d}" + wide * len(upper) + f"{stores[0]:4d}"]
        lines.append(wide + "".join(f"{n:4d}" for n in lower))
        if sum(upper) and sum(lower):
            word = f"player {state.player} to move"
        else:
            lead = sum(lower) + stores[0] - sum(upper) - stores[1]
            word = "draw" if lead == 0 else f"player {0 if lead > 0 else 1} has won"
        return "\n".join([*lines, word])

    def scene(self) -> Board:
        houses = int(self.plain_params.houses)

        def stones(state: Any) -> list[str]:
            upper, lower, stores = _sides(state, houses)
            rows = ((0, *upper, 0), (stores[1], *[0] * houses, stores[0]), (0, *lower, 0))
            return ["".join(map(_digit, row)) for row in rows]

        def place(state: Any, action: int) -> tuple[int, int]:
            return (2, 1 + action) if state.player == 0 else (0, houses - action)

        return Board(rows=3, columns=houses + 2, stones=stones, place=place)

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {"houses": p.houses, "seeds": p.seeds, "horizon": self.horizon}


def _sides(state: Any, houses: int) -> tuple[list[int], list[int], tuple[int, int]]:
    """Player 1's houses as they lie on the far side of the board, player 0's, and both stores."""
    pits = [int(seeds) for seeds in state.pits]
    return pits[2 * houses : houses : -1], pits[:houses], (pits[houses], pits[2 * houses + 1])


def _digit(seeds: int) -> str:
    """A number of seeds as one character: 1 to 9, then a for 10, b for 11, ..., and + from 36 on."""
    return ".123456789abcdefghijklmnopqrstuvwxyz"[seeds] if seeds < 36 else "+"
