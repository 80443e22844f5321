"""Foreign input at random: what is read is right, or refused with the error that is documented."""

from __future__ import annotations

import faulthandler
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

from child import LONG

EACH, DEEP = 20, 20
"""Examples of a batch, and how many times as many batches there are when the slow tests run."""


def in_batches(quick: int) -> Any:
    """A test that is given how many batches of examples to try."""
    deep = pytest.param(DEEP * quick, marks=pytest.mark.slow, id="deep")
    return pytest.mark.parametrize("batches", [pytest.param(quick, id="quick"), deep])


def fuzz(check: Callable[[Any], object], strategy: SearchStrategy[Any], batches: int) -> None:
    """Check so many batches of examples, the same every time; where one hangs, the process ends and says where."""
    quiet = settings(max_examples=EACH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    for batch in range(batches):
        faulthandler.dump_traceback_later(LONG, exit=True)
        try:
            seed(batch)(quiet(given(strategy)(check)))()
        finally:
            faulthandler.cancel_dump_traceback_later()
