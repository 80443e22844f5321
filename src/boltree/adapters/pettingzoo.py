"""``bt.from_pettingzoo``: a classic game of PettingZoo's for two players as a problem."""

from __future__ import annotations

import copy
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ParameterError, ProblemError
from ..extras import needs
from ..messages import did_you_mean
from ..problem.problem import Problem
from .restoring import ByFunctions, Restoring
from .simulated_problem import SimulatedProblem
from .simulator import Replayed, Restored, Saved, Simulator, World

HORIZON = 200
"""How many moves to look ahead, at most."""

_ONLY_CHECK = ("TerminateIllegalWrapper", "AssertOutOfBoundsWrapper", "OrderEnforcingWrapper", "CaptureStdoutWrapper")
"""Wrappers that only guard against wrong moves, which a search does not make."""

_HIDDEN = ("hanabi", "leduc_holdem", "texas_holdem", "texas_holdem_no_limit", "gin_rummy", "rps")
"""PettingZoo's games in which a player does not know everything, or both move at the same time."""


def from_pettingzoo(
    environment: Any,
    *,
    horizon: int | None = None,
    discount: float = 1.0,
    get_state: Callable[[Any], Any] | None = None,
    set_state: Callable[[Any, Any], object] | None = None,
    **options: Any,
) -> Problem:
    """A game of PettingZoo's as a problem: two players in turn, opposite interests, no chance, nothing hidden.

    Tic-Tac-Toe and Connect Four are saved and restored, others by your `get_state` and `set_state`, else they are
    replayed from the start, which is slow. `bt.check` proves that restoring restores. Legal moves are the observation's
    ``action_mask``.

    Args:
        environment: an AEC environment, or a classic game's name, such as ``"tictactoe_v3"``. It is not changed.
        horizon: how many moves to look ahead; 200 if None.
        discount: weight of a reward one move later.
        get_state: ``get_state(env)`` returns all that `step` depends on.
        set_state: ``set_state(env, state)`` goes back to it. Both get the environment without its wrappers.
        options: for making the environment, with a name.

    >>> import boltree as bt
    >>> bt.from_pettingzoo("tictactoe_v3").actions
    9
    """
    if (get_state is None) != (set_state is None):
        raise ParameterError("get_state and set_state: give both or neither")
    env = _environment(environment, options)
    name = str(env.metadata.get("name", type(env.unwrapped).__name__))
    _refuse_hidden(name)
    if len(env.possible_agents) != 2:
        raise ParameterError(f"environment={name!r}: it has {len(env.possible_agents)} players, must have 2")
    spaces = [env.action_space(agent) for agent in env.possible_agents]
    if any(type(space).__name__ != "Discrete" or space.start or space != spaces[0] for space in spaces):
        raise ParameterError(f"environment={name!r}: its action spaces are {spaces}, must be the same Discrete(n)")
    world = _AECWorld(name, env)
    simulator: Simulator
    if get_state is not None and set_state is not None:
        simulator = Restored(world, ByFunctions(get_state, set_state, deterministic=True))
    elif name in _BOARDS and type(env.unwrapped).__module__.startswith("pettingzoo.classic."):
        simulator = Restored(world, _BOARDS[name])
    else:
        simulator = Replayed(world, deterministic=True)
    return PettingZooGame(name, simulator, int(spaces[0].n), True, HORIZON if horizon is None else horizon, discount)


class PettingZooGame(SimulatedProblem):
    """A game for two players; the values are the first agent's."""

    def player(self, state: Saved) -> int:
        """Who moves."""
        return state.player

    def __repr__(self) -> str:
        return f"from_pettingzoo({self.name!r})"


