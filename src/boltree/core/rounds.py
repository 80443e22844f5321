"""Rounds: threads on one tree that give the same tree for the same seed, however they are scheduled.

A round of trials is selected by one thread, as a batch (batch.py); then every thread rolls out its share of the new
leaves, with random numbers that belong to the trial; then one thread backs all of them up, in the order of selection.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .atomics import SPINS, add_to, give_way, read_from
from .batch import send_off, settle, take_back
from .jit import inlined, kernel
from .native import record_at
from .random import hashed
from .records import DONE, EXTERNAL, ROLLOUT, TREE
from .run import room_for_trials
from .trial import evaluate
from .views import flight_at, rng_of

assert TREE.fields is not None
PHASE, ARRIVED = TREE.fields["phase"][1], TREE.fields["arrived"][1]


@kernel
def run_rounds(
    handle: Any, number: int, threads: int, size: int, enough: int, last: int, values: Any, none: Any
) -> int:
    """Take part as thread `number` of so many, until the tree has `enough` trials, never more than `last`.

    The first thread leads and returns DONE, FULL, INDEX or an error; `values` and `none` are its scratch.
    """
    tree = handle[0]
    main = record_at(tree.owner, TREE)
    if number > 0:
        follow(tree, main, number, threads)
        return DONE
    phase = read_from(tree.owner + PHASE)
    status = DONE
    while status == DONE and main.trials < enough:
        wanted = min(size, last - main.trials)
        status = room_for_trials(main, wanted + threads)
        if status != DONE:
            break
        main.evaluator = EXTERNAL  # leaves wait
        count = send_off(main, 0, wanted)
        main.evaluator = ROLLOUT
        if count < 0:
            status = -count
            break
        main.round_count = count
        phase += 1
        add_to(tree.owner + PHASE, 1)
        roll_out(tree, main, 0, threads)
        wait_for(tree, tree.owner + ARRIVED, phase * (threads - 1))
        status = finish_round(main, count, values, none)
    main.round_count = -1
    add_to(tree.owner + PHASE, 1)
    return status


@inlined
def follow(tree: Any, main: Any, number: int, threads: int) -> None:
    """Roll out a share of every round, until there are no more."""
    phase = np.int64(0)
    while True:
        phase += 1
        wait_for(tree, tree.owner + PHASE, phase)
        if main.round_count < 0:
            return
        roll_out(tree, main, number, threads)
        add_to(tree.owner + ARRIVED, 1)


@inlined
def wait_for(tree: Any, counter: int, wanted: int) -> None:
    """Wait until other threads have counted so far."""
    spins = 0
    while read_from(counter) < wanted:
        spins += 1
        if spins > SPINS:
            give_way(tree)
            spins = 0


@inlined
def roll_out(tree: Any, main: Any, number: int, threads: int) -> None:
    """Value this thread's share of the leaves that wait; what fails is written down with the trial."""
    for k in range(number, main.round_count, threads):
        flight = flight_at(main, k)
        if flight.waits:
            rng_of(tree)[0] = hashed(main.seed, main.trials + k, 1)
            rng_of(tree)[1] = hashed(main.seed, main.trials + k, 2)
            tree.node_count = main.node_count + number  # a state of one's own to step on
            flight.failed = evaluate(tree, np.int64(flight.leaf), 0)
            flight.value = tree.leaf_value


@inlined
def finish_round(main: Any, count: int, values: Any, none: Any) -> int:
    """Back up a round whose leaves have their values; an error leaves nothing of the round behind."""
    row = 0
    for k in range(count):
        flight = flight_at(main, k)
        if flight.waits:
            if flight.failed != DONE:
                status = np.int64(flight.failed)
                main.error_node = flight.leaf
                main.error_value = flight.value
                main.error_rng0 = hashed(main.seed, main.trials + k, 1)
                main.error_rng1 = hashed(main.seed, main.trials + k, 2)
                take_back(main, 0, count)
                return status
            values[row] = flight.value
            row += 1
    status = settle(main, 0, count, values, none, 0)
    if status != DONE:
        take_back(main, 0, count)
    return status
