"""How often Python's threads take turns while searches run together."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TURN = 2e-4
"""Seconds after which a Python thread must let another go on: a cohort waits for its turn many times a batch, and the
interpreter's own 5 ms would be most of a batch's time. More often than that, changing costs more than waiting."""

_changing = threading.Lock()


class _Wish:
    """How many want it so, and how it was before the first of them."""

    count, before = 0, 0.0


@contextmanager
def taking_turns() -> Iterator[None]:
    """Let threads take turns more often; when the last such block ends, as before the first."""
    with _changing:
        if _Wish.count == 0:
            _Wish.before = sys.getswitchinterval()
            sys.setswitchinterval(min(_Wish.before, TURN))
        _Wish.count += 1
    try:
        yield
    finally:
        with _changing:
            _Wish.count -= 1
            if _Wish.count == 0:
                sys.setswitchinterval(_Wish.before)