class _AECWorld(World):
    """An environment of PettingZoo's whose agents move in turn."""

    def __init__(self, name: str, env: Any) -> None:
        super().__init__(env.unwrapped)
        self._name, self._env = name, env
        self._mask: Any = None

    def begin(self, seed: int) -> Any:
        """Reset it."""
        self._env.reset(seed=seed)
        return self._look()

    def take(self, action: int) -> tuple[Any, float, bool]:
        """One move: what the next to move sees, the first agent's reward, and whether it is over."""
        env = self._env
        mover = env.agent_selection
        env.step(action)
        first, second = (float(env.rewards.get(agent, 0.0)) for agent in env.possible_agents)
        if first != -second:
            raise ProblemError(
                f"{self._name}: action {action} of {mover} paid {first:g} and {second:g}; rewards must be opposite"
            )
        done = any(env.terminations.values()) or any(env.truncations.values()) or not env.agents
        return self._look(), first, done

    def _look(self) -> Any:
        seen = self._env.observe(self._env.agent_selection)
        told = seen if isinstance(seen, dict) else self._env.infos.get(self._env.agent_selection, {})
        self._mask = told.get("action_mask")
        return seen

    def legal(self) -> list[int] | None:
        """The moves that the mask of the player to move allows."""
        return None if self._mask is None else [int(a) for a in np.flatnonzero(self._mask)]

    def player(self) -> int:
        """Which of the two agents moves."""
        return int(self._env.possible_agents.index(self._env.agent_selection))


class _Board(Restoring):
    """A board, and whose turn it is; all else follows while the game goes on."""

    deterministic = True

    def __init__(self, read: Callable[[Any], list[int]]) -> None:
        self._read = read

    def save(self, env: Any) -> Any:
        """The squares, and the mover."""
        return tuple(self._read(env)), env.possible_agents.index(env.agent_selection)

    def restore(self, env: Any, state: Any) -> None:
        """Begin again, with these squares and this mover."""
        env.reset()
        self._read(env)[:] = state[0]
        for _ in range(state[1]):
            env.agent_selection = env._agent_selector.next()


_BOARDS = {"tictactoe_v3": _Board(lambda env: env.board.squares), "connect_four_v3": _Board(lambda env: env.board)}


def _refuse_hidden(name: str) -> None:
    if name.rpartition("_v")[0] in _HIDDEN:
        raise ParameterError(f"environment={name!r}: its players do not know everything; must be without secrets")


def _environment(given: Any, options: dict[str, Any]) -> Any:
    """An environment of one's own like the one given, without the wrappers that only guard."""
    pettingzoo = needs("pettingzoo", "pettingzoo")
    if isinstance(given, str):
        _refuse_hidden(given)  # before others' packages are asked for
        env = _made(pettingzoo, given, options)
    else:
        if options:
            raise ParameterError(f"{sorted(options)[0]}: is for an environment's name, not for an environment")
        if not isinstance(given, pettingzoo.AECEnv):
            raise ParameterError(
                f"environment={given!r}: must be a pettingzoo.AECEnv, or a name such as 'tictactoe_v3'"
            )
        try:
            env = copy.deepcopy(given)
        except Exception as error:  # it may hold anything that cannot be copied
            raise ParameterError(
                f"environment={given!r}: a second one to plan in cannot be made ({error}); give it without render_mode"
            ) from error
    while type(env).__name__ in _ONLY_CHECK:
        env = env.env
    return env


def _made(pettingzoo: Any, name: str, options: dict[str, Any]) -> Any:
    """A classic game by its name; PettingZoo has a registry since 1.27, and modules before."""
    game, _, version = name.rpartition("_v")
    try:
        if not hasattr(pettingzoo, "make"):
            return getattr(needs("pettingzoo.classic", "pettingzoo"), name).env(**options)
        if f"classic/{game}-v{version}" in pettingzoo.aec_registry:
            return pettingzoo.make("aec", f"classic/{game}-v{version}", **options)
    except AttributeError:
        pass
    except Exception as error:  # a package or an option that is missing; its errors have no common class
        raise ParameterError(f"environment={name!r}: {error}") from error
    hint = did_you_mean(name, _classic_names(), most=3)
    raise ParameterError(f"environment={name!r}: PettingZoo has no such classic game{hint}")


def _classic_names() -> list[str]:
    """What PettingZoo calls the games that may be taken."""
    folder = needs("pettingzoo.classic", "pettingzoo").__path__
    names = [module.name for module in pkgutil.iter_modules(folder) if "_v" in module.name]
    return [name for name in names if name.rpartition("_v")[0] not in _HIDDEN]
