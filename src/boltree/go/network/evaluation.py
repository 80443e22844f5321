"""Positions to a network and its answers back: as an evaluator of a search, and for one game."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.native import FAILED, plain_call
from ...errors import ParameterError
from ..board.features import PLANES
from .answers import BANNED, OPPONENT, OWN
from .layers import Floats
from .network import Evaluation
from .rows import parts_of

if TYPE_CHECKING:
    from ..game import Game
    from .network import Network

SYMMETRIES = ("identity", "random", "average")


class Answer(NamedTuple):
    """What a network says of one position."""

    policy: NDArray[np.float64]  # [n² + 1], 0 where illegal; row by row from the top, the pass last
    white_win: float
    white_lead: float
    white_ownership: NDArray[np.float64]  # [n, n], 1 where White will own a point, −1 where Black will


class GoEvaluator:
    """A network as the evaluator of a search of `bt.problems.Go`.

    Values are on the problem's scale. Priors leave out occupied points and those that superko bans; suicide cannot be
    told from what a network sees, and the search drops it, as it drops every illegal action.

    Args:
        network: from `bt.go.load_network`.
        batch: how many leaves are evaluated at a time.
        symmetries: how a board is turned before the network sees it: "identity", not at all; "random", by one of its 8
            symmetries, drawn for each position (always the same one for the same position and seed); "average", by all
            8, whose answers are averaged.
        seed: of the symmetries drawn.

    Example:
        >>> network = bt.go.load_network("b15")                                                 # doctest: +SKIP
        >>> search = bt.Search(bt.problems.Go(9), bt.PUCT(), evaluator=GoEvaluator(network))    # doctest: +SKIP
    """

    gives_prior = True

    def __init__(self, network: Network, batch: int = 16, symmetries: str = "identity", seed: int = 0) -> None:
        if symmetries not in SYMMETRIES:
            raise ParameterError(f"symmetries={symmetries!r}, must be one of {', '.join(SYMMETRIES)}")
        self.network, self.batch, self.symmetries, self.seed = network, batch, symmetries, seed

    def evaluate(self, batch: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Priors and Black's values of K positions, given by `bt.problems.Go`'s features."""
        features = np.ascontiguousarray(batch, np.float32)
        if self.symmetries == "identity":
            return self.network.judge_rows(features)
        spatial, _, worth = parts_of(features)
        count, points = len(features), spatial.shape[2] ** 2
        planes = spatial.reshape(count, PLANES, points)
        legal = np.ones((count, points + 1), np.bool_)
        legal[:, :points] = planes[:, (OWN, OPPONENT, BANNED)].sum(1) == 0
        rounds = range(8) if self.symmetries == "average" else range(1)
        answers = [judge_turned(self.network, features, legal, self._turns(features, k)) for k in rounds]
        value = np.mean([answer.value for answer in answers], axis=0)
        return np.mean([answer.policy for answer in answers], axis=0), value * worth

    def _turns(self, features: Floats, round_: int) -> NDArray[np.int64]:
        """Which symmetry each position is turned by."""
        if self.symmetries != "random":
            return np.full(len(features), round_)
        key = repr(self.seed).encode()[:64]
        drawn = [hashlib.blake2b(row.tobytes(), digest_size=1, key=key).digest()[0] % 8 for row in features]
        return np.array(drawn)


def answer_for(network: Network, game: Game) -> Answer:
    """What a network says of a game's position; the policy of a finished game is what it would play on."""
    problem, state = game.problem, np.asarray(game.state).reshape(1)
    features = np.zeros((1, *problem.features_shape), np.float32)
    arguments = (problem.params_at, state.ctypes.data, features.ctypes.data, features.size)
    if plain_call(problem.address("features"), arguments) == FAILED:
        raise ParameterError(f"{game!r}: its features cannot be computed")
    legal = np.zeros((1, problem.actions), np.bool_)
    legal[0, problem.legal_actions(state[0])] = True
    spatial, numbers, worth = parts_of(features)
    found = network.judge(spatial, numbers, legal)
    side = 1.0 if worth[0] < 0 else -1.0  # +1 when White is to move
    white_win = (1.0 + side * float(found.value[0])) / 2.0
    return Answer(found.policy[0], white_win, side * float(found.lead[0]), side * found.ownership[0])


@cache
def turned_points(size: int) -> NDArray[np.int64]:
    """For each of the 8 symmetries, the point that comes to each point."""
    board = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(side, k).ravel() for side in (board, board.T) for k in range(4)]
    return np.array(turned)


def judge_turned(network: Network, features: Floats, legal: NDArray[np.bool_], turns: NDArray[np.int64]) -> Evaluation:
    """What a network says when each position is turned by one of the 8 symmetries, turned back again."""
    spatial, numbers, _ = parts_of(features)
    if not turns.any():
        return network.judge(spatial, numbers, legal)
    count, size = len(features), spatial.shape[2]
    points = size * size
    source = turned_points(size)[turns]  # [K, n²]
    with_pass = np.concatenate([source, np.full((count, 1), points)], axis=1)
    planes = np.take_along_axis(spatial.reshape(count, PLANES, points), source[:, None], 2)
    found = network.judge(planes.reshape(spatial.shape), numbers, np.take_along_axis(legal, with_pass, 1))
    policy, ownership = np.empty_like(found.policy), np.empty((count, points))
    np.put_along_axis(policy, with_pass, found.policy, 1)
    np.put_along_axis(ownership, source, found.ownership.reshape(count, points), 1)
    return found._replace(policy=policy, ownership=ownership.reshape(found.ownership.shape))
