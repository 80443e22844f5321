"""How a game is expected to end: who owns each point, and the lead; by a network or by random games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.native import FAILED, plain_call
from ...core.random import new_generator
from ...errors import ParameterError
from ...problem.problem import Problem
from ...problem.state import PlainState
from ..board.regions import area_of
from .feature_rows import parts_of
from .network import Network

GAMES = 200
"""Random games that an outlook is taken from where there is no network."""


class Outlook(NamedTuple):
    """What is expected of a game's end, in Black's terms."""

    owner: NDArray[np.float64]  # by point, row by row from the top: 1 where Black will own it, −1 where White will
    lead: float | None = None  # points that Black is ahead; random games do not tell


def network_of(evaluator: Any) -> Network | None:
    """The network that an evaluator asks, if it asks one; also through others that remember its answers."""
    while hasattr(evaluator, "evaluator"):
        evaluator = evaluator.evaluator
    found = getattr(evaluator, "network", None)
    return found if isinstance(found, Network) else None


def outlook_of(evaluator: Any, problem: Problem, state: Any) -> Outlook:
    """What a player's own evaluator tells of a position: a network in one evaluation, else random games.

    Args:
        evaluator: the player's: one that asks a network, or anything else for random games.
        problem: a `bt.problems.Go`.
        state: one of its states, as a record.
    """
    network = network_of(evaluator)
    return random_outlook(problem, state) if network is None else network_outlook(network, problem, state)


def network_outlook(network: Network, problem: Problem, state: Any) -> Outlook:
    """What a network's heads for ownership and lead say."""
    memory = np.asarray(state).reshape(1).copy()
    features = np.zeros((1, *problem.features_shape), np.float32)
    arguments = (problem.params_at, memory.ctypes.data, features.ctypes.data, features.size)
    if plain_call(problem.address("features"), arguments) == int(FAILED):
        raise ParameterError(f"{problem!r}: the features of a position cannot be computed")
    spatial, numbers, worth = parts_of(features)
    found = network.judge(spatial, numbers)
    side = 1.0 if worth[0] > 0 else -1.0  # +1 when Black is to move
    return Outlook(side * found.ownership[0].ravel(), side * float(found.lead[0]))


def random_outlook(problem: Problem, state: Any, games: int = GAMES) -> Outlook:
    """How random games end that go on from here, begun by either player in turn; always the same ones."""
    points = problem.actions - 1
    total, rng = np.zeros(points), new_generator(0)
    out, mask = np.zeros(64 + problem.state_layout().itemsize // 8), np.zeros(problem.actions, np.uint8)
    memory = np.asarray(state).reshape(1).copy()
    view = PlainState(memory)
    for game in range(games):
        memory[:] = np.asarray(state).reshape(1)
        view.player, view.passes = game % 2, 0
        arguments = (rng.ctypes.data, problem.horizon, out.ctypes.data, mask.ctypes.data, mask.size)
        if plain_call(problem.address("rollout"), (problem.params_at, memory.ctypes.data, *arguments)) == int(FAILED):
            raise ParameterError(f"{problem!r}: a random game from a position cannot be played")
        total += area_of(view.colour[:points].tolist(), view.width)  # the rollout was played in place
    return Outlook(total / games)
