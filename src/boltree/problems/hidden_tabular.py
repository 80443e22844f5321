"""Any finite problem whose state is hidden, from arrays of probabilities and rewards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.random import uniform
from ..errors import ProblemError
from ..problem.record import Record, record
from .outcome_table import TOLERANCE
from .tabular import Tabular


class HiddenTabular(Tabular):
    """A finite problem with states 0..S-1, actions 0..A-1 and observations 0..O-1, whose state is hidden.

    Args:
        transitions: (S, A, S): the probability of each next state.
        rewards: (S, A), or (S, A, S) where they depend on the next state.
        observations: (A, S, O): the probability of each observation after an action that led to a state.
        horizon: steps until a trial is cut off.
        start: the state at the start, or the probability of each state to be it.
        terminal: states in which it ends.
        discount: weight of a reward one step later.

    >>> import boltree as bt
    >>> import numpy as np
    >>> heard = np.array([[[0.85, 0.15], [0.15, 0.85]], [[0.5, 0.5]] * 2, [[0.5, 0.5]] * 2])
    >>> moves = np.array([[[1, 0], [0.5, 0.5], [0.5, 0.5]], [[0, 1], [0.5, 0.5], [0.5, 0.5]]])
    >>> paid = [[-1, -100, 10], [-1, 10, -100]]
    >>> tiger = bt.problems.HiddenTabular(moves, paid, heard, horizon=3, start=[0.5, 0.5])
    >>> round(bt.solve(tiger).root_value, 6)
    2.72
    """

    params = Record([*Tabular.params.fields, *record(seen="f8[:,:,:]").fields])

    def __init__(
        self,
        transitions: ArrayLike,
        rewards: ArrayLike,
        observations: ArrayLike,
        horizon: int,
        start: Any = 0,
        terminal: Any = (),
        discount: float = 1.0,
    ) -> None:
        name = self.display_name()
        try:
            seen = np.asarray(observations, np.float64)
        except (ValueError, TypeError, OverflowError) as error:
            raise ProblemError(f"{name}: observations must be an array of numbers: {error}") from None
        shape = np.shape(transitions)
        if len(shape) == 3 and (seen.ndim != 3 or seen.shape[:2] != shape[1::-1] or seen.shape[2] == 0):
            raise ProblemError(f"{name}: observations has shape {seen.shape}, must be {(*shape[1::-1], 'O')}")
        wrong = np.argwhere(~((seen >= 0.0) & (seen <= 1.0 + TOLERANCE)))
        if wrong.size:
            where = tuple(int(i) for i in wrong[0])
            raise ProblemError(f"{name}: observations{list(where)}={seen[where]:g}, must be a probability from 0 to 1")
        wrong = np.argwhere(np.abs(seen.sum(axis=2) - 1.0) > TOLERANCE)
        if wrong.size:
            a, s = (int(i) for i in wrong[0])
            raise ProblemError(
                f"{name}: observations[{a}, {s}] (action {a}, to state {s}) sum to {seen[a, s].sum():.9g}, must be 1"
            )
        self._seen = seen
        self.observation = seen.shape[2]
        super().__init__(transitions, rewards, horizon, start, terminal, None, discount)
        self._seen = self.plain_params.seen

    def _further(self) -> dict[str, Any]:
        return {"seen": self._seen}

    def start_states(self) -> list[tuple[float, Any]]:
        p = self.plain_params
        chances = np.diff(p.begin_sums, prepend=0.0)
        return [(float(chance), (int(s),)) for chance, s in zip(chances, p.begins, strict=True)]

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        u = uniform(rng)
        likely = 0
        for o in range(params.seen.shape[2]):
            chance = params.seen[action, next_state.s, o]
            if chance > 0.0:
                likely = o
                u -= chance
                if u < 0.0:
                    return o
        return likely  # rounding left a little over

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        return params.seen[action, next_state.s, observation]

    def recipe(self) -> dict[str, Any]:
        found = super().recipe()
        del found["legal"]
        return found | {"observations": self.plain_params.seen.tolist()}
