"""The Gymnasium environment that an agent acts in, beside the one or the table that it plans in."""

from __future__ import annotations

from typing import Any

from .simulator import Replayed, Restored, Saved, Simulator


class Running:
    """A running environment: it is reset and stepped, and says where it is.

    Args:
        env: the environment, with its wrappers.
        actions: what the search's action numbers stand for.
        simulator: what the search plans in; None where the environment's number is the state.
        limit: the environment's time limit, if it has one.
    """

    def __init__(self, env: Any, actions: list[Any], simulator: Simulator | None, limit: int | None) -> None:
        self.env, self.limit = env, limit
        self._actions, self._simulator = actions, simulator
        self._observation: Any = None
        self._here: Saved | None = None  # known only by the steps that led there, where states are replayed

    def reset(self, seed: int | None) -> None:
        """Begin an episode."""
        self._observation, _ = self.env.reset(seed=seed)
        if isinstance(self._simulator, Replayed):
            used = self.env.unwrapped.np_random_seed if seed is None else seed
            self._here = self._simulator.first(int(used), self._observation)

    def where(self) -> Any:
        """The state it is in, as the search's problem has it."""
        if self._simulator is None:
            return (int(self.env.unwrapped.s),)
        if isinstance(self._simulator, Restored):
            return self._simulator.save(self.env.unwrapped, self._observation, exactly=False)
        return self._here

    def step(self, action: int) -> tuple[float, bool]:
        """Take an action: the reward, and whether that was the end."""
        observation, reward, terminated, truncated, _ = self.env.step(self._actions[action])
        self._observation = observation
        if self._here is not None:
            assert self._simulator is not None
            self._here = self._simulator.after(self._here, action, None, observation, float(reward), True)
        return float(reward), bool(terminated or truncated)
