"""One environment to plan in, set to any state that it was in before: restored, or reached again by the same steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..core.interrupts import between_steps
from .freezing import frozen
from .restoring import Restoring

Words = tuple[int, int]
"""Two whole numbers below 2**64 that an environment's generator is set to."""


class World(ABC):
    """An environment of any library, as the simulators use it. The search's action numbers stand for its actions."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner  # without its wrappers; its generator is `np_random`

    @abstractmethod
    def begin(self, seed: int) -> Any:
        """Reset it; what is observed."""

    @abstractmethod
    def take(self, action: Any) -> tuple[Any, float, bool]:
        """One step: what is observed, the (first player's) reward, and whether it ended."""

    def legal(self) -> Sequence[int] | None:
        """The legal actions where it is now; None for all."""
        return None

    def player(self) -> int:
        """Who moves where it is now."""
        return 0


class Saved:
    """A state of an environment: what was observed in it, what makes it again, and what tells it from others."""

    __slots__ = ("generator", "key", "legal", "observation", "player", "state")

    def __init__(self, world: World, observation: Any, state: Any, key: Hashable, generator: Any = None) -> None:
        self.observation, self.state, self.key, self.generator = observation, state, key, generator
        self.legal, self.player = world.legal(), world.player()

    def __repr__(self) -> str:
        return f"Saved({self.observation!r})"


class Simulator(ABC):
    """An environment that is only planned in: it is set to states, never copied."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._generator = np.random.Generator(np.random.PCG64(0))

    @abstractmethod
    def start(self, seed: int, *, exactly: bool = False) -> Saved:
        """The state after a reset; `exactly` with its generator, so that going on from it repeats what happened."""

    @abstractmethod
    def restore(self, saved: Saved) -> None:
        """Go to a state."""

    @abstractmethod
    def after(
        self, saved: Saved, action: Any, words: Words | None, observation: Any, reward: float, exactly: bool
    ) -> Saved:
        """The state that a step led to, in which the environment now is."""

    @property
    @abstractmethod
    def advice(self) -> str:
        """What a user should check where going back to a state does not work, for messages."""

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
        self.world.inner.np_random = self._generator

    def go_on(
        self, saved: Saved, action: Any, words: Words | None = None, *, exactly: bool = False
    ) -> tuple[Saved, float, bool]:
        """A step from where the environment is, which is `saved`: the next state, the reward, whether it ended."""
        observation, reward, done = self.world.take(action)
        return self.after(saved, action, words, observation, reward, exactly), reward, done


class Restored(Simulator):
    """An environment whose states are saved and restored."""

    def __init__(self, world: World, restoring: Restoring) -> None:
        super().__init__(world)
        self._restoring = restoring

    def start(self, seed: int, *, exactly: bool = False) -> Saved:
        """The state after a reset."""
        return self.save(self.world, self.world.begin(seed), exactly)

    def save(self, world: World, observation: Any, exactly: bool) -> Saved:
        """The state of an environment of this kind."""
        state = self._restoring.save(world.inner)
        generator = world.inner.np_random.bit_generator.state if exactly and not self._restoring.deterministic else None
        return Saved(world, observation, state, frozen(self._restoring.known(state)), generator)

    def restore(self, saved: Saved) -> None:
        """Set the environment to a state."""
        inner = self.world.inner
        self._restoring.restore(inner, saved.state)
        if saved.generator is not None:
            inner.np_random = np.random.Generator(getattr(np.random, saved.generator["bit_generator"])())
            inner.np_random.bit_generator.state = saved.generator

    def prepare(self, saved: Saved, words: Words | None) -> None:
        """Go to a state; what is hidden in it is drawn anew too."""
        super().prepare(saved, words)
        if words is not None:
            self._restoring.redraw(self.world.inner)

    def after(
        self, saved: Saved, action: Any, words: Words | None, observation: Any, reward: float, exactly: bool
    ) -> Saved:
        """The state that the environment is in."""
        return self.save(self.world, observation, exactly)

    @property
    def advice(self) -> str:
        """What a user should check where restoring does not work."""
        return (
            "get_state and set_state must keep everything that step depends on, apart from np_random, which is kept "
            "beside it (replay=True needs neither, and is slower)"
        )


class Replayed(Simulator):
    """An environment whose states are reached again from a reset, by the same actions with the same random numbers.

    A state is the one before it, an action and what its random numbers were set to. Outcomes of an action with the same
    observation and reward are taken for the same state.
    """

    def __init__(self, world: World, deterministic: bool) -> None:
        super().__init__(world)
        self._deterministic = deterministic

    def start(self, seed: int, *, exactly: bool = False) -> Saved:
        """The state after a reset."""
        return self.first(self.world, seed, self.world.begin(seed))

    def first(self, world: World, seed: int, observation: Any) -> Saved:
        """The state that a reset led to."""
        return Saved(world, observation, (None, seed, None), (seed,))

    def restore(self, saved: Saved) -> None:
        """Reset, and take the steps that led to a state."""
        steps = []
        before, action, words = saved.state
        while before is not None:
            steps.append((action, words))
            before, action, words = before.state
        self.world.begin(action)
        for action, words in reversed(steps):
            between_steps()
            if words is not None:
                self.seed(words)
            self.world.take(action)

    def after(
        self, saved: Saved, action: Any, words: Words | None, observation: Any, reward: float, exactly: bool
    ) -> Saved:
        """The steps so far, and this one."""
        return self.then(self.world, saved, action, words, observation, reward)

    def then(
        self, world: World, saved: Saved, action: Any, words: Words | None, observation: Any, reward: float
    ) -> Saved:
        """The state that a step of an environment of this kind led to."""
        seen = () if self._deterministic else (frozen(observation), reward)
        return Saved(world, observation, (saved, action, words), (saved.key, frozen(action), *seen))

    @property
    def advice(self) -> str:
        """What a user should check where replaying does not work."""
        return "reset(seed=...) and the same actions must repeat what happened, and all chance must come from np_random"
