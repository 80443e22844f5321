"""Foreign input at random for a fixed time: what is read is right, or refused with the error that is documented."""

from __future__ import annotations

import faulthandler
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

HANGS = 120.0
"""Seconds after which something hangs: the process ends with the tracebacks of all threads."""


def for_seconds(seconds: float) -> Any:
    """A test that is given the seconds it may take: these, or a minute when the slow tests run."""
    deep = pytest.param(60.0, marks=pytest.mark.slow, id="deep")
    return pytest.mark.parametrize("seconds", [pytest.param(seconds, id="quick"), deep])


def fuzz(check: Callable[[Any], object], strategy: SearchStrategy[Any], seconds: float) -> int:
    """Check examples until the time is over; how many times 20 there were. The same examples come every time."""
    end, batches = time.monotonic() + seconds, 0
    quiet = settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    while batches == 0 or time.monotonic() < end:
        faulthandler.dump_traceback_later(HANGS, exit=True)
        try:
            seed(batches)(quiet(given(strategy)(check)))()
        finally:
            faulthandler.cancel_dump_traceback_later()
        batches += 1
    return batches
