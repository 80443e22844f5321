"""Queues of work that several threads take pieces from, without locks and without Python.

One thread, the leader of a queue, begins jobs there; helper threads, which watch all queues, take pieces of them.
Pieces are counted down. So the number that is drawn says by itself which piece it is, or that none is left, whichever
job has begun since; and a job ends only when every piece of it that was drawn is done.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..atomics import add_to, read_from, sleep, write_to
from ..jit import inlined

SIGNAL: list[tuple[str, str]] = [
    ("jobs", "i8"),  # begun so far, in all queues
    ("closed", "i8"),  # helpers are to return
    ("sleep", "i8"),  # the system's function to sleep for microseconds; 0 where there is none
]
"""The fields that the record of a pool of helpers begins with: they tell it that a job has begun in some queue."""

COUNTERS: list[tuple[str, str]] = [
    ("signal_at", "i8"),
    ("next", "i8"),  # pieces that no thread has drawn
    ("left", "i8"),  # pieces that are not done
]
"""The fields that a queue's record begins with."""


def _offsets(fields: list[tuple[str, str]]) -> list[int]:
    layout: Any = np.dtype(fields).fields
    return [layout[name][1] for name, _ in fields]


JOBS, CLOSED, SLEEP = _offsets(SIGNAL)
SIGNAL_AT, NEXT, LEFT = _offsets(COUNTERS)
SPINS_BEFORE_SLEEP = 20_000
"""How often a thread without work looks for some before it sleeps: tens of microseconds, in which the second job of
two begins."""
SHORTEST_SLEEP_US, LONGEST_SLEEP_US = 50, 5_000
SLEEP_FRACTION = 8
"""A thread sleeps an eighth of the time that it has waited already, within these bounds."""


@inlined
def begin_job(queue_at: int, pieces: int) -> None:
    """Begin a job; what it is must stand in the queue's record already."""
    write_to(queue_at + LEFT, pieces)
    write_to(queue_at + NEXT, pieces)
    add_to(read_from(queue_at + SIGNAL_AT) + JOBS, 1)


@inlined
def draw_piece(queue_at: int) -> int:
    """A piece of the job that runs, or a number below 0."""
    return add_to(queue_at + NEXT, -1) - 1


@inlined
def draw_from_any(queues_at: int, queues: int, queue_bytes: int) -> tuple[int, int]:
    """The address of the first queue that has a piece, and the piece; a number below 0 if none has any.

    The order is fixed: one job that is done is worth more than several that are half done.
    """
    for b in range(queues):
        queue_at = queues_at + b * queue_bytes
        if read_from(queue_at + NEXT) > 0:
            piece = draw_piece(queue_at)
            if piece >= 0:
                return queue_at, piece
    return queues_at, -1


@inlined
def end_piece(queue_at: int) -> None:
    """Count a piece that was drawn as done."""
    add_to(queue_at + LEFT, -1)


@inlined
def await_end(queue_at: int) -> None:
    """Wait until all pieces are done."""
    spins = 0
    while read_from(queue_at + LEFT) > 0:
        spins += 1
        if spins > SPINS_BEFORE_SLEEP:
            rest(read_from(queue_at + SIGNAL_AT), SHORTEST_SLEEP_US)


@inlined
def await_job(signal_at: int, seen: int) -> int:
    """Wait until another job than the `seen`-th has begun in any queue; its number, or `seen` if the pool is closed."""
    spins = waited = 0
    while read_from(signal_at + JOBS) == seen and not read_from(signal_at + CLOSED):
        spins += 1
        if spins > SPINS_BEFORE_SLEEP:
            pause = min(max(SHORTEST_SLEEP_US, waited // SLEEP_FRACTION), LONGEST_SLEEP_US)
            rest(signal_at, pause)
            waited += pause
    return read_from(signal_at + JOBS)


@inlined
def rest(signal_at: int, microseconds: int) -> None:
    """Sleep a little, where the system has a call for that."""
    function = read_from(signal_at + SLEEP)
    if function != 0:
        sleep(function, microseconds)
