"""``bt.PythonProblem``: arbitrary Python objects as states and ordinary methods, searched by the same kernel.

The kernel sees a state as a number; the objects stay in Python. What Python has said about a state, an action or an
outcome is kept (known.py), and Python is not asked again. So a problem that is deterministic or lists its outcomes runs
at hundreds of thousands of trials a second where its states come again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, ClassVar, NoReturn

import numpy as np

from .core.random import new_generator, uniform
from .errors import ProblemError
from .known import check_sum, checked_chances
from .problem import Problem
from .python_binding import PythonBinding
from .records import Record, record
from .states import PlainState

_OPTIONAL = ("outcomes", "chances", "outcome", "legal", "player", "prior", "heuristic", "random_action", "show")


class PythonProblem(Problem):
    """A problem written as ordinary Python.

    Subclass it, set ``actions`` (how many) and ``horizon``, and write

    * ``start(self, rng)``: the first state, any object that is hashable (or give ``key``);
    * ``step(self, state, action, rng)``: returns ``(next_state, reward, done)``, never changes ``state``; or
    * ``outcomes(self, state, action)``: a list of all that may happen, ``(probability, next_state, reward, done)``;

    and, if you like, ``legal(self, state)`` (the legal actions), ``player(self, state)``, ``prior(self, state)``
    (a weight per action), ``heuristic(self, state)``, ``random_action(self, state, rng)``, ``key(self, state)``,
    ``show(self, state)``, ``rollout(self, state, steps, rng)`` (the discounted return of at most so many steps). Set
    ``deterministic = True`` if it is. Draw random numbers with ``bt.uniform(rng)`` and ``bt.integer(rng, n)``.

    Python is asked once about the outcomes of a state and an action, the legal actions of a state and its player; only
    a ``step`` that is not deterministic is called every time. Where making all next states is too much, write
    ``chances(self, state, action)`` (their probabilities) and ``outcome(self, state, action, k)`` (the k-th next state,
    reward and done) in place of ``outcomes``.

    Example:
        >>> import boltree as bt
        >>> class Grid(bt.PythonProblem):
        ...     actions, horizon, deterministic = 4, 20, True
        ...     def start(self, rng):
        ...         return (0, 0)
        ...     def step(self, state, action, rng):
        ...         dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[action]
        ...         x, y = min(max(state[0] + dx, 0), 2), min(max(state[1] + dy, 0), 2)
        ...         return (x, y), -1.0, (x, y) == (2, 2)
        >>> search = bt.Search(Grid(), bt.BTS(alpha=1.0), seed=0, evaluator=0.0)
        >>> _ = search.run(trials=20_000)
        >>> search.root.value
        -4.0
    """

    state: ClassVar[Record] = record(number="i8")
    outcomes_wanted: ClassVar[str] = "outcomes(self, state, action)"
    solvable_states: ClassVar[int] = 200_000  # Python is asked about each

    def __init__(
        self, *, actions: int | None = None, horizon: int | None = None, discount: float | None = None
    ) -> None:
        self._objects: list[Any] = []
        self._numbers: dict[Hashable, int] = {}
        self._bound = PythonBinding(self)
        super().__init__(actions=actions, horizon=horizon, discount=discount)

    def _check_class(self) -> None:
        cls = type(self)
        for field in ("actions", "horizon"):
            if not hasattr(self, field):
                raise ProblemError(
                    f"{cls.__name__}: {field} is missing; set it in the class or give {field}=... to the instance"
                )
        if cls.start is PythonProblem.start:
            raise ProblemError(f"{cls.__name__}: start(self, ...) is missing")
        if hasattr(cls, "chances") != hasattr(cls, "outcome"):
            there, missing = ("chances", "outcome") if hasattr(cls, "chances") else ("outcome", "chances")
            raise ProblemError(f"{cls.__name__}: {there} is there but {missing}(self, ...) is missing")
        if cls.step is PythonProblem.step and not self.has_outcomes:
            raise ProblemError(f"{cls.__name__}: step(self, ...) is missing (or outcomes(self, state, action))")
        if cls.step is not PythonProblem.step and self.has_outcomes:
            raise ProblemError(f"{cls.__name__}: step and outcomes are both there; write one of them")

    @classmethod
    def functions(cls) -> dict[str, Any]:
        """The methods this problem defines, by name."""
        own = ("start", "step", *_OPTIONAL, "key", "rollout")
        return {
            name: getattr(cls, name)
            for name in own
            if getattr(cls, name, None) is not getattr(PythonProblem, name, None)
        }

    @property
    def has_outcomes(self) -> bool:
        """Whether the problem lists the outcomes of an action."""
        return getattr(self, "outcomes", None) is not None or getattr(self, "chances", None) is not None

    def has(self, name: str) -> bool:
        """Whether the problem defines this method; the outcomes of a deterministic problem are its step."""
        if name in ("outcomes", "count_outcomes"):
            return self.deterministic or self.has_outcomes
        return name in ("start", "step") or (name in _OPTIONAL and getattr(self, name, None) is not None)

    def key(self, state: Any) -> Hashable:
        """What makes two states the same one; the state itself unless you say otherwise."""
        return state  # type: ignore[no-any-return]

    def refuse_answer(self, method: str, answer: Any) -> NoReturn:
        """Say what a method must return."""
        name = type(self).__name__
        raise ProblemError(f"{name}.{method} returned {answer!r}; it must return (next_state, reward, done)")

    def refuse_changed(self, method: str, before: Any) -> NoReturn:
        """Say that states are never changed."""
        name = type(self).__name__
        raise ProblemError(f"{name}.{method} changed the state it was given, {before!r}; it must return a new one")

    # Numbers for objects

    def number_of(self, state: Any) -> int:
        """The number that stands for a state in the kernel."""
        try:
            key = self.key(state)
            number = self._numbers.get(key)
        except TypeError as error:
            raise ProblemError(
                f"{type(self).__name__}: state {state!r} is not hashable; write key(self, state) that returns "
                "something that is"
            ) from error
        if number is None:
            number = len(self._objects)
            self._objects.append(state)
            self._numbers[key] = number
        return number

    def object_of(self, number: Any) -> Any:
        """The state that a number (or a state record) stands for."""
        return self._objects[int(number["number"] if isinstance(number, (np.void, np.ndarray)) else number)]

    # For the kernel

    @property
    def params_at(self) -> int:
        """Address of what is known of this problem."""
        return self._bound.params_at

    def address(self, name: str) -> int:
        """Address of a function's wrapper; 0 when the problem does not define it."""
        return self._bound.address(name) if name == "rollout" or self.has(name) else 0

    def reraise(self) -> None:
        """Raise what a method raised inside the kernel, as it was raised."""
        self._bound.reraise()

    def __getstate__(self) -> dict[str, Any]:
        """Objects and their numbers travel; what is bound to this process is made again."""
        return {name: value for name, value in super().__getstate__().items() if name != "_bound"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._bound = PythonBinding(self)

    # In plain Python

    def start(self, rng: Any) -> Any:
        """The first state."""
        raise NotImplementedError

    def step(self, state: Any, action: int, rng: Any) -> tuple[Any, float, bool]:
        """The next state, the reward and whether it ends: drawn from the outcomes, unless you write it."""
        if self.has("chances"):
            k = _drawn(checked_chances(self, state, action), rng)
            return self.outcome(state, action, k)  # type: ignore[attr-defined, no-any-return]
        listed = self.outcomes(state, action)  # type: ignore[attr-defined]
        chances = [chance for chance, *_ in listed]
        check_sum(self, state, action, chances)
        _, following, reward, done = listed[_drawn(chances, rng)]
        return following, reward, done

    def certain_step(self, state: Any, action: int) -> tuple[Any, float, bool]:
        """A deterministic problem's step, which draws no numbers."""
        return self.step(state, action, _UNUSED)

    def rollout(self, state: Any, steps: int, rng: Any) -> float:
        """The discounted return of at most so many random actions."""
        return self.play_on(state, steps, rng, 0.0, 1.0)

    def play_on(self, state: Any, steps: int, rng: Any, total: float, weight: float) -> float:
        """A rollout's return so far, and the rest of it from here on with a weight."""
        for _ in range(steps):
            state, reward, done = self.step(state, self.some_action(state, rng), rng)
            total += weight * reward
            weight *= self.discount
            if done:
                break
        return total

    def legal_of(self, state: Any) -> Iterable[int]:
        """The legal actions of a state, checked."""
        if not self.has("legal"):
            return range(self.actions)
        given = list(self.legal(state))  # type: ignore[attr-defined]
        if any(isinstance(a, (bool, np.bool_)) for a in given):
            raise ProblemError(
                f"{type(self).__name__}.legal returned {given!r}; it must return the legal actions' numbers"
            )
        legal = [int(a) for a in given]
        for action in legal:
            if not 0 <= action < self.actions:
                raise ProblemError(
                    f"{type(self).__name__}.legal: action {action} of {state!r}, must be 0 to {self.actions - 1}"
                )
        return legal

    def some_action(self, state: Any, rng: Any) -> int:
        """An action of the rollout policy: `random_action`, else a uniform legal one."""
        if self.has("random_action"):
            return int(self.random_action(state, rng))  # type: ignore[attr-defined]
        legal = list(self.legal_of(state))
        if not legal:
            raise ProblemError(f"{type(self).__name__}: no legal action in {state!r}, which is not terminal")
        return legal[int(uniform(rng) * len(legal))]

    def plain_start(self, rng: Any) -> Any:
        """A start state's record."""
        return self.as_state(self.start(rng))

    def plain_step(self, state: PlainState, action: int, rng: Any) -> tuple[float, bool]:
        """Take a step in place."""
        here = self.object_of(state.number)
        before = self.key(here)
        result = self.step(here, action, rng)
        if not isinstance(result, tuple) or len(result) != 3 or not isinstance(result[1], (int, float, np.number)):
            self.refuse_answer("step", result)
        if self.key(here) != before:
            self.refuse_changed("step", before)
        state.number = self.number_of(result[0])
        return float(result[1]), bool(result[2])

    def plain_count_outcomes(self, state: PlainState, action: int) -> int:
        """How many outcomes an action has."""
        if not self.has_outcomes:
            return 1
        listed: Any = self.chances if self.has("chances") else self.outcomes  # type: ignore[attr-defined]
        return len(listed(self.object_of(state.number), action))

    def plain_outcome(self, state: PlainState, action: int, k: int) -> tuple[float, float, bool]:
        """Change a state to the k-th outcome of an action; its probability, reward and whether it ends."""
        here = self.object_of(state.number)
        if not self.has_outcomes:
            chance, (following, reward, done) = 1.0, self.certain_step(here, action)
        elif self.has("chances"):
            chance = self.chances(here, action)[k]  # type: ignore[attr-defined]
            following, reward, done = self.outcome(here, action, k)  # type: ignore[attr-defined]
        else:
            chance, following, reward, done = self.outcomes(here, action)[k]  # type: ignore[attr-defined]
        state.number = self.number_of(following)
        return float(chance), float(reward), bool(done)

    def plain_player(self, state: Any) -> int:
        """Who moves in a state."""
        return int(self.player(self.object_of(PlainState(state).number))) if self.has("player") else 0  # type: ignore[attr-defined]

    def plain_prior(self, state: Any) -> Any:
        """The prior's weight of each action."""
        return np.array(self.prior(self.object_of(PlainState(state).number)), float)  # type: ignore[attr-defined]

    def plain_heuristic(self, state: Any) -> float:
        """A state's value."""
        return float(self.heuristic(self.object_of(PlainState(state).number)))  # type: ignore[attr-defined]

    def plain_random_action(self, state: PlainState, rng: Any) -> int:
        """An action of the rollout policy."""
        return self.some_action(self.object_of(state.number), rng)

    def batch_of(self, states: Any) -> Any:
        """The objects themselves, in a list."""
        return [self.object_of(state) for state in states]

    def present(self, state: Any) -> Any:
        """The object that a state record stands for."""
        return self.object_of(state)

    def legal_actions(self, state: Any) -> list[int]:
        """The legal actions of a state."""
        return sorted(self.legal_of(self.object_of(self.as_state(state))))

    def show_state(self, state: Any) -> str:
        """A state as text."""
        found = self.object_of(self.as_state(state))
        return str(self.show(found)) if self.has("show") else repr(found)  # type: ignore[attr-defined]

    def as_state(self, given: Any) -> Any:
        """The state record of an object."""
        if isinstance(given, PlainState):
            return given.memory[0]
        if isinstance(given, (np.void, np.ndarray)) and given.dtype.names == ("number",):
            return given
        memory = self.new_state()
        memory["number"] = self.number_of(given)
        return memory[0]


_UNUSED = new_generator(0)


def _drawn(chances: list[float], rng: Any) -> int:
    """Which outcome happens, with the draws of core/known.py."""
    if len(chances) > 1:
        u = uniform(rng)
        for k, chance in enumerate(chances[:-1]):
            u -= chance
            if u < 0.0:
                return k
    return len(chances) - 1
