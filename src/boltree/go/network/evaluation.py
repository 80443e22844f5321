"""A network as the evaluator of a search: the positions of a batch to it, and its answers back."""

from __future__ import annotations

import hashlib
import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from ..board.features import PLANES
from .answers import BANNED, OPPONENT, OWN
from .feature_rows import parts_of
from .layers import Floats, Reals
from .network import Network
from .position import Evaluation

SYMMETRIES = ("identity", "random", "average")


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
        score: how much the expected score counts beside winning: values are (v + score s) / (1 + score), where v is
            P(win) - P(loss) and s lies in (-1, 1), 1/2 at a lead of twice the board's side.

    Example:
        >>> network = bt.go.load_network("b15")                                                 # doctest: +SKIP
        >>> search = bt.Search(bt.problems.Go(9), bt.PUCT(), evaluator=GoEvaluator(network))    # doctest: +SKIP
    """

    gives_prior = True

    def __init__(
        self, network: Network, batch: int = 16, symmetries: str = "identity", seed: int = 0, score: float = 0.0
    ) -> None:
        if symmetries not in SYMMETRIES:
            raise ParameterError(f"symmetries={symmetries!r}, must be one of {', '.join(SYMMETRIES)}")
        if not 0.0 <= score < math.inf:
            raise ParameterError(f"score={score!r}, must be a finite number of at least 0")
        self.network, self.batch, self.symmetries, self.seed, self.score = network, batch, symmetries, seed, score

    def evaluate(self, batch: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Priors and Black's values of K positions, given by `bt.problems.Go`'s features."""
        features = np.ascontiguousarray(batch, np.float32)
        if self.symmetries == "identity" and not self.score:
            return self.network.judge_rows(features)
        spatial, _, worth = parts_of(features)
        count, points = len(features), spatial.shape[2] ** 2
        planes = spatial.reshape(count, PLANES, points)
        legal = np.ones((count, points + 1), np.bool_)
        legal[:, :points] = planes[:, (OWN, OPPONENT, BANNED)].sum(1) == 0
        rounds = range(8) if self.symmetries == "average" else range(1)
        answers = [judge_turned(self.network, features, legal, self._turns(features, k)) for k in rounds]
        value = np.mean([self._value(answer, spatial.shape[2]) for answer in answers], axis=0)
        return np.mean([answer.policy for answer in answers], axis=0), value * worth

    def _value(self, answer: Evaluation, size: int) -> Reals:
        """What positions are worth to the side to move, in [-1, 1]: winning, and the score as far as it counts."""
        ahead = np.arctan(answer.score / (2 * size)) * (2 / np.pi)
        value: Reals = (answer.value + self.score * ahead) / (1 + self.score)
        return value

    def _turns(self, features: Floats, round_: int) -> NDArray[np.int64]:
        """Which symmetry each position is turned by."""
        if self.symmetries != "random":
            return np.full(len(features), round_)
        key = repr(self.seed).encode()[:64]
        drawn = [hashlib.blake2b(row.tobytes(), digest_size=1, key=key).digest()[0] % 8 for row in features]
        return np.array(drawn)


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
