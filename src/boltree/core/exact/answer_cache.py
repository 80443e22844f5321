"""A cache of what a problem in plain Python has answered: outcomes of actions, legal actions and players of states.

The kernel sees such a problem's states as numbers. Python is asked once about a state, an action or an outcome; what it
says is kept here, and the functions below, which the kernel calls, find it again without Python. A rollout adds to the
cache only while that is small, so that long rollouts through a large problem do not fill the memory; after that, Python
plays rollouts to their end and keeps nothing.

Python is called by address: ``expand(number, action)`` writes the outcomes and returns how many,
``enter(number, action, k, place)`` writes the k-th one, if `expand` left it open, ``look(number)`` a state's legal
actions, ``ask(number)`` its player, and ``play_on(number, steps, rng, out)`` adds the rest of a rollout to ``out[0]``
with the weight ``out[1]``. They may reallocate the arrays that they write to, so addresses are read again after calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from ..native import FAILED, array_at, call, record_at
from ..random import hashed, uniform_of

CACHE = np.dtype(
    [
        ("actions", "i8"),
        ("slots_at", "i8"),  # a hash table from (state, action) to its outcomes
        ("slots", "i8"),  # how many, a power of two
        ("rows", "i8"),  # how many are taken
        ("outcomes_at", "i8"),
        ("outcomes", "i8"),  # how many are known
        ("outcome_room", "i8"),
        ("states_at", "i8"),
        ("state_room", "i8"),
        ("legal_at", "i8"),
        ("legal", "i8"),  # how many are known
        ("legal_room", "i8"),
        ("has_legal", "i8"),
        ("rollouts_keep", "i8"),  # until this number of rows is taken
        ("expand", "i8"),
        ("enter", "i8"),
        ("look", "i8"),
        ("ask", "i8"),
        ("play_on", "i8"),
    ]
)
SLOT = np.dtype([("key", "i8"), ("first", "i8"), ("count", "i8")])  # key = number * actions + action; -1 is free
OUTCOME = np.dtype([("chance", "f8"), ("reward", "f8"), ("successor", "i8"), ("done", "i8")])  # successor -1: open
STATE = np.dtype([("first", "i8"), ("count", "i4"), ("player", "i4")])  # of the legal actions; -1: not asked yet

_U8, _F8, _I8, _I4 = np.dtype(np.uint64), np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.int32)
_BOOL = np.dtype(np.bool_)
_SLOT_SIZE, _OUTCOME_SIZE, _STATE_SIZE = SLOT.itemsize, OUTCOME.itemsize, STATE.itemsize


@inlined
def slot_of(slots_at: int, slots: int, key: int) -> int:
    """Where the table holds a key, or the free slot where it belongs."""
    place = np.int64(hashed(key, 0, 0) >> np.uint64(1)) & (slots - 1)
    while True:
        found = record_at(slots_at + place * _SLOT_SIZE, SLOT).key
        if found == key or found < 0:
            return place
        place = (place + 1) & (slots - 1)


@inlined
def row_of(cache: Any, number: int, action: int) -> int:
    """The slot of a state and an action; FAILED when Python was asked and raised."""
    key = number * cache.actions + action
    place = slot_of(cache.slots_at, cache.slots, key)
    if record_at(cache.slots_at + place * _SLOT_SIZE, SLOT).key < 0:
        count = call(cache.expand, (number, action))
        if count == FAILED:
            return FAILED
        place = slot_of(cache.slots_at, cache.slots, key)
        slot = record_at(cache.slots_at + place * _SLOT_SIZE, SLOT)
        slot.key = key
        slot.first = cache.outcomes
        slot.count = count
        cache.outcomes += count
        cache.rows += 1
    return place


@inlined
def outcome_of(cache: Any, number: int, action: int, place: int, k: int) -> int:
    """The address of the k-th outcome of a slot; FAILED when Python was asked and raised."""
    at = record_at(cache.slots_at + place * _SLOT_SIZE, SLOT).first + k
    if record_at(cache.outcomes_at + at * _OUTCOME_SIZE, OUTCOME).successor < 0:
        if call(cache.enter, (number, action, k, at)) == FAILED:
            return FAILED
    return cache.outcomes_at + at * _OUTCOME_SIZE


@inlined
def drawn(cache: Any, place: int, rng: Any) -> int:
    """The number of the outcome that happens, drawn by probability; a single one is returned without a draw."""
    slot = record_at(cache.slots_at + place * _SLOT_SIZE, SLOT)
    k, last = np.int64(0), np.int64(slot.count - 1)
    if last > 0:
        u = uniform_of(rng)
        while k < last:
            u -= record_at(cache.outcomes_at + (slot.first + k) * _OUTCOME_SIZE, OUTCOME).chance
            if u < 0.0:
                break
            k += 1
    return k


@inlined
def is_looked_at(cache: Any, number: int) -> bool:
    """Whether a state's legal actions are in the cache."""
    return number < cache.state_room and record_at(cache.states_at + number * _STATE_SIZE, STATE).count >= 0


