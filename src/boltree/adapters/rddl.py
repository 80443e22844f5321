"""``bt.from_rddl``: a planning problem in RDDL, by pyRDDLGym, as a table where it is small, else simulated."""

from __future__ import annotations

from typing import Any

from ..errors import ParameterError
from ..extras import needs
from ..problem.problem import Problem
from ..problems.outcome_table import OutcomeTable
from .freezing import frozen
from .rddl_compiled import compiled
from .rddl_grounding import UncompiledError
from .rddl_outcomes import NotFiniteError, outcomes
from .rddl_world import Fluents, RDDLWorld, told
from .simulated_problem import SimulatedProblem
from .simulator import Restored, Saved

FEW = (4_000, 256, 40_000)
"""Pairs of a state and an action, outcomes of one of them, and outcomes in all: up to these they are few."""


def from_rddl(
    domain: str,
    instance: str,
    *,
    horizon: int | None = None,
    discount: float | None = None,
    table: bool | None = None,
) -> Problem:
    """A planning problem in RDDL.

    Where its fluents are finite and the states that can be reached are few, all of their outcomes are listed: it then
    runs at full speed and can be solved exactly. Else it is simulated, which is slow.

    Args:
        domain: a domain's name in rddlrepository, or the path of its file.
        instance: an instance's name, or the path of its file.
        horizon: how many steps to look ahead; the instance's if None.
        discount: weight of a reward one step later; the instance's if None.
        table: True to list all outcomes however many there are, False never to; None where they are few.

    >>> import boltree as bt
    >>> bt.from_rddl("Navigation_MDP_ippc2011", "1").action_names
    ('nothing', 'move-north', 'move-south', 'move-east', 'move-west')
    """
    world, env = _world(domain, instance)
    name = f"{domain}, {instance}"
    horizon = int(env.horizon) if horizon is None else horizon
    discount = float(env.discount) if discount is None else discount
    if table is not True:
        try:
            return compiled(name, world, horizon, discount, (from_rddl, (domain, instance)))
        except UncompiledError as error:
            print("UNCOMPILED", error)
    if table is not False:
        try:
            return RDDLTable(name, world, horizon, discount, FEW if table is None else (2**62,) * 3)
        except NotFiniteError as error:
            if table:
                raise ParameterError(f"table=True: the outcomes of {name} cannot be listed ({error})") from None
    return RDDLProblem(name, world, horizon, discount)


def _world(domain: Any, instance: Any) -> tuple[RDDLWorld, Any]:
    library = needs("pyRDDLGym", "rddl")
    try:
        env = library.make(str(domain), str(instance), vectorized=True)
    except Exception as error:  # pyRDDLGym's and rddlrepository's errors have no common class
        first = str(error).strip().partition("\n")[0].removesuffix(", must be one of:")
        raise ParameterError(f"domain={domain!r}, instance={instance!r}: {type(error).__name__}: {first}") from error
    name = f"{domain}, {instance}"
    if env.sampler.is_pomdp:
        raise ParameterError(f"{name}: whoever acts does not see the state (observ-fluents); must be an MDP")
    return RDDLWorld(name, env), env


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

    def __init__(self, name: str, world: RDDLWorld, horizon: int, discount: float, most: tuple[int, int, int]) -> None:
        self.name = name
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
                if pairs > most[0] or total > most[2]:
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
