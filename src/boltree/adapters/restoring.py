"""How environments are saved and restored: by the user's functions, by what is known of Gymnasium's own, by MuJoCo.

What is saved is all that `step` depends on, apart from the environment's generator, which is kept beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


class Restoring(ABC):
    """How an environment is saved and restored."""

    deterministic: bool

    @abstractmethod
    def save(self, env: Any) -> Any:
        """The state, all of it but the generator."""

    @abstractmethod
    def restore(self, env: Any, state: Any) -> None:
        """Set the environment to a state."""

    def known(self, state: Any) -> Any:
        """What the player to move can know of a state: states that agree in it are the same to a search."""
        return state

    def redraw(self, env: Any) -> None:  # noqa: B027
        """Draw anew what the player to move cannot know: nothing, unless a subclass says otherwise."""


@dataclass(frozen=True)
class ByFunctions(Restoring):
    """By a pair of functions: ``get_state(env)`` and ``set_state(env, state)``."""

    get_state: Callable[[Any], Any]
    set_state: Callable[[Any, Any], object]
    deterministic: bool = False

    def save(self, env: Any) -> Any:
        """What the user's function gives."""
        return self.get_state(env)

    def restore(self, env: Any, state: Any) -> None:
        """By the user's function."""
        self.set_state(env, state)


@dataclass(frozen=True)
class ByAttributes(Restoring):
    """By attributes that hold numbers or sequences of numbers, and are replaced, never changed, by a step."""

    names: tuple[str, ...]
    deterministic: bool = True

    def save(self, env: Any) -> Any:
        """The attributes' values; sequences as tuples, which keep the type of every number."""
        values = (getattr(env, name) for name in self.names)
        return tuple([tuple(value) if isinstance(value, (np.ndarray, tuple)) else value for value in values])

    def restore(self, env: Any, state: Any) -> None:
        """Set the attributes."""
        for name, value in zip(self.names, state, strict=True):
            setattr(env, name, value)


class Blackjack(Restoring):
    """Blackjack: both hands. The dealer's second card is hidden, and any card of the deck."""

    deterministic = False

    def save(self, env: Any) -> Any:
        """Both hands."""
        return tuple(sorted(env.player)), tuple(env.dealer)

    def restore(self, env: Any, state: Any) -> None:
        """Deal them again."""
        env.player, env.dealer = list(state[0]), list(state[1])

    def known(self, state: Any) -> Any:
        """The player's hand and the card that the dealer shows."""
        return state[0], state[1][0]

    def redraw(self, env: Any) -> None:
        """Another hidden card."""
        from gymnasium.envs.toy_text.blackjack import draw_card

        env.dealer[1] = draw_card(env.np_random)


class MuJoCo(Restoring):
    """MuJoCo: its own state vector, and what was last computed from it, because some rewards look at that."""

    deterministic = True
    COMPUTED = ("xpos", "xquat", "xipos", "geom_xpos", "site_xpos", "subtree_com", "cvel", "cfrc_ext", "sensordata")

    def __init__(self, env: Any) -> None:
        import mujoco

        self._mujoco, self._parts = mujoco, int(mujoco.mjtState.mjSTATE_INTEGRATION)
        self._size = int(mujoco.mj_stateSize(env.model, self._parts))

    def save(self, env: Any) -> Any:
        """One vector."""
        data, state = env.data, np.empty(self._size)
        self._mujoco.mj_getState(env.model, data, state, self._parts)
        return np.concatenate([state, *(getattr(data, name).ravel() for name in self.COMPUTED)])

    def restore(self, env: Any, state: Any) -> None:
        """Set MuJoCo's state, and what had been computed."""
        data, at = env.data, self._size
        self._mujoco.mj_setState(env.model, data, state[:at], self._parts)
        for name in self.COMPUTED:
            array = getattr(data, name)
            array[:] = state[at : at + array.size].reshape(array.shape)
            at += array.size


CLASSIC_CONTROL = {
    "CartPoleEnv": ("state", "steps_beyond_terminated"),
    "AcrobotEnv": ("state",),
    "MountainCarEnv": ("state",),
    "Continuous_MountainCarEnv": ("state",),
    "PendulumEnv": ("state", "last_u"),
}
"""What a step of Gymnasium's classic control depends on."""


def restoring_for(env: Any) -> Restoring | None:
    """How to save and restore an environment without wrappers, where that is known.

    Only Gymnasium's own classes are known, not classes made from them, which may hold more.
    """
    module, name = type(env).__module__, type(env).__name__
    if module.startswith("gymnasium.envs.classic_control.") and name in CLASSIC_CONTROL:
        return ByAttributes(CLASSIC_CONTROL[name], deterministic=not getattr(env, "torque_noise_max", 0.0) > 0.0)
    if module == "gymnasium.envs.toy_text.blackjack":
        return Blackjack()
    if hasattr(env, "model") and type(getattr(env, "data", None)).__name__ == "MjData":
        return MuJoCo(env)
    if callable(getattr(env, "get_state", None)) and callable(getattr(env, "set_state", None)):
        return ByFunctions(lambda env: env.get_state(), lambda env, state: env.set_state(state))
    return None
