"""Ctrl-C: none is lost where Python would drop it, and none comes while data are half changed. The end of a run.

A kernel calls a problem in plain Python through C, and an exception cannot pass through C. What a method raises is
caught and kept (native.py), but an interrupt may arrive a moment later, when the method has been left: Python then
prints it as "ignored" and goes on. So it does where an interrupt meets a finaliser: of the threads of an earlier
search, say, which may be cleaned up at any time. While a search runs, `rescued` catches what Python would ignore.

A run that is over ends in the middle of a trial too, where Python is asked about every step of it: `between_steps`
then raises `RunEnds`, which takes the way of any exception of a user's method, and the trial is undone.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

dropped: dict[int, BaseException] = {}
"""Interrupts that Python dropped, by thread."""
watches: dict[int, Callable[[], None]] = {}
"""What is asked before each step of a problem in plain Python, by thread; it may raise `RunEnds`."""
_changing = threading.RLock()


class RunEnds(BaseException):
    """A run is over in the middle of a trial; not an error, so that no user's ``except Exception`` takes it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def between_steps() -> None:
    """Let the run of this thread end here, if it is time: called before each step of a problem in plain Python."""
    if watches:
        watch = watches.get(threading.get_ident())
        if watch is not None:
            watch()


@contextmanager
def watched(watch: Callable[[], None]) -> Iterator[None]:
    """Call a function before each step that a problem in plain Python takes in this thread, while this block runs."""
    thread = threading.get_ident()
    before = watches.get(thread)
    try:
        watches[thread] = watch
        yield
    finally:
        if before is None:
            watches.pop(thread, None)
        else:
            watches[thread] = before


@contextmanager
def unwatched() -> Iterator[None]:
    """Take no steps of this block for steps of the run."""
    thread = threading.get_ident()
    before = watches.pop(thread, None)
    try:
        yield
    finally:
        if before is not None:
            watches[thread] = before


def raise_dropped() -> None:
    """Raise the interrupt that was dropped in this thread, if there is one."""
    error = dropped.pop(threading.get_ident(), None)
    if error is not None:
        raise error


class _InterruptHook:
    """A ``sys.unraisablehook`` that keeps the interrupts of one thread, and leaves all else to the hook before it.

    Hooks of several threads are chained and end in any order, so one that has ended stays in the chain until those set
    after it have ended too, and only calls the hook before it.
    """

    def __init__(self) -> None:
        self.thread, self.listens = threading.get_ident(), False
        self.before: Callable[[Any], object] = sys.__unraisablehook__

    def __call__(self, ignored: Any) -> None:
        if self.listens and issubclass(ignored.exc_type, KeyboardInterrupt) and self.thread == threading.get_ident():
            dropped[self.thread] = ignored.exc_value or KeyboardInterrupt()
        else:
            self.before(ignored)

    def begin(self) -> None:
        with _changing:
            self.before = sys.unraisablehook
            self.listens = True
            sys.unraisablehook = self

    def end(self) -> None:
        with _changing:
            hook: Any = sys.unraisablehook
            while isinstance(hook, _InterruptHook) and not hook.listens:
                hook = hook.before
            sys.unraisablehook = hook


@contextmanager
def rescued() -> Iterator[None]:
    """Raise an interrupt that Python drops in this block: at the next call of a problem's method, or at the end."""
    hook = _InterruptHook()
    try:
        hook.begin()
        yield
        raise_dropped()
    except BaseException as error:
        late = dropped.pop(hook.thread, None)
        if late is not None and not isinstance(error, KeyboardInterrupt):
            raise late from error
        raise
    finally:
        hook.listens = False  # before any call, at which the next interrupt might come
        hook.end()


@contextmanager
def held_back() -> Iterator[None]:
    """Delay an interrupt until this block is done: for short blocks that must not be left half done."""
    mine = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if mine else None
    if not callable(before):
        yield
        return
    came: list[tuple[int, Any]] = []
    try:
        signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[0])
