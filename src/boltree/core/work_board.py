"""A board of work: one thread writes jobs there, and all take pieces of them, without locks and without Python.

Pieces are counted down. So what is drawn says by itself which piece it is, or that there is none left, whatever job has
begun since; and a job ends only when every piece of it that was drawn is done.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .atomics import add_to, read_from, sleep, write_to
from .jit import inlined

COUNTERS: list[tuple[str, str]] = [
    ("jobs", "i8"),  # begun so far
    ("next", "i8"),  # pieces that nobody has drawn
    ("left", "i8"),  # pieces that are not done
    ("closed", "i8"),  # nobody is to wait for work any more
    ("sleep", "i8"),  # the system's function to sleep for microseconds; 0 where there is none
]
"""What a board's record begins with."""

_LAYOUT: Any = np.dtype(COUNTERS).fields
JOBS, NEXT, LEFT, CLOSED, SLEEP = (_LAYOUT[name][1] for name, _ in COUNTERS)
WATCHES = 20_000
"""So often a thread without work looks at the board before it sleeps: tens of microseconds, in which the second job of
two begins."""
PAUSE = 50
"""Microseconds that it sleeps then."""
PAUSES, DOUBLED = 256, 7
"""After so many pauses without work they are twice as long, and so on, so often."""


@inlined
def begin_job(board_at: int, pieces: int) -> None:
    """Let everybody draw; what the job is must stand on the board already."""
    write_to(board_at + LEFT, pieces)
    write_to(board_at + NEXT, pieces)
    add_to(board_at + JOBS, 1)


@inlined
def draw_piece(board_at: int) -> int:
    """A piece of the job that runs, or a number below 0."""
    return add_to(board_at + NEXT, -1) - 1


@inlined
def end_piece(board_at: int) -> None:
    """A piece that was drawn is done."""
    add_to(board_at + LEFT, -1)


@inlined
def await_end(board_at: int) -> None:
    """Wait until all pieces are done."""
    watches = 0
    while read_from(board_at + LEFT) > 0:
        watches += 1
        if watches > WATCHES:
            rest(board_at, PAUSE)


@inlined
def await_job(board_at: int, seen: int) -> int:
    """Wait for another job than the `seen`-th; its number, or the same if there will be none."""
    watches = 0
    while read_from(board_at + JOBS) == seen and not read_from(board_at + CLOSED):
        watches += 1
        if watches > WATCHES:
            rest(board_at, PAUSE << min((watches - WATCHES) // PAUSES, DOUBLED))
    return read_from(board_at + JOBS)


@inlined
def rest(board_at: int, microseconds: int) -> None:
    """Sleep a little, where the system has a call for that."""
    function = read_from(board_at + SLEEP)
    if function != 0:
        sleep(function, microseconds)
