"""Calling compiled functions by address, and looking at memory by address.

A problem enters the kernel as the addresses of its functions, so the kernel is compiled once for
all problems. The functions use Numba's own calling convention (a status is returned, the result
goes through a pointer) rather than a C callback's, in which an exception would vanish.
Every argument and result is a 64-bit integer; real numbers travel through memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .interrupts import dropped, raise_dropped
from .jit import JIT_DISABLED

FAILED = np.int64(-(2**62))
"""What `call` returns when the function raised."""


def plain_call(address: int, arguments: Sequence[int]) -> int:
    """`call` for interpreted runs: the same convention, through ctypes."""
    signature = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * len(arguments))
    result, exception = ctypes.c_int64(int(FAILED)), ctypes.c_void_p(0)
    status = signature(int(address))(
        ctypes.addressof(result), ctypes.addressof(exception), *[int(a) for a in arguments]
    )
    return int(FAILED) if status else result.value


@intrinsic
def _call_native(typing_context, address, arguments):  # type: ignore[no-untyped-def]
    signature = types.int64(types.int64, arguments)
    count = len(arguments)

    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        i64, i8p = ir.IntType(64), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.IntType(32), [i64.as_pointer(), i8p.as_pointer()] + [i64] * count)
        result = cgutils.alloca_once(builder, i64)
        exception = cgutils.alloca_once(builder, i8p)
        builder.store(ir.Constant(i64, int(FAILED)), result)  # stays, if an interrupt kept a callback from running
        items = [
            context.cast(builder, item, given, types.int64)
            for item, given in zip(cgutils.unpack_tuple(builder, values[1], count), arguments.types, strict=True)
        ]
        status = builder.call(builder.inttoptr(values[0], kind.as_pointer()), [result, exception, *items])
        good = builder.icmp_signed("==", status, ir.Constant(ir.IntType(32), 0))
        return builder.select(good, builder.load(result), ir.Constant(i64, int(FAILED)))

    return signature, code


def plain_record_at(address: int, dtype: np.dtype[Any]) -> Any:
    """`record_at` in plain Python."""
    return plain_array_at(address, 1, dtype)[0]


def plain_array_at(address: int, shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """`array_at` in plain Python, for any shape."""
    size = int(np.prod(shape)) * dtype.itemsize
    buffer: Any = (ctypes.c_char * size).from_address(int(address))
    array = np.frombuffer(buffer, dtype).reshape(shape)
    return array.view(np.recarray) if dtype.names else array


def for_kernels(array: Any) -> Any:
    """An array of records as kernels are given it: a plain array, or a recarray where kernels are interpreted.

    Numba looks up an attribute of an argument and drops any exception of that. A recarray looks attributes up in
    Python code, where Ctrl-C may come, and would be dropped.
    """
    return array.view(np.recarray) if JIT_DISABLED else array.view(np.ndarray)


@intrinsic
def _record_at_native(typing_context, address, dtype):  # type: ignore[no-untyped-def]
    record = dtype.dtype

    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return builder.inttoptr(values[0], context.get_value_type(record))

    return record(types.int64, dtype), code


def build_array(context, builder, array_type, address, shape):  # type: ignore[no-untyped-def]
    """LLVM code for a C-ordered array view of `shape` at an integer `address`, without an owner."""
    from numba.np.arrayobj import make_array, populate_array  # a third of the time of `import boltree` otherwise

    array = make_array(array_type)(context, builder)
    item = context.get_data_type(array_type.dtype)
    size = context.get_constant(types.intp, context.get_abi_sizeof(item))
    strides: list[Any] = []
    step = size
    for extent in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, extent)
    populate_array(
        array,
        data=builder.inttoptr(address, item.as_pointer()),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=size,
        meminfo=None,
    )
    return array._getvalue()


@intrinsic
def _array_at_native(typing_context, address, shape, dtype):  # type: ignore[no-untyped-def]
    array_type = types.Array(dtype.dtype, 1, "C")

    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        extent = context.cast(builder, values[1], signature.args[1], types.intp)
        return build_array(context, builder, array_type, values[0], [extent])

    return array_type(types.int64, shape, dtype), code


@intrinsic(prefer_literal=True)
def _scratch_native(typing_context, length, dtype):  # type: ignore[no-untyped-def]
    array_type = types.Array(dtype.dtype, 1, "C")
    extent = length.literal_value

    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        item = context.get_data_type(array_type.dtype)
        with builder.goto_entry_block():
            room = builder.alloca(item, ir.Constant(ir.IntType(64), extent))
        address = builder.ptrtoint(room, ir.IntType(64))
        return build_array(context, builder, array_type, address, [context.get_constant(types.intp, extent)])

    return array_type(length, dtype), code


def plain_scratch(length: int, dtype: np.dtype[Any]) -> Any:
    """`scratch` in plain Python."""
    return np.empty(length, dtype)


scratch: Callable[[int, Any], Any] = plain_scratch if JIT_DISABLED else _scratch_native
"""``scratch(8, dtype)``: an array for use within one call, on the stack; its length is a literal."""
call: Callable[[Any, Any], Any] = plain_call if JIT_DISABLED else _call_native
"""``call(address, (a, b, ...))``: the function's result, or FAILED when it raised."""
record_at: Callable[[Any, Any], Any] = plain_record_at if JIT_DISABLED else _record_at_native
"""``record_at(address, dtype)``: the record that lies there."""
array_at: Callable[[Any, Any, Any], Any] = plain_array_at if JIT_DISABLED else _array_at_native
"""``array_at(address, length, dtype)``: a one-dimensional view of what lies there."""


def address_of_compiled(
    function: Callable[..., Any], arity: int, name: str | None = None, *, temporaries: bool = False
) -> tuple[int, Any]:
    """Compile a function of `arity` integers; return its address and what must be kept alive with it.

    With a `name` the machine code is kept on disk: only for functions of this package, because a
    user's edited helper would otherwise silently keep its old machine code. With `temporaries` the function may make
    arrays and lists of its own, which costs time at every call.
    """
    from .jit import keep_on_disk

    signature = types.int64(*[types.int64] * arity)
    dispatcher = numba.njit(_nrt=temporaries, boundscheck=True)(function)
    if name is not None:
        keep_on_disk(dispatcher, name)
    dispatcher.compile(signature)
    result = dispatcher.overloads[signature.args]
    return result.library.get_pointer_to_function(result.fndesc.llvm_func_name), dispatcher


def address_of_python(
    function: Callable[..., int], arity: int, keep: Callable[[BaseException], None] | None = None
) -> tuple[int, Any]:
    """An address by which kernels call a Python function of `arity` integers; `keep` is called with what it raises."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * arity)
    word = ctypes.c_int64

    def guarded(result: int, _exception: Any, *arguments: int) -> int:
        try:
            if dropped:
                raise_dropped()
            word.from_address(result).value = function(*arguments)
        except BaseException as error:
            if keep is not None:
                keep(error)
            return 1
        return 0

    callback = kind(guarded)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert address is not None
    return address, callback
