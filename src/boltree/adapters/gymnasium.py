"""``bt.from_gymnasium``: an environment of Gymnasium's as a problem, by its table, by restoring, or by replay."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

from ..errors import ParameterError
from ..extras import needs
from ..problem.problem import Problem
from .environment_actions import actions_of
from .gymnasium_problem import GymnasiumProblem, GymnasiumWorld, Running
from .gymnasium_table import GymnasiumTable, has_table
from .restoring import ByFunctions, Restoring, restoring_for
from .simulator import Replayed, Restored, Simulator

HORIZON = 200
"""How far to look in an environment without a time limit."""

_ONLY_CHECK = ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")
"""Wrappers that `gymnasium.make` adds; the search has a horizon and checks of its own."""


def from_gymnasium(
    environment: Any,
    *,
    horizon: int | None = None,
    discount: float = 1.0,
    actions: Any = None,
    get_state: Callable[[Any], Any] | None = None,
    set_state: Callable[[Any, Any], object] | None = None,
    replay: bool = False,
    deterministic: bool | None = None,
    **options: Any,
) -> Problem:
    """An environment of Gymnasium's as a problem.

    An environment with a table ``P`` (Frozen Lake, Taxi, Cliff Walking) is read from it: it runs at full speed and can
    be solved exactly. Others are simulated in one environment of the problem's own, which is set to the states of the
    tree and never copied: classic control, Blackjack and MuJoCo as they are; others by your `get_state` and `set_state`
    (arguments, or methods of the environment); all else by replaying the actions from the reset, which is slow. Chance
    is drawn anew in every trial. `bt.check` proves that restoring restores.

    Args:
        environment: an environment, or its id, such as ``"CartPole-v1"``. It is not changed; `bt.Agent` acts in it.
        horizon: how many steps to look ahead; None for the environment's time limit, or 200.
        discount: weight of a reward one step later.
        actions: of a continuous action space: how many values in each dimension, or a list of actions. None draws
            actions from all of it (docs: continuous actions).
        get_state: ``get_state(env)`` returns what `step` depends on (but not ``np_random``, which is kept beside it).
        set_state: ``set_state(env, state)`` goes back to it. Both get the environment without its wrappers.
        replay: reach states by replaying actions, whatever else could be done.
        deterministic: whether `step` leaves nothing to chance; None for what is known of the environment, else False.
        options: for ``gymnasium.make``, with an id.

    >>> import boltree as bt
    >>> lake = bt.from_gymnasium("FrozenLake-v1", is_slippery=False)
    >>> bt.solve(lake).root_value
    1.0
    """
    if (get_state is None) != (set_state is None):
        raise ParameterError("get_state and set_state: give both or neither")
    if get_state is not None and replay:
        raise ParameterError("replay=True: needs no get_state and set_state; leave them out")
    env = _environment(environment, options)
    name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
    simulated, limit = _simulated(name, env)
    horizon = (limit or HORIZON) if horizon is None else horizon
    inner = simulated.unwrapped
    if get_state is None and not replay and actions is None and has_table(inner) and simulated is inner:
        running = Running(GymnasiumWorld(env, list(range(len(inner.P[0])))), None, limit)
        return GymnasiumTable(name, inner, running, horizon, discount)
    listed = actions_of(name, env.action_space, actions)
    restoring: Restoring | None = None
    if get_state is not None and set_state is not None:
        restoring = ByFunctions(get_state, set_state)
    elif not replay:
        restoring = restoring_for(inner)
        if restoring is None:
            _warn_of_half(name, inner)
    simulator: Simulator
    if restoring is not None:
        sure = restoring.deterministic if deterministic is None else deterministic
        simulator = Restored(GymnasiumWorld(simulated, listed), restoring)
    else:
        sure = bool(deterministic)
        simulator = Replayed(GymnasiumWorld(simulated, listed), sure)
    running = Running(GymnasiumWorld(env, listed), simulator, limit)
    return GymnasiumProblem(name, simulator, running, sure, horizon, discount)


def _warn_of_half(name: str, env: Any) -> None:
    """Warn where an environment has only one of the methods `get_state` and `set_state`."""
    there = [method for method in ("get_state", "set_state") if callable(getattr(env, method, None))]
    if len(there) == 1:
        (missing,) = {"get_state", "set_state"} - set(there)
        warnings.warn(
            f"{name}: has {there[0]} but no {missing}, so its states are reached by replaying actions, which is slow; "
            f"write {missing} too, or say replay=True",
            stacklevel=3,
        )


def _environment(given: Any, options: dict[str, Any]) -> Any:
    """The environment itself."""
    gymnasium = needs("gymnasium", "gym")
    if not isinstance(given, str):
        if options:
            raise ParameterError(f"{sorted(options)[0]}: is for an environment's id, not for an environment")
        if not isinstance(given, gymnasium.Env):
            raise ParameterError(f"environment={given!r}: must be one gymnasium.Env, or its id, such as 'CartPole-v1'")
        return given
    try:
        return gymnasium.make(given, **options)
    except (gymnasium.error.Error, TypeError) as error:
        ours = "; run pip install 'boltree[mujoco]'" if "mujoco is not installed" in str(error).lower() else ""
        raise ParameterError(f"environment={given!r}: {error}{ours}") from error


def _simulated(name: str, env: Any) -> tuple[Any, int | None]:
    """An environment like this one to plan in, without the wrappers that only check, and its time limit."""
    gymnasium = needs("gymnasium", "gym")
    simulated = None
    if env.spec is not None:
        spec = copy.deepcopy(env.spec)
        spec.kwargs.pop("render_mode", None)
        spec.disable_env_checker = True
        try:
            simulated = gymnasium.make(spec)
        except (gymnasium.error.Error, ValueError, TypeError):  # a wrapper that cannot be made again
            simulated = None
    if simulated is None:
        try:
            simulated = copy.deepcopy(env)
        except Exception as error:  # it may hold anything that cannot be copied
            raise ParameterError(
                f"{name}: a second environment to plan in cannot be made ({error}); register it with "
                "gymnasium.register and give its id"
            ) from error
    limit, layer = None, simulated
    while layer is not layer.unwrapped:
        if type(layer).__name__ == "TimeLimit":
            limit = min(limit or layer._max_episode_steps, layer._max_episode_steps)
            layer._max_episode_steps = 2**62  # the horizon is the search's
        layer = layer.env
    while type(simulated).__name__ in _ONLY_CHECK:
        simulated = simulated.env
    return simulated, limit
