"""Atomic operations for threads that share a tree: locks, counters, and a clock to measure waiting with.

A node's lock is a bit of its marks, so it costs no memory. The thread that holds it may change the node and its block.
It is held while a visit updates the node, never while a problem's step or a rollout runs, and no thread holds two.
"""

from __future__ import annotations

import ctypes
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .jit import JIT_DISABLED, inlined
from .memory.layout import LOCKED, NODE
from .native import call
from .system import COUNTS_CYCLES, SYSTEM
from .system import SLEEP_AT as SLEEP_AT
from .system import YIELD_AT as YIELD_AT

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
SPINS = 200
"""How often a thread looks at a taken lock before it yields the processor."""


def _marks(builder, node):  # type: ignore[no-untyped-def]
    """LLVM code for the address of a node's marks."""
    assert NODE.fields is not None
    return builder.gep(builder.bitcast(node, cgutils.voidptr_t), [ir.Constant(_I64, NODE.fields["marks"][1])])


@intrinsic
def _try_lock_native(typing_context, node):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        old = builder.atomic_rmw("or", _marks(builder, values[0]), ir.Constant(_I8, LOCKED), "acquire")
        return builder.icmp_unsigned("<", old, ir.Constant(_I8, LOCKED))

    return types.boolean(node), code


@intrinsic
def _is_locked_native(typing_context, node):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        marks = builder.load_atomic(_marks(builder, values[0]), "monotonic", 1)
        return builder.icmp_unsigned(">=", marks, ir.Constant(_I8, LOCKED))

    return types.boolean(node), code


@intrinsic
def _unlock_native(typing_context, node):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        builder.atomic_rmw("and", _marks(builder, values[0]), ir.Constant(_I8, 255 ^ LOCKED), "release")
        return context.get_dummy_value()

    return types.none(node), code


@intrinsic
def _add_native(typing_context, address, amount):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        where = builder.inttoptr(values[0], _I64.as_pointer())
        return builder.atomic_rmw("add", where, values[1], "seq_cst")

    return types.int64(types.int64, types.int64), code


@intrinsic
def _read_native(typing_context, address):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return builder.load_atomic(builder.inttoptr(values[0], _I64.as_pointer()), "acquire", 8)

    return types.int64(types.int64), code


@intrinsic
def _write_native(typing_context, address, value):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        builder.store_atomic(values[1], builder.inttoptr(values[0], _I64.as_pointer()), "release", 8)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), code


@intrinsic
def _sleep_native(typing_context, function, microseconds):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(_I32, [_I32])
        unit = ir.Constant(_I64, SYSTEM.sleep_unit_us)
        units = builder.udiv(builder.add(values[1], ir.Constant(_I64, SYSTEM.sleep_unit_us - 1)), unit)
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), [builder.trunc(units, _I32)])
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), code


@intrinsic
def _claim_native(typing_context, address, expected, wanted):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        where = builder.inttoptr(values[0], _I32.as_pointer())
        old, new = (builder.trunc(value, _I32) for value in values[1:])
        return builder.extract_value(builder.cmpxchg(where, old, new, "acq_rel", "monotonic"), 1)

    return types.boolean(types.int64, types.int64, types.int64), code


@intrinsic
def _cycles_native(typing_context):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        if not COUNTS_CYCLES:
            return ir.Constant(_I64, 0)
        kind = ir.FunctionType(_I64, [])
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind), [])

    return types.int64(), code


def _plain_try_lock(node: Any) -> bool:
    free = not node.marks & LOCKED
    node.marks |= LOCKED
    return free


def _plain_unlock(node: Any) -> None:
    node.marks &= 255 ^ LOCKED


def _plain_add(address: int, amount: int) -> int:
    word = ctypes.c_int64.from_address(int(address))
    before = word.value
    word.value += int(amount)
    return before


def _plain_write(address: int, value: int) -> None:
    ctypes.c_int64.from_address(int(address)).value = int(value)


def _plain_claim(address: int, expected: int, wanted: int) -> bool:
    word = ctypes.c_int32.from_address(int(address))
    if word.value != expected:
        return False
    word.value = int(wanted)
    return True


try_lock: Any = _plain_try_lock if JIT_DISABLED else _try_lock_native
is_locked: Any = (lambda node: bool(node.marks & LOCKED)) if JIT_DISABLED else _is_locked_native
unlock: Any = _plain_unlock if JIT_DISABLED else _unlock_native
"""``unlock(node)``: release a node's lock; what was written before is then seen by other threads."""
add_to: Any = _plain_add if JIT_DISABLED else _add_native
"""``add_to(address, amount)``: add to a 64-bit counter; returns its old value."""
read_from: Any = (lambda address: ctypes.c_int64.from_address(int(address)).value) if JIT_DISABLED else _read_native
"""``read_from(address)``: the value of a 64-bit counter that other threads change."""
write_to: Any = _plain_write if JIT_DISABLED else _write_native
"""``write_to(address, value)``: set a 64-bit counter, after everything that was written before."""
sleep: Any = (lambda function, microseconds: None) if JIT_DISABLED else _sleep_native
"""``sleep(SLEEP_AT, microseconds)``: let the thread sleep for at least this time."""
claim: Any = _plain_claim if JIT_DISABLED else _claim_native
"""``claim(address, expected, wanted)``: compare and swap, for a 32-bit word; whether it was as expected."""
cycles: Any = (lambda: 0) if JIT_DISABLED else _cycles_native
"""``cycles()``: the processor's cycle counter; 0 where it cannot be read, so that waiting seems to take no time."""


@inlined
def lock(tree: Any, node: Any) -> None:
    """Take a node's lock; the time spent waiting for it is added to ``tree.waited``."""
    if not try_lock(node):
        began = cycles()
        while True:
            spins = 0
            while is_locked(node):
                spins += 1
                if spins > SPINS:
                    give_way(tree)
                    spins = 0
            if try_lock(node):
                break
        tree.waited += cycles() - began
        tree.waits += 1


@inlined
def give_way(tree: Any) -> None:
    """Yield the processor, where the system has a call for that: the thread that holds the lock may need this core."""
    if tree.give_way != 0:
        call(tree.give_way, (0,))
