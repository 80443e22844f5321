"""A planning problem in RDDL as pyRDDLGym simulates it: its actions as a list, its state as arrays of fluents."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..problem.problem import MAX_ACTIONS
from .restoring import Restoring
from .simulator import World


class RDDLWorld(World):
    """pyRDDLGym's simulator, with the actions that the search's numbers stand for."""

    def __init__(self, name: str, env: Any) -> None:
        self.sampler = env.sampler
        super().__init__(_Inner(self.sampler))
        listed = list(_actions(name, env))
        self.action_names = tuple(_action_name(action) for action in listed)
        self.actions = [self.sampler.prepare_actions_for_sim(action) for action in listed]

    def keep_actions(self, numbers: list[int]) -> None:
        """Forget all other actions."""
        self.actions = [self.actions[number] for number in numbers]
        self.action_names = tuple(self.action_names[number] for number in numbers)

    def begin(self, seed: int) -> Any:
        """Reset it."""
        self.sampler.seed(seed)
        return self.sampler.reset()[0]

    def take(self, action: int) -> tuple[Any, float, bool]:
        """One step; it ends where RDDL's termination or a broken invariant says so."""
        observation, reward, ended = self.sampler.step(self.actions[action])
        return observation, float(reward), bool(ended) or not self.sampler.check_state_invariants(silent=True)

    def legal(self) -> list[int] | None:
        """The actions whose preconditions hold."""
        sampler = self.sampler
        if not sampler.rddl.preconditions:
            return None
        holds = (sampler.check_action_preconditions(action, silent=True) for action in self.actions)
        return [a for a, legal in enumerate(holds) if legal]


class Fluents(Restoring):
    """The values of the state-fluents."""

    deterministic = False

    def save(self, env: Any) -> Any:
        """Their arrays; pyRDDLGym replaces them and does not change them."""
        return tuple([env.sampler.subs[name] for name in env.sampler.rddl.state_fluents])

    def restore(self, env: Any, state: Any) -> None:
        """Begin with these values."""
        sampler = env.sampler
        sampler.subs = sampler.init_values.copy()
        sampler.subs.update(zip(sampler.rddl.state_fluents, state, strict=True))


class _Inner:
    """The simulator, with its generator under the name that others have for it."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    @property
    def np_random(self) -> Any:
        return self.sampler.rng

    @np_random.setter
    def np_random(self, generator: Any) -> None:
        self.sampler.rng = generator


def _actions(name: str, env: Any) -> Any:
    """Every assignment of the action-fluents with at most `max-nondef-actions` that differ from their defaults."""
    sampler, model = env.sampler, env.model
    choices: list[tuple[str, list[Any]]] = []
    for fluent, kind in sampler.grounded_action_ranges.items():
        default = sampler.grounded_noop_actions[fluent]
        if kind == "bool":
            values: list[Any] = [False, True]
        elif kind in model.type_to_objects:
            values = list(range(len(model.type_to_objects[kind])))
        elif kind == "int" and (space := env.action_space[fluent.partition("___")[0]]).high.max() < MAX_ACTIONS:
            values = list(range(int(space.low.min()), int(space.high.max()) + 1))
        else:
            raise ParameterError(f"{name}: action-fluent {fluent} is {kind} without small bounds; must be finite")
        choices.append((fluent, [value for value in values if value != default]))
    most = min(int(model.max_allowed_actions), len(choices))
    count = 0
    for number in range(most + 1):
        for chosen in itertools.combinations(choices, number):
            for assigned in itertools.product(*(values for _, values in chosen)):
                count += 1
                if count > MAX_ACTIONS:
                    raise ParameterError(f"{name}: it has more than {MAX_ACTIONS} combinations of actions")
                yield {fluent: value for (fluent, _), value in zip(chosen, assigned, strict=True)}


def _action_name(action: dict[str, Any]) -> str:
    """``reboot___c1`` as ``reboot(c1)``, and what it is set to where that is not true."""
    told = []
    for fluent, value in action.items():
        name, _, objects = fluent.partition("___")
        shown = f"{name}({objects.replace('__', ', ')})" if objects else name
        told.append(shown if value is True else f"{shown}={value}")
    return " and ".join(told) or "nothing"


def told(observation: dict[str, Any]) -> str:
    """The values of fluents as text."""
    return ", ".join(f"{name}={(np.asarray(value) * 1).tolist()}" for name, value in observation.items())
