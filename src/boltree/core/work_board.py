"""Boards of work: one thread leads at each and writes jobs there, others help; without locks and without Python.

Pieces are counted down. So what is drawn says by itself which piece it is, or that there is none left, whatever job has
begun since; and a job ends only when every piece of it that was drawn is done.

Who helps looks at several boards, which have one bell: it says that somewhere a job has begun.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .atomics import add_to, read_from, sleep, write_to
from .jit import inlined

BELL: list[tuple[str, str]] = [
    ("jobs", "i8"),  # begun so far, at all boards
    ("closed", "i8"),  # nobody is to wait for work any more
    ("sleep", "i8"),  # the system's function to sleep for microseconds; 0 where there is none
]
"""What a bell's record begins with."""

COUNTERS: list[tuple[str, str]] = [
    ("bell_at", "i8"),
    ("next", "i8"),  # pieces that nobody has drawn
    ("left", "i8"),  # pieces that are not done
]
"""What a board's record begins with."""


def _offsets(fields: list[tuple[str, str]]) -> list[int]:
    layout: Any = np.dtype(fields).fields
    return [layout[name][1] for name, _ in fields]


JOBS, CLOSED, SLEEP = _offsets(BELL)
BELL_AT, NEXT, LEFT = _offsets(COUNTERS)
WATCHES = 20_000
"""So often a thread without work looks at the bell before it sleeps: tens of microseconds, in which the second job of
two begins."""
PAUSE, PART, LONGEST = 50, 8, 5_000
"""Microseconds that it sleeps then; later a part of what it has waited already, up to so many."""


@inlined
def begin_job(board_at: int, pieces: int) -> None:
    """Let everybody draw; what the job is must stand on the board already."""
    write_to(board_at + LEFT, pieces)
    write_to(board_at + NEXT, pieces)
    add_to(read_from(board_at + BELL_AT) + JOBS, 1)


@inlined
def draw_piece(board_at: int) -> int:
    """A piece of the job that runs, or a number below 0."""
    return add_to(board_at + NEXT, -1) - 1


@inlined
def draw_somewhere(boards_at: int, boards: int, board_bytes: int) -> tuple[int, int]:
    """A piece of the first board that has one, and where that board is; a number below 0 if none has any.

    The first boards come first: better one job done than all of them half.
    """
    for b in range(boards):
        board_at = boards_at + b * board_bytes
        if read_from(board_at + NEXT) > 0:
            piece = draw_piece(board_at)
            if piece >= 0:
                return board_at, piece
    return boards_at, -1


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
            rest(read_from(board_at + BELL_AT), PAUSE)


@inlined
def await_job(bell_at: int, seen: int) -> int:
    """Wait for another job than the `seen`-th, at any board; its number, or the same if there will be none."""
    watches = waited = 0
    while read_from(bell_at + JOBS) == seen and not read_from(bell_at + CLOSED):
        watches += 1
        if watches > WATCHES:
            pause = min(max(PAUSE, waited // PART), LONGEST)
            rest(bell_at, pause)
            waited += pause
    return read_from(bell_at + JOBS)


@inlined
def rest(bell_at: int, microseconds: int) -> None:
    """Sleep a little, where the system has a call for that."""
    function = read_from(bell_at + SLEEP)
    if function != 0:
        sleep(function, microseconds)
