"""Boards of work: every piece of every job is done once, however late a thread comes, and whatever others lead."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from boltree.core.atomics import SLEEP_AT, add_to
from boltree.core.jit import JIT_DISABLED, inlined, kernel, make_ready
from boltree.core.native import record_at
from boltree.core.work_board import (
    BELL,
    COUNTERS,
    await_end,
    await_job,
    begin_job,
    draw_piece,
    draw_somewhere,
    end_piece,
)
from child import LONG

BELL_RECORD = np.dtype(BELL)
BOARD = np.dtype([*COUNTERS, ("kind", "i8"), ("done_at", "i8"), ("helped", "i8")])
BOARD_BYTES = BOARD.itemsize
HELPED = BOARD.fields["helped"][1]
FEW, MANY = 3, 64


@inlined
def do(board_at, piece):
    board = record_at(board_at, BOARD)
    add_to(board.done_at + 8 * (board.kind * MANY + piece), 1)
    end_piece(board_at)


@kernel
def helping(bell_at, boards_at, boards):
    seen = np.int64(0)
    while True:
        job = await_job(bell_at, seen)
        if job == seen:
            return
        seen = job
        while True:
            board_at, piece = draw_somewhere(boards_at, boards, BOARD_BYTES)
            if piece < 0:
                break
            do(board_at, piece)
            add_to(board_at + HELPED, 1)


@kernel
def leading(board_at, rounds):
    """So many times a job of few pieces and one of many."""
    board = record_at(board_at, BOARD)
    for i in range(2 * rounds):
        board.kind = i % 2
        begin_job(board_at, MANY if i % 2 else FEW)
        while True:
            piece = draw_piece(board_at)
            if piece < 0:
                break
            do(board_at, piece)
        await_end(board_at)


@pytest.mark.skipif(JIT_DISABLED, reason="threads on a board need compiled code")
@pytest.mark.parametrize("count", [1, 3])
def test_every_piece_is_done_once(count):
    """More threads than cores: some draw when the job that they came for is over, and another has begun."""
    bell, boards, done = np.zeros(1, BELL_RECORD), np.zeros(count, BOARD), np.zeros((count, 2, MANY), np.int64)
    bell["sleep"], boards["bell_at"] = SLEEP_AT, bell.ctypes.data
    boards["done_at"] = [done[b].ctypes.data for b in range(count)]
    look_at = bell.ctypes.data, boards.ctypes.data, count
    helpers = [threading.Thread(target=helping, args=look_at, daemon=True) for _ in range(6)]
    make_ready(helping, *look_at)
    make_ready(leading, 0, 0)
    rounds = [0] * count

    def lead(b):
        while rounds[b] < 200_000 or boards["helped"][b] == 0:  # nobody's board is passed over
            leading(boards[b : b + 1].ctypes.data, 1_000)
            rounds[b] += 1_000

    leaders = [threading.Thread(target=lead, args=(b,), daemon=True) for b in range(count)]
    for thread in helpers + leaders:
        thread.start()
    for thread in leaders:
        thread.join(LONG)
        assert not thread.is_alive()
    assert not boards["left"].any()
    bell["closed"] = 1
    for thread in helpers:
        thread.join(LONG)
        assert not thread.is_alive()
    for b in range(count):
        assert done[b, 0].tolist() == [rounds[b]] * FEW + [0] * (MANY - FEW)
        assert done[b, 1].tolist() == [rounds[b]] * MANY
    assert bell["jobs"] == 2 * sum(rounds)
