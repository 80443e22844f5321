"""``bt.check``: run a problem's functions in plain Python, then compiled, and say in one sentence what is wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from ..core.native import FAILED, plain_call
from ..core.random import new_generator
from ..errors import ProblemError
from ..messages import did_you_mean
from .check_observations import HistoryCheck
from .problem import FUNCTIONS, Problem, not_a_problem
from .python.problem import PythonProblem
from .state import PlainState

EPISODES, STEPS = 20, 200
"""How many random episodes are played, and their most steps, unless time is up."""

SECONDS = 3.0
"""For how long episodes are played, from the end of the first state's check, which compiles."""

OUTCOMES = 20_000
"""After this number of listed outcomes, those of further actions are not listed."""

LISTED, SAMPLED = 1_000, 50
"""Of an action with more than `LISTED` outcomes, `SAMPLED` random ones are checked, and no sum."""


def check(problem: Problem, *, episodes: int = EPISODES, seed: int = 0) -> None:
    """Play random episodes in plain Python and compiled; raise ProblemError with what is missing or inconsistent.

    Checked: every function runs; start and step change the state alike in both forms and draw the same random numbers;
    rewards are finite; there is a legal action wherever the problem has not ended; player is 0 or 1; priors are not
    negative; rewards are within `rewards`; outcomes' probabilities sum to 1 and agree with step; a deterministic
    problem is one. Where the state is hidden, states that were reached by the same actions and observations have the
    same legal actions, and probabilities of observations agree with what `observe` draws. Where that would be too much,
    some of the outcomes are looked at, and episodes are played for three seconds.

    >>> import boltree as bt
    >>> bt.check(bt.problems.DChain(10))
    """
    if not isinstance(problem, Problem):
        raise not_a_problem(problem)
    _names(problem)
    problem.check_more(seed)
    _Check(problem, seed).play(episodes)
    if problem.hidden:
        HistoryCheck(problem, seed, SECONDS).play()


def _names(problem: Problem) -> None:
    """A function that looks like a misspelt one would be ignored."""
    known = {*FUNCTIONS, *problem.functions()}
    for own in vars(type(problem)):
        if own not in known and callable(getattr(type(problem), own)) and not own.startswith("_"):
            meant = did_you_mean(own, FUNCTIONS, likeness=0.8)  # other names are helpers of the user's own
            if meant:
                raise ProblemError(f"{problem.display_name()}.{own} is not a function of a problem{meant}")


