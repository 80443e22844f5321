"""Queues of work: every piece of every job is done once, however late a thread comes, and whatever others lead."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from boltree.core.atomics import SLEEP_AT, add_to
from boltree.core.jit import JIT_DISABLED, inlined, kernel, make_ready
from boltree.core.native import record_at
from boltree.core.trial.work_queue import (
    COUNTERS,
    SIGNAL,
    await_end,
    await_job,
    begin_job,
    draw_from_any,
    draw_piece,
    end_piece,
)
from child import LONG

POOL = np.dtype(SIGNAL)
QUEUE = np.dtype([*COUNTERS, ("kind", "i8"), ("done_at", "i8"), ("helped", "i8")])
QUEUE_BYTES = QUEUE.itemsize
HELPED = QUEUE.fields["helped"][1]
FEW, MANY = 3, 64


@inlined
def do(queue_at, piece):
    queue = record_at(queue_at, QUEUE)
    add_to(queue.done_at + 8 * (queue.kind * MANY + piece), 1)
    end_piece(queue_at)


@kernel
def helping(signal_at, queues_at, queues):
    seen = np.int64(0)
    while True:
        job = await_job(signal_at, seen)
        if job == seen:
            return
        seen = job
        while True:
            queue_at, piece = draw_from_any(queues_at, queues, QUEUE_BYTES)
            if piece < 0:
                break
            do(queue_at, piece)
            add_to(queue_at + HELPED, 1)


@kernel
def leading(queue_at, rounds):
    """So many times a job of few pieces and one of many."""
    queue = record_at(queue_at, QUEUE)
    for i in range(2 * rounds):
        queue.kind = i % 2
        begin_job(queue_at, MANY if i % 2 else FEW)
        while True:
            piece = draw_piece(queue_at)
            if piece < 0:
                break
            do(queue_at, piece)
        await_end(queue_at)


@pytest.mark.skipif(JIT_DISABLED, reason="threads need compiled code")
@pytest.mark.parametrize("count", [1, 3])
def test_every_piece_is_done_once(count):
    """More threads than cores: some draw when the job that they came for is over, and another has begun."""
    pool, queues, done = np.zeros(1, POOL), np.zeros(count, QUEUE), np.zeros((count, 2, MANY), np.int64)
    pool["sleep"], queues["signal_at"] = SLEEP_AT, pool.ctypes.data
    queues["done_at"] = [done[b].ctypes.data for b in range(count)]
    look_at = pool.ctypes.data, queues.ctypes.data, count
    helpers = [threading.Thread(target=helping, args=look_at, daemon=True) for _ in range(6)]
    make_ready(helping, *look_at)
    make_ready(leading, 0, 0)
    rounds = [0] * count

    def lead(b):
        while rounds[b] < 200_000 or queues["helped"][b] == 0:  # no queue is passed over
            leading(queues[b : b + 1].ctypes.data, 1_000)
            rounds[b] += 1_000

    leaders = [threading.Thread(target=lead, args=(b,), daemon=True) for b in range(count)]
    for thread in helpers + leaders:
        thread.start()
    for thread in leaders:
        thread.join(LONG)
        assert not thread.is_alive()
    assert not queues["left"].any()
    pool["closed"] = 1
    for thread in helpers:
        thread.join(LONG)
        assert not thread.is_alive()
    for b in range(count):
        assert done[b, 0].tolist() == [rounds[b]] * FEW + [0] * (MANY - FEW)
        assert done[b, 1].tolist() == [rounds[b]] * MANY
    assert pool["jobs"] == 2 * sum(rounds)
