"""What is seen of a hidden state: its layout, how Python sees it, and what the kernel calls.

A problem whose state is hidden has ``observation``, a record or how many observations there are, and `observe`. The
kernel sees an observation as whole words: those of the record, or the number in the only one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.native import array_at, record_at
from .boxes import Boxes, looker
from .state import PlainState

OBSERVATION_NUMBER = np.dtype([("number", "i8")])
"""The layout of an observation that is a number."""

_F8, _I8, _U8 = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.uint64)


class Observation(PlainState):
    """An observation in plain Python: fields are attributes, whole numbers are Python's."""

    __slots__ = ()
    _called = "observation"


def observation_wrapper(
    name: str,
    function: Any,
    state: np.dtype[Any],
    observation: np.dtype[Any],
    numbered: bool,
    read: Any,
    boxes: Boxes | None = None,
) -> Callable[..., int]:
    """The wrapper of `observe` or `observation_probability`, in integers (problem/binding.py)."""
    words = observation.itemsize // 8
    look, size = looker(boxes), 0 if boxes is None else boxes.size
    if name == "observe" and numbered:

        def observe_number(params, before, action, after, rng, out):  # type: ignore[no-untyped-def]
            seen = array_at(out, 1, _I8)
            generator = array_at(rng, 2, _U8)
            unused = record_at(out, observation)
            chosen = look(action, size, _F8)
            seen[0] = int(
                function(read(params), record_at(before, state), chosen, record_at(after, state), generator, unused)
            )
            return 0

        return observe_number
    if name == "observe":

        def observe_record(params, before, action, after, rng, out):  # type: ignore[no-untyped-def]
            clear = array_at(out, words, _U8)
            for w in range(words):
                clear[w] = 0
            generator = array_at(rng, 2, _U8)
            seen = record_at(out, observation)
            chosen = look(action, size, _F8)
            function(read(params), record_at(before, state), chosen, record_at(after, state), generator, seen)
            return 0

        return observe_record
    if numbered:

        def probability_of_number(params, given, before, action, after, out):  # type: ignore[no-untyped-def]
            result = array_at(out, 1, _F8)
            seen, chosen = array_at(given, 1, _I8)[0], look(action, size, _F8)
            result[0] = function(read(params), seen, record_at(before, state), chosen, record_at(after, state))
            return 0

        return probability_of_number

    def probability_of_record(params, given, before, action, after, out):  # type: ignore[no-untyped-def]
        result = array_at(out, 1, _F8)
        seen, chosen = record_at(given, observation), look(action, size, _F8)
        result[0] = function(read(params), seen, record_at(before, state), chosen, record_at(after, state))
        return 0

    return probability_of_record
