"""A Gymnasium environment that is simulated, and the one that an agent acts in beside it."""

from __future__ import annotations

import inspect
from typing import Any, NoReturn

from ..errors import ProblemError
from ..messages import shortened
from .environment_actions import BoxActions, action_names
from .simulated_problem import SimulatedProblem
from .simulator import Replayed, Restored, Saved, Simulator, World


def reset(env: Any, seed: int | None) -> Any:
    """Reset an environment; what is observed."""
    try:
        answer = env.reset(seed=seed)
    except TypeError:
        if {"seed", "kwargs"} & set(inspect.signature(env.unwrapped.reset).parameters):
            raise  # raised inside of the environment
        _refuse(env, "reset", "takes no seed", "reset(self, *, seed=None, options=None)")
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], dict):
        _refuse(env, "reset", f"returned {shortened(answer)}", "(observation, info)")
    return answer[0]


def step(env: Any, action: Any) -> tuple[Any, float, bool]:
    """Take a step in an environment: what is observed, the reward, and whether it ended."""
    answer = env.step(action)
    try:
        observation, reward, terminated, truncated, _ = answer
    except (TypeError, ValueError):
        _refuse(env, "step", f"returned {shortened(answer)}", "(observation, reward, terminated, truncated, info)")
    return observation, float(reward), bool(terminated or truncated)


def _refuse(env: Any, method: str, what: str, wanted: str) -> NoReturn:
    """Raise an error that says how an environment of an older Gym, or something else, differs."""
    name = type(env.unwrapped).__name__
    raise ProblemError(f"{name}.{method} {what}; must be {wanted}, as Gymnasium's environments have it")


class GymnasiumWorld(World):
    """An environment of Gymnasium's, with the actions that the search's numbers stand for."""

    def __init__(self, env: Any, actions: list[Any] | BoxActions) -> None:
        super().__init__(env.unwrapped)
        self.env, self.actions = env, actions

    def begin(self, seed: int | None) -> Any:
        """Reset it."""
        return reset(self.env, seed)

    def take(self, action: Any) -> tuple[Any, float, bool]:
        """One step."""
        return step(self.env, self.actions[action])


class Running:
    """The environment that an agent acts in: it is reset and stepped, and says where it is.

    Args:
        world: the environment, with its wrappers.
        simulator: what the search plans in; None where the environment's number is the state.
        limit: the environment's time limit, if it has one.
    """

    def __init__(self, world: GymnasiumWorld, simulator: Simulator | None, limit: int | None) -> None:
        self.env, self.limit = world.env, limit
        self._world, self._simulator = world, simulator
        self._observation: Any = None
        self._here: Saved | None = None  # known only by the steps that led there, where states are replayed

    def reset(self, seed: int | None) -> None:
        """Begin an episode."""
        self._observation = self._world.begin(seed)
        if isinstance(self._simulator, Replayed):
            used = int(self._world.inner.np_random_seed) if seed is None else seed
            self._here = self._simulator.first(self._world, used, self._observation)

    def where(self) -> Any:
        """The state it is in, as the search's problem has it; None while that cannot be known."""
        if not self._has_begun():
            return None
        if self._simulator is None:
            return (int(self._world.inner.s),)
        if isinstance(self._simulator, Restored):
            return self._simulator.save(self._world, self._observation, exactly=False)
        return self._here

    def _has_begun(self) -> bool:
        """Whether it was reset, as far as Gymnasium's own wrapper for that can tell."""
        layer = self.env
        while layer is not layer.unwrapped:
            if type(layer).__name__ == "OrderEnforcing":
                return bool(layer.has_reset)
            layer = layer.env
        return True

    def step(self, action: Any) -> tuple[float, bool]:
        """Take an action: the reward, and whether that was the end."""
        self._observation, reward, done = self._world.take(action)
        if isinstance(self._simulator, Replayed) and self._here is not None:
            self._here = self._simulator.then(self._world, self._here, action, None, self._observation, reward)
        return reward, done


class GymnasiumProblem(SimulatedProblem):
    """An environment of Gymnasium's that is simulated."""

    def __init__(
        self, name: str, simulator: Simulator, running: Running, deterministic: bool, horizon: int, discount: float
    ) -> None:
        world: Any = simulator.world
        drawn = isinstance(world.actions, BoxActions)
        actions = world.actions.box if drawn else len(world.actions)
        super().__init__(name, simulator, actions, deterministic, horizon, discount)
        self.running = running
        if not drawn:
            self.action_names = action_names(world.env, world.actions)

    def __repr__(self) -> str:
        return f"from_gymnasium({self.name!r})"
