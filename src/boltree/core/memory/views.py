"""Reading the tree by index: from the one record that every kernel gets to nodes, edges and scratch memory.

``node_at(tree, i)`` is the i-th node's record, and so on. The addresses of the arenas lie in the tree's own
record and never change while a kernel runs, which LLVM is told, so it keeps them in registers.
A kernel thus takes a single pointer: passing two dozen arrays from helper to helper costs seconds of
compilation, and a microsecond at each call.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..jit import JIT_DISABLED
from ..lanes import lanes_type, load, load_apart, plain_load, plain_load_apart, plain_store, store
from ..native import build_array, plain_array_at
from .layout import (
    AHEAD,
    BOUND,
    EDGE,
    ENTROPY,
    FLIGHT,
    HEADER,
    LINK,
    NODE,
    PATH,
    QUOTA,
    RANKED,
    SCHEDULE,
    TABLE,
    TREE,
    UNIT,
    WINNER,
)

_I64 = ir.IntType(64)


def _constant_of(builder, tree, name):  # type: ignore[no-untyped-def]
    """LLVM code that reads a field of the tree's record which no kernel changes."""
    assert TREE.fields is not None
    offset = TREE.fields[name][1]
    bytes_at = builder.bitcast(tree, cgutils.voidptr_t)
    field = builder.gep(bytes_at, [ir.Constant(_I64, offset)])
    loaded = builder.load(builder.bitcast(field, _I64.as_pointer()))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _records(dtype: np.dtype[Any], base: str) -> Any:
    """An accessor (tree, index) -> record."""
    if JIT_DISABLED:
        return lambda tree, index: plain_array_at(int(tree[base]) + int(index) * dtype.itemsize, 1, dtype)[0]
    record = numba.from_dtype(dtype)

    @intrinsic
    def at(typing_context, tree, index):  # type: ignore[no-untyped-def]
        def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
            start = builder.inttoptr(_constant_of(builder, values[0], base), cgutils.voidptr_t)
            wide = context.cast(builder, values[1], index, types.int64)
            offset = builder.mul(wide, ir.Constant(_I64, dtype.itemsize))
            return builder.bitcast(builder.gep(start, [offset]), context.get_value_type(record))

        return record(tree, index), code

    return at


def _rows(dtype: np.dtype[Any], base: str) -> Any:
    """An accessor (tree, word, i) -> the i-th of the records that begin at a 64-bit word."""
    if JIT_DISABLED:
        return lambda tree, word, i: plain_array_at(
            int(tree[base]) + 8 * int(word) + int(i) * dtype.itemsize, 1, dtype
        )[0]
    record = numba.from_dtype(dtype)

    @intrinsic
    def at(typing_context, tree, word, i):  # type: ignore[no-untyped-def]
        def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
            start = builder.inttoptr(_constant_of(builder, values[0], base), cgutils.voidptr_t)
            first = context.cast(builder, values[1], word, types.int64)
            further = context.cast(builder, values[2], i, types.int64)
            offset = builder.add(
                builder.mul(first, ir.Constant(_I64, 8)), builder.mul(further, ir.Constant(_I64, dtype.itemsize))
            )
            return builder.bitcast(builder.gep(start, [offset]), context.get_value_type(record))

        return record(tree, word, i), code

    return at


def _array(dtype: Any, base: str, size: str) -> Any:
    """An accessor (tree) -> one-dimensional array; `size` names the field with its length."""
    kind = np.dtype(dtype)
    if JIT_DISABLED:
        return lambda tree: plain_array_at(int(tree[base]), int(tree[size]), kind)
    array = types.Array(numba.from_dtype(kind), 1, "C")

    @intrinsic
    def of(typing_context, tree):  # type: ignore[no-untyped-def]
        def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
            address = _constant_of(builder, values[0], base)
            return build_array(context, builder, array, address, [_constant_of(builder, values[0], size)])

        return array(tree), code

    return of


def _lanes(base: str) -> tuple[Any, Any]:
    """Accessors (tree, i) -> lanes and (tree, i, lanes), to numbers that lie one after the other, from the i-th on."""
    if JIT_DISABLED:
        return (lambda tree, i: plain_load(int(tree[base]) + 8 * int(i))), (
            lambda tree, i, lanes: plain_store(int(tree[base]) + 8 * int(i), lanes)
        )

    def address(context, builder, signature, values):  # type: ignore[no-untyped-def]
        number = context.cast(builder, values[1], signature.args[1], types.int64)
        return builder.add(_constant_of(builder, values[0], base), builder.mul(number, ir.Constant(_I64, 8)))

    @intrinsic
    def read(typing_context, tree, i):  # type: ignore[no-untyped-def]
        def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
            return load(builder, address(context, builder, signature, values))

        return lanes_type(tree, i), code

    @intrinsic
    def write(typing_context, tree, i, lanes):  # type: ignore[no-untyped-def]
        def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
            store(builder, address(context, builder, signature, values), values[2])
            return context.get_dummy_value()

        return types.none(tree, i, lanes), code

    return read, write


