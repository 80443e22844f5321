"""``bt.Belief``: what is believed about a hidden state, as states that are more or less likely."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ..checks import whole
from ..core.random import new_generator, uniform
from ..errors import ParameterError
from ..messages import shortened
from ..problem.problem import Problem, not_a_problem
from ..problem.python.problem import PythonProblem
from .soundness import are_states
from .update import Model, agreeing, distinct, perturbed, replace_some, resampled, weighed

PARTICLES, PYTHON_PARTICLES = 10_000, 1_000
"""How many particles a belief has unless told otherwise: of a compiled problem, and of one in plain Python."""

LEAST_EFFECTIVE = 0.5
"""Particles are drawn anew by their weights where the effective number falls below this share of their number."""

FEW_DISTINCT, PERTURBED = 1 / 16, 1 / 16
"""Where fewer different states are left than this share of those at first, this share of particles is perturbed."""


class Belief:
    """What is believed about a hidden state: particles, which are states, and their weights, which sum to 1.

    It never changes: `update` returns the belief after an action and what was observed.

    Args:
        problem: a problem whose state is hidden.
        particles: how many states are drawn from the problem's `start`; 10,000 if None, 1,000 of a problem in plain
            Python.
        states: the particles themselves, in place of drawn ones.
        weights: of those states; equal ones if None.
        seed: of the random numbers.

    Example:
        >>> import boltree as bt
        >>> class Coin(bt.Problem):
        ...     state = bt.record(heads="i1")
        ...     observation = 2
        ...     actions, horizon = 1, 10
        ...
        ...     @staticmethod
        ...     def start(params, state, rng):
        ...         state.heads = bt.integer(rng, 2)
        ...
        ...     @staticmethod
        ...     def step(params, state, action, rng):
        ...         return 0.0, False
        ...
        ...     @staticmethod
        ...     def observe(params, state, action, next_state, rng, out):
        ...         return next_state.heads if bt.uniform(rng) < 0.8 else 1 - next_state.heads
        ...
        ...     @staticmethod
        ...     def observation_probability(params, observation, state, action, next_state):
        ...         return 0.8 if observation == next_state.heads else 0.2
        >>> belief = bt.Belief(Coin(), states=[{"heads": 0}, {"heads": 1}])
        >>> belief.update(0, 1).histogram("heads")
        {0: 0.2, 1: 0.8}
    """

    def __init__(
        self,
        problem: Problem,
        particles: int | None = None,
        *,
        states: Iterable[Any] | None = None,
        weights: Any = None,
        seed: int | np.random.SeedSequence | None = None,
    ) -> None:
        if not isinstance(problem, Problem):
            raise not_a_problem(problem)
        if not problem.hidden:
            raise ParameterError(f"problem={problem!r}: must have observe; its state is seen, so nothing is believed")
        whole("particles", particles, 1, none=True)
        if not isinstance(seed, np.random.SeedSequence):
            whole("seed", seed, 0, none=True)
        self.problem = problem
        self._model = Model(problem)
        self._rng = new_generator(seed)
        if states is None:
            if weights is not None:
                raise ParameterError("weights: are those of states; give states=... too")
            usual = PYTHON_PARTICLES if isinstance(problem, PythonProblem) else PARTICLES
            self._states = self._model.starts(particles or usual, self._rng)
            self.weights: NDArray[np.float64] = np.full(len(self._states), 1.0 / len(self._states))
        else:
            if particles is not None:
                raise ParameterError(f"particles={particles}: must be left out where states=... are given")
            try:
                given = list(states)
            except TypeError:
                raise ParameterError(f"states={shortened(states)}: must be a list of states") from None
            rows = [np.frombuffer(problem.as_state(one).tobytes(), np.uint64) for one in given]
            if not rows:
                raise ParameterError("states: is empty; give at least one")
            self._states = np.array(rows)
            self.weights = _checked_weights(weights, len(rows))
        self._few = FEW_DISTINCT * distinct(self._states)
        self._begin_drawing()

    def _begin_drawing(self) -> None:
        """Set up what is drawn from this belief; `_rng` never advances, so that it always gives the same updates."""
        self._drawing = self._rng.copy()
        self._even: NDArray[np.uint64] | None = None

    @property
    def particles(self) -> Any:
        """States, as an array of records, or a list of objects for a `PythonProblem`."""
        records = self._states.view(self.problem.state_layout()).reshape(-1)
        if isinstance(self.problem, PythonProblem):
            return self.problem.batch_of(records)
        names = list(type(self.problem).state.names)
        return records[names].copy()

    @property
    def first(self) -> Any:
        """The record of one state."""
        return self._states[0].view(self.problem.state_layout())[0]

    def __len__(self) -> int:
        return len(self._states)

    @property
    def effective(self) -> float:
        """How many equally weighted particles would say as much (1 over the sum of the squared weights)."""
        return float(1.0 / np.sum(self.weights**2))

    def histogram(self, of: Union[str, Callable[[Any], Any]]) -> dict[Any, float]:
        """How probable each value of a field is, or of a function of the state; sorted where values can be."""
        found: dict[Any, float] = {}
        for value, weight in zip(self._values(of), self.weights.tolist(), strict=True):
            key = tuple(value) if isinstance(value, list) else value
            found[key] = found.get(key, 0.0) + weight
        try:
            return {key: found[key] for key in sorted(found)}
        except TypeError:
            return found

    def mean(self, of: Union[str, Callable[[Any], Any]]) -> Any:
        """The expected value of a field (an array for a field that is one), or of a function of the state."""
        values = np.array(self._values(of), float)
        mean = np.tensordot(self.weights, values, axes=1)
        return mean if mean.ndim else float(mean)

    def _values(self, of: Union[str, Callable[[Any], Any]]) -> list[Any]:
        if callable(of):
            rows = self._states.view(self.problem.state_layout()).reshape(-1)
            return [of(self.problem.present(row)) for row in rows]
        names = () if isinstance(self.problem, PythonProblem) else type(self.problem).state.names
        if of not in names:
            allowed = f"one of {', '.join(names)}, or a function of the state" if names else "a function of the state"
            raise ParameterError(f"field {of!r}: must be {allowed}")
        values: list[Any] = self.particles[of].tolist()
        return values

    def draw(self, rng: Any = None) -> Any:
        """A state, drawn by the weights; another one at each call. `rng` is a generator of the package's."""
        u = uniform(self._drawing if rng is None else rng)
        k = min(int(np.searchsorted(np.cumsum(self.weights), u)), len(self) - 1)
        return self.problem.present(self._states[k].copy().view(self.problem.state_layout())[0])

    def equally_weighted(self) -> NDArray[np.uint64]:
        """The words of states that are as likely as each other: the particles, drawn anew if their weights differ."""
        if self._even is None:
            alike = np.ptp(self.weights) == 0.0
            rng = self._rng.copy()
            self._even = self._states if alike else resampled(self._states, self.weights, len(self), rng)
        return self._even

    def update(self, action: Any, observation: Any) -> Belief:
        """The belief after an action and what was observed after it.

        With `observation_probability` every particle takes a step and is weighed by it. Without, particles are drawn
        and stepped until enough of them were observed alike. Where few different states are left, some are changed by
        the problem's `perturb`, if it has one.

        Raises:
            ParameterError: no particle explains the observation.
        """
        problem, model = self.problem, self._model
        if problem.boxes is None:
            action = whole("action", action, 0, problem.actions - 1)
        else:
            action = problem.boxes.present(problem.boxes.vector(action))
        record = problem.as_observation(observation)
        seen = np.frombuffer(record.tobytes(), np.uint64)
        rng = self._rng.copy()
        new: Belief = object.__new__(Belief)
        new.__dict__.update(self.__dict__)
        new._rng = rng
        size = len(self)
        step = (model, action, seen)
        if problem.has("observation_probability"):
            found = weighed(*step, self._states, self.weights, rng)
        else:
            states = agreeing(*step, self.equally_weighted(), rng)
            found = None if states is None else (states, _equal(size))
        if found is None and problem.has("perturb"):
            states = perturbed(*step, self.equally_weighted(), size, rng)
            found = None if states is None else (states, _equal(size))
        if found is None:
            raise ParameterError(
                f"observation={problem.present_observation(record)!r} after action {action}: none of the belief's "
                f"{size:,} particles explains it; is it what the problem's observe can say there? If so, more "
                "particles, observation_probability or perturb may help (docs: hidden state)"
            )
        new._states, new.weights = found
        if new.effective < LEAST_EFFECTIVE * size:
            new._states, new.weights = resampled(new._states, new.weights, size, rng), _equal(size)
        if problem.has("perturb") and np.ptp(new.weights) == 0.0 and distinct(new._states) < self._few:
            others = perturbed(*step, self.equally_weighted(), max(int(PERTURBED * size), 1), rng)
            if others is not None:
                new._states = replace_some(new._states, others, rng)
        new._begin_drawing()
        return new

    def to_arrays(self) -> dict[str, Any]:
        """All that it consists of, as plain arrays, which a file can hold."""
        generators, few = np.array([self._rng, self._drawing]), np.array([self._few])
        return {"particles": self._states, "weights": self.weights, "generators": generators, "few": few}

    @classmethod
    def from_arrays(cls, problem: Problem, given: Mapping[str, Any]) -> Belief:
        """The belief that `to_arrays` took apart, from the arrays' bytes; ParameterError where they cannot be one."""

        def expect(good: bool, what: str) -> None:
            if not good:
                raise ParameterError(f"{what} cannot be")

        model = Model(problem)
        for name in ("weights", "generators", "few"):
            expect(given[name].size % 8 == 0, f"the size of its {name}")
        weights, few = given["weights"].view(np.float64).copy(), given["few"].view(np.float64)
        expect(weights.size > 0 and bool((np.isfinite(weights) & (weights >= 0.0)).all()), "its weights")
        expect(abs(float(weights.sum()) - 1.0) < 1e-9, "the sum of its weights")
        expect(given["particles"].size == weights.size * model.words * 8, "the size of its particles")
        expect(few.size == 1 and bool(np.isfinite(few[0])) and few[0] >= 0.0, "its number of different states")
        expect(given["generators"].size == 32, "the size of its generators")
        generators = given["generators"].view(np.uint64).reshape(2, 2).copy()
        expect(bool(generators.any(axis=1).all()), "its random numbers")
        new: Belief = object.__new__(cls)
        new.problem, new.weights, new._model, new._few = problem, weights, model, float(few[0])
        new._rng = generators[0].copy()
        new._states = given["particles"].view(np.uint64).reshape(weights.size, model.words).copy()
        expect(are_states(problem, new._states), "a particle")
        new._begin_drawing()
        new._drawing = generators[1].copy()
        return new

    def __repr__(self) -> str:
        return (
            f"<Belief about {self.problem.display_name()}: {len(self):,} particles, {self.effective:,.0f} effective, "
            f"{distinct(self._states):,} different>"
        )


def _equal(count: int) -> NDArray[np.float64]:
    return np.full(count, 1.0 / count)


def _checked_weights(given: Any, count: int) -> Any:
    """Weights that sum to 1, from what was given."""
    if given is None:
        return _equal(count)
    try:
        weights = np.array(given, float)
    except (TypeError, ValueError):
        weights = np.zeros(0)
    if weights.shape != (count,) or not np.isfinite(weights).all() or (weights < 0).any() or weights.sum() <= 0:
        raise ParameterError(
            f"weights={shortened(given)}: must be {count} finite numbers of at least 0, one for each state, not all 0"
        )
    return weights / weights.sum()
