"""Four real numbers at a time: what vector instructions calculate at once, said so that no compiler must guess it.

A loop over a node's few actions is too short for LLVM to vectorise. ``for k in range(0, n, LANES)`` goes through them
by *lanes*: values of a type of their own, with ``+ - * /`` among themselves and with numbers. Each lane gets the very
bits that the same operation gives a single number, so a formula written once works on both (formulas/elementary.py).
In plain Python lanes are a NumPy array of four.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic, lower_builtin, models, register_model, type_callable

from .jit import JIT_DISABLED
from .native import plain_array_at

LANES = 4

_I1, _I32, _I64, _F64 = ir.IntType(1), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_VECTOR = ir.VectorType(_F64, LANES)
_INTEGERS = ir.VectorType(_I64, LANES)


class LanesType(types.Type):  # type: ignore[misc]
    """Numba's type of lanes."""

    def __init__(self) -> None:
        super().__init__(name="lanes")


lanes_type = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def is_lanes(kind: Any) -> bool:
    """Whether a Numba type is that of lanes."""
    return isinstance(kind, LanesType)


def constant(kind: Any, x: float) -> Any:
    """LLVM's constant of a number, or of the same number in all lanes."""
    return ir.Constant(_VECTOR, [x] * LANES) if kind == _VECTOR else ir.Constant(_F64, x)


def integer_constant(kind: Any, x: int) -> Any:
    """The same for integers as wide as the numbers of `kind`."""
    return ir.Constant(_INTEGERS, [x] * LANES) if kind == _VECTOR else ir.Constant(_I64, x)


def integers_of(kind: Any) -> Any:
    """The type of integers as wide as the numbers of `kind`."""
    return _INTEGERS if kind == _VECTOR else _I64


def _splat(builder: Any, x: Any) -> Any:
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), x, ir.Constant(_I32, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _as_lanes(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return value if is_lanes(kind) else _splat(builder, context.cast(builder, value, kind, types.float64))


def _register(symbol: Any, instruction: str) -> None:
    def typer(context: Any) -> Any:
        def typed(a: Any, b: Any) -> Any:
            if is_lanes(a) or is_lanes(b):
                return lanes_type if all(is_lanes(one) or isinstance(one, types.Number) for one in (a, b)) else None
            return None

        return typed

    type_callable(symbol)(typer)

    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        a, b = (_as_lanes(context, builder, *pair) for pair in zip(signature.args, values, strict=True))
        return getattr(builder, instruction)(a, b)

    for pair in ((LanesType, LanesType), (LanesType, types.Number), (types.Number, LanesType)):
        lower_builtin(symbol, *pair)(lowered)


if not JIT_DISABLED:
    for _symbol, _instruction in {"add": "fadd", "sub": "fsub", "mul": "fmul", "truediv": "fdiv"}.items():
        _register(getattr(operator, _symbol), _instruction)


def _kind_of(*given: Any) -> Any:
    """The type of a function's result: lanes where an argument is."""
    return lanes_type if any(is_lanes(one) for one in given) else types.float64


def _cast_all(context: Any, builder: Any, signature: Any, values: Any) -> list[Any]:
    if is_lanes(signature.return_type):
        return [_as_lanes(context, builder, *pair) for pair in zip(signature.args, values, strict=True)]
    return [context.cast(builder, v, k, types.float64) for k, v in zip(signature.args, values, strict=True)]


@intrinsic
def _fused_native(typing_context, a, b, c):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        x, y, z = _cast_all(context, builder, signature, values)
        name = "llvm.fma.v4f64" if x.type == _VECTOR else "llvm.fma.f64"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(x.type, [x.type] * 3), name)
        return builder.call(function, [x, y, z])

    return _kind_of(a, b, c)(a, b, c), code


@intrinsic
def _greater_native(typing_context, a, b):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        x, y = _cast_all(context, builder, signature, values)
        return builder.select(builder.fcmp_ordered(">", x, y), x, y)

    return _kind_of(a, b)(a, b), code


@intrinsic
def _first_native(typing_context, lanes, count, other):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        wide = context.cast(builder, values[1], signature.args[1], types.int64)
        counts = builder.insert_element(ir.Constant(_INTEGERS, ir.Undefined), wide, ir.Constant(_I32, 0))
        counts = builder.shuffle_vector(counts, counts, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))
        numbers = ir.Constant(_INTEGERS, list(range(LANES)))
        fill = _as_lanes(context, builder, signature.args[2], values[2])
        return builder.select(builder.icmp_signed("<", numbers, counts), values[0], fill)

    return lanes_type(lanes, count, other), code


def _shuffled(builder: Any, x: Any, y: Any, order: list[int]) -> Any:
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(_I32, LANES), order))


@intrinsic
def _sum_native(typing_context, lanes):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        x = values[0]
        x = builder.fadd(x, _shuffled(builder, x, x, [2, 3, 0, 1]))
        first, second = (builder.extract_element(x, ir.Constant(_I32, i)) for i in (0, 1))
        return builder.fadd(first, second)

    return types.float64(lanes), code


@intrinsic
def _highest_native(typing_context, lanes):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        x = values[0]
        y = _shuffled(builder, x, x, [2, 3, 0, 1])
        x = builder.select(builder.fcmp_ordered(">", x, y), x, y)
        first, second = (builder.extract_element(x, ir.Constant(_I32, i)) for i in (0, 1))
        return builder.select(builder.fcmp_ordered(">", first, second), first, second)

    return types.float64(lanes), code