def _lanes_apart(dtype: np.dtype[Any], field: str | None, unit: int, *, whole: bool = False) -> Any:
    """An accessor (tree, place, i, n) -> lanes: a field of the i-th of n rows and of the next ones.

    The rows begin at a place in the memory of blocks, in units of `unit` bytes. Lanes beyond the last row repeat it.
    A field of `whole` numbers is converted.
    """
    offset = 0 if field is None else dtype.fields[field][1]  # type: ignore[index]
    if JIT_DISABLED:
        return lambda tree, place, i, n: plain_load_apart(
            int(tree["blocks_at"]) + unit * int(place) + int(i) * dtype.itemsize + offset,
            dtype.itemsize,
            int(n - 1 - i),
            whole,
        )

    @intrinsic
    def read(typing_context, tree, place, i, n):  # type: ignore[no-untyped-def]
        def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
            first, row, count = (
                context.cast(builder, value, kind, types.int64)
                for value, kind in zip(values[1:], signature.args[1:], strict=True)
            )
            start = builder.add(_constant_of(builder, values[0], "blocks_at"), ir.Constant(_I64, offset))
            start = builder.add(start, builder.mul(first, ir.Constant(_I64, unit)))
            start = builder.add(start, builder.mul(row, ir.Constant(_I64, dtype.itemsize)))
            last = builder.sub(builder.sub(count, ir.Constant(_I64, 1)), row)
            return load_apart(builder, start, dtype.itemsize, last, whole)

        return lanes_type(tree, place, i, n), code

    return read


node_at = _records(NODE, "nodes_at")
edge_at = _records(EDGE, "blocks_at")
link_at = _records(LINK, "blocks_at")
header_at = _records(HEADER, "blocks_at")
ahead_at = _records(AHEAD, "blocks_at")
schedule_at = _records(SCHEDULE, "blocks_at")
entropy_at = _rows(ENTROPY, "blocks_at")
quota_at = _rows(QUOTA, "blocks_at")
bound_at = _rows(BOUND, "blocks_at")
row_at = _records(TABLE, "blocks_at")
winner_at = _rows(WINNER, "blocks_at")
ranked_at = _rows(RANKED, "blocks_at")
state_word_at = _rows(np.dtype([("word", "u8")]), "states_at")
step_at = _records(PATH, "path_at")
flight_at = _records(FLIGHT, "flights_at")
flown_at = _records(PATH, "flown_at")

words_of = _array(np.float64, "blocks_at", "max_words")
states_of = _array(np.uint64, "states_at", "max_state_words")
weight_lanes, put_weight_lanes = _lanes("weights_at")
mixture_lanes, put_mixture_lanes = _lanes("mixture_at")
q_lanes = _lanes_apart(EDGE, "q", UNIT)
visit_lanes = _lanes_apart(EDGE, "visits", UNIT, whole=True)
h_lanes = _lanes_apart(ENTROPY, "h", 8)
word_lanes = _lanes_apart(np.dtype(np.float64), None, 8)

weights_of = _array(np.float64, "weights_at", "actions")
mixture_of = _array(np.float64, "mixture_at", "actions")
policies_of = _array(np.float64, "policies_at", "policies_size")
references_of = _array(np.float64, "references_at", "policies_size")
path_links_of = _array(np.int32, "path_links_at", "levels")
flown_links_of = _array(np.int32, "flown_links_at", "flown_links_size")
mask_of = _array(np.uint8, "mask_at", "actions")
out_of = _array(np.float64, "out_at", "out_size")
rng_of = _array(np.uint64, "rng_at", "two")
prior_in_of = _array(np.float64, "prior_in_at", "actions")
noise_of = _array(np.float64, "noise_at", "actions")
stack_of = _array(np.int32, "stack_at", "actions")
window_of = _array(np.int32, "window_at", "window_size")
index_of = _array(np.int32, "index_at", "index_size")
logs_of = _array(np.float64, "logs_at", "logs_size")
dues_of = _array(np.int64, "dues_at", "actions")
spans_of = _array(np.float64, "spans_at", "levels")
