"""A Gymnasium environment as a problem in plain Python, by setting one environment to the states of the tree."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ..core.random import uniform
from ..errors import ProblemError
from ..python_problem import PythonProblem
from .environment_actions import action_names
from .freezing import frozen
from .gymnasium_running import Running
from .simulator import Saved, Simulator, Words

EPISODES, STEPS, AGAIN = 3, 60, 8
"""What `bt.check` plays: so many episodes of so many steps, and again from so many of the states in each."""


class GymnasiumProblem(PythonProblem):
    """An environment that is simulated; its states hold the observation, as ``state.observation``."""

    def __init__(
        self, name: str, simulator: Simulator, running: Running, deterministic: bool, horizon: int, discount: float
    ) -> None:
        self.name, self.running = name, running
        self.deterministic = deterministic
        self._simulator = simulator
        super().__init__(actions=len(simulator.actions), horizon=horizon, discount=discount)
        self.action_names = action_names(simulator.env, simulator.actions)

    def start(self, rng: Any) -> Saved:
        """The state after a reset, seeded from the search's numbers."""
        return self._simulator.start(_words(rng)[0] >> 33)

    def step(self, state: Saved, action: int, rng: Any) -> tuple[Saved, float, bool]:
        """Go to a state and take one step."""
        words = None if self.deterministic else _words(rng)
        self._simulator.prepare(state, words)
        return self._simulator.go_on(state, action, words)

    def rollout(self, state: Saved, steps: int, rng: Any) -> float:
        """Go to a state and take random steps, none of which is saved."""
        simulator, total, weight = self._simulator, 0.0, 1.0
        simulator.prepare(state, None if self.deterministic else _words(rng))
        for _ in range(steps):
            _, reward, done = simulator.take(int(uniform(rng) * self.actions))
            total += weight * reward
            weight *= self.discount
            if done:
                break
        return total

    def as_state(self, given: Any) -> Any:
        """The state record; a state that is given stands for itself, in place of one like it that was found first."""
        found = super().as_state(given)
        if isinstance(given, Saved):
            self._objects[int(found["number"])] = given
        return found

    def key(self, state: Saved) -> Hashable:
        """What whoever acts can know of a state."""
        return state.key

    def show(self, state: Saved) -> str:
        """The observation."""
        return str(state.observation)

    def __repr__(self) -> str:
        return f"from_gymnasium({self.name!r})"

    def check_more(self, seed: int) -> None:
        """Going back to a state must repeat what happened from there: the same rewards, ends and observations."""
        choose, simulator = np.random.default_rng(seed), self._simulator
        for _ in range(EPISODES):
            here, trace = simulator.start(int(choose.integers(2**31)), exactly=True), []
            for _ in range(min(self.horizon, STEPS)):
                action = int(choose.integers(self.actions))
                following, reward, done = simulator.go_on(here, action, exactly=True)
                trace.append((here, action, following.observation, reward, done))
                here = following
                if done:
                    break
            for first in choose.permutation(len(trace))[:AGAIN]:
                simulator.restore(trace[first][0])
                for steps, (before, action, *expected) in enumerate(trace[first:]):
                    after, reward, done = simulator.go_on(before, action, exactly=True)
                    if frozen([after.observation, reward, done]) != frozen(expected):
                        raise ProblemError(
                            f"{self.name}: restoring does not restore: {steps} steps after going back to the state of "
                            f"step {first}, action {action} led to {_told(after.observation, reward, done)}, but the "
                            f"first time to {_told(*expected)}; {simulator.advice}"
                        )


def _words(rng: Any) -> Words:
    return int(uniform(rng) * 2.0**53) << 11, int(uniform(rng) * 2.0**53) << 11


def _told(observation: Any, reward: float, done: bool) -> str:
    return f"{observation!r} with reward {reward:g}" + (" and the end" if done else "")
