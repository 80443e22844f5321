"""A problem that is an environment of any library, set to the states of the tree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..errors import ProblemError
from ..python_problem import PythonProblem
from .freezing import frozen
from .simulator import Saved, Simulator, Words

EPISODES, STEPS, AGAIN = 3, 60, 8
"""What `bt.check` plays: so many episodes of so many steps, and again from so many of the states in each."""


class SimulatedProblem(PythonProblem):
    """An environment that is simulated; its states hold what was observed in them, as ``state.observation``."""

    def __init__(
        self, name: str, simulator: Simulator, actions: int, deterministic: bool, horizon: int, discount: float
    ) -> None:
        self.name, self.deterministic, self.simulator = name, deterministic, simulator
        super().__init__(actions=actions, horizon=horizon, discount=discount)

    def start(self, rng: Any) -> Saved:
        """The state after a reset, seeded from the search's numbers."""
        return self.simulator.start(_words(rng)[0] >> 33)

    def step(self, state: Saved, action: int, rng: Any) -> tuple[Saved, float, bool]:
        """Go to a state and take one step."""
        words = None if self.deterministic else _words(rng)
        self.simulator.prepare(state, words)
        return self.simulator.go_on(state, action, words)

    def legal(self, state: Saved) -> Sequence[int]:
        """The actions that were legal there."""
        return range(self.actions) if state.legal is None else state.legal

    def rollout(self, state: Saved, steps: int, rng: Any) -> float:
        """Go to a state and take random steps, none of which is saved."""
        world, total, weight = self.simulator.world, 0.0, 1.0
        self.simulator.prepare(state, None if self.deterministic else _words(rng))
        legal = state.legal
        for _ in range(steps):
            if legal is None:
                action = int(rng.random() * self.actions)
            else:
                action = legal[int(rng.random() * len(legal))]
            _, reward, done = world.take(action)
            total += weight * reward
            weight *= self.discount
            if done:
                break
            legal = world.legal()
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
        """What was observed."""
        return str(state.observation)

    def check_more(self, seed: int) -> None:
        """Going back to a state must repeat what happened from there: the same rewards, ends and observations."""
        choose, simulator = np.random.default_rng(seed), self.simulator
        for _ in range(EPISODES):
            here, trace = simulator.start(int(choose.integers(2**31)), exactly=True), []
            for _ in range(min(self.horizon, STEPS)):
                action = int(choose.choice(self.actions if here.legal is None else here.legal))
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
    return int(rng.random() * 2.0**53) << 11, int(rng.random() * 2.0**53) << 11


def _told(observation: Any, reward: float, done: bool) -> str:
    return f"{observation!r} with reward {reward:g}" + (" and the end" if done else "")
