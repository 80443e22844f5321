"""One environment to plan in, set to any state that it was in before: restored, or reached again by the same steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

import numpy as np

from .freezing import frozen
from .restoring import Restoring

Words = tuple[int, int]
"""Two whole numbers below 2**64 that an environment's generator is set to."""


class Saved:
    """A state of an environment: what was observed in it, what makes it again, and what tells it from others."""

    __slots__ = ("generator", "key", "observation", "state")

    def __init__(self, observation: Any, state: Any, key: Hashable, generator: Any = None) -> None:
        self.observation, self.state, self.key, self.generator = observation, state, key, generator

    def __repr__(self) -> str:
        return f"Saved({self.observation!r})"


class Simulator(ABC):
    """An environment of one's own that is set to states, never copied."""

    def __init__(self, env: Any, actions: list[Any]) -> None:
        self.env, self.inner, self.actions = env, env.unwrapped, actions
        self._generator = np.random.Generator(np.random.PCG64(0))

    @abstractmethod
    def start(self, seed: int, *, exactly: bool = False) -> Saved:
        """The state after a reset; `exactly` with its generator, so that going on from it repeats what happened."""

    @abstractmethod
    def restore(self, saved: Saved) -> None:
        """Go to a state."""

    @abstractmethod
    def after(
        self, saved: Saved, action: int, words: Words | None, observation: Any, reward: float, exactly: bool
    ) -> Saved:
        """The state that a step led to, in which the environment now is."""

    @property
    @abstractmethod
    def advice(self) -> str:
        """What must be so for going to a state to work."""

    def prepare(self, saved: Saved, words: Words | None) -> None:
        """Go to a state, and let chance depend on two numbers from there on (None: as the environment would)."""
        self.restore(saved)
        if words is not None:
            self.seed(words)

    def seed(self, words: Words) -> None:
        """Give the environment a generator that depends on two numbers only."""
        self._generator.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": words[0] << 64 | words[1], "inc": 1},
            "has_uint32": 0,
            "uinteger": 0,
        }
        self.inner.np_random = self._generator

    def take(self, action: int) -> tuple[Any, float, bool]:
        """One step of the environment: what is observed, the reward, and whether it ended."""
        observation, reward, terminated, truncated, _ = self.env.step(self.actions[action])
        return observation, float(reward), bool(terminated or truncated)

    def go_on(
        self, saved: Saved, action: int, words: Words | None = None, *, exactly: bool = False
    ) -> tuple[Saved, float, bool]:
        """A step from where the environment is, which is `saved`: the next state, the reward, whether it ended."""
        observation, reward, done = self.take(action)
        return self.after(saved, action, words, observation, reward, exactly), reward, done


class Restored(Simulator):
    """An environment whose states are saved and restored."""

    def __init__(self, env: Any, actions: list[Any], restoring: Restoring) -> None:
        super().__init__(env, actions)
        self._restoring = restoring

    def start(self, seed: int, *, exactly: bool = False) -> Saved:
        """The state after a reset."""
        observation, _ = self.env.reset(seed=seed)
        return self.save(self.inner, observation, exactly)

    def save(self, inner: Any, observation: Any, exactly: bool) -> Saved:
        """The state of an environment of this kind, without its wrappers."""
        state = self._restoring.save(inner)
        generator = inner.np_random.bit_generator.state if exactly else None
        return Saved(observation, state, frozen(self._restoring.known(state)), generator)

    def restore(self, saved: Saved) -> None:
        """Set the environment to a state."""
        self._restoring.restore(self.inner, saved.state)
        if saved.generator is not None:
            kind = getattr(np.random, saved.generator["bit_generator"])
            self.inner.np_random = np.random.Generator(kind())
            self.inner.np_random.bit_generator.state = saved.generator

    def prepare(self, saved: Saved, words: Words | None) -> None:
        """Go to a state; what is hidden in it is drawn anew too."""
        super().prepare(saved, words)
        if words is not None:
            self._restoring.redraw(self.inner)

    def after(
        self, saved: Saved, action: int, words: Words | None, observation: Any, reward: float, exactly: bool
    ) -> Saved:
        """The state that the environment is in."""
        return self.save(self.inner, observation, exactly)

    @property
    def advice(self) -> str:
        """What must be so for restoring to work."""
        return (
            "get_state and set_state must keep everything that step depends on, apart from np_random, which is kept "
            "beside it (replay=True needs neither, and is slower)"
        )


class Replayed(Simulator):
    """An environment whose states are reached again from a reset, by the same actions with the same random numbers.

    A state is the one before it, an action and what its random numbers were set to. Outcomes of an action with the same
    observation and reward are taken for the same state.
    """

    def __init__(self, env: Any, actions: list[Any], deterministic: bool) -> None:
        super().__init__(env, actions)
        self._deterministic = deterministic

    def start(self, seed: int, *, exactly: bool = False) -> Saved:
        """The state after a reset."""
        observation, _ = self.env.reset(seed=seed)
        return self.first(seed, observation)

    def first(self, seed: int, observation: Any) -> Saved:
        """The state that a reset led to."""
        return Saved(observation, (None, seed, None), (seed,))

    def restore(self, saved: Saved) -> None:
        """Reset, and take the steps that led to a state."""
        steps = []
        before, action, words = saved.state
        while before is not None:
            steps.append((action, words))
            before, action, words = before.state
        self.env.reset(seed=action)
        for action, words in reversed(steps):
            if words is not None:
                self.seed(words)
            self.take(action)

    def after(
        self, saved: Saved, action: int, words: Words | None, observation: Any, reward: float, exactly: bool
    ) -> Saved:
        """The steps so far, and this one."""
        seen = () if self._deterministic else (frozen(observation), reward)
        return Saved(observation, (saved, action, words), (saved.key, action, *seen))

    @property
    def advice(self) -> str:
        """What must be so for replaying to work."""
        return "reset(seed=...) and the same actions must repeat what happened, and all chance must come from np_random"
