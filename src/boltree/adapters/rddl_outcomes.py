"""Every outcome of an action in RDDL, with its probability, where the fluents are finite.

A conditional probability function is evaluated once for every combination of its draws, for all objects at once:
in place of its generator, pyRDDLGym's simulator gets one that follows a script and notes the probabilities. A draw for
an object is independent of those for others, so this gives the distribution of each value of a fluent; the outcomes
are the combinations of the values.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

MOST_COMBINATIONS = 256
"""The most combinations of one function's draws."""


class NotFiniteError(Exception):
    """What cannot be listed."""


class _Script:
    """A generator that follows a script of choices, then takes the first that is possible."""

    def __init__(self, choices: tuple[int, ...]) -> None:
        self.script, self.choices = choices, list[int]()
        self.chances: list[Any] = []  # of the options of each draw, for every object

    def uniform(self, size: Any = None, **bounds: Any) -> _Draw:
        """What a Bernoulli draw compares with its probability."""
        if bounds:
            raise NotFiniteError("Uniform")
        return _Draw(self)

    def random(self, size: Any = None) -> _Draw:
        """What a Discrete draw compares with its summed probabilities."""
        return _Draw(self)

    def choose(self, chances: Any) -> int:
        """The choice for all objects, each of which has chances for the options in its last axis."""
        place = len(self.choices)
        possible = np.flatnonzero(chances.reshape(-1, chances.shape[-1]).max(axis=0) > 0.0)
        choice = self.script[place] if place < len(self.script) else int(possible[0])
        self.choices.append(choice)
        self.chances.append(chances)
        return choice

    def __getattr__(self, name: str) -> Any:
        raise NotFiniteError(name)


class _Draw:
    """A number that is not drawn: comparing it with probabilities follows the script."""

    __array_ufunc__ = None

    def __init__(self, script: _Script) -> None:
        self._script = script

    def __le__(self, chance: Any) -> Any:
        chance = np.asarray(chance, float)
        choice = self._script.choose(np.stack([1.0 - chance, chance], axis=-1))
        return np.full(chance.shape, bool(choice)) if chance.shape else np.bool_(choice)

    def __lt__(self, sums: Any) -> Any:
        chances = np.diff(np.asarray(sums, float), axis=-1, prepend=0.0)
        choice = self._script.choose(chances)
        return np.broadcast_to(np.arange(chances.shape[-1]) >= choice, chances.shape)


def _combinations(sampler: Any, evaluate: Callable[[], Any]) -> Iterator[tuple[Any, Any]]:
    """Every value of an expression and its probability, both for all objects at once."""
    scripts: list[tuple[int, ...]] = [()]
    combinations = 0
    while scripts:
        script = _Script(scripts.pop())
        sampler.rng = script
        value, weight = np.asarray(evaluate()), np.ones(())
        combinations += 1
        if combinations > MOST_COMBINATIONS:
            raise NotFiniteError("too many draws")
        for place, (choice, chances) in enumerate(zip(script.choices, script.chances, strict=True)):
            if chances.shape[:-1] != value.shape:
                raise NotFiniteError("draws for other objects")
            weight = weight * chances[..., choice]
            if place >= len(script.script):
                least = chances.reshape(-1, chances.shape[-1]).max(axis=0)
                others = [k for k in range(chances.shape[-1]) if k != choice and least[k] > 0.0]
                scripts += [(*script.choices[:place], other) for other in others]
        yield value, np.broadcast_to(weight, value.shape)


def _values(sampler: Any, evaluate: Callable[[], Any], most: int) -> Iterator[tuple[Any, float]]:
    """Every value of a fluent, and its probability: the combinations over the objects."""
    options: list[dict[Any, float]] = []
    shape: tuple[int, ...] = ()
    kind = np.dtype(bool)
    for value, weight in _combinations(sampler, evaluate):
        shape, kind = value.shape, value.dtype
        options = options or [{} for _ in range(value.size)]
        for found, one, chance in zip(options, value.flat, weight.flat, strict=True):
            if chance > 0.0:
                found[one] = found.get(one, 0.0) + float(chance)
    if math.prod(len(found) for found in options) > most:
        raise NotFiniteError("too many outcomes")
    for combination in itertools.product(*(found.items() for found in options)):
        chance = math.prod(p for _, p in combination)
        yield np.array([one for one, _ in combination], kind).reshape(shape), chance


Outcome = tuple[float, tuple[Any, ...], float]
"""Its probability, the values of the state-fluents, the reward."""


def outcomes(sampler: Any, actions: dict[str, Any], most: int) -> list[Outcome]:
    """What may follow the sampler's state; NotFiniteError where it cannot be listed, or is more than `most`."""
    rddl, generator, before = sampler.rddl, sampler.rng, dict(sampler.subs)
    found: list[Outcome] = []

    def expand(level: int, probability: float) -> None:
        if level == len(sampler.cpfs):
            if len(found) == most:
                raise NotFiniteError("too many outcomes")
            sampler.rng = _Script(())
            reward = sampler.sample_reward()
            if sampler.rng.choices:
                raise NotFiniteError("a random reward")
            values = tuple(sampler.subs[rddl.next_state[name]] for name in rddl.state_fluents)
            found.append((probability, values, reward))
            return
        fluent, expression, _ = sampler.cpfs[level]
        for value, chance in list(_values(sampler, lambda: sampler._sample(expression, sampler.subs), most)):
            sampler.subs[fluent] = value if value.shape else value[()]
            expand(level + 1, probability * chance)

    try:
        sampler.subs.update(actions)
        expand(0, 1.0)
    finally:
        sampler.rng, sampler.subs = generator, before
    return found
