"""Prefetching memory: it is loaded into the cache before it is needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..jit import JIT_DISABLED

_I32 = ir.IntType(32)
_READ, _KEEP, _DATA = (ir.Constant(_I32, number) for number in (0, 3, 1))


@intrinsic
def _prefetch_native(typing_context, record):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _I32, _I32, _I32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        builder.call(function, [builder.bitcast(values[0], cgutils.voidptr_t), _READ, _KEEP, _DATA])
        return context.get_dummy_value()

    return types.none(record), code


prefetch: Any = (lambda record: None) if JIT_DISABLED else _prefetch_native
"""``prefetch(record)``: its memory will be read soon. Nothing else happens, wherever it lies."""