def step(params: int, state: int, action: int, rng: int, out: int) -> int:
    """Draw one of the outcomes of an action."""
    cache, word, result = record_at(params, CACHE), array_at(state, 1, _I8), array_at(out, 2, _F8)
    number = word[0]
    place = row_of(cache, number, action)
    if place == FAILED:
        raise ValueError("Python raised")
    k = drawn(cache, place, array_at(rng, 2, _U8))
    at = outcome_of(cache, number, action, place, k)
    if at == FAILED:
        raise ValueError("Python raised")
    outcome = record_at(at, OUTCOME)
    word[0] = outcome.successor
    result[0] = outcome.reward
    result[1] = float(outcome.done)
    return 0


def count_outcomes(params: int, state: int, action: int) -> int:
    """How many outcomes an action has."""
    cache = record_at(params, CACHE)
    place = row_of(cache, array_at(state, 1, _I8)[0], action)
    if place == FAILED:
        raise ValueError("Python raised")
    return int(record_at(cache.slots_at + place * _SLOT_SIZE, SLOT).count)


def outcomes(params: int, state: int, action: int, k: int, out: int) -> int:
    """Change a state to the k-th outcome of an action."""
    cache, word, result = record_at(params, CACHE), array_at(state, 1, _I8), array_at(out, 3, _F8)
    place = row_of(cache, word[0], action)
    at = outcome_of(cache, word[0], action, place, k) if place != FAILED else FAILED
    if at == FAILED:
        raise ValueError("Python raised")
    outcome = record_at(at, OUTCOME)
    word[0] = outcome.successor
    result[0] = outcome.chance
    result[1] = outcome.reward
    result[2] = float(outcome.done)
    return 0


def legal(params: int, state: int, out: int, size: int) -> int:
    """Mark a state's legal actions."""
    cache, number, mask = record_at(params, CACHE), array_at(state, 1, _I8)[0], array_at(out, size, _BOOL)
    if not is_looked_at(cache, number) and call(cache.look, (number,)) == FAILED:
        raise ValueError("Python raised")
    about = record_at(cache.states_at + number * _STATE_SIZE, STATE)
    actions = array_at(cache.legal_at, cache.legal, _I4)
    for i in range(np.int64(about.count)):
        mask[actions[about.first + i]] = True
    return 0


def player(params: int, state: int) -> int:
    """Who moves in a state."""
    cache, number = record_at(params, CACHE), array_at(state, 1, _I8)[0]
    if number >= cache.state_room or record_at(cache.states_at + number * _STATE_SIZE, STATE).player < 0:
        if call(cache.ask, (number,)) == FAILED:
            raise ValueError("Python raised")
    return int(record_at(cache.states_at + number * _STATE_SIZE, STATE).player)


def rollout(params: int, state: int, rng: int, steps: int, out: int, mask: int, actions: int) -> int:
    """Act uniformly over legal actions by cached answers; Python plays the rest once the cache may not grow more."""
    cache, word, result = record_at(params, CACHE), array_at(state, 1, _I8), array_at(out, 2, _F8)
    generator = array_at(rng, 2, _U8)
    discount = result[0]
    total, weight = 0.0, 1.0
    for i in range(steps):
        number = word[0]
        full = cache.rows >= cache.rollouts_keep
        before0, before1 = generator[0], generator[1]
        action = np.int64(-1)
        if cache.has_legal == 0:
            action = np.int64(uniform_of(generator) * actions)
        else:
            if not (full or is_looked_at(cache, number)) and call(cache.look, (number,)) == FAILED:
                raise ValueError("Python raised")
            if is_looked_at(cache, number):
                about = record_at(cache.states_at + number * _STATE_SIZE, STATE)
                if about.count > 0:
                    pick = about.first + np.int64(uniform_of(generator) * about.count)
                    action = np.int64(array_at(cache.legal_at, cache.legal, _I4)[pick])
        if action >= 0 and full:
            place = slot_of(cache.slots_at, cache.slots, number * cache.actions + action)
            if record_at(cache.slots_at + place * _SLOT_SIZE, SLOT).key < 0:
                action = np.int64(-1)
        if action < 0:  # Python goes on from here, with the same generator
            generator[0], generator[1] = before0, before1
            result[0], result[1] = total, weight
            if call(cache.play_on, (number, steps - i, rng, out)) == FAILED:
                raise ValueError("Python raised")
            total = result[0]
            break
        place = row_of(cache, number, action)
        at = FAILED
        if place != FAILED:
            at = outcome_of(cache, number, action, place, drawn(cache, place, generator))
        if at == FAILED:
            raise ValueError("Python raised")
        outcome = record_at(at, OUTCOME)
        word[0] = outcome.successor
        total += weight * outcome.reward
        weight *= discount
        if outcome.done != 0:
            break
    result[0] = total
    return 0


FUNCTIONS: dict[str, Any] = {
    "step": step,
    "count_outcomes": count_outcomes,
    "outcomes": outcomes,
    "legal": legal,
    "player": player,
    "rollout": rollout,
}
"""The functions that the kernel calls; core/native.py turns them into addresses."""


@kernel
def move_slots(old_at: int, old: int, new_at: int, new: int) -> None:
    """Enter what a hash table holds into a larger, empty one."""
    for i in range(old):
        slot = record_at(old_at + i * _SLOT_SIZE, SLOT)
        if slot.key >= 0:
            copy = record_at(new_at + slot_of(new_at, new, slot.key) * _SLOT_SIZE, SLOT)
            copy.key = slot.key
            copy.first = slot.first
            copy.count = slot.count
