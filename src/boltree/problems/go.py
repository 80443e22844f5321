"""Go, on boards from 2x2 to 19x19."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ProblemError
from ..go.board.board import (
    BLACK,
    CAPACITIES,
    LARGEST,
    SMALLEST,
    WHITE,
    capacity_for,
    longest_game,
    neighbours_of,
    state_record,
    zobrist_of,
)
from ..go.board.features import features_size, fill_features
from ..go.board.picture import picture
from ..go.board.points import move_names
from ..go.board.rollouts import random_move
from ..go.board.rules import begin, is_legal, is_over, take_turn
from ..go.board.scoring import area_balance
from ..go.board.soundness import are_boards
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Board
from .checks import finite, whole

RULES = {"tromp-taylor": True, "no-suicide": False}
"""Names of rules, and whether they allow suicide. All have area scoring and positional superko."""


class Go(Problem):
    """Go with area scoring and positional superko: player 0 is Black; rewards are player 0's, and come at the end.

    Actions are points, row * size + column from the top, and size * size, the pass. Two passes end a game, and so does
    its longest length. The state is the whole board with its past boards' hashes, because superko depends on them.
    Rollouts play any move but suicide and filling an own eye.

    Args:
        size: of the board, 2 to 19.
        komi: White's points for moving second; half points exclude draws.
        rules: "tromp-taylor", which allows suicide of two stones or more, or "no-suicide", as in the paper.
        scale: the reward of a win, and minus that of a loss; the paper uses 100.
        horizon: moves after which a game is scored as it stands; 3 * size * size (but at least 50) if None.
        barred: moves that are left out, each as (player, action, n): before n moves of the game are played. Rollouts
            do not know of them. The pass stays where nothing else is left.

    Example:
        >>> import boltree as bt
        >>> problem = bt.problems.Go(size=5, komi=0.5)
        >>> problem.action_name(12), problem.actions
        ('C3', 26)
    """

    deterministic = True
    params = record(
        size="i4",
        points="i4",
        suicide="u1",
        limit="i4",
        komi="f8",
        scale="f8",
        neighbours="u2[:]",
        zobrist="u8[:]",
        barred="u2[:]",
    )

    def __new__(cls, size: int = 9, *_: Any, **__: Any) -> Go:
        if cls is not Go:
            return object.__new__(cls)
        return object.__new__(_LAYOUTS[capacity_for(whole("Go", "size", size, SMALLEST, LARGEST))])

    def __init__(
        self,
        size: int = 9,
        komi: float = 7.5,
        rules: str = "tromp-taylor",
        *,
        scale: float = 1.0,
        horizon: int | None = None,
        barred: Iterable[tuple[int, int, int]] = (),
    ) -> None:
        if rules not in RULES:
            raise ProblemError(f"Go: rules={rules!r}, must be one of {', '.join(map(repr, RULES))}")
        self._rules, self._komi, self._scale = rules, finite("Go", "komi", komi), finite("Go", "scale", scale)
        if not self._scale > 0.0:
            raise ProblemError(f"Go: scale={scale!r}, must be above 0")
        size = whole("Go", "size", size, SMALLEST, LARGEST)
        most = longest_game(capacity_for(size))
        limit = longest_game(size) if horizon is None else whole("Go", "horizon", horizon, 1, most)
        points = size * size
        self._barred = [(int(player), int(action), int(until)) for player, action, until in barred]
        self.action_names = move_names(size)
        self.features_shape = (features_size(size),)
        super().__init__(
            size=size,
            points=points,
            suicide=RULES[rules],
            limit=limit,
            komi=self._komi,
            scale=self._scale,
            neighbours=neighbours_of(size),
            zobrist=zobrist_of(size),
            barred=_bars(self._barred, points, most),
            actions=points + 1,
            horizon=limit,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        begin(params, state)

    @staticmethod
    def player(params, state):  # type: ignore[no-untyped-def]
        return state.player

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        colour, first = 1 + state.player, state.player * (params.points + 1)
        some = False
        for p in range(params.points):
            mask[p] = state.moves >= params.barred[first + p] and is_legal(params, state, p, colour)
            some |= mask[p]
        mask[params.points] = not some or state.moves >= params.barred[first + params.points]

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        return random_move(params, state, rng)

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        if action < 0 or action > params.points:
            raise ValueError("the action is out of range")
        if is_over(params, state):
            raise ValueError("the game is over")
        take_turn(params, state, action)
        if not is_over(params, state):
            return 0.0, False
        score = area_balance(params, state) - params.komi
        if score == 0.0:
            return 0.0, True
        return (params.scale if score > 0.0 else -params.scale), True

    @staticmethod
    def features(params, state, out):  # type: ignore[no-untyped-def]
        fill_features(params, state, out)

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        return picture(state)

    def scene(self) -> Board:
        size = int(self.plain_params.size)
        signs = {BLACK: "X", WHITE: "O"}

        def stones(state: Any) -> list[str]:
            letters = "".join(signs.get(int(colour), ".") for colour in state.colour[: size * size])
            return [letters[i : i + size] for i in range(0, size * size, size)]

        def place(state: Any, action: int) -> tuple[int, int] | None:
            return divmod(action, size) if action < size * size else None

        return Board(rows=size, columns=size, stones=stones, place=place, crossings=True)

    def as_state(self, given: Any) -> Any:
        """A state record; one of another board size is refused, although it may be laid out alike."""
        state = super().as_state(given)
        size = self.plain_params.size
        if state["width"] != size:
            raise ProblemError(f"Go: the state is of a board of size {state['width']}, must be {size}")
        return state

    def are_sound(self, states: Any) -> bool:
        """Whether states from a file are boards of this size."""
        return are_boards(states, int(self.plain_params.size), int(self.plain_params.limit))

    def __repr__(self) -> str:
        return f"Go({', '.join(f'{name}={value!r}' for name, value in self.recipe().items())})"

    def recipe(self) -> dict[str, Any]:
        recipe = {
            "size": self.plain_params.size,
            "komi": self._komi,
            "rules": self._rules,
            "scale": self._scale,
            "horizon": self.horizon,
        }
        return recipe | ({"barred": self._barred} if self._barred else {})


def _bars(barred: list[tuple[int, int, int]], points: int, most: int) -> Any:
    """By player and action, how many moves must have been played before it may be made."""
    table = np.zeros((2, points + 1), np.uint16)
    for player, action, until in barred:
        if player not in (0, 1) or not 0 <= action <= points or until < 0:
            raise ProblemError(f"Go: barred={(player, action, until)!r}, must be (0 or 1, 0 to {points}, at least 0)")
        table[player, action] = max(int(table[player, action]), min(until, most))
    return table.ravel()


# One class for each layout: a layout belongs to a class and is compiled once. One for all sizes would make a node on
# 9x9 five times as large; one for each of 18 sizes would compile each anew.


class GoUpTo9(Go):
    """Boards up to 9x9."""

    state = state_record(CAPACITIES[0])


class GoUpTo13(Go):
    """Boards up to 13x13."""

    state = state_record(CAPACITIES[1])


class GoUpTo19(Go):
    """Boards up to 19x19."""

    state = state_record(CAPACITIES[2])


_LAYOUTS: dict[int, type[Go]] = dict(zip(CAPACITIES, (GoUpTo9, GoUpTo13, GoUpTo19), strict=True))
for _layout in _LAYOUTS.values():
    _layout.__name__ = "Go"  # what a user made, and what messages and saved searches call it
