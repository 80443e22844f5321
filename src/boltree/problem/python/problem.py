"""``bt.PythonProblem``: arbitrary Python objects as states and ordinary methods, searched by the same kernel.

The kernel sees a state as a number; the objects stay in Python. What Python has said about a state, an action or an
outcome is kept (answers.py), and Python is not asked again. So a problem that is deterministic or lists its outcomes
runs at hundreds of thousands of trials a second where its states come again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, ClassVar, NoReturn, Union

import numpy as np

from ...checks import whole
from ...core.interrupts import between_steps
from ...core.random import new_generator
from ...errors import ProblemError
from ...messages import shortened
from .. import contract
from ..boxes import HeldActions
from ..problem import OF_LISTED_ACTIONS, Problem
from ..random import Generator
from ..record import Record, record
from ..state import PlainState
from .binding import PythonBinding

_OPTIONAL = (
    "outcomes",
    "chances",
    "outcome",
    "legal",
    "player",
    "prior",
    "heuristic",
    "bounds",
    "random_action",
    "propose",
    "observe",
    "observation_probability",
    "perturb",
    "show",
)


class PythonProblem(Problem):
    """A problem written as ordinary Python.

    Subclass it, set ``actions`` (how many) and ``horizon``, and write

    * ``start(self, rng)``: the first state, any object that is hashable (or give ``key``);
    * ``step(self, state, action, rng)``: returns ``(next_state, reward, done)``, never changes ``state``; or
    * ``outcomes(self, state, action)``: a list of all that may happen, ``(probability, next_state, reward, done)``;

    and, if you like, ``legal(self, state)`` (the legal actions), ``player(self, state)``, ``prior(self, state)``
    (a weight per action), ``heuristic(self, state)``, ``bounds(self, state)``, ``random_action(self, state, rng)``,
    ``key(self, state)``, ``show(self, state)``,
    ``rollout(self, state, steps, rng)`` (the discounted return of at most `steps` steps). Set
    ``deterministic = True`` if it is. Draw random numbers with ``rng.random()``, ``rng.integers(n)`` and
    ``rng.choice(sequence)``; a generator of NumPy's has the same names, for trying a method by hand.

    Where the state is hidden, ``observe(self, state, action, next_state, rng)`` says what is seen after a step that did
    not end (anything hashable), ``observation_probability(self, observation, state, action, next_state)`` how likely
    that was, and ``perturb(self, state, rng)`` returns a state nearby; the last two are optional.

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

    def __init__(self, *, actions: Any = None, horizon: int | None = None, discount: float | None = None) -> None:
        self._objects: list[Any] = []
        self._numbers: dict[Hashable, int] = {}
        self._observations: list[Any] = []
        self._observation_numbers: dict[Hashable, int] = {}
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
        for needs in ("observation_probability", "perturb"):
            if hasattr(cls, needs) and not hasattr(cls, "observe"):
                raise ProblemError(f"{cls.__name__}: {needs} is there but observe(self, ...) is missing")
        contract.check_arguments(self)
        self._refuse_lists()

    def _refuse_lists(self) -> None:
        """Refuse methods that do not go with the kind of a problem's actions."""
        name, written = type(self).__name__, self.functions()
        if self.boxes is None and "propose" in written:
            raise ProblemError(f"{name}: propose is there but actions is no bt.box; write prior for listed actions")
        for needs_list in (*OF_LISTED_ACTIONS, "chances", "outcome"):
            if self.boxes is not None and needs_list in written:
                raise ProblemError(
                    f"{name}: {needs_list} must be left out where actions are a box, for it lists actions"
                )

    def __init_subclass__(cls, **options: Any) -> None:
        super(Problem, cls).__init_subclass__(**options)  # methods stay as they were written

    @classmethod
    def functions(cls) -> dict[str, Any]:
        """The methods this problem defines, by name."""
        return {
            name: getattr(cls, name)
            for name in contract.METHODS
            if getattr(cls, name, None) is not getattr(PythonProblem, name, None)
        }

    @property
    def has_outcomes(self) -> bool:
        """Whether the problem lists the outcomes of an action."""
        return getattr(self, "outcomes", None) is not None or getattr(self, "chances", None) is not None

    def has(self, name: str) -> bool:
        """Whether the problem defines this method; the outcomes of a deterministic problem are its step."""
        if name in ("outcomes", "count_outcomes"):
            return self.boxes is None and (self.deterministic or self.has_outcomes)
        if name in ("start", "step"):
            return True
        if self.boxes is not None and name in OF_LISTED_ACTIONS:
            return False
        own = getattr(self, name, None) if name in _OPTIONAL else None
        return own is not None and getattr(own, "__func__", own) is not _DEFAULTS.get(name)

    def key(self, state: Any) -> Hashable:
        """What makes two states the same one; the state itself unless you say otherwise."""
        return state  # type: ignore[no-any-return]

    def refuse_changed(self, method: str, before: Any) -> NoReturn:
        """Say that states are never changed."""
        name = self.display_name()
        raise ProblemError(
            f"{name}.{method} changed the state it was given, {shortened(before)}; it must return a new one"
        )

    # Numbers for objects

    def number_of(self, state: Any) -> int:
        """The number that stands for a state in the kernel."""
        key = self.key(state)
        try:
            number = self._numbers.get(key)
        except TypeError as error:
            raise ProblemError(
                f"{self.display_name()}: state {shortened(state)} is not hashable; write key(self, state) that "
                "returns something that is"
            ) from error
        if number is None:
            number = len(self._objects)
            self._objects.append(state)
            self._numbers[key] = number
        return number

    def object_of(self, number: Any) -> Any:
        """The state that a number (or a state record) stands for."""
        if type(number) is int:
            return self._objects[number]
        return self._objects[int(number["number"] if isinstance(number, (np.void, np.ndarray)) else number)]

    def number_of_observation(self, observation: Any) -> int:
        """The number that stands for an observation in the kernel."""
        try:
            number = self._observation_numbers.get(observation)
        except TypeError as error:
            raise ProblemError(
                f"{self.display_name()}: observation {shortened(observation)} is not hashable; observe must return "
                "something that is"
            ) from error
        if number is None:
            number = len(self._observations)
            self._observations.append(observation)
            self._observation_numbers[observation] = number
        return number

    def observation_of(self, number: Any) -> Any:
        """The observation that a number (or an observation's record) stands for."""
        return self._observations[int(number["number"] if isinstance(number, (np.void, np.ndarray)) else number)]

    # For the kernel

    @property
    def params_at(self) -> int:
        """Address of the record of this problem's answers."""
        return self._bound.params_at

    def address(self, name: str) -> int:
        """Address of a function's wrapper; 0 when the problem does not define it."""
        return self._bound.address(name) if name == "rollout" or self.has(name) else 0

    def reraise(self) -> None:
        """Raise what a method raised inside the kernel, as it was raised."""
        self._bound.reraise()

    @property
    def exclusive(self) -> contextlib.AbstractContextManager[Any]:
        """The lock of the answers that are kept, to hold while methods are called."""
        return self._bound.lock

    @contextlib.contextmanager
    def others_may_call(self) -> Iterator[None]:
        """Release the lock `exclusive` while this block runs: other threads may need it before they can answer."""
        self._bound.lock.release()
        try:
            yield
        finally:
            self._bound.lock.acquire()

    def __getstate__(self) -> dict[str, Any]:
        """Objects and their numbers are pickled; addresses are not, and are made again in another process."""
        return {name: value for name, value in super().__getstate__().items() if name != "_bound"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._bound = PythonBinding(self)

    # In plain Python

    def start(self, rng: Any) -> Any:
        """The first state."""
        raise NotImplementedError

    def step(self, state: Any, action: Any, rng: Any) -> tuple[Any, float, bool]:
        """The next state, the reward and whether it ends: drawn from the outcomes, unless you write it."""
        if self.has("chances"):
            return contract.outcome_of(self, state, action, _drawn(contract.chances_of(self, state, action), rng))
        listed = contract.outcomes_of(self, state, action)
        _, following, reward, done = listed[_drawn([chance for chance, *_ in listed], rng)]
        return following, reward, done

    def legal(self, state: Any) -> Iterable[int]:
        """The legal actions: all of them, unless you write it."""
        return range(self.actions)

    def player(self, state: Any) -> int:
        """Who moves: player 0, unless you write it."""
        return 0

    @property
    def features(self) -> NoReturn:
        """None, since an evaluator is given the states themselves."""
        raise AttributeError(f"{self.display_name()} has no features: an evaluator is given its states themselves")

    def reset(self, seed: Union[int, np.random.Generator, None] = None, count: int | None = None) -> Any:
        """A start state, drawn with a seed; with a count, a list of that many."""
        whole("count", count, 1, none=True)
        if isinstance(seed, np.random.Generator):
            seed = int(seed.integers(2**63))
        whole("seed", seed, 0, none=True)
        rng = Generator(new_generator(seed))
        return self.start(rng) if count is None else [self.start(rng) for _ in range(count)]

    def certain_step(self, state: Any, action: Any) -> tuple[Any, float, bool]:
        """A deterministic problem's step, which draws no numbers."""
        return contract.transition(self, "step", self.step(state, action, _UNUSED), state, action)

    def rollout(self, state: Any, steps: int, rng: Any) -> float:
        """The discounted return of at most `steps` random actions."""
        return self.play_on(state, steps, rng, 0.0, 1.0)

    def play_on(self, state: Any, steps: int, rng: Any, total: float, weight: float) -> float:
        """A rollout's return so far, and the rest of it from here on with a weight."""
        any_action = not (self.boxes is not None or self.has("random_action") or self.has("legal"))
        held = None if self.boxes is None or self.has("random_action") else HeldActions(self.boxes, rng)
        for _ in range(steps):
            between_steps()
            if held is not None:
                action = held.next()
            else:
                action = int(rng.random() * self.actions) if any_action else self.some_action(state, rng)
            answer = self.step(state, action, rng)
            try:
                following, reward, done = answer
                total += weight * reward
            except (TypeError, ValueError):
                contract.transition(self, "step", answer, state, action)
                raise
            state = following
            weight *= self.discount
            if done:
                break
        return total

    def legal_of(self, state: Any) -> Iterable[int]:
        """The legal actions of a state, checked."""
        return contract.legal_of(self, state) if self.has("legal") else range(self.actions)

    def some_action(self, state: Any, rng: Any) -> Any:
        """An action of the rollout policy: `random_action`, else a uniform legal one."""
        if self.has("random_action"):
            return contract.random_action_of(self, state, rng)
        if self.boxes is not None:
            return self.boxes.present(self.boxes.draw(rng))
        legal = list(self.legal_of(state))
        if not legal:
            raise ProblemError(
                f"{self.display_name()}: no legal action in state {shortened(state)}; a state without legal actions "
                "must be terminal (done=True)"
            )
        return legal[int(rng.random() * len(legal))]

    def plain_start(self, rng: Any) -> Any:
        """A start state's record."""
        return self.as_state(self.start(Generator(rng)))

    def plain_step(self, state: PlainState, action: Any, rng: Any) -> tuple[float, bool]:
        """Take a step in place."""
        here = self.object_of(state.number)
        before = self.key(here)
        answer = self.step(here, action, Generator(rng))
        following, reward, done = contract.transition(self, "step", answer, here, action)
        if self.key(here) != before:
            self.refuse_changed("step", before)
        state.number = self.number_of(following)
        return reward, done

    def plain_count_outcomes(self, state: PlainState, action: int) -> int:
        """How many outcomes an action has."""
        if not self.has_outcomes:
            return 1
        listed: Any = contract.chances_of if self.has("chances") else contract.outcomes_of
        return len(listed(self, self.object_of(state.number), action))

    def plain_outcome(self, state: PlainState, action: int, k: int) -> tuple[float, float, bool]:
        """Change a state to the k-th outcome of an action; its probability, reward and whether it ends."""
        here = self.object_of(state.number)
        if not self.has_outcomes:
            chance, (following, reward, done) = 1.0, self.certain_step(here, action)
        elif self.has("chances"):
            chance = contract.chances_of(self, here, action)[k]
            following, reward, done = contract.outcome_of(self, here, action, k)
        else:
            chance, following, reward, done = contract.outcomes_of(self, here, action)[k]
        state.number = self.number_of(following)
        return chance, reward, done

    def plain_player(self, state: Any) -> int:
        """Who moves in a state."""
        return contract.player_of(self, self.object_of(PlainState(state).number)) if self.has("player") else 0

    def plain_prior(self, state: Any) -> Any:
        """The prior's weight of each action."""
        return contract.prior_of(self, self.object_of(PlainState(state).number))

    def plain_heuristic(self, state: Any) -> float:
        """A state's value."""
        return contract.heuristic_of(self, self.object_of(PlainState(state).number))

    def plain_bounds(self, state: Any) -> tuple[float, float]:
        """What a state is worth at least and at most."""
        return contract.bounds_of(self, self.object_of(PlainState(state).number))

    def plain_random_action(self, state: PlainState, rng: Any) -> Any:
        """An action of the rollout policy."""
        return self.some_action(self.object_of(state.number), Generator(rng))

    def plain_propose(self, state: PlainState, rng: Any) -> Any:
        """An action that `propose` draws from boxes."""
        return contract.drawn_of(self, "propose", self.object_of(state.number), Generator(rng))

    def plain_observe(self, state: Any, action: Any, next_state: Any, rng: Any) -> Any:
        """The record of what is observed after a step."""
        before, after = (self.object_of(PlainState(one).number) for one in (state, next_state))
        return self.as_observation(self.observe(before, action, after, Generator(rng)))  # type: ignore[attr-defined]

    def plain_observation_probability(self, observation: Any, state: Any, action: Any, next_state: Any) -> float:
        """The probability, or density, of an observation after a step."""
        before, after = (self.object_of(PlainState(one).number) for one in (state, next_state))
        return contract.observation_probability_of(self, self.observation_of(observation), before, action, after)

    def plain_perturb(self, state: Any, rng: Any) -> None:
        """Replace a state in its record by one nearby."""
        view = PlainState(state)
        here = self.object_of(view.number)
        view.number = self.number_of(self.perturb(here, Generator(rng)))  # type: ignore[attr-defined]

    def as_observation(self, given: Any) -> Any:
        """The record of an observation."""
        out = np.zeros(1, self.observation_layout())
        known = isinstance(given, (np.void, np.ndarray)) and given.dtype == out.dtype
        out["number"] = given["number"] if known else self.number_of_observation(given)
        return out[0]

    def present_observation(self, observation: Any) -> Any:
        """The object that an observation's record stands for."""
        return self.observation_of(observation)

    def batch_of(self, states: Any) -> Any:
        """The objects themselves, in a list."""
        return [self.object_of(state) for state in states]

    def present(self, state: Any) -> Any:
        """The object that a state record stands for."""
        return self.object_of(state)

    def written(self, state: Any) -> str:
        """A state as messages name it: how Python writes the object, not too long."""
        return shortened(self.present(PlainState(state).memory[0]))

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


_UNUSED = Generator(new_generator(0))
_DEFAULTS = {"legal": PythonProblem.legal, "player": PythonProblem.player}


def _drawn(chances: list[float], rng: Any) -> int:
    """Which outcome happens, with the draws of core/exact/answer_cache.py."""
    if len(chances) > 1:
        u = rng.random()
        for k, chance in enumerate(chances[:-1]):
            u -= chance
            if u < 0.0:
                return k
    return len(chances) - 1
