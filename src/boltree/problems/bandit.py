"""A bandit whose arms pay fixed amounts (the two-armed one of Appendix C.3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProblemError
from ..problem.problem import MAX_ACTIONS, Problem
from ..problem.record import record
from .checks import finite


class Bandit(Problem):
    """One step: arm i pays rewards[i], always, and the trial ends.

    The state's arm is 0 before the pull and i + 1 after it.

    Args:
        rewards: what each arm pays.
    """

    state = record(arm="i4")
    params = record(rewards="f8[:]")
    horizon = 1
    deterministic = True

    def __init__(self, rewards: Sequence[float] | NDArray[Any] = (0.0, 1.0)) -> None:
        if isinstance(rewards, str) or not isinstance(rewards, (Sequence, np.ndarray)):
            raise ProblemError(f"Bandit: rewards={rewards!r}, must be a list of finite numbers")
        if not 1 <= len(rewards) <= MAX_ACTIONS:
            raise ProblemError(f"Bandit: rewards={rewards!r}, must have 1 to {MAX_ACTIONS} numbers, not {len(rewards)}")
        paid = [finite("Bandit", f"rewards[{i}]", reward) for i, reward in enumerate(rewards)]
        super().__init__(rewards=paid, actions=len(paid))
        self.action_names = tuple(f"arm {i}" for i in range(len(paid)))

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.arm = 0

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        state.arm = action + 1
        return params.rewards[action], True

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        if state.arm == 0:
            return f"{params.rewards.size} arms, none pulled"
        return f"arm {state.arm - 1} pulled, paid {params.rewards[state.arm - 1]:g}"

    def recipe(self) -> dict[str, Any]:
        return {"rewards": self.plain_params.rewards.tolist()}
