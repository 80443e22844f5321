"""From a problem's functions to addresses that the kernel can call.

Each function of a problem is wrapped in one that takes only 64-bit integers: addresses of the parameters,
of the state, of the generator, of a place for results. The wrapper gives the user's function what it was
written for: a named tuple of parameters, a record, an array. Compiled once per problem *class*: parameters are
passed at run time, so another map or another size costs nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ..core.jit import JIT_DISABLED
from ..core.native import address_of_compiled, address_of_python, array_at, build_array, record_at
from ..core.random import uniform
from ..errors import ProblemError
from .boxes import Boxes, looker
from .observation import observation_wrapper
from .record import Record
from .state import PADDING

F8 = np.dtype(np.float64)
F4 = np.dtype(np.float32)
U8 = np.dtype(np.uint64)
BOOL = np.dtype(np.bool_)

ARITY = {
    "start": 3,
    "step": 5,
    "legal": 4,
    "player": 2,
    "rollout": 7,
    "prior": 4,
    "heuristic": 3,
    "bounds": 3,
    "observe": 6,
    "observation_probability": 6,
    "perturb": 3,
    "propose": 4,
    "features": 4,
    "count_outcomes": 3,
    "outcomes": 5,
}
"""How many integers the wrapper of each function takes."""

Wrapper = Callable[..., int]


def parameters_reader(record: Record, tuple_type: Any) -> Callable[[int], Any]:
    """A function from the address of a parameters' record to the named tuple that users' functions see."""
    layout = record.layout()
    if JIT_DISABLED:
        return lambda address: plain_parameters(record, tuple_type, record_at(address, layout))

    kinds: list[Any] = []
    for field in record.fields:
        scalar = numba.from_dtype(field.dtype)
        if field.shape or field.dimensions:
            kinds.append(types.Array(scalar, len(field.shape) or field.dimensions, "C", readonly=True))
        elif field.dtype.kind == "f":
            kinds.append(types.float64)
        else:
            kinds.append(types.uint64 if field.dtype == U8 else types.int64)
    tuple_kind = types.BaseTuple.from_types(  # type: ignore[attr-defined]
        tuple(kinds), tuple_type
    )

    @intrinsic
    def read(typing_context, address):  # type: ignore[no-untyped-def]
        def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
            def at(name):  # type: ignore[no-untyped-def]
                assert layout.fields is not None
                offset = layout.fields[name][1]
                return builder.add(values[0], ir.Constant(ir.IntType(64), offset))

            def load(name, kind):  # type: ignore[no-untyped-def]
                item = context.get_data_type(kind)
                return builder.load(builder.inttoptr(at(name), item.as_pointer()))

            items = []
            for field, kind in zip(record.fields, kinds, strict=True):
                if field.dimensions:
                    shape = [load(f"{field.name}__{d}", types.int64) for d in range(field.dimensions)]
                    items.append(build_array(context, builder, kind, load(field.name, types.int64), shape))
                elif field.shape:
                    shape = [context.get_constant(types.intp, extent) for extent in field.shape]
                    items.append(build_array(context, builder, kind, at(field.name), shape))
                else:
                    given = numba.from_dtype(field.dtype)
                    items.append(context.cast(builder, load(field.name, given), given, kind))
            return context.make_tuple(builder, tuple_kind, items)

        return tuple_kind(types.int64), code

    return read  # type: ignore[no-any-return]


def plain_parameters(record: Record, tuple_type: Any, memory: Any) -> Any:
    """The same named tuple, for plain Python."""
    from ..core.native import plain_array_at

    items: list[Any] = []
    for field in record.fields:
        if field.dimensions:
            shape = tuple(int(memory[f"{field.name}__{d}"]) for d in range(field.dimensions))
            array = plain_array_at(int(memory[field.name]), shape, field.dtype)
            array.flags.writeable = False
            items.append(array)
        elif field.shape:
            items.append(memory[field.name])
        else:
            items.append(memory[field.name].item())
    return tuple_type(*items)


def take_step(functions: dict[str, Any], words: int) -> Any:
    """(params, state, address, action, rng, out) -> (reward, done), from `step` or sampled from `outcomes`."""
    if "step" in functions:
        step = functions["step"]

        def by_step(params, state, address, action, rng, out):  # type: ignore[no-untyped-def]
            reward, done = step(params, state, action, rng)
            return float(reward), bool(done)

        return by_step
    outcomes, count = functions["outcomes"], functions["count_outcomes"]

    def by_outcomes(params, state, address, action, rng, out):  # type: ignore[no-untyped-def]
        here = array_at(address, words, U8)
        kept = array_at(out + 16, words, U8)
        for w in range(words):
            kept[w] = here[w]
        u = uniform(rng)
        n = count(params, state, action)
        for k in range(n):
            if k > 0:
                for w in range(words):
                    here[w] = kept[w]
            probability, reward, done = outcomes(params, state, action, k)
            u -= probability
            if u < 0.0 or k == n - 1:
                return float(reward), bool(done)
        raise ValueError("count_outcomes returned 0")

    return by_outcomes


def compiled_or_plain(function: Any, temporaries: bool = False, owner: str = "") -> Any:
    """A user's function for use inside a wrapper; one that was made to be compiled in its own way says how.

    A function of ours that is made for a class is named after it, the `owner`: machine code that several processes kept
    on disk is put together by its functions' names, and these would be the same for all classes.
    """
    if owner:
        function.__qualname__ = f"{owner}.{function.__name__}"
    if JIT_DISABLED:
        return function
    own = getattr(function, "compiled", None)
    return numba.njit(_nrt=temporaries, boundscheck=True)(function) if own is None else own


def wrapper_of(
    name: str,
    functions: dict[str, Any],
    layout: np.dtype[Any],
    words: int,
    read: Any,
    temporaries: bool,
    owner: str,
    boxes: Boxes | None = None,
) -> Wrapper:
    """The wrapper of the function `name` (`functions` are the class's own, made callable from a wrapper)."""
    look, size = looker(boxes), 0 if boxes is None else boxes.size
    if name in ("step", "rollout"):
        advance = compiled_or_plain(take_step(functions, words), temporaries, owner)
    if name == "step":

        def step(params, state, action, rng, out):  # type: ignore[no-untyped-def]
            generator = array_at(rng, 2, U8)
            chosen = look(action, size, F8)
            reward, done = advance(read(params), record_at(state, layout), state, chosen, generator, out)
            result = array_at(out, 2, F8)
            result[0] = reward
            result[1] = 1.0 if done else 0.0
            return 0

        return step
    if name == "rollout" and boxes is not None:
        from .box_rollout import box_rollout  # most problems have none

        return box_rollout(advance, functions, layout, read, boxes)
    if name == "rollout":
        draw = compiled_or_plain(random_action_of(functions), temporaries, owner)

        def rollout(params, state, rng, steps, out, mask, actions):  # type: ignore[no-untyped-def]
            result = array_at(out, 2, F8)
            generator = array_at(rng, 2, U8)
            here = record_at(state, layout)
            parameters = read(params)
            discount = result[0]
            total, weight = 0.0, 1.0
            for _ in range(steps):
                action = draw(parameters, here, generator, array_at(mask, actions, BOOL))
                if action < 0 or action >= actions:
                    raise ValueError("random_action returned an action that is out of range")
                reward, done = advance(parameters, here, state, action, generator, out)
                total += weight * reward
                weight *= discount
                if done:
                    break
            result[0] = total
            return 0

        return rollout
    if name in ("count_outcomes", "outcomes") and name not in functions:
        return certain_outcome(name, functions, layout, words, read, temporaries, owner)
    function = functions[name]
    if name in ("start", "perturb"):

        def draw_in_place(params, state, rng):  # type: ignore[no-untyped-def]
            function(read(params), record_at(state, layout), array_at(rng, 2, U8))
            return 0

        return draw_in_place
    if name == "propose":

        def propose(params, state, rng, out):  # type: ignore[no-untyped-def]
            function(read(params), record_at(state, layout), array_at(rng, 2, U8), array_at(out, size, F8))
            return 0

        return propose
    if name == "player":

        def player(params, state):  # type: ignore[no-untyped-def]
            return int(function(read(params), record_at(state, layout)))

        return player
    if name == "heuristic":

        def heuristic(params, state, out):  # type: ignore[no-untyped-def]
            result = array_at(out, 1, F8)
            result[0] = function(read(params), record_at(state, layout))
            return 0

        return heuristic
    if name == "bounds":

        def bounds(params, state, out):  # type: ignore[no-untyped-def]
            result = array_at(out, 2, F8)
            lower, upper = function(read(params), record_at(state, layout))
            result[0] = lower
            result[1] = upper
            return 0

        return bounds
    if name == "count_outcomes":

        def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
            return int(function(read(params), record_at(state, layout), action))

        return count_outcomes
    if name == "outcomes":

        def outcomes(params, state, action, k, out):  # type: ignore[no-untyped-def]
            result = array_at(out, 3, F8)
            probability, reward, done = function(read(params), record_at(state, layout), action, k)
            result[0] = probability
            result[1] = reward
            result[2] = 1.0 if done else 0.0
            return 0

        return outcomes
    dtype = {"legal": BOOL, "prior": F8, "features": F4}[name]

    def fill(params, state, out, size):  # type: ignore[no-untyped-def]
        function(read(params), record_at(state, layout), array_at(out, size, dtype))
        return 0

    return fill


def certain_outcome(
    name: str, functions: dict[str, Any], layout: np.dtype[Any], words: int, read: Any, temporaries: bool, owner: str
) -> Wrapper:
    """The one outcome of a deterministic problem: its step, which draws nothing."""
    if name == "count_outcomes":

        def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
            return 1

        return count_outcomes
    advance = compiled_or_plain(take_step(functions, words), temporaries, owner)

    def outcomes(params, state, action, k, out):  # type: ignore[no-untyped-def]
        unused = array_at(out + 32, 2, U8)
        reward, done = advance(read(params), record_at(state, layout), state, action, unused, out)
        result = array_at(out, 3, F8)
        result[0] = 1.0
        result[1] = reward
        result[2] = 1.0 if done else 0.0
        return 0

    return outcomes


def random_action_of(functions: dict[str, Any]) -> Any:
    """(params, state, rng, mask) -> action, for rollouts: the problem's own, else uniform over the legal ones."""
    if "random_action" in functions:
        own = functions["random_action"]

        def by_problem(params, state, rng, mask):  # type: ignore[no-untyped-def]
            return own(params, state, rng)

        return by_problem
    if "legal" in functions:
        legal = functions["legal"]

        def uniform_legal(params, state, rng, mask):  # type: ignore[no-untyped-def]
            for a in range(mask.size):
                mask[a] = False
            legal(params, state, mask)
            count = 0
            for a in range(mask.size):
                count += 1 if mask[a] else 0
            if count == 0:
                raise ValueError("a state that is not terminal has no legal action")
            k = int(uniform(rng) * count)
            for a in range(mask.size):
                if mask[a]:
                    if k == 0:
                        return a
                    k -= 1
            return 0

        return uniform_legal

    def uniform_any(params, state, rng, mask):  # type: ignore[no-untyped-def]
        return int(uniform(rng) * mask.size)

    return uniform_any


class Binding:
    """The addresses of one problem class's functions, made when first asked for."""

    def __init__(
        self,
        owner: type,
        functions: dict[str, Any],
        state: np.dtype[Any],
        observation: tuple[np.dtype[Any], bool],
        params: Record,
        tuple_type: Any,
    ) -> None:
        self._owner = owner
        self._observation = observation  # its layout, and whether it is a number
        self._functions = functions
        self._layout = state
        self._words = -(-state.itemsize // 8)
        self._tuple_type = tuple_type
        self._read = parameters_reader(params, tuple_type)
        self._made: dict[Any, tuple[int, Any]] = {}

    def address(self, name: str, boxes: Boxes | None = None) -> int:
        """Address of the wrapper of the function `name` for actions of a kind; compiled now if need be."""
        key = name, None if boxes is None else boxes.kind
        if key not in self._made:
            if JIT_DISABLED:
                self._made[key] = address_of_python(self._wrapper(name, False, boxes), ARITY[name])
            else:
                self._made[key] = self._compile(name, boxes)
        return self._made[key][0]

    def _wrapper(self, name: str, temporaries: bool, boxes: Boxes | None) -> Wrapper:
        functions = {n: compiled_or_plain(f, temporaries) for n, f in self._functions.items()}
        owner = f"{self._owner.__module__}.{self._owner.__qualname__}"
        if name in ("observe", "observation_probability"):
            wrapper = observation_wrapper(name, functions[name], self._layout, *self._observation, self._read, boxes)
        else:
            wrapper = wrapper_of(name, functions, self._layout, self._words, self._read, temporaries, owner, boxes)
        wrapper.__qualname__ = f"{owner}.{name}"
        return wrapper

    def _refuse_misspelt(self, names: Iterable[str]) -> None:
        """Raise an error that says which field is not there, if that is why functions do not compile."""
        from .misspelt import unknown_field

        for name in names:
            function = self._functions.get(name)
            if function is not None:
                arguments = list(inspect.signature(getattr(function, "py_func", function)).parameters)
                fields = {arguments[0]: self._tuple_type._fields}
                fields[arguments[1]] = [one for one in self._layout.names or () if not one.startswith(PADDING)]
                found = unknown_field(function, fields)
                if found:
                    raise ProblemError(f"{self._owner.__qualname__}.{name}: {found}") from None

    def _compile(self, name: str, boxes: Boxes | None) -> tuple[int, Any]:
        owner = self._owner
        ours = owner.__module__.startswith("boltree.")
        kept = f"{owner.__module__}.{owner.__qualname__}.{name}" if ours else None
        if kept is not None and boxes is not None:
            kept += f".{'number' if boxes.single else 'numbers'}{boxes.size}"
        try:
            return address_of_compiled(self._wrapper(name, False, boxes), ARITY[name], kept)
        except Exception:
            pass  # perhaps it makes arrays of its own: slower, but allowed
        try:
            return address_of_compiled(self._wrapper(name, True, boxes), ARITY[name], kept, temporaries=True)
        except Exception as error:  # Numba raises exceptions of many classes
            self._refuse_misspelt(("step", "legal", "random_action", "outcomes") if name == "rollout" else (name,))
            from ..log import logger
            from .not_compiled import reason_of

            used = "step, legal, random_action or outcomes" if name == "rollout" else name
            logger.debug("%s.%s does not compile: %s", owner.__qualname__, used, error)
            raise ProblemError(
                f"{owner.__qualname__}.{used} does not compile: {reason_of(str(error))}. A problem's functions may use "
                "numbers, arrays, math, bt.uniform(rng) and helpers with @numba.njit; bt.check(problem) may say more, "
                "logging.getLogger('boltree').setLevel('DEBUG') all that Numba says; for arbitrary Python use "
                "bt.PythonProblem"
            ) from None
