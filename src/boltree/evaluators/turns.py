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
_inside = [0, 0.0]  # how many want it so, and how it was before the first of them


@contextmanager
def taking_turns() -> Iterator[None]:
    """Let threads take turns more often; when the last such block ends, as before the first."""
    with _changing:
        if _inside[0] == 0:
            _inside[1] = sys.getswitchinterval()
            sys.setswitchinterval(min(_inside[1], TURN))
        _inside[0] += 1
    try:
        yield
    finally:
        with _changing:
            _inside[0] -= 1
            if _inside[0] == 0:
                sys.setswitchinterval(_inside[1])
