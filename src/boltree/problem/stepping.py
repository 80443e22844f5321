"""Stepping a problem from Python, by its compiled functions: what `problem.reset`, `step`, `legal`, ... do.

Each takes one state, as a user has it, or an array of them, and answers alike: one answer, or an array with a row for
each. States that are given are never changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from ..checks import whole
from ..core.random import new_generator
from ..core.stepping import fill_rows, player_rows, start_rows, step_rows
from ..errors import ParameterError, ProblemError
from ..messages import shortened
from .boxes import Boxes
from .random import Generator
from .state import PlainState


class Problem(Protocol):
    """What is stepped; `bt.Problem` is one, and says what each member means."""

    state: ClassVar[Any]
    actions: Any
    boxes: Boxes | None
    deterministic: bool
    features_shape: tuple[int, ...]

    @property
    def params_at(self) -> int:
        """Address of its parameters."""

    def address(self, name: str) -> int:
        """Address of a compiled function."""

    def has(self, name: str) -> bool:
        """Whether it defines a function."""

    def state_layout(self) -> np.dtype[Any]:
        """The record of a state."""

    def as_state(self, given: Any) -> Any:
        """A state's record."""

    def display_name(self) -> str:
        """Its name."""

    def refuse_boxes(self, what: str) -> None:
        """Refuse what needs listed actions where they are drawn from boxes."""

    def written(self, state: Any) -> str:
        """A state as messages name it."""

    def plain_start(self, rng: Any) -> Any:
        """A start state, in plain Python."""

    def plain_step(self, state: PlainState, action: int, rng: Any) -> tuple[float, bool]:
        """A step, in plain Python."""

    def plain_player(self, state: Any) -> int:
        """Who moves, in plain Python."""

    def legal_actions(self, state: Any) -> list[int]:
        """The legal actions, in plain Python."""

    def plain_features(self, state: Any) -> Any:
        """The features, in plain Python."""


def reset(problem: Problem, seed: Any = None, count: int | None = None) -> Any:
    """A start state, or an array of `count` of them; drawn by a seed or by a NumPy generator."""
    whole("count", count, 1, none=True)
    if isinstance(seed, np.random.Generator):
        seed = int(seed.integers(2**63))
    whole("seed", seed, 0, none=True)
    rows, rng = np.zeros(count or 1, problem.state_layout()), new_generator(seed)
    again = rng.copy()
    arguments = (problem.address("start"), problem.params_at, _at(rows), rows.itemsize, _at(rng), len(rows))
    done = start_rows(*arguments)
    if done < len(rows):
        _raise("start", problem, rows, done, lambda: [problem.plain_start(again) for _ in range(done + 1)])
    return rows if count is not None else PlainState(rows)


