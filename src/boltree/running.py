"""A run: trials in chunks until a limit is reached, by one thread, by several, in batches, or among other searches."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .core import records
from .core.interrupts import held_back, raise_dropped
from .core.run import abandon_trial
from .errors import ParameterError
from .evaluators import Batches, Together
from .failures import raise_failure
from .progress import ProgressLine

if TYPE_CHECKING:
    from .search import Search

CHUNK_SECONDS = 0.05
"""Trials run in chunks of about so long; Ctrl-C, limits, progress and growth are seen to between them."""


def run_within(search: Search, trials: int | None, seconds: float | None, stop: Any, progress: Any) -> str:
    """Run until a limit is reached; why it stopped."""
    search._set_budget(trials)
    t = search._tree
    if t.pending:
        abandon_trial(search._handle)  # an interrupt came between a leaf and its evaluation
    search._run_trials(search._handle, 0)  # compile, if need be, before the clock starts
    if search._together is not None:
        return _run_together(search, search._together, trials, seconds, stop, progress)
    began = time.perf_counter()

    def done() -> int:
        return int(t.trials) + (0 if search._crew is None else search._crew.trials)

    last = None if trials is None else done() + int(trials)
    report = ProgressLine(search, trials, seconds) if progress is True else progress
    chunk, reason = 16, ""
    batches = Batches(search, search._batch) if search._batch > 1 else None
    whole, crew = False, search._crew
    try:
        while not reason:
            now = time.perf_counter() - began
            before = done()
            if last is not None and before >= last:
                reason = "trials"
            elif seconds is not None and now >= seconds:
                reason = "seconds"
            else:
                chunk_began = time.perf_counter()
                todo = chunk if last is None else min(chunk, last - before)
                left = None if seconds is None else seconds - now
                if batches is not None and not search._root_waits():
                    if not _run_batches(search, batches, todo, last):
                        reason = "memory"
                elif search._crew is not None and _run_crew(search, todo, last, left):
                    if search._crew is not crew:
                        began += search._crew.ready_in
                        crew = search._crew
                elif not search._run_chunk(1 if batches is not None else todo - max(done() - before, 0)):
                    reason = "memory"
                raise_dropped()
                spent = max(time.perf_counter() - chunk_began, 1e-6)
                aim = CHUNK_SECONDS if seconds is None else min(CHUNK_SECONDS, max(seconds - now - spent, 1e-4))
                rate = max(done() - before, 1) / spent
                chunk = max(1, min(int(rate * aim), 8 * chunk))
                if callable(report):
                    _look(search, report)
                if stop is not None and not reason and _look(search, stop):
                    reason = "stop"
        whole = True
    finally:
        if search._crew is not None:
            with held_back():
                search._crew.finish()
        if batches is not None:
            failed = batches.close(settle=whole)
            if whole and failed != records.DONE:
                raise_failure(search, failed)
        if progress is True:
            report.close()
    assert not t.pending
    return reason


def _look(search: Search, looker: Callable[[Search], Any]) -> Any:
    """Let somebody look at the search while it runs."""
    if search._estimates is None:
        return looker(search)
    try:
        search._estimates.show()
        return looker(search)
    finally:
        search._estimates.resume()


def _run_crew(search: Search, trials: int, last: int | None, left: float | None) -> bool:
    """Let all threads run; what they did is counted and joined before an interrupt is raised."""
    assert search._crew is not None
    with held_back():
        return search._crew.run(trials, last, left)


def _run_together(
    search: Search, together: Together, trials: int | None, seconds: float | None, stop: Any, progress: Any
) -> str:
    """Run among other searches; another thread does the work."""
    if stop is not None or callable(progress) or progress is True:
        raise ParameterError("run(stop=..., progress=...): not with the evaluator Together, which runs many searches")
    with together.admitted(search):
        if trials != 0 and search._root_waits():
            with search.problem._turn:
                room = search._run_chunk(1)
            if not room:
                return "memory"
            trials = None if trials is None else trials - 1
        return together.run(search, trials, seconds)


def _run_batches(search: Search, batches: Batches, trials: int, last: int | None) -> bool:
    """Back up at least so many trials, in batches; False when there is no room for another."""
    t = search._tree
    end = t.trials + trials
    while t.trials < end:
        code = batches.advance(None if last is None else last - t.trials)
        if code == records.FULL:
            return False
        if code != records.DONE:
            raise_failure(search, code)
    return True
