"""What `bt.evaluate` found: returns of episodes, and what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..messages import counted
from .statistics import Interval, interval, mean_result


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What some episodes came to, from the side of who is evaluated. Arrays have a number for each episode.

    Attributes:
        returns: the discounted sum of the rewards.
        totals: the sum of the rewards, without discount.
        steps: how many there were.
        ended: whether the problem ended; else the episode was cut off.
        seconds: how long was planned before a step of who is evaluated, in the mean over the episode.
        discount: of the problem.
        game: whether there was an opponent.
    """

    returns: NDArray[np.float64]
    totals: NDArray[np.float64]
    steps: NDArray[np.int64]
    ended: NDArray[np.bool_]
    seconds: NDArray[np.float64]
    discount: float
    game: bool

    @property
    def value(self) -> Interval:
        """The mean return with its 95 % interval."""
        return interval(self.returns)

    @property
    def total(self) -> Interval:
        """The mean sum of the rewards with its 95 % interval."""
        return interval(self.totals)

    @property
    def score(self) -> Interval:
        """The mean result of games with its 95 % interval (1 for a win, 0.5 for a draw, 0 for a loss)."""
        if not self.game:
            raise ParameterError("score: counts wins, and there was no opponent; value is the mean return")
        results = (np.sign(self.totals) + 1.0) / 2.0
        pairs = [results[k : k + 2].mean() for k in range(0, len(results), 2)]  # the same seeds, sides exchanged
        return mean_result(pairs)

    @property
    def seconds_a_step(self) -> float:
        """The mean time of planning before a step."""
        return float(self.seconds @ self.steps / max(self.steps.sum(), 1))

    def __len__(self) -> int:
        return len(self.returns)

    def __repr__(self) -> str:
        what = f"score {self.score}" if self.game else f"value {self.value}"
        return f"<Evaluation of {counted(len(self), 'episode')}: {what}>"

    def __str__(self) -> str:
        lines = [f"{counted(len(self), 'game' if self.game else 'episode')}, {_time(self.seconds_a_step)} a step"]
        if self.game:
            won, lost = int((self.totals > 0).sum()), int((self.totals < 0).sum())
            score = self.score
            lines.append(f"  score   {score.mean:.3f} [{score.low:.3f}, {score.high:.3f}]")
            lines.append(f"  results {won} won, {len(self) - won - lost} drawn, {lost} lost")
        lines.append(f"  value   {self.value} (least {self.returns.min():.4g}, most {self.returns.max():.4g})")
        if self.discount < 1.0:
            lines.append(f"  total   {self.total}, without discount")
        cut = int((~self.ended).sum())
        lines.append(f"  steps   {self.steps.mean():.1f}" + (f"; {cut} cut off" if cut else ""))
        return "\n".join(lines)


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1e3 * seconds:.2f} ms"