@intrinsic
def _running_native(typing_context, lanes):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        x, zero = values[0], ir.Constant(_VECTOR, [0.0] * LANES)
        x = builder.fadd(x, _shuffled(builder, zero, x, [0, 4, 5, 6]))
        return builder.fadd(x, _shuffled(builder, zero, x, [0, 1, 4, 5]))

    return lanes_type(lanes), code


@intrinsic
def _count_native(typing_context, lanes, x):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        limit = _as_lanes(context, builder, signature.args[1], values[1])
        bits = builder.bitcast(builder.fcmp_ordered("<=", values[0], limit), ir.IntType(LANES))
        return builder.ctpop(builder.zext(bits, _I64))

    return types.int64(lanes, x), code


@intrinsic
def _root_native(typing_context, lanes):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.sqrt.v4f64"), values)

    return lanes_type(lanes), code


@intrinsic
def _splat_native(typing_context, x):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return _as_lanes(context, builder, signature.args[0], values[0])

    return lanes_type(x), code


def load(builder: Any, address: Any) -> Any:
    """LLVM code that reads lanes which lie one after the other."""
    return builder.load(builder.inttoptr(address, _VECTOR.as_pointer()), align=8)


def load_apart(builder: Any, address: Any, stride: int, last: Any, whole: bool) -> Any:
    """LLVM code that reads numbers `stride` bytes apart; lanes beyond the number `last` get that one.

    `whole` numbers are converted.
    """
    found = ir.Constant(_VECTOR, ir.Undefined)
    for lane in range(LANES):
        number = ir.Constant(_I64, lane)
        kept = builder.select(builder.icmp_signed("<", number, last), number, last)
        at = builder.add(address, builder.mul(kept, ir.Constant(_I64, stride)))
        one = builder.load(builder.inttoptr(at, (_I64 if whole else _F64).as_pointer()))
        if whole:
            one = builder.sitofp(one, _F64)
        found = builder.insert_element(found, one, ir.Constant(_I32, lane))
    return found


def store(builder: Any, address: Any, x: Any) -> None:
    """LLVM code that writes lanes one after the other."""
    builder.store(x, builder.inttoptr(address, _VECTOR.as_pointer()), align=8)


def plain_fused(a: Any, b: Any, c: Any) -> Any:
    """`fused` in plain Python."""
    if any(isinstance(one, np.ndarray) for one in (a, b, c)):
        return np.array([plain_fused(*row) for row in np.broadcast(a, b, c)])
    if not np.isfinite([a, b, c]).all():
        return np.float64(a) * np.float64(b) + np.float64(c)
    return np.float64(float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))))


def plain_first(lanes: Any, count: int, other: Any) -> Any:
    """`first_lanes` in plain Python."""
    return np.where(np.arange(LANES) < count, lanes, other)


def plain_sum(lanes: Any) -> Any:
    """`sum_of` in plain Python."""
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


def plain_running(x: Any) -> Any:
    """`running_sums` in plain Python."""
    x = x + np.array([0.0, x[0], x[1], x[2]])
    return x + np.array([0.0, 0.0, x[0], x[1]])


def plain_load(address: int) -> Any:
    """Lanes that lie at an address, in plain Python."""
    return np.array(plain_array_at(address, LANES, np.dtype(np.float64)))


def plain_load_apart(address: int, stride: int, last: int, whole: bool) -> Any:
    """`load_apart` in plain Python."""
    places = [address + min(lane, last) * stride for lane in range(LANES)]
    kind = np.dtype(np.int64 if whole else np.float64)
    return np.array([float(plain_array_at(place, 1, kind)[0]) for place in places])


def plain_store(address: int, lanes: Any) -> None:
    """`store` in plain Python."""
    plain_array_at(address, LANES, np.dtype(np.float64))[:] = lanes


fused: Any = plain_fused if JIT_DISABLED else _fused_native
"""``fused(a, b, c)``: a * b + c, rounded once, which every processor does in the same way."""
greater: Any = np.maximum if JIT_DISABLED else _greater_native
"""``greater(a, b)``: the greater one, in each lane."""
first_lanes: Any = plain_first if JIT_DISABLED else _first_native
"""``first_lanes(lanes, count, other)``: these in the first lanes, another number in those beyond."""
sum_of: Any = plain_sum if JIT_DISABLED else _sum_native
"""``sum_of(lanes)``: of all four."""
highest_of: Any = max if JIT_DISABLED else _highest_native
"""``highest_of(lanes)``: of all four."""
running_sums: Any = plain_running if JIT_DISABLED else _running_native
"""``running_sums(lanes)``: in each lane, the sum up to it."""
count_up_to: Any = (lambda lanes, x: int((lanes <= x).sum())) if JIT_DISABLED else _count_native
"""``count_up_to(lanes, x)``: how many lanes are at most x."""
root_of: Any = np.sqrt if JIT_DISABLED else _root_native
"""``root_of(lanes)``: their square roots."""
all_lanes: Any = (lambda x: np.full(LANES, float(x))) if JIT_DISABLED else _splat_native
"""``all_lanes(x)``: the same number in each."""
