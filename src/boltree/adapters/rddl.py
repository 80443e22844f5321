"""``bt.from_rddl``: a planning problem in RDDL, read by pyRDDLGym, compiled; what is not compiled is simulated."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

from ..errors import ParameterError
from ..extras import needs
from ..problem.problem import Problem
from ..problems.outcome_table import OutcomeTable
from .freezing import frozen
from .rddl_compiled import compiled_instance
from .rddl_outcomes import NotFiniteError, outcomes
from .rddl_terms import UncompiledError
from .rddl_world import Fluents, RDDLWorld, told
from .simulated_problem import SimulatedProblem
from .simulator import Restored, Saved

FEW = (4_000, 256, 40_000)
"""Pairs of a state and an action, outcomes of one of them, and outcomes in all: up to these they are few."""

SECONDS = 3.0
"""Of the processor's time, to list the outcomes of all states."""


def from_rddl(
    domain: str,
    instance: str,
    *,
    horizon: int | None = None,
    discount: float | None = None,
    table: bool | None = None,
    compiled: bool | None = None,
    every_action: bool = False,
) -> Problem:
    """A planning problem in RDDL, compiled.

    It runs at full speed, and where few outcomes can follow an action, these are listed with their probabilities. What
    is not compiled (matrices, vectors of random numbers, functions in Python) is simulated by pyRDDLGym, which is
    slow, with a warning that names it; if then the states that can be reached are few, all outcomes are listed.
    Where it has observ-fluents, the state is hidden, and these are observed.

    Args:
        domain: a domain's name in rddlrepository, or the path of its file.
        instance: an instance's name, or the path of its file.
        horizon: how many steps to look ahead; the instance's if None.
        discount: weight of a reward one step later; the instance's if None.
        table: True to list all outcomes of all states however many there are, False never to; None where it is not
            compiled and they are few.
        compiled: True to refuse what is not compiled, False to compile nothing; None to compile what can be.
        every_action: whether actions are legal where a simpler one (that sets an action-fluent less) has the same
            effect and pays no less. Where False, compiled problems leave them out, which changes no optimal value.

    >>> import boltree as bt
    >>> bt.from_rddl("Navigation_MDP_ippc2011", "1").action_names
    ('nothing', 'move-north', 'move-south', 'move-east', 'move-west')
    """
    world, env = _world(domain, instance)
    hidden = bool(env.sampler.is_pomdp)
    name = f"{domain}, {instance}"
    horizon = int(env.horizon) if horizon is None else horizon
    discount = float(env.discount) if discount is None else discount
    if compiled is not False and not table:
        try:
            again = domain, instance, horizon, discount, every_action
            return compiled_instance(name, world, horizon, discount, (_again, again), every_action)
        except UncompiledError as error:
            if hidden:
                raise ParameterError(f"{name}: a POMDP must be compiled, and is not, because of {error}") from None
            if compiled:
                raise ParameterError(f"compiled=True: {name} is not compiled, because of {error}") from None
            slow = f"{name} is simulated by pyRDDLGym, about a thousand times slower, because of {error}"
            warnings.warn(slow, stacklevel=2)
    if hidden:
        raise ParameterError(
            f"{name}: a POMDP (it has observ-fluents) must be compiled; leave out table=True and compiled=False"
        )
    if table is not False:
        try:
            return RDDLTable(
                name, world, horizon, discount, (2**62,) * 3 if table else FEW, math.inf if table else SECONDS
            )
        except NotFiniteError as error:
            if table:
                raise ParameterError(f"table=True: the outcomes of {name} cannot be listed ({error})") from None
    return RDDLProblem(name, world, horizon, discount)


def _again(domain: str, instance: str, horizon: int, discount: float, every_action: bool) -> Problem:
    """The same compiled problem, in another process."""
    return from_rddl(domain, instance, horizon=horizon, discount=discount, compiled=True, every_action=every_action)


def _world(domain: Any, instance: Any) -> tuple[RDDLWorld, Any]:
    library = needs("pyRDDLGym", "rddl")
    try:
        env = library.make(str(domain), str(instance), vectorized=True)
    except Exception as error:  # pyRDDLGym's and rddlrepository's errors have no common class
        first = str(error).strip().partition("\n")[0].removesuffix(", must be one of:")
        raise ParameterError(f"domain={domain!r}, instance={instance!r}: {type(error).__name__}: {first}") from error
    name = f"{domain}, {instance}"
    return RDDLWorld(name, env), env