def step(problem: Problem, state: Any, action: Any, rng: Any = None) -> tuple[Any, Any, Any]:
    """The next state, the reward and whether the episode ends; arrays of them for an array of states.

    Args:
        problem: whose states they are.
        state: a state, or an array of states, as `reset` gives them.
        action: an action, or one for each state.
        rng: a generator of NumPy's, ``np.random.default_rng(seed)``; a deterministic problem needs none.
    """
    rows, several = rows_of(problem, state)
    if problem.boxes is None:
        actions, chosen = _listed(problem, action, len(rows), several)
    else:
        vectors = _from_boxes(problem.boxes, action, len(rows), several)
        actions = _at(vectors) + vectors.strides[0] * np.arange(len(rows))  # where they lie, for compiled steps
        chosen = [problem.boxes.present(vector) for vector in vectors]
    words, rng_bytes = _words(problem, rng, len(rows))
    before, words_before = rows.copy(), words.copy()
    rewards, ends = np.zeros(len(rows)), np.zeros(len(rows), np.bool_)
    out = np.zeros(rows.itemsize // 8 + 8)
    done = step_rows(
        problem.address("step"), problem.params_at, _at(rows), rows.itemsize, actions, _at(words), rng_bytes,
        out, _at(out), rewards, ends,
    )  # fmt: skip
    if done < len(rows):
        if rng_bytes:
            words_before = words_before[done]
        last = slice(done, done + 1) if rng_bytes else slice(0, done + 1)  # a shared generator: as it was drawn from

        def again() -> None:
            for one, taken in zip(before[last], chosen[last], strict=True):
                problem.plain_step(PlainState(np.asarray(one).reshape(1).copy()), taken, words_before)

        _raise("step", problem, before, done, again)
    return (rows, rewards, ends) if several else (PlainState(rows), float(rewards[0]), bool(ends[0]))


def _listed(problem: Problem, action: Any, count: int, several: bool) -> tuple[NDArray[np.int64], list[Any]]:
    """Actions by number, as compiled steps and plain ones take them."""
    actions = np.asarray(action)
    if actions.dtype.kind not in "iu" or actions.shape != ((count,) if several else ()):
        wanted = f"an array of {count} whole numbers, one for each state" if several else "a whole number"
        raise ParameterError(f"action={shortened(action)}: must be {wanted}")
    actions = actions.astype(np.int64).reshape(count)
    wrong = np.flatnonzero((actions < 0) | (actions >= problem.actions))
    if wrong.size:
        raise ParameterError(f"action={actions[wrong[0]]}: must be from 0 to {problem.actions - 1}")
    return actions, actions.tolist()


def _from_boxes(boxes: Boxes, action: Any, count: int, several: bool) -> NDArray[np.float64]:
    """The numbers of actions from boxes, a row for each."""
    if several and np.shape(action) != ((count,) if boxes.single else (count, boxes.size)):
        raise ParameterError(f"action={shortened(action)}: must be an array of {count} actions, each {boxes.wanted}")
    return np.array([boxes.vector(one) for one in (action if several else [action])])


def legal(problem: Problem, state: Any) -> NDArray[np.bool_]:
    """Which actions are legal: True or False for each action, `[actions]`, or `[n, actions]` for n states."""
    problem.refuse_boxes("legal")
    rows, several = rows_of(problem, state)
    mask = np.zeros((len(rows), problem.actions), np.bool_)
    if problem.has("legal"):
        _fill("legal", problem, rows, mask, problem.legal_actions)
    else:
        mask[:] = True
    return mask if several else mask[0]


def player(problem: Problem, state: Any) -> Any:
    """Who moves, 0 or 1; an array for several states."""
    rows, several = rows_of(problem, state)
    players = np.zeros(len(rows), np.int64)
    if problem.has("player"):
        address = problem.address("player")
        done = player_rows(address, problem.params_at, _at(rows), rows.itemsize, players)
        if done < len(rows):
            _raise("player", problem, rows, done, lambda: problem.plain_player(rows[done]))
    return players if several else int(players[0])


def features(problem: Problem, state: Any) -> NDArray[np.float32]:
    """The numbers that a network is given, in the shape `features_shape`; with a row for each of several states."""
    rows, several = rows_of(problem, state)
    if not problem.has("features"):
        raise ProblemError(f"{problem.display_name()}: features(params, state, out) is missing")
    found = np.zeros((len(rows), *problem.features_shape), np.float32)
    _fill("features", problem, rows, found.reshape(len(rows), -1), problem.plain_features)
    return found if several else found[0]


METHODS: dict[str, Callable[..., Any]] = {"step": step, "legal": legal, "player": player, "features": features}
"""The functions that users write, as they are called on an instance."""


def rows_of(problem: Problem, given: Any) -> tuple[NDArray[Any], bool]:
    """A copy of states as an array of the problem's records, and whether several were given."""
    if not (isinstance(given, np.ndarray) and given.dtype.names and given.ndim == 1):
        return np.asarray(problem.as_state(given)).reshape(1), False
    rows = np.zeros(len(given), problem.state_layout())
    for name in type(problem).state.names:
        if name not in given.dtype.names:
            raise ProblemError(f"{problem.display_name()}: states without the field {name}")
        rows[name] = given[name]
    return rows, True


def _fill(name: str, problem: Problem, rows: Any, out: Any, plain: Callable[[Any], Any]) -> None:
    """Let a function fill rows of numbers."""
    done = fill_rows(
        problem.address(name), problem.params_at, _at(rows), rows.itemsize, _at(out), out.strides[0], out.shape[1],
        len(rows),
    )  # fmt: skip
    if done < len(rows):
        _raise(name, problem, rows, done, lambda: plain(rows[done]))


def _words(problem: Problem, rng: Any, count: int) -> tuple[NDArray[np.uint64], int]:
    """The words of generators for some steps, and the bytes from one to the next."""
    if isinstance(rng, np.random.Generator):
        return rng.integers(2**64, size=(count, 2), dtype=np.uint64), 16
    if isinstance(rng, Generator):
        return rng.words, 0
    if isinstance(rng, np.ndarray) and rng.dtype == np.uint64 and rng.shape == (2,):
        return rng, 0
    if rng is None and problem.deterministic:
        return np.zeros((count, 2), np.uint64), 16
    raise ParameterError(
        f"rng={shortened(rng)}: must be a generator of NumPy's, such as np.random.default_rng(seed)"
        + ("" if rng is not None else f"; what a step of {problem.display_name()} leads to may be random")
    )


def _raise(name: str, problem: Problem, rows: Any, k: int, again: Callable[[], object]) -> NoReturn:
    """Call a function that raised when compiled again in plain Python, so that the user's own exception arrives."""
    again()
    where = "" if name == "start" else f" in state {problem.written(rows[k : k + 1])}"
    raise ProblemError(
        f"{problem.display_name()}: {name} raised when compiled{where}, but not in plain Python; run bt.check(problem)"
    )


def _at(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
