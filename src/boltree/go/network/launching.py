"""A batch is copied to a GPU, computed and copied back by one compiled call, without the GIL.

Beside a hundred games that run Python, every call that releases the GIL waits long to get it back. So the CUDA driver's
functions are called by their addresses, without PyTorch, on the graph that PyTorch has recorded.
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

DRIVER_CALLS = np.dtype(
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
"""Addresses of the CUDA driver's functions, and the arguments of these calls."""

FUNCTIONS = {
    "enter": "cuCtxPushCurrent_v2",
    "launch": "cuGraphLaunch",
    "record": "cuEventRecord",
    "wait": "cuEventSynchronize",
    "leave": "cuCtxPopCurrent_v2",
}
"""What the driver calls them."""

_LAYOUT: Any = DRIVER_CALLS.fields
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
def run_graph(calls_at: int, features: Any, planes: Any, numbers: Any) -> int:
    """Pack, launch and wait: 0, the driver's error, or NOT_BYTES if a plane is not of 0 and 1."""
    if not pack_rows(features, planes, numbers):
        return NOT_BYTES
    calls = record_at(calls_at, DRIVER_CALLS)
    error = call_driver(calls.enter, calls.context, 0)
    if error != 0:
        return error
    error = call_driver(calls.launch, calls.graph, calls.stream)
    if error == 0:
        error = call_driver(calls.record, calls.event, calls.stream)
    if error == 0:
        error = call_driver(calls.wait, calls.event, 0)
    call_driver(calls.leave, calls_at + LEFT, 0)
    return error


@kernel
def run_and_judge(
    calls_at: int, features: Any, planes: Any, numbers: Any, answers: Any, priors: Any, values: Any
) -> int:
    """`run_graph`, then read the outputs for each position; NOT_FINITE if one is no finite number."""
    error = run_graph(calls_at, features, planes, numbers)
    if error == 0 and not read_outputs(answers, features, priors, values):
        return NOT_FINITE
    return error


def driver_calls_of(graph: Any, stream: Any, event: Any) -> Any:
    """The calls that run a recorded graph on the current device; None where PyTorch or the system does not show it.

    `event` must have been recorded once, or the driver does not know it yet.
    """
    handle = getattr(graph, "raw_cuda_graph_exec", None)
    if handle is None or JIT_DISABLED or sys.platform != "linux":
        return None
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:  # without NVIDIA's driver
        return None
    context = ctypes.c_void_p()
    if driver.cuCtxGetCurrent(ctypes.byref(context)) or not context.value:
        return None
    calls = np.zeros(1, DRIVER_CALLS)
    for field, name in FUNCTIONS.items():
        calls[field] = ctypes.cast(getattr(driver, name), ctypes.c_void_p).value
    calls["context"], calls["graph"] = context.value, handle()
    calls["stream"], calls["event"] = stream.cuda_stream, event.cuda_event
    return calls