class _Check:
    """One check of a problem: what it is called in messages, and how much was looked at so far.

    Of a problem in plain Python, the second form is the same methods again, called as the kernel calls them.
    """

    def __init__(self, problem: Problem, seed: int) -> None:
        self._problem, self._name, self._seed = problem, problem.display_name(), seed
        self._choose = np.random.default_rng(seed)
        self._again = isinstance(problem, PythonProblem)
        self._forms = ("the first time", "the second time") if self._again else ("in plain Python", "compiled")
        self._until, self._left = math.inf, OUTCOMES
        self._where = "at the start"

    def play(self, episodes: int) -> None:
        """Play random episodes, and check all in every state on the way."""
        for episode in range(episodes):
            rng = new_generator(np.random.SeedSequence([self._seed, episode]))
            memory = self._start(rng)
            for _ in range(min(self._problem.horizon, STEPS)):
                done = self._state(memory, rng)
                self._until = min(self._until, time.monotonic() + SECONDS)
                if self._late:
                    return
                if done:
                    break

    @property
    def _late(self) -> bool:
        return time.monotonic() > self._until

    def _state(self, memory: Any, rng: Any) -> bool:
        """Check everything in a state and step on; whether that was the end."""
        self._where = f"in state {self._problem.written(memory)}"
        legal = self._legal(memory) if self._problem.boxes is None else []
        self._player(memory)
        self._prior(memory)
        self._heuristic(memory)
        self._bounds(memory)
        self._outcomes(memory, legal)
        self._features(memory)
        if self._problem.boxes is not None:
            return self._step(memory, self._drawn(memory, rng.copy()), rng)
        self._random_action(memory, legal, rng.copy())
        return self._step(memory, int(self._choose.choice(legal)), rng)

    def _compiled(self, function: str, arguments: tuple[int, ...]) -> int:
        result = plain_call(self._problem.address(function), arguments)
        if result == FAILED:
            self._problem.reraise()
            raise ProblemError(f"{self._name}.{function} raises when compiled {self._where}, but not in plain Python")
        return result

    def _refuse_difference(self, what: str, plain: Any, compiled: Any, where: str, *, drawn: bool = False) -> NoReturn:
        """Say that both forms must give the same."""
        first, second = self._forms
        why = ""
        if self._again:
            why = "; rng was the same: all chance must come from rng" if drawn else "; the state was the same"
        raise ProblemError(f"{self._name}.{what} gives {plain} {first} but {compiled} {second}{where}{why}")

    # Each function

    def _start(self, rng: Any) -> Any:
        problem, again = self._problem, rng.copy()
        plain = np.asarray(problem.plain_start(rng)).reshape(1).copy()
        compiled = problem.new_state()
        self._where = "at the start"
        self._compiled("start", (problem.params_at, compiled.ctypes.data, again.ctypes.data))
        if plain.tobytes() != compiled.tobytes():
            self._refuse_difference("start", problem.written(plain), problem.written(compiled), "", drawn=True)
        return plain

    def _legal(self, memory: Any) -> list[int]:
        problem, before = self._problem, memory.tobytes()
        legal = problem.legal_actions(memory[0])
        if not legal:
            raise ProblemError(
                f"{self._name}: no legal action {self._where}; a state without legal actions must be terminal "
                "(done=True)"
            )
        if problem.has("legal"):
            mask = np.zeros(problem.actions, np.uint8)
            self._compiled("legal", (problem.params_at, memory.ctypes.data, mask.ctypes.data, mask.size))
            if [int(a) for a in np.flatnonzero(mask)] != legal:
                self._refuse_difference("legal", legal, np.flatnonzero(mask).tolist(), f" {self._where}")
            if memory.tobytes() != before:
                raise ProblemError(f"{self._name}.legal changes the state {self._where}; it must only fill the mask")
        return legal

    def _player(self, memory: Any) -> None:
        if self._problem.has("player"):
            plain = self._problem.plain_player(memory.copy())
            compiled = self._compiled("player", (self._problem.params_at, memory.ctypes.data))
            if int(plain) not in (0, 1) or compiled != int(plain):
                first, second = self._forms
                raise ProblemError(
                    f"{self._name}.player returns {plain} {first} and {compiled} {second} {self._where}; it must be 0 "
                    "or 1"
                )

    def _prior(self, memory: Any) -> None:
        problem = self._problem
        if problem.has("prior"):
            plain, compiled = problem.plain_prior(memory.copy()), np.zeros(problem.actions)
            self._compiled("prior", (problem.params_at, memory.ctypes.data, compiled.ctypes.data, compiled.size))
            if not (np.isfinite(plain).all() and (plain >= 0).all()):
                raise ProblemError(
                    f"{self._name}.prior gives {plain.tolist()} {self._where}; a prior must be finite and at least 0"
                )
            if not np.allclose(plain, compiled, rtol=1e-9, atol=1e-12):
                self._refuse_difference("prior", plain.tolist(), compiled.tolist(), f" {self._where}")

    def _heuristic(self, memory: Any) -> None:
        if self._problem.has("heuristic"):
            plain, out = self._problem.plain_heuristic(memory.copy()), np.zeros(4)
            self._compiled("heuristic", (self._problem.params_at, memory.ctypes.data, out.ctypes.data))
            if not math.isfinite(plain) or not math.isclose(plain, out[0], rel_tol=1e-9, abs_tol=1e-12):
                first, second = self._forms
                raise ProblemError(
                    f"{self._name}.heuristic gives {plain} {first} and {out[0]} {second} {self._where}; both must be "
                    "the same finite number"
                )

    def _bounds(self, memory: Any) -> None:
        if self._problem.has("bounds"):
            plain, out = self._problem.plain_bounds(memory.copy()), np.zeros(4)
            self._compiled("bounds", (self._problem.params_at, memory.ctypes.data, out.ctypes.data))
            if not np.allclose(plain, out[:2], rtol=1e-9, atol=1e-12):
                self._refuse_difference("bounds", plain, tuple(out[:2].tolist()), f" {self._where}")
            if not plain[0] <= plain[1]:
                raise ProblemError(
                    f"{self._name}.bounds gives {plain} {self._where}; the lower one must be at most the upper one"
                )

    def _reward(self, reward: float, action: int) -> None:
        low, high = self._problem.rewards or (-math.inf, math.inf)
        if not low <= reward <= high:
            raise ProblemError(
                f"{self._name}: reward={reward} for action {action} {self._where}; must be within rewards={(low, high)}"
            )

    def _features(self, memory: Any) -> None:
        problem = self._problem
        if problem.has("features"):
            if not problem.features_shape:
                raise ProblemError(
                    f"{self._name}: features_shape is missing; features(params, state, out) fills so many numbers"
                )
            plain = problem.plain_features(memory.copy())
            compiled = np.zeros_like(plain)
            self._compiled("features", (problem.params_at, memory.ctypes.data, compiled.ctypes.data, compiled.size))
            if not np.allclose(plain, compiled, rtol=1e-5, atol=1e-6):
                raise ProblemError(
                    f"{self._name}.features gives other numbers compiled than in plain Python {self._where}"
                )

    def _random_action(self, memory: Any, legal: list[int], rng: Any) -> None:
        if self._problem.has("random_action"):
            action = self._problem.plain_random_action(PlainState(memory.copy()), rng)
            if action not in legal:
                raise ProblemError(
                    f"{self._name}.random_action returned {action} {self._where}; the legal actions are {legal}"
                )

    def _drawn(self, memory: Any, rng: Any) -> Any:
        """An action from the problem's boxes, by `propose` and `random_action` in turn, which are checked."""
        problem = self._problem
        assert problem.boxes is not None
        if problem.has("propose"):
            again, out = rng.copy(), np.full(problem.boxes.size, np.nan)
            action = problem.plain_propose(PlainState(memory.copy()), rng)
            self._compiled("propose", (problem.params_at, memory.ctypes.data, again.ctypes.data, out.ctypes.data))
            if not np.allclose(out, np.reshape(action, -1), rtol=1e-9, atol=1e-12):
                self._refuse_difference("propose", action, problem.boxes.present(out), f" {self._where}", drawn=True)
            if self._choose.random() < 0.5:
                return action
        return problem.plain_random_action(PlainState(memory.copy()), rng)

    def _outcomes(self, memory: Any, legal: list[int]) -> None:
        if not {"outcomes", "chances"} & set(self._problem.functions()):
            return
        for action in self._choose.permutation(legal).tolist():
            if self._left <= 0 or self._late:
                return
            self._outcomes_of(memory, action)

    def _outcomes_of(self, memory: Any, action: int) -> None:
        problem, total = self._problem, 0.0
        count = problem.plain_count_outcomes(PlainState(memory.copy()), action)
        compiled = self._compiled("count_outcomes", (problem.params_at, memory.ctypes.data, action))
        if count != compiled or count < 1:
            first, second = self._forms
            raise ProblemError(
                f"{self._name}.count_outcomes gives {count} {first} and {compiled} {second} for action {action} "
                f"{self._where}; it must be at least 1"
            )
        self._left -= count
        looked_at: Iterable[int] = range(count)
        if count > LISTED:
            looked_at = self._choose.integers(count, size=SAMPLED).tolist()
        for k in looked_at:
            plain, native, out = memory.copy(), memory.copy(), np.zeros(8)
            p, reward, done = problem.plain_outcome(PlainState(plain), action, k)
            self._compiled("outcomes", (problem.params_at, native.ctypes.data, action, k, out.ctypes.data))
            agree = np.allclose((p, reward, float(done)), out[:3], rtol=1e-9, atol=1e-12)
            if not agree or plain.tobytes() != native.tobytes():
                self._refuse_difference(
                    f"outcomes({action}, {k})", f"{(p, reward, done)}, {problem.written(plain)}",
                    f"{(*out[:2].tolist(), bool(out[2]))}, {problem.written(native)}", f" {self._where}",
                )  # fmt: skip
            total += p
            self._reward(reward, action)
            if self._late:
                return
        if count <= LISTED and abs(total - 1.0) > 1e-6:
            raise ProblemError(
                f"{self._name}.outcomes: probabilities of action {action} {self._where} sum to {total}, must be 1"
            )

    def _step(self, memory: Any, action: Any, rng: Any) -> bool:
        problem = self._problem
        vector = np.zeros(1) if problem.boxes is None else problem.boxes.vector(action)
        given = action if problem.boxes is None else vector.ctypes.data
        before, native, again = memory.copy(), memory.copy(), rng.copy()
        reward, done = problem.plain_step(PlainState(memory), action, rng)
        out = np.zeros(native.size * native.itemsize // 8 + 8)
        self._compiled("step", (problem.params_at, native.ctypes.data, given, again.ctypes.data, out.ctypes.data))
        if not math.isfinite(reward):
            raise ProblemError(
                f"{self._name}.step: reward={reward} for action {action} {self._where}; rewards must be finite"
            )
        self._reward(reward, action)
        if problem.deterministic:
            other = before.copy()
            result = problem.plain_step(PlainState(other), action, new_generator(int(rng[1] >> np.uint64(8))))
            if result != (reward, done) or other.tobytes() != memory.tobytes():
                raise ProblemError(
                    f"{self._name}: deterministic = True, but action {action} {self._where} led to different outcomes"
                )
        same = math.isclose(reward, out[0], rel_tol=1e-9, abs_tol=1e-12) and bool(out[1]) == done
        if not same or memory.tobytes() != native.tobytes():
            self._refuse_difference(
                f"step({action})", f"{(reward, done)}, {problem.written(memory)}",
                f"{(float(out[0]), bool(out[1]))}, {problem.written(native)}", f" {self._where}", drawn=True,
            )  # fmt: skip
        if rng.tobytes() != again.tobytes():
            first, second = self._forms
            raise ProblemError(f"{self._name}.step draws other random numbers {second} than {first} {self._where}")
        if "outcomes" in problem.functions() and "step" in problem.functions():
            self._step_is_an_outcome(before, memory, action, reward, done)
        return done

    def _step_is_an_outcome(self, before: Any, after: Any, action: int, reward: float, done: bool) -> None:
        problem = self._problem
        count = problem.plain_count_outcomes(PlainState(before.copy()), action)
        for k in range(count) if count <= LISTED else ():
            state = before.copy()
            p, paid, ended = problem.plain_outcome(PlainState(state), action, k)
            if p > 0 and math.isclose(paid, reward, rel_tol=1e-9, abs_tol=1e-12) and bool(ended) == done:
                if state.tobytes() == after.tobytes():
                    return
        if count <= LISTED:
            raise ProblemError(
                f"{self._name}.step({action}) led to {problem.written(after)}, reward {reward} {self._where}, which is "
                "none of its outcomes"
            )
