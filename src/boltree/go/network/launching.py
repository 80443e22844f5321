"""A batch's way to a GPU and back in one compiled call, without the interpreter.

Beside a hundred games that think in Python, every call that gives the interpreter away and wants it back waits for its
turn. So the CUDA driver's functions are called by their addresses, without PyTorch, on what PyTorch has recorded.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ...core.jit import JIT_DISABLED, kernel
from ...core.native import record_at
from .answers import read_outputs
from .packing import pack_rows

WAY = np.dtype(
    [
        ("enter", "i8"),
        ("context", "i8"),
        ("launch", "i8"),
        ("graph", "i8"),
        ("stream", "i8"),
        ("record", "i8"),
        ("event", "i8"),
        ("wait", "i8"),
        ("leave", "i8"),
        ("left", "i8"),  # which `leave` writes
    ]
)
"""Addresses of the driver's functions, and what they are called with."""

FUNCTIONS = {
    "enter": "cuCtxPushCurrent_v2",
    "launch": "cuGraphLaunch",
    "record": "cuEventRecord",
    "wait": "cuEventSynchronize",
    "leave": "cuCtxPopCurrent_v2",
}
"""What the driver calls them."""

_LAYOUT: Any = WAY.fields
LEFT = _LAYOUT["left"][1]

NOT_BYTES, NOT_FINITE = -1, -2


@intrinsic
def call_driver(typing_context, function, first, second):  # type: ignore[no-untyped-def]
    """Call a C function of one or two handles that returns an error; one that takes one does not see the second."""

    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        i64 = ir.IntType(64)
        kind = ir.FunctionType(ir.IntType(32), [i64, i64])
        error = builder.call(builder.inttoptr(values[0], kind.as_pointer()), list(values[1:]))
        return builder.sext(error, i64)

    return types.int64(types.int64, types.int64, types.int64), code


@kernel
def travel(way_at: int, features: Any, planes: Any, numbers: Any) -> int:
    """Pack, launch and wait: 0, the driver's error, or NOT_BYTES if a plane is not of 0 and 1."""
    if not pack_rows(features, planes, numbers):
        return NOT_BYTES
    way = record_at(way_at, WAY)
    error = call_driver(way.enter, way.context, 0)
    if error != 0:
        return error
    error = call_driver(way.launch, way.graph, way.stream)
    if error == 0:
        error = call_driver(way.record, way.event, way.stream)
    if error == 0:
        error = call_driver(way.wait, way.event, 0)
    call_driver(way.leave, way_at + LEFT, 0)
    return error


@kernel
def travel_and_judge(
    way_at: int, features: Any, planes: Any, numbers: Any, answers: Any, priors: Any, values: Any
) -> int:
    """The same, and what the answers say of each position; NOT_FINITE if that is no number."""
    error = travel(way_at, features, planes, numbers)
    if error == 0 and not read_outputs(answers, features, priors, values):
        return NOT_FINITE
    return error


def way_of(graph: Any, stream: Any, event: Any) -> Any:
    """The way of a recorded graph, for the device that is current; None where PyTorch or the system does not show it.

    `event` must have been recorded once, or the driver does not know it yet.
    """
    handle = getattr(graph, "raw_cuda_graph_exec", None)
    if handle is None or JIT_DISABLED or sys.platform != "linux":
        return None
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:  # not one of NVIDIA's
        return None
    context = ctypes.c_void_p()
    if driver.cuCtxGetCurrent(ctypes.byref(context)) or not context.value:
        return None
    way = np.zeros(1, WAY)
    for field, name in FUNCTIONS.items():
        way[field] = ctypes.cast(getattr(driver, name), ctypes.c_void_p).value
    way["context"], way["graph"] = context.value, handle()
    way["stream"], way["event"] = stream.cuda_stream, event.cuda_event
    return way