class RDDLRounds:
    """An instance in RDDL as pyRDDLGym simulates it, to act in.

    Args:
        domain: as for `from_rddl`.
        instance: as for `from_rddl`.
    """

    def __init__(self, domain: str, instance: str) -> None:
        self._world, env = _world(domain, instance)
        self.horizon, self.discount = int(env.horizon), float(env.discount)
        self.ended = False

    def begin(self, seed: int) -> None:
        """Go to the start, with a seed for what follows."""
        self._world.begin(seed)
        self.ended = self._world.sampler.check_terminal_states()

    def legal(self) -> list[int]:
        """The numbers of the actions that are legal now."""
        legal = self._world.legal()
        return list(range(len(self._world.actions))) if legal is None else legal

    def number(self, name: str) -> int:
        """The number of the action of this name."""
        return self._world.action_names.index(name)

    def values(self) -> dict[str, Any]:
        """The state-fluents' values, by name."""
        return dict(zip(self._world.sampler.rddl.state_fluents, Fluents().save(self._world.inner), strict=True))

    def observed(self) -> dict[str, Any]:
        """The observ-fluents' values after the last step, by name; none where the state is seen."""
        sampler = self._world.sampler
        return {name: sampler.subs[name] for name in sampler.rddl.observ_fluents}

    def step(self, action: int) -> float:
        """Take an action; the reward."""
        _, reward, self.ended = self._world.take(action)
        return reward


class RDDLProblem(SimulatedProblem):
    """A planning problem in RDDL that is simulated; its states hold the fluents' values."""

    def __init__(self, name: str, world: RDDLWorld, horizon: int, discount: float) -> None:
        super().__init__(name, Restored(world, Fluents()), len(world.actions), False, horizon, discount)
        self.action_names = world.action_names

    def show(self, state: Saved) -> str:
        """The fluents' values."""
        return told(state.observation)

    def __repr__(self) -> str:
        return f"from_rddl({self.name})"


class RDDLTable(OutcomeTable):
    """A planning problem in RDDL, all of whose outcomes are listed."""

    def __init__(
        self, name: str, world: RDDLWorld, horizon: int, discount: float, most: tuple[int, int, int], seconds: float
    ) -> None:
        self.name = name
        began = time.process_time()
        sampler, fluents = world.sampler, Fluents()
        world.begin(0)
        states = [fluents.save(world.inner)]
        numbers, ended = {frozen(states[0]): 0}, [False]
        listed: list[list[list[tuple[float, int, float, bool]]]] = []
        pairs = total = 0
        while len(listed) < len(states):
            row: list[list[tuple[float, int, float, bool]]] = [[] for _ in world.actions]
            here = states[len(listed)]
            fluents.restore(world.inner, here)
            legal = world.legal() if not ended[len(listed)] else []
            for action in range(len(world.actions)) if legal is None else legal:
                fluents.restore(world.inner, here)
                for chance, values, reward in outcomes(sampler, world.actions[action], most[1]):
                    key = frozen(values)
                    if key not in numbers:
                        fluents.restore(world.inner, values)
                        numbers[key] = len(states)
                        states.append(values)
                        ended.append(sampler.check_terminal_states() or not sampler.check_state_invariants(silent=True))
                        fluents.restore(world.inner, here)
                    row[action].append((chance, numbers[key], reward, ended[numbers[key]]))
                pairs, total = pairs + 1, total + len(row[action])
                late = time.process_time() - began > seconds
                if pairs > most[0] or total > most[2] or late:
                    raise NotFiniteError("too many states")
            listed.append(row)
        super().__init__(listed, horizon, 0, discount)
        self.action_names = world.action_names
        self._told = [told(dict(zip(sampler.rddl.state_fluents, values, strict=True))) for values in states]

    def show_state(self, state: Any) -> str:
        """The fluents' values."""
        return self._told[int(self.as_state(state)["s"])]

    def recipe(self) -> None:  # type: ignore[override]
        """None: it is made again from RDDL."""

    def __repr__(self) -> str:
        return f"from_rddl({self.name})"
