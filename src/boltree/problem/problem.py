"""``bt.Problem``: what a user writes to have a problem of their own searched at full speed."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Union

import numpy as np

from ..checks import whole
from ..core.random import new_generator, uniform
from ..errors import ParameterError, ProblemError
from ..messages import shortened
from .binding import Binding, plain_parameters
from .boxes import Boxes, boxes_of
from .function import Function, become_methods
from .observation import OBSERVATION_NUMBER, Observation
from .record import Record
from .state import PADDING, PlainState, in_whole_words
from .summary import problem_text

if TYPE_CHECKING:
    from .scene import Scene

FUNCTIONS = {
    "start": ("params", "state", "rng"),
    "step": ("params", "state", "action", "rng"),
    "legal": ("params", "state", "mask"),
    "random_action": ("params", "state", "rng"),
    "propose": ("params", "state", "rng", "out"),
    "prior": ("params", "state", "out"),
    "player": ("params", "state"),
    "count_outcomes": ("params", "state", "action"),
    "outcomes": ("params", "state", "action", "k"),
    "heuristic": ("params", "state"),
    "bounds": ("params", "state"),
    "observe": ("params", "state", "action", "next_state", "rng", "out"),
    "observation_probability": ("params", "observation", "state", "action", "next_state"),
    "perturb": ("params", "state", "rng"),
    "features": ("params", "state", "out"),
    "show": ("params", "state"),
}
"""The functions a problem may define, with their arguments. `start`, and `step` or `outcomes`, are required."""

OF_LISTED_ACTIONS = ("legal", "prior", "outcomes", "count_outcomes")
"""Those that need a list of actions."""

MAX_ACTIONS = 65535


class Problem:
    """A decision problem: a record for the state, and functions that Numba can compile.

    Subclass it, give ``state`` and ``params`` with `bt.record`, ``actions`` and ``horizon``, and the static methods
    ``start(params, state, rng)`` and ``step(params, state, action, rng) -> (reward, done)``; `FUNCTIONS` lists the
    optional ones. `bt.check(problem)` tells what is missing.

    Where the state is hidden, ``observation`` is a record, or how many observations there are, and
    ``observe(params, state, action, next_state, rng, out)`` fills `out`, or returns a number, after every step that did
    not end. ``start`` then draws from the first belief; what is legal, the prior and what rollouts do may follow only
    from actions and observations. ``observation_probability(params, observation, state, action, next_state)``, a
    probability or a density, lets a belief weigh its particles; ``perturb(params, state, rng)`` changes a state a
    little, for a belief that has too few.

    Example:
        >>> import boltree as bt
        >>> class Walk(bt.Problem):
        ...     state = bt.record(x="i4")
        ...     params = bt.record(goal="i4")
        ...     actions = 2
        ...     horizon = 30
        ...     discount = 0.95
        ...
        ...     @staticmethod
        ...     def start(params, state, rng):
        ...         state.x = 0
        ...
        ...     @staticmethod
        ...     def step(params, state, action, rng):
        ...         state.x += 1 if action == 1 else -1
        ...         done = state.x == params.goal
        ...         return (1.0 if done else 0.0), done
        >>> search = bt.Search(Walk(goal=5), bt.BTS(alpha=0.1), seed=0)
        >>> search.run(trials=2000)
        'trials'
        >>> search.recommend()
        1

    An instance steps states from Python, compiled: `reset`, and ``step(state, action, rng)``, ``legal(state)``,
    ``player(state)`` and ``features(state)``, which take one state or an array of them.

        >>> walk = Walk(goal=5)
        >>> walk.step(walk.reset(), 1, np.random.default_rng(0))
        (State(x=1), 0.0, False)
        >>> walk.step(walk.reset(count=3), [1, 1, 0], np.random.default_rng(0))[0]["x"]
        array([ 1,  1, -1], dtype=int32)
    """

    state: ClassVar[Record]
    params: ClassVar[Record] = Record([])
    actions: Any  # how many; or a `bt.box`, or a tuple of boxes and numbers of choices
    boxes: Boxes | None = None  # what actions are drawn from, where they are not listed
    horizon: int
    discount: float = 1.0
    deterministic: bool = False
    observation: Record | int | None = None  # of a hidden state: a record, or how many observations there are
    rewards: tuple[float, float] | None = None  # the least and the most that one step can pay, if that is known
    action_names: tuple[str, ...] = ()
    features_shape: tuple[int, ...] = ()

    outcomes_wanted: ClassVar[str] = "outcomes(params, state, action, k) and count_outcomes(params, state, action)"
    solvable_states: ClassVar[int] = 5_000_000  # the most states that exact solving takes on, unless told otherwise

    step: Any = Function("step")
    legal: Any = Function("legal")
    player: Any = Function("player")
    features: Any = Function("features")

    _binding: ClassVar[Binding | None] = None
    _layout: ClassVar[np.dtype[Any]]
    _tuple: ClassVar[Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        become_methods(cls)

    def __init__(
        self,
        *,
        actions: Any = None,
        horizon: int | None = None,
        discount: float | None = None,
        **parameters: Any,
    ) -> None:
        name = self.display_name()
        for field, given in (("actions", actions), ("horizon", horizon), ("discount", discount)):
            if given is not None:
                setattr(self, field, given)
        self.boxes = boxes_of(getattr(self, "actions", None), name)
        self._check_class()
        self._kept: list[Any] = []
        self._memory = self._lay_out(parameters)
        if self.boxes is None:
            whole("actions", self.actions, 1, MAX_ACTIONS, of=name, error=ProblemError)
        whole("horizon", self.horizon, 1, of=name, error=ProblemError)
        whole("horizon", self.horizon, 1, 2**31 - 1, of=name, error=ProblemError)
        if not (isinstance(self.discount, (int, float, np.integer, np.floating)) and 0.0 < self.discount <= 1.0):
            raise ProblemError(f"{name}: discount={self.discount!r}, must be in (0, 1]")
        if self.observation is not None and not isinstance(self.observation, Record):
            whole("observation", self.observation, 1, 2**62, of=name, error=ProblemError)
        if self.boxes is not None and self.action_names:
            raise ProblemError(f"{name}: action_names={self.action_names!r}, must be left out where actions are a box")
        if self.boxes is None and len(self.action_names) not in (0, self.actions):
            raise ProblemError(
                f"{name}: action_names={self.action_names!r} are {len(self.action_names)}, must be {self.actions}, one "
                "for each action, or none"
            )

    # What the class must have

    @classmethod
    def functions(cls) -> dict[str, Any]:
        """The functions this problem defines, by name."""
        found = {}
        for name in FUNCTIONS:
            function = getattr(cls, name, None)
            if function is not None:
                found[name] = function
        return found

    def has(self, name: str) -> bool:
        """Whether the problem defines this function; the outcomes of a deterministic problem are its step."""
        cls = type(self)
        listed = name in ("outcomes", "count_outcomes") and self.boxes is None
        if listed and self.deterministic and getattr(cls, "step", None) is not None:
            return True
        return name in FUNCTIONS and getattr(cls, name, None) is not None

    def _check_class(self) -> None:
        cls = type(self)
        name = cls.__name__
        for field in ("state", "params"):
            if not isinstance(getattr(cls, field, None), Record):
                raise ProblemError(f"{name}: {field} is missing; write {field} = bt.record(x='i4', ...)")
        for part in cls.state.fields:
            if part.dimensions:
                raise ProblemError(
                    f"{name}: state field {part.name} needs a fixed size, such as '{part.dtype.str[1:]}[8]'"
                )
        if not cls.state.fields:
            raise ProblemError(f"{name}: state has no field")
        for part in cls.state.fields:
            if part.name in ("memory", "tobytes", "at"):
                raise ProblemError(f"{name}: state field {part.name!r} must be called something else")
        for part in cls.params.fields:
            if part.name in ("actions", "horizon", "discount"):
                raise ProblemError(
                    f"{name}: params field {part.name!r} must be called something else; every instance has it"
                )
        for field in ("actions", "horizon"):
            if not hasattr(self, field):
                raise ProblemError(
                    f"{name}: {field} is missing; set it in the class or give {field}=... to the instance"
                )
        functions = cls.functions()
        self._check_observation(functions)
        check_boxes(self, functions)
        if "start" not in functions:
            raise ProblemError(f"{name}: start(params, state, rng) is missing")
        if "outcomes" in functions and "count_outcomes" not in functions:
            raise ProblemError(f"{name}: outcomes is there but count_outcomes(params, state, action) is missing")
        if "step" not in functions and "outcomes" not in functions:
            raise ProblemError(f"{name}: step(params, state, action, rng) is missing (or outcomes and count_outcomes)")
        for function_name, function in functions.items():
            expected = FUNCTIONS[function_name]
            if function_name == "random_action" and self.boxes is not None:
                expected = FUNCTIONS["propose"]  # it fills out, too
            if not isinstance(inspect.getattr_static(cls, function_name), staticmethod):
                raise ProblemError(f"{name}.{function_name} must be a @staticmethod ({', '.join(expected)})")
            given = tuple(inspect.signature(getattr(function, "py_func", function)).parameters)
            if len(given) != len(expected):
                raise ProblemError(f"{name}.{function_name}({', '.join(given)}) must take ({', '.join(expected)})")

    def _check_observation(self, functions: dict[str, Any]) -> None:
        name = type(self).__name__
        if "observe" in functions and self.observation is None:
            raise ProblemError(
                f"{name}: observe is there but observation is missing; write observation = bt.record(...), or how many "
                "observations there are"
            )
        for needs in ("observation", "observation_probability", "perturb"):
            there = self.observation is not None if needs == "observation" else needs in functions
            if there and "observe" not in functions:
                raise ProblemError(
                    f"{name}: {needs} is there but observe({', '.join(FUNCTIONS['observe'])}) is missing"
                )
        if isinstance(self.observation, Record):
            for part in self.observation.fields:
                if part.dimensions:
                    raise ProblemError(
                        f"{name}: observation field {part.name} needs a fixed size, such as '{part.dtype.str[1:]}[8]'"
                    )
            if not self.observation.fields:
                raise ProblemError(f"{name}: observation has no field")

    def _lay_out(self, values: dict[str, Any]) -> Any:
        cls = type(self)
        unknown = set(values) - set(cls.params.names)
        missing = set(cls.params.names) - set(values)
        if unknown or missing:
            what = (
                f"unknown parameter {sorted(unknown)[0]!r}"
                if unknown
                else f"parameter {sorted(missing)[0]!r} is missing"
            )
            raise ProblemError(f"{cls.__name__}: {what}; the parameters are {', '.join(cls.params.names) or 'none'}")
        memory = np.zeros(1, cls.params.layout())
        for field in cls.params.fields:
            try:
                if field.dimensions:
                    array = _exactly(values[field.name], field.dtype)
                    if array.ndim != field.dimensions:
                        raise ValueError(f"it has {array.ndim} dimensions")
                    array.flags.writeable = False
                    self._kept.append(array)
                    memory[field.name] = array.ctypes.data
                    for d, extent in enumerate(array.shape):
                        memory[f"{field.name}__{d}"] = extent
                else:
                    memory[field.name] = _exactly(values[field.name], field.dtype)
            except (ValueError, TypeError, OverflowError) as error:
                kind = field.dtype.str[1:] + (f"[{','.join(':' * field.dimensions)}]" if field.dimensions else "")
                raise ProblemError(
                    f"{cls.__name__}: parameter {field.name}={values[field.name]!r} does not fit {kind}: {error}"
                ) from None
        return memory

    # For the kernel

    @property
    def params_at(self) -> int:
        """Address of this instance's parameters."""
        return int(self._memory.ctypes.data)

    @classmethod
    def state_layout(cls) -> np.dtype[Any]:
        """The NumPy record of a state, padded to whole 64-bit words.

        The padding is made of fields of its own, because NumPy does not copy what no field covers, and a state's
        identity is its bytes.
        """
        if "_layout" not in cls.__dict__:
            cls._layout = in_whole_words(cls.state.layout())
        return cls._layout

    def observation_layout(self) -> np.dtype[Any]:
        """The NumPy record of an observation, padded like a state's; a number lies in its field ``number``."""
        given = self.observation
        return in_whole_words(given.layout()) if isinstance(given, Record) else OBSERVATION_NUMBER

    @property
    def hidden(self) -> bool:
        """Whether the state is hidden, and only observations of it are seen."""
        return self.has("observe")

    def address(self, name: str) -> int:
        """Address of a function's wrapper; 0 when the problem does not define it."""
        cls = type(self)
        needed = ("step", "outcomes") if name in ("step", "rollout") else (name,)
        if not any(self.has(n) for n in needed):
            return 0
        if "_binding" not in cls.__dict__ or cls._binding is None:
            functions = {n: f for n, f in cls.functions().items() if n != "show"}
            numbered = not isinstance(self.observation, Record)
            observation = (self.observation_layout(), numbered)
            cls._binding = Binding(cls, functions, cls.state_layout(), observation, cls.params, cls._tuple_type())
        return cls._binding.address(name, self.boxes)

    def reset(self, seed: Union[int, np.random.Generator, None] = None, count: int | None = None) -> Any:
        """A start state, drawn with a seed; with a count, an array of that many."""
        from .stepping import reset

        return reset(self, seed, count)

    # In plain Python

    @classmethod
    def _tuple_type(cls) -> Any:
        if "_tuple" not in cls.__dict__:
            cls._tuple = cls.params.tuple_type(f"{cls.__name__}Params")
        return cls._tuple

    @cached_property
    def plain_params(self) -> Any:
        """The parameters as the functions see them, for calling them in plain Python."""
        return plain_parameters(type(self).params, self._tuple_type(), self._memory[0])

    def new_state(self) -> Any:
        """A zeroed state, as a one-element record array."""
        return np.zeros(1, self.state_layout())

    def listed_starts(self) -> list[tuple[float, Any]] | None:
        """The probability of each state in which it may start, where these are known; else None."""
        return None

    def start_state(self, seed: int | None = None) -> Any:
        """A start state drawn with a seed."""
        return self.plain_start(new_generator(seed))

    def plain_start(self, rng: Any) -> Any:
        """A start state, by `start`."""
        state = self.new_state()
        type(self).start(self.plain_params, PlainState(state), rng)  # type: ignore[attr-defined]
        return state[0]

    def plain_step(self, state: PlainState, action: Any, rng: Any) -> tuple[float, bool]:
        """Take a step in place: by `step`, or sampled from `outcomes`, with the same draws as compiled."""
        if self.has("step"):
            result = type(self).step(self.plain_params, state, action, rng)
            if not isinstance(result, tuple) or len(result) != 2 or isinstance(result[0], (bool, np.bool_)):
                raise ProblemError(f"{self.display_name()}.step returned {result!r}; it must return (reward, done)")
            return float(result[0]), bool(result[1])
        before = state.memory.copy()
        u = uniform(rng)
        count = self.plain_count_outcomes(state, action)
        for k in range(count):
            state.memory[:] = before
            probability, reward, done = self.plain_outcome(state, action, k)
            u -= probability
            if u < 0.0 or k == count - 1:
                return reward, done
        raise ValueError("count_outcomes returned 0")

    def plain_count_outcomes(self, state: PlainState, action: int) -> int:
        """How many outcomes an action has."""
        if "count_outcomes" not in self.functions():
            return 1
        return int(type(self).count_outcomes(self.plain_params, state, action))  # type: ignore[attr-defined]

    def plain_outcome(self, state: PlainState, action: int, k: int) -> tuple[float, float, bool]:
        """Change a state to the k-th outcome of an action; its probability, reward and whether it ends."""
        if "outcomes" not in self.functions():
            return (1.0, *self.plain_step(state, action, new_generator(0)))
        result = type(self).outcomes(self.plain_params, state, action, k)  # type: ignore[attr-defined]
        if not isinstance(result, tuple) or len(result) != 3:
            raise ProblemError(
                f"{self.display_name()}.outcomes returned {result!r}; it must return (probability, reward, done)"
            )
        return float(result[0]), float(result[1]), bool(result[2])

    def plain_player(self, state: Any) -> int:
        """Who moves in a state."""
        if not self.has("player"):
            return 0
        return int(type(self).player(self.plain_params, PlainState(state)))

    def plain_prior(self, state: Any) -> Any:
        """The prior's weight of each action, by `prior`."""
        out = np.zeros(self.actions)
        type(self).prior(self.plain_params, PlainState(state), out)  # type: ignore[attr-defined]
        return out

    def plain_heuristic(self, state: Any) -> float:
        """A state's value, by `heuristic`."""
        value = type(self).heuristic(self.plain_params, PlainState(state))  # type: ignore[attr-defined]
        if not isinstance(value, (int, float, np.number)):
            raise ProblemError(f"{self.display_name()}.heuristic returned {value!r}; it must return a number")
        return float(value)

    def plain_bounds(self, state: Any) -> tuple[float, float]:
        """What a state is worth at least and at most, by `bounds`."""
        result = type(self).bounds(self.plain_params, PlainState(state))  # type: ignore[attr-defined]
        if not isinstance(result, tuple) or len(result) != 2:
            raise ProblemError(f"{self.display_name()}.bounds returned {result!r}; it must return (lower, upper)")
        return float(result[0]), float(result[1])

    def plain_observe(self, state: Any, action: Any, next_state: Any, rng: Any) -> Any:
        """The record of what is observed after a step, by `observe`."""
        out = np.zeros(1, self.observation_layout())
        view = Observation(out)
        before, after = PlainState(state), PlainState(next_state)
        number = type(self).observe(self.plain_params, before, action, after, rng, view)  # type: ignore[attr-defined]
        if not isinstance(self.observation, Record):
            most = self.observation
            if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
                raise ProblemError(f"{self.display_name()}.observe returned {number!r}; it must return a whole number")
            if not 0 <= number < most:  # type: ignore[operator]
                raise ProblemError(
                    f"{self.display_name()}.observe returned {number}; it must be from 0 to {most - 1}, since "  # type: ignore[operator]
                    f"observation = {most}"
                )
            out["number"] = number
        return out[0]

    def plain_observation_probability(self, observation: Any, state: Any, action: Any, next_state: Any) -> float:
        """The probability, or density, of an observation after a step, by `observation_probability`."""
        asked = type(self).observation_probability  # type: ignore[attr-defined]
        seen = self.present_observation(observation)
        value = asked(self.plain_params, seen, PlainState(state), action, PlainState(next_state))
        if not isinstance(value, (int, float, np.number)):
            raise ProblemError(
                f"{self.display_name()}.observation_probability returned {value!r}; it must return a number"
            )
        return float(value)

    def plain_perturb(self, state: Any, rng: Any) -> None:
        """Change a state's record a little in place, by `perturb`."""
        type(self).perturb(self.plain_params, PlainState(state), rng)  # type: ignore[attr-defined]

    def as_observation(self, given: Any) -> Any:
        """An observation's record from a number, or from a record, a mapping of fields or a tuple of field values."""
        out = np.zeros(1, self.observation_layout())
        name, record = self.display_name(), self.observation
        if not isinstance(record, Record):
            if isinstance(given, (np.void, np.ndarray)) and given.dtype == out.dtype:
                given = given["number"].item()
            out["number"] = whole("observation", given, 0, int(record or 1) - 1, of=name, error=ProblemError)
            return out[0]
        _fill(out, record.names, given, f"{name}: observation")
        return out[0]

    def present_observation(self, observation: Any) -> Any:
        """An observation's record as users see it: a number, or its fields as attributes."""
        memory = np.asarray(observation).reshape(1)
        return Observation(memory.copy()) if isinstance(self.observation, Record) else int(memory["number"][0])

    def plain_features(self, state: Any) -> Any:
        """A network's numbers for a state, by `features`."""
        out = np.zeros(int(np.prod(self.features_shape)), np.float32)
        type(self).features(self.plain_params, PlainState(state), out)
        return out

    def plain_propose(self, state: PlainState, rng: Any) -> Any:
        """An action that `propose` draws from boxes; a uniform one if it is not there."""
        return self._draw_from_boxes("propose", state, rng)

    def _draw_from_boxes(self, function: str, state: PlainState, rng: Any) -> Any:
        assert self.boxes is not None
        if not self.has(function):
            return self.boxes.present(self.boxes.draw(rng))
        out = np.full(self.boxes.size, np.nan)
        getattr(type(self), function)(self.plain_params, state, rng, out)
        self.check_drawn(function, out, state)
        return self.boxes.present(out)

    def check_drawn(self, function: str, drawn: Any, state: Any) -> None:
        """Refuse an action that `propose` or `random_action` drew and that is not within the boxes."""
        assert self.boxes is not None
        if not self.boxes.holds(np.asarray(drawn)):
            missing = "; it must fill all of out" if np.isnan(drawn).any() else ""
            raise ProblemError(
                f"{self.display_name()}.{function} drew {self.boxes.written(drawn)} in state {self.written(state)}; it "
                f"must be {self.boxes.wanted}{missing}"
            )

    def plain_random_action(self, state: PlainState, rng: Any) -> Any:
        """An action of the rollout policy: `random_action`, else a uniform legal one."""
        if self.boxes is not None:
            return self._draw_from_boxes("random_action", state, rng)
        if self.has("random_action"):
            return int(type(self).random_action(self.plain_params, state, rng))  # type: ignore[attr-defined]
        legal = self.legal_actions(state)
        if not legal:
            raise ProblemError(
                f"{self.display_name()}: no legal action in state {self.written(state)}; a state without legal actions "
                "must be terminal (done=True)"
            )
        return legal[int(uniform(rng) * len(legal))]

    def as_state(self, given: Any) -> Any:
        """A state record from a record, a mapping of fields, or a tuple of field values."""
        state = self.new_state()
        _fill(state, type(self).state.names, given, f"{self.display_name()}: state")
        return state[0]

    def legal_actions(self, state: Any) -> list[int]:
        """The legal actions of a state, in plain Python."""
        self.refuse_boxes("a list of legal actions")
        mask = np.zeros(self.actions, np.bool_)
        if self.has("legal"):
            type(self).legal(self.plain_params, PlainState(self.as_state(state)), mask)
        else:
            mask[:] = True
        return [int(a) for a in np.flatnonzero(mask)]

    def refuse_boxes(self, what: str) -> None:
        """Raise an error where something needs listed actions, and these are drawn from boxes."""
        if self.boxes is not None:
            raise ParameterError(
                f"{self.display_name()}: its actions are drawn from boxes ({self.actions}), and {what} needs a list of "
                "actions"
            )

    def present(self, state: Any) -> Any:
        """A state record as users see it: with its fields as attributes."""
        return PlainState(np.asarray(state).reshape(1).copy())

    def written(self, state: Any) -> str:
        """A state as messages name it."""
        return shortened(PlainState(state))

    def batch_of(self, states: Any) -> Any:
        """State records as an evaluator without features sees them: as they are."""
        return states

    def show_state(self, state: Any) -> str:
        """A picture of a state as text: the problem's `show`, else its fields."""
        view = PlainState(self.as_state(state))
        if self.has("show"):
            return str(type(self).show(self.plain_params, view))  # type: ignore[attr-defined]
        return ", ".join(f"{name}={_short(getattr(view, name))}" for name in type(self).state.names)

    def are_sound(self, states: Any) -> bool:
        """Whether states from a file can be states: for problems whose compiled functions look things up unchecked."""
        return True

    def action_name(self, action: Any) -> str:
        """What an action is called."""
        if self.boxes is not None:
            return self.boxes.written(action)
        return self.action_names[action] if action < len(self.action_names) else str(action)

    def action_name_in(self, state: Any, action: Any) -> str:
        """What an action is called in a state, as users see it; the same everywhere unless a problem says otherwise."""
        return self.action_name(action)

    def display_name(self) -> str:
        """What the problem is called in titles: its attribute `name` where it has one, else its class."""
        name = getattr(self, "name", None)
        return name if isinstance(name, str) and name else type(self).__name__

    def start_states(self) -> list[tuple[float, Any]] | None:
        """All states that `start` may draw, each with its probability, for exact solving of hidden states.

        None where they are not listed.
        """
        return None

    def scene(self) -> Scene | None:
        """How `bt.watch` draws the problem: a `bt.Grid`, a `bt.Chain` or a `bt.Board`; None if it cannot be drawn."""
        return None

    def fingerprint(self) -> str:
        """A hash of everything that makes this instance different from others of its class."""
        digest = hashlib.sha256(
            repr((self.boxes or self.actions, self.horizon, float(self.discount), self.deterministic)).encode()
        )
        for item in self.plain_params:
            digest.update(np.ascontiguousarray(item).tobytes())
        return digest.hexdigest()

    @property
    def exclusive(self) -> contextlib.AbstractContextManager[Any]:
        """A lock to hold while the problem's functions are called; none where several threads may call them."""
        return contextlib.nullcontext()

    def others_may_call(self) -> contextlib.AbstractContextManager[Any]:
        """Release the lock `exclusive` while this block runs."""
        return contextlib.nullcontext()

    def __getstate__(self) -> dict[str, Any]:
        """Parameters are pickled by value: an address means nothing in another process."""
        kept = {
            name: value for name, value in self.__dict__.items() if name not in ("_memory", "_kept", "plain_params")
        }
        return kept | {"_parameters": {n: np.array(v) for n, v in self.plain_params._asdict().items()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        parameters = state.pop("_parameters")
        self.__dict__.update(state)
        self._kept = []
        self._memory = self._lay_out(parameters)

    def __repr__(self) -> str:
        shown = ((n, v) for n, v in self.plain_params._asdict().items() if np.size(v) <= 8)
        return f"{type(self).__name__}({', '.join(f'{n}={v}' for n, v in shown)})"

    def __str__(self) -> str:
        return problem_text(self)

    def reraise(self) -> None:
        """Raise the exception that a function of this problem raised inside a search, if it was kept."""

    def check_more(self, seed: int) -> None:
        """What `bt.check` looks at first for this kind of problem; raises ProblemError."""

    def recipe(self) -> dict[str, Any] | None:
        """The arguments that make this problem again, as JSON can hold them; None for a user's own class."""
        return None


def not_a_problem(given: Any) -> ParameterError:
    """What to say where something else was given for a problem.

    >>> print(not_a_problem("CartPole-v1"))
    problem='CartPole-v1': must be a bt.Problem; bt.from_gymnasium('CartPole-v1') makes one of an environment's id
    """
    hint = ", such as bt.problems.FrozenLake('8x8')"
    if isinstance(given, type) and issubclass(given, Problem):
        hint = f"; {given.__name__}() makes one of the class"
    elif isinstance(given, str):
        hint = f"; bt.from_gymnasium({given!r}) makes one of an environment's id"
    elif hasattr(given, "reset") and hasattr(given, "step"):
        hint = "; bt.from_gymnasium(env) makes one of an environment"
    return ParameterError(f"problem={shortened(given)}: must be a bt.Problem{hint}")


def check_boxes(problem: Problem, functions: Iterable[str]) -> None:
    """Refuse functions that do not go with the kind of a problem's actions."""
    name = type(problem).__name__
    if problem.boxes is None:
        if "propose" in functions:
            raise ProblemError(f"{name}: propose is there but actions is no bt.box; write prior for listed actions")
        return
    for needs_list in OF_LISTED_ACTIONS:
        if needs_list in functions:
            raise ProblemError(f"{name}: {needs_list} must be left out where actions are a box, for it lists actions")


def _fill(memory: Any, names: tuple[str, ...], given: Any, what: str) -> None:
    """Fill a one-element record array from a record, a mapping of fields, or a tuple of field values."""
    try:
        if isinstance(given, PlainState):
            memory[:] = given.memory
        elif isinstance(given, dict):
            if set(given) != set(names):
                raise ValueError(f"fields {sorted(given)}")
            for name, value in given.items():
                memory[name] = value
        elif isinstance(given, (np.void, np.ndarray)) and given.dtype.names:
            if given.dtype == memory.dtype:  # at once, which is faster
                memory[:] = given
                for name in memory.dtype.names:
                    if name.startswith(PADDING):
                        memory[name] = 0
            else:
                for name in names:
                    memory[name] = given[name]
        else:
            values = given if isinstance(given, (tuple, list)) else (given,)
            if len(values) != len(names):
                raise ValueError(f"{len(values)} values")
            for name, value in zip(names, values, strict=True):
                memory[name] = value
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise ProblemError(f"{what} {given!r} does not fit the fields {', '.join(names)} ({error})") from None


def _exactly(value: Any, dtype: np.dtype[Any]) -> Any:
    """A fresh array of a type, refusing integers that it cannot hold."""
    given = np.asarray(value)
    with np.errstate(invalid="ignore"):
        made = np.array(given, dtype=dtype, order="C")
    if dtype.kind in "iu" and not np.array_equal(made, given):
        raise ValueError("some numbers are not whole or out of range")
    return made


def _short(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
