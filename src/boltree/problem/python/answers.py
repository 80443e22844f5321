"""Asks a problem in plain Python, and keeps its answers where the kernel looks (core/exact/answer_cache.py)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.exact import answer_cache as kernels
from ...core.interrupts import between_steps
from ...core.jit import JIT_DISABLED
from ...core.native import address_of_compiled, address_of_python, plain_array_at
from .. import contract
from ..binding import ARITY, F8, U8
from ..random import Generator
from .asked import AskedProblem

ROLLOUTS_KEEP = 1 << 16
"""Rollouts keep what they find until this number of pairs of a state and an action is known."""

_ASKED = {"expand": 2, "enter": 4, "look": 1, "ask": 1, "play_on": 4}
_PARTS = {
    "slots": ("slots_at", "slots"),
    "outcomes": ("outcomes_at", "outcome_room"),
    "states": ("states_at", "state_room"),
    "legal": ("legal_at", "legal_room"),
}
"""Where the record says an array lies, and how large it is."""
_WORDS = list(kernels.CACHE.names or ())
# struct writes a row in a fraction of the time that NumPy takes
_OUTCOME_ROW, _STATE_ROW = struct.Struct("=ddqq"), struct.Struct("=qii")
assert (_OUTCOME_ROW.size, _STATE_ROW.size) == (kernels.OUTCOME.itemsize, kernels.STATE.itemsize)
_OUTCOMES, _ROWS, _LEGAL = (_WORDS.index(name) for name in ("outcomes", "rows", "legal"))
_compiled: dict[str, tuple[int, Any]] = {}


def address_of(name: str) -> int:
    """Address of a function of core/exact/answer_cache.py; compiled when first asked for, once for all problems."""
    if name not in _compiled:
        function: Callable[..., int] = kernels.FUNCTIONS[name]
        if JIT_DISABLED:
            _compiled[name] = address_of_python(function, ARITY[name])
        else:
            _compiled[name] = address_of_compiled(function, ARITY[name], f"boltree.core.exact.answer_cache.{name}")
    return _compiled[name][0]


class Answers:
    """What one problem has answered so far, in arrays that the kernel's functions read."""

    def __init__(self, problem: AskedProblem, keep: Callable[[BaseException], None]) -> None:
        self._problem = problem
        self._has_player = problem.has("player")
        self._certain = problem.deterministic and not problem.has_outcomes
        self._callbacks = [address_of_python(getattr(self, f"_{name}"), n, keep) for name, n in _ASKED.items()]
        self._slots = np.full(1 << 10, -1, kernels.SLOT)
        self._outcomes: Any = np.zeros(1 << 10, kernels.OUTCOME)
        self._states: Any = np.zeros(0, kernels.STATE)
        self._legal: Any = np.zeros(1 << 10, np.int32)
        self._memory = np.zeros(1, kernels.CACHE)
        self._words = self._memory.view(np.int64)
        record = self._memory[0]
        record["actions"], record["has_legal"] = (
            0 if problem.boxes is not None else problem.actions,
            problem.has("legal"),
        )
        record["rollouts_keep"] = ROLLOUTS_KEEP
        for name, (address, _) in zip(_ASKED, self._callbacks, strict=True):
            record[name] = address
        self._held: dict[str, Any] = {}
        for part in _PARTS:
            self._move(part, getattr(self, f"_{part}"))
        at = self._slots.ctypes.data
        kernels.move_slots(at, 0, at, self._slots.size)  # loads it now: in a callback, Ctrl-C could come while it loads

    @property
    def address(self) -> int:
        """Where the record lies that the kernel's functions are given."""
        return int(self._memory.ctypes.data)

    def _move(self, part: str, larger: Any) -> None:
        """Let the kernel use another array. Ctrl-C may come between any two lines: what it uses stays alive."""
        self._held[part] = (self._held.get(part), larger)
        at, room = (_WORDS.index(name) for name in _PARTS[part])
        if room == at + 1:
            self._words[at : at + 2] = (
                larger.ctypes.data,
                larger.size,
            )  # at once: no interrupt between them
        else:
            self._words[at] = larger.ctypes.data
            self._words[room] = larger.size
        setattr(self, f"_{part}", larger)
        self._held[part] = larger

    # Asked by the kernel

    def _expand(self, number: int, action: int) -> int:
        between_steps()
        problem = self._problem
        state = problem.object_of(number)
        found: list[tuple[float, float, int, bool]]
        if self._certain:
            following, reward, done = problem.certain_step(state, action)
            found = [(1.0, reward, problem.number_of(following), done)]
        elif problem.has("chances"):
            found = [(chance, 0.0, -1, False) for chance in contract.chances_of(problem, state, action)]
        else:
            listed = contract.outcomes_of(problem, state, action)
            found = [(p, reward, problem.number_of(following), done) for p, following, reward, done in listed]
        first = int(self._words[_OUTCOMES])
        if 2 * (int(self._words[_ROWS]) + 1) > self._slots.size:
            larger = np.full(4 * self._slots.size, -1, kernels.SLOT)
            kernels.move_slots(self._slots.ctypes.data, self._slots.size, larger.ctypes.data, larger.size)
            self._move("slots", larger)
        if first + len(found) > self._outcomes.size:
            self._move("outcomes", _enlarged(self._outcomes, first + len(found)))
        for place, row in enumerate(found, first):
            _OUTCOME_ROW.pack_into(self._outcomes, place * _OUTCOME_ROW.size, *row)
        return len(found)

    def _enter(self, number: int, action: int, k: int, place: int) -> int:
        between_steps()
        problem = self._problem
        following, reward, done = contract.outcome_of(problem, problem.object_of(number), action, k)
        chance = self._outcomes[place]["chance"]
        self._outcomes[place] = (chance, reward, problem.number_of(following), done)
        return 0

    def _look(self, number: int) -> int:
        actions = list(self._problem.legal_of(self._problem.object_of(number)))
        # who moves there will be asked too; in a state that has ended it may be either player
        mover = (
            contract.player_of(self._problem, self._problem.object_of(number)) if actions and self._has_player else -1
        )
        count, first = len(actions), int(self._words[_LEGAL])
        if first + count > self._legal.size:
            self._move("legal", _enlarged(self._legal, first + count))
        self._make_room(number)
        _row_of(count).pack_into(self._legal, 4 * first, *actions)
        self._words[_LEGAL] = first + count
        _STATE_ROW.pack_into(self._states, number * _STATE_ROW.size, first, count, mover if mover in (0, 1) else -1)
        return 0

    def _ask(self, number: int) -> int:
        mover = contract.mover_of(self._problem, self._problem.object_of(number))
        self._make_room(number)
        self._states[number]["player"] = mover
        return 0

    def _play_on(self, number: int, steps: int, rng: int, out: int) -> int:
        problem, result = self._problem, plain_array_at(out, 2, F8)
        total, weight = result.tolist()
        result[0] = problem.play_on(
            problem.object_of(number), steps, Generator(plain_array_at(rng, 2, U8)), total, weight
        )
        return 0

    def _make_room(self, number: int) -> None:
        if number >= self._states.size:
            larger = _enlarged(self._states, number + 1024)
            larger[self._states.size :] = (0, -1, -1)
            self._move("states", larger)


@lru_cache(maxsize=4096)
def _row_of(count: int) -> struct.Struct:
    """How a number of actions is written."""
    return struct.Struct(f"={count}i")


def _enlarged(array: Any, needed: int) -> Any:
    larger = np.zeros(max(2 * array.size, needed), array.dtype)
    larger[: array.size] = array
    return larger
