"""``bt.PythonProblem``: arbitrary Python objects as states and ordinary methods, searched by the same kernel.

The kernel sees a state as a number; the objects stay in Python. A known deterministic step never calls Python again, so
such a problem runs at hundreds of thousands of trials a second.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable, Iterable
from typing import Any, ClassVar

import numpy as np

from .binding import ARITY, BOOL, F8, U8
from .core.native import address_of_python, plain_array_at
from .core.random import new_generator
from .errors import ProblemError
from .problem import Problem
from .records import Record, record
from .states import PlainState

_METHODS = ("legal", "player", "prior", "heuristic", "random_action", "show")
_Word, _Pair, _Triple = ctypes.c_int64, ctypes.c_double * 2, ctypes.c_double * 3


class PythonProblem(Problem):
    """A problem written as ordinary Python.

    Subclass it, set ``actions`` (how many) and ``horizon``, and write

    * ``start(self, rng)``: the first state, any object that is hashable (or give ``key``);
    * ``step(self, state, action, rng)``: returns ``(next_state, reward, done)``, never changes ``state``;

    and, if you like, ``legal(self, state)`` (the legal actions), ``player(self, state)``, ``prior(self, state)``
    (a weight per action), ``heuristic(self, state)``, ``random_action(self, state, rng)``, ``key(self, state)``,
    ``show(self, state)``. Set ``deterministic = True`` if it is: known steps then never call Python again.
    Draw random numbers with ``bt.uniform(rng)`` and ``bt.integer(rng, n)``.

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

    def __init__(
        self, *, actions: int | None = None, horizon: int | None = None, discount: float | None = None
    ) -> None:
        self._objects: list[Any] = []
        self._numbers: dict[Hashable, int] = {}
        self._made: dict[str, tuple[int, Any]] = {}
        self._generators: dict[int, Any] = {}
        self._raised: BaseException | None = None
        super().__init__(actions=actions, horizon=horizon, discount=discount)

    def _check_class(self) -> None:
        cls = type(self)
        for field in ("actions", "horizon"):
            if not hasattr(self, field):
                raise ProblemError(
                    f"{cls.__name__}: {field} is missing; set it in the class or give {field}=... to the instance"
                )
        for method in ("start", "step"):
            if getattr(cls, method, None) is getattr(PythonProblem, method, None):
                raise ProblemError(f"{cls.__name__}: {method}(self, ...) is missing")

    @classmethod
    def has(cls, name: str) -> bool:
        """Whether the problem defines this method."""
        if name in ("outcomes", "count_outcomes"):
            return cls.deterministic
        return name in ("start", "step") or (name in _METHODS and getattr(cls, name, None) is not None)

    def key(self, state: Any) -> Hashable:
        """What makes two states the same one; the state itself unless you say otherwise."""
        return state  # type: ignore[no-any-return]

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

    # What the kernel calls

    def address(self, name: str) -> int:
        """Address of a method's wrapper; 0 when the problem does not define it."""
        if name != "rollout" and not self.has(name):
            return 0
        if name not in self._made:
            wrapper: Callable[..., int] = getattr(self, f"_native_{name}")
            self._made[name] = address_of_python(wrapper, ARITY[name], self._keep)
        return self._made[name][0]

    def __getstate__(self) -> dict[str, Any]:
        """What is bound to this process is made again where it is needed."""
        state = super().__getstate__()
        return state | {"_made": {}, "_generators": {}, "_raised": None}

    def _keep(self, error: BaseException) -> None:
        self._raised = error

    def reraise(self) -> None:
        """Raise what a method raised inside the kernel, as it was raised."""
        error, self._raised = self._raised, None
        raise error or KeyboardInterrupt  # nothing was kept: an interrupt came before the method could run

    # (ctypes reads and writes a word in a tenth of the time that a NumPy view of it takes)

    def _generator(self, address: int) -> Any:
        found = self._generators.get(address)
        if found is None:
            found = self._generators[address] = plain_array_at(address, 2, U8)
        return found

    def _object_at(self, state: int) -> Any:
        return self._objects[_Word.from_address(state).value]

    def _native_start(self, params: int, state: int, rng: int) -> int:
        _Word.from_address(state).value = self.number_of(self.start(self._generator(rng)))
        return 0

    def _native_step(self, params: int, state: int, action: int, rng: int, out: int) -> int:
        word = _Word.from_address(state)
        following, reward, done = self.step(self._objects[word.value], action, self._generator(rng))
        word.value = self.number_of(following)
        result = _Pair.from_address(out)
        result[0] = reward
        result[1] = 1.0 if done else 0.0
        return 0

    def _native_count_outcomes(self, params: int, state: int, action: int) -> int:
        return 1

    def _native_outcomes(self, params: int, state: int, action: int, k: int, out: int) -> int:
        word = _Word.from_address(state)
        following, reward, done = self.step(self._objects[word.value], action, new_generator(0))
        word.value = self.number_of(following)
        result = _Triple.from_address(out)
        result[0], result[1], result[2] = 1.0, reward, 1.0 if done else 0.0
        return 0

    def _native_legal(self, params: int, state: int, out: int, size: int) -> int:
        mask = plain_array_at(out, size, BOOL)
        for action in self._legal_of(self._object_at(state)):
            mask[action] = True
        return 0

    def _native_prior(self, params: int, state: int, out: int, size: int) -> int:
        plain_array_at(out, size, F8)[:] = self.prior(self._object_at(state))  # type: ignore[attr-defined]
        return 0

    def _native_player(self, params: int, state: int) -> int:
        return int(self.player(self._object_at(state)))  # type: ignore[attr-defined]

    def _native_heuristic(self, params: int, state: int, out: int) -> int:
        _Pair.from_address(out)[0] = self.heuristic(self._object_at(state))  # type: ignore[attr-defined]
        return 0

    def _native_rollout(self, params: int, state: int, rng: int, steps: int, out: int, mask: int, actions: int) -> int:
        result, generator = _Pair.from_address(out), self._generator(rng)
        here = self._object_at(state)
        total, weight, discount = 0.0, 1.0, result[0]
        for _ in range(steps):
            here, reward, done = self.step(here, self._random_action(here, generator), generator)
            total += weight * reward
            weight *= discount
            if done:
                break
        result[0] = total
        return 0

    def _legal_of(self, state: Any) -> Iterable[int]:
        if self.has("legal"):
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
        return range(self.actions)

    def _random_action(self, state: Any, rng: Any) -> int:
        from .core.random import uniform

        if self.has("random_action"):
            return int(self.random_action(state, rng))  # type: ignore[attr-defined]
        legal = list(self._legal_of(state))
        if not legal:
            raise ProblemError(f"{type(self).__name__}: no legal action in {state!r}, which is not terminal")
        return legal[int(uniform(rng) * len(legal))]

    # In plain Python

    def start(self, rng: Any) -> Any:
        """The first state."""
        raise NotImplementedError

    def step(self, state: Any, action: int, rng: Any) -> tuple[Any, float, bool]:
        """The next state, the reward and whether it ends."""
        raise NotImplementedError

    def plain_start(self, rng: Any) -> Any:
        """A start state's record."""
        return self.as_state(self.start(rng))

    def plain_step(self, state: PlainState, action: int, rng: Any) -> tuple[float, bool]:
        """Take a step in place."""
        here = self.object_of(state.number)
        before = self.key(here)
        result = self.step(here, action, rng)
        name = type(self).__name__
        if not isinstance(result, tuple) or len(result) != 3 or not isinstance(result[1], (int, float, np.number)):
            raise ProblemError(f"{name}.step returned {result!r}; it must return (next_state, reward, done)")
        if self.key(here) != before:
            raise ProblemError(f"{name}.step changed the state it was given, {before!r}; it must return a new one")
        state.number = self.number_of(result[0])
        return float(result[1]), bool(result[2])

    @classmethod
    def functions(cls) -> dict[str, Any]:
        """None of the compiled kind."""
        return {}

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
        return self._random_action(self.object_of(state.number), rng)

    def batch_of(self, states: Any) -> Any:
        """The objects themselves, in a list."""
        return [self.object_of(state) for state in states]

    def present(self, state: Any) -> Any:
        """The object that a state record stands for."""
        return self.object_of(state)

    def legal_actions(self, state: Any) -> list[int]:
        """The legal actions of a state."""
        return sorted(self._legal_of(self.object_of(self.as_state(state))))

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
