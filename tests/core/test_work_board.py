"""The board of work: every piece of every job is done once, however late a thread comes."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from boltree.core.atomics import SLEEP_AT, add_to
from boltree.core.jit import JIT_DISABLED, kernel
from boltree.core.native import record_at
from boltree.core.work_board import COUNTERS, await_end, await_job, begin_job, draw_piece, end_piece

BOARD = np.dtype([*COUNTERS, ("kind", "i8"), ("done_at", "i8")])
FEW, MANY = 3, 64


@kernel
def work(board_at):
    board = record_at(board_at, BOARD)
    while True:
        piece = draw_piece(board_at)
        if piece < 0:
            return
        add_to(board.done_at + 8 * (board.kind * MANY + piece), 1)
        end_piece(board_at)


@kernel
def helping(board_at):
    seen = np.int64(0)
    while True:
        job = await_job(board_at, seen)
        if job == seen:
            return
        seen = job
        work(board_at)


@kernel
def leading(board_at, rounds):
    """So many times a job of few pieces and one of many."""
    board = record_at(board_at, BOARD)
    for i in range(2 * rounds):
        board.kind = i % 2
        begin_job(board_at, MANY if i % 2 else FEW)
        work(board_at)
        await_end(board_at)


@pytest.mark.skipif(JIT_DISABLED, reason="threads on a board need compiled code")
def test_every_piece_is_done_once():
    """More threads than cores: some draw when the job that they came for is over, and another has begun."""
    board, done = np.zeros(1, BOARD), np.zeros((2, MANY), np.int64)
    board["sleep"], board["done_at"] = SLEEP_AT, done.ctypes.data
    threads = [threading.Thread(target=helping, args=(board.ctypes.data,), daemon=True) for _ in range(6)]
    for thread in threads:
        thread.start()
    rounds, end = 0, time.perf_counter() + 4.0
    while time.perf_counter() < end:
        leading(board.ctypes.data, 1_000)
        rounds += 1_000
        assert board["left"] == 0
    board["closed"] = 1
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert done[0].tolist() == [rounds] * FEW + [0] * (MANY - FEW)
    assert done[1].tolist() == [rounds] * MANY
