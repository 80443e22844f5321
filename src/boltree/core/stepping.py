"""Calling a problem's functions on many states at once: for self-play, evaluators and tests, outside of any search.

States lie one after the other, `state_bytes` apart. Each kernel returns how many rows were done: fewer than there are
where a function raised, which the first row that is left shows.
"""

from __future__ import annotations

from typing import Any

from .jit import kernel
from .native import FAILED, call


@kernel
def start_rows(function: int, params_at: int, states_at: int, state_bytes: int, rng_at: int, count: int) -> int:
    """Write a start state into each row, all drawn from one generator."""
    for k in range(count):
        if call(function, (params_at, states_at + k * state_bytes, rng_at)) == FAILED:
            return k
    return count


@kernel
def step_rows(
    function: int, params_at: int, states_at: int, state_bytes: int, actions: Any, rng_at: int, rng_bytes: int,
    out: Any, out_at: int, rewards: Any, done: Any,
) -> int:  # fmt: skip
    """Take a step in each row, with a generator of its own or, where `rng_bytes` is 0, all with one."""
    for k in range(actions.size):
        task = (params_at, states_at + k * state_bytes, actions[k], rng_at + k * rng_bytes, out_at)
        if call(function, task) == FAILED:
            return k
        rewards[k] = out[0]
        done[k] = out[1] != 0.0
    return actions.size  # type: ignore[no-any-return]


@kernel
def fill_rows(
    function: int, params_at: int, states_at: int, state_bytes: int, out_at: int, out_bytes: int, size: int, count: int
) -> int:
    """Let `legal`, `prior` or `features` write `size` numbers for each row; rows of `out` are `out_bytes` apart."""
    for k in range(count):
        if call(function, (params_at, states_at + k * state_bytes, out_at + k * out_bytes, size)) == FAILED:
            return k
    return count


@kernel
def player_rows(function: int, params_at: int, states_at: int, state_bytes: int, players: Any) -> int:
    """Ask who moves in each row."""
    for k in range(players.size):
        found = call(function, (params_at, states_at + k * state_bytes))
        if found == FAILED:
            return k
        players[k] = found
    return players.size  # type: ignore[no-any-return]
