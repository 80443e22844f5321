"""Memory for the duration of a call, for functions that may not make arrays: a record that lies on the stack."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import lower_builtin, type_callable

from ...problem.state import PlainState


def room(layout: np.dtype[Any]) -> Any:
    """A record of this layout until the calling function returns; compiled, its contents are arbitrary at first."""
    return PlainState(np.zeros(1, layout))


@type_callable(room)
def _typed(context):  # type: ignore[no-untyped-def]
    def kind(layout):  # type: ignore[no-untyped-def]
        return layout.dtype if isinstance(layout, types.DType) else None

    return kind


@lower_builtin(room, types.DType)
def _lowered(context, builder, signature, values):  # type: ignore[no-untyped-def]
    # Lowered in place and not by a function of its own: the memory belongs to the frame that reserves it.
    with builder.goto_entry_block():
        memory = builder.alloca(context.get_data_type(signature.return_type))
    memory.align = 8
    return builder.bitcast(memory, context.get_value_type(signature.return_type))
