"""Gymnasium's toy-text environments: their tables ``P`` hold every probability, so they run compiled and are exact."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ProblemError
from ..problems.outcome_table import OutcomeTable
from .environment_actions import action_names
from .gymnasium_problem import Running, reset, step

RESETS, STEPS = 20, 20
"""How often the environment is asked whether it follows its table."""


class GymnasiumTable(OutcomeTable):
    """An environment with a table ``P[s][a]`` of ``(probability, next state, reward, done)``."""

    def __init__(self, name: str, env: Any, running: Running, horizon: int, discount: float) -> None:
        inner = env.unwrapped
        self.name, self.running = name, running
        _check_table(name, inner)
        super().__init__(inner.P, horizon, inner.initial_state_distrib, discount)
        self.action_names = action_names(env, list(range(self.actions)))

    def __repr__(self) -> str:
        return f"from_gymnasium({self.name!r})"

    def recipe(self) -> None:  # type: ignore[override]
        """None: it is made again from the environment."""


def has_table(env: Any) -> bool:
    """Whether an environment without wrappers has a table."""
    return all(hasattr(env, name) for name in ("P", "initial_state_distrib"))


def _check_table(name: str, env: Any) -> None:
    """Some environments do more than their table says (a taxi's passenger may change their mind)."""
    choose = np.random.default_rng(0)
    for seed in range(RESETS):
        reset(env, seed)
        for _ in range(STEPS):
            env.s = int(choose.choice(list(env.P)))
            s, action = env.s, int(choose.choice(list(env.P[env.s])))
            to, reward, done = step(env, action)
            if not any((int(to), reward, done) == (t, r, bool(d)) for p, t, r, d in env.P[s][action] if p > 0):
                raise ProblemError(
                    f"{name}: does not follow its table P: action {action} in state {s} led to state {to}, which the "
                    "table does not list; give get_state and set_state, or replay=True"
                )
