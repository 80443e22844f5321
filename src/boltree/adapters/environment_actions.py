"""The actions of a Gymnasium space as a list: what the search's action numbers stand for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..problem.boxes import box
from ..problem.problem import MAX_ACTIONS

JOINT = 4096
"""The most combinations of a space of several parts that are listed."""

NAMES = {
    "FrozenLakeEnv": ("left", "down", "right", "up"),
    "CliffWalkingEnv": ("up", "right", "down", "left"),
    "TaxiEnv": ("south", "north", "east", "west", "pick up", "drop off"),
    "BlackjackEnv": ("stick", "hit"),
    "CartPoleEnv": ("left", "right"),
    "MountainCarEnv": ("left", "none", "right"),
}
"""What Gymnasium's documentation calls the actions of its environments."""


_PARTS = ("MultiDiscrete", "MultiBinary")


class BoxActions:
    """The actions of a continuous space, which a search draws from it: an environment takes them as its own arrays."""

    def __init__(self, space: Any) -> None:
        self._space = space
        low, high = space.low.ravel().astype(float), space.high.ravel().astype(float)
        self.box = box(float(low[0]), float(high[0])) if space.shape == (1,) else box(low, high)

    def __getitem__(self, action: Any) -> Any:
        return np.asarray(action, self._space.dtype).reshape(self._space.shape)


def actions_of(name: str, space: Any, wanted: Any) -> list[Any] | BoxActions:
    """The environment's actions: a continuous space where no list is wanted, else `listed_actions`."""
    if type(space).__name__ != "Box" or wanted is not None:
        return listed_actions(name, space, wanted)
    if not (np.isfinite(space.low).all() and np.isfinite(space.high).all()):
        raise ParameterError(f"{name}: its action space {space} is unbounded; give actions=[...], a list of actions")
    return BoxActions(space)


def listed_actions(name: str, space: Any, wanted: Any) -> list[Any]:
    """The environment's actions.

    Args:
        name: of the environment, for errors.
        space: its action space.
        wanted: None for all of a finite space; how many values in each dimension of a continuous one; or the list.
    """
    kind = type(space).__name__
    if wanted is not None and not isinstance(wanted, (int, np.integer)):
        if isinstance(wanted, (str, bytes)) or not isinstance(wanted, Iterable):
            raise ParameterError(
                f"actions={wanted!r}: must be a list of {name}'s actions, or how many values in each dimension"
            )
        given = [one if kind not in ("Box", *_PARTS) else _array(space, one) for one in wanted]
        for action in given:
            if not space.contains(action):
                raise ParameterError(f"actions: {action!r} is not in {name}'s action space {space}")
        return _few(name, given, len(given))
    if kind == "Box":
        if wanted is None or isinstance(wanted, bool) or wanted < 2:
            raise ParameterError(
                f"actions={wanted!r}: must be at least 2 values in each dimension, or a list of actions"
            )
        if not (np.isfinite(space.low).all() and np.isfinite(space.high).all()):
            raise ParameterError(
                f"{name}: its action space {space} is unbounded; give actions=[...], a list of actions"
            )
        values = [
            np.linspace(low, high, int(wanted)) for low, high in zip(space.low.flat, space.high.flat, strict=True)
        ]
        count = int(wanted) ** len(values)
        grid = itertools.product(*values) if count <= MAX_ACTIONS else ()
        return _few(name, [np.array(one, space.dtype).reshape(space.shape) for one in grid], count)
    if wanted is not None:
        raise ParameterError(f"actions={wanted!r}: {name}'s action space {space} is finite; leave actions out")
    if kind == "Discrete":
        return _few(name, [int(space.start) + a for a in range(min(int(space.n), MAX_ACTIONS))], int(space.n))
    if kind in _PARTS:
        sizes = [int(n) for n in space.nvec.flat] if kind == "MultiDiscrete" else [2] * math.prod(space.shape)
        count = math.prod(sizes)
        if count > JOINT:
            raise ParameterError(
                f"{name}: its action space {space} has {count} combinations, more than {JOINT}; give actions=[...], a "
                "list of actions"
            )
        start = np.asarray(getattr(space, "start", 0), space.dtype)
        return [_array(space, one) + start for one in itertools.product(*map(range, sizes))]
    raise ParameterError(
        f"{name}: its action space {space} is not Discrete, MultiDiscrete, MultiBinary or Box; give actions=[...], a "
        "list of actions"
    )


def _array(space: Any, action: Any) -> Any:
    """An action of a space of arrays; one of another kind or size stays as it is, to be refused."""
    try:
        array = np.asarray(action, space.dtype)
    except (TypeError, ValueError):
        return action
    return array.reshape(space.shape) if array.size == math.prod(space.shape) else array


def _few(name: str, actions: list[Any], count: int) -> list[Any]:
    if not 1 <= count <= MAX_ACTIONS:
        raise ParameterError(f"actions: {name} would have {count} actions, must have from 1 to {MAX_ACTIONS}")
    return actions


def action_names(env: Any, actions: list[Any]) -> tuple[str, ...]:
    """What the actions are called."""
    known = NAMES.get(type(env.unwrapped).__name__)
    if known is not None and len(known) == len(actions):
        return known
    return tuple(np.array2string(a, precision=3) if isinstance(a, np.ndarray) else str(a) for a in actions)
