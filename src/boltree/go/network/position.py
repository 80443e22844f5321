"""One game's position as a network sees it, and what a network says of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.native import FAILED, plain_call
from ...errors import ParameterError
from .layers import Floats, Reals

if TYPE_CHECKING:
    from ..game import Game


class Evaluation(NamedTuple):
    """What a network says of K positions, from the side to move."""

    policy: Reals  # [K, n² + 1], 0 where illegal; row by row from the top, the pass last
    win: Reals  # [K], the probability to win
    value: Reals  # [K], P(win) − P(loss)
    lead: Reals  # [K], points ahead
    score: Reals  # [K], points ahead at the end, expected
    ownership: Reals  # [K, n, n], 1 where the side to move will own a point, −1 the other


class Answer(NamedTuple):
    """What a network says of one position."""

    policy: NDArray[np.float64]  # [n² + 1], 0 where illegal; row by row from the top, the pass last
    white_win: float
    white_lead: float
    white_ownership: NDArray[np.float64]  # [n, n], 1 where White will own a point, −1 where Black will


def features_of(game: Game) -> tuple[Floats, NDArray[np.bool_]]:
    """The row of features of a game's position, ``[1, ...]``, and its mask of legal moves, ``[1, n² + 1]``."""
    problem, state = game.problem, np.asarray(game.state).reshape(1)
    features = np.zeros((1, *problem.features_shape), np.float32)
    arguments = (problem.params_at, state.ctypes.data, features.ctypes.data, features.size)
    if plain_call(problem.address("features"), arguments) == FAILED:
        raise ParameterError(f"{game!r}: its features cannot be computed")
    legal = np.zeros((1, problem.actions), np.bool_)
    legal[0, problem.legal_actions(state[0])] = True
    return features, legal


def answer_of(found: Evaluation, worth: float) -> Answer:
    """The first position of an evaluation, with numbers for White; `worth` is below 0 when White is to move."""
    side = 1.0 if worth < 0 else -1.0
    white_win = (1.0 + side * float(found.value[0])) / 2.0
    return Answer(found.policy[0], white_win, side * float(found.lead[0]), side * found.ownership[0])
