"""A problem that is an environment of any library, set to the states of the tree."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.interrupts import between_steps
from ..errors import ProblemError
from ..messages import counted
from ..problem.boxes import HeldActions
from ..problem.python.problem import PythonProblem
from ..problem.random import Generator
from .freezing import frozen
from .simulator import Saved, Simulator, Words

EPISODES, STEPS, AGAIN = 200, 60, 8
"""What `bt.check` plays: episodes, steps of each, and states of each from which it plays again."""

ENOUGH_EPISODES, ENOUGH_SECONDS = 3, 1.5
"""After this number of seconds, this number of episodes is enough."""


class SimulatedProblem(PythonProblem):
    """An environment that is simulated; its states hold what was observed in them, as ``state.observation``."""

    def __init__(
        self, name: str, simulator: Simulator, actions: Any, deterministic: bool, horizon: int, discount: float
    ) -> None:
        self.name, self.deterministic, self.simulator = name, deterministic, simulator
        super().__init__(actions=actions, horizon=horizon, discount=discount)

    def _refuse_lists(self) -> None:
        """Its legal actions are asked only where actions are listed."""

    def start(self, rng: Any) -> Saved:
        """The state after a reset, seeded from the search's numbers."""
        return self.simulator.start(_words(rng)[0] >> 33)

    def step(self, state: Saved, action: Any, rng: Any) -> tuple[Saved, float, bool]:
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
        held = None if self.boxes is None else HeldActions(self.boxes, rng)
        for _ in range(steps):
            between_steps()
            if held is not None:
                action = held.next()
            elif legal is None:
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
        """What the player to move can know of a state."""
        return state.key

    def show(self, state: Saved) -> str:
        """What was observed."""
        return str(state.observation)

    def check_more(self, seed: int) -> None:
        """Going back to a state must repeat what happened from there: the same rewards, ends and observations.

        Every other time the environment is reset in between: what a state leaves out would otherwise still be there
        from the first time.
        """
        choose, simulator, began = np.random.default_rng(seed), self.simulator, time.monotonic()
        for episode in range(EPISODES):
            if episode >= ENOUGH_EPISODES and time.monotonic() - began > ENOUGH_SECONDS:
                break
            trace = self._episode(choose)
            for again, first in enumerate(choose.permutation(len(trace))[:AGAIN].tolist()):
                if again % 2 == 0:
                    simulator.world.begin(int(choose.integers(2**31)))
                simulator.restore(trace[first].before)
                for steps, expected in enumerate(trace[first:]):
                    found = self._move(expected.before, expected.action)
                    if frozen(found.told()) != frozen(expected.told()):
                        raise ProblemError(
                            f"{self.name}: restoring does not restore: {counted(steps, 'step')} after going back to "
                            f"the state of step {first}, action {found.action} led to {found}, but the first time to "
                            f"{expected}; {simulator.advice}"
                        )

    def _episode(self, choose: np.random.Generator) -> list[_Move]:
        """Random moves from a reset on."""
        here, trace = self.simulator.start(int(choose.integers(2**31)), exactly=True), []
        for _ in range(min(self.horizon, STEPS)):
            if self.boxes is not None:
                action = self.boxes.present(self.boxes.draw(Generator(choose.integers(1, 2**63, 2, dtype=np.uint64))))
            else:
                action = int(choose.choice(self.actions if here.legal is None else here.legal))
            move = self._move(here, action)
            trace.append(move)
            here = move.after
            if move.done:
                break
        return trace

    def _move(self, before: Saved, action: Any) -> _Move:
        return _Move(before, action, *self.simulator.go_on(before, action, exactly=True))


class _Move(NamedTuple):
    """A step that was taken."""

    before: Saved
    action: Any
    after: Saved
    reward: float
    done: bool

    def told(self) -> list[Any]:
        """What the environment said."""
        return [self.after.observation, self.reward, self.done]

    def __str__(self) -> str:
        return f"{self.after.observation!r} with reward {self.reward:g}" + (" and the end" if self.done else "")


def _words(rng: Any) -> Words:
    return int(rng.random() * 2.0**53) << 11, int(rng.random() * 2.0**53) << 11
