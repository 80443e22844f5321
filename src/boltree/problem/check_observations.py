"""What `bt.check` looks at where the state is hidden: observations, their probabilities, and what histories determine.

Many states are taken through the same actions. Those that were observed alike have the same history, so nothing that
is asked on the way down a search may tell them apart.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..core.native import FAILED, plain_call
from ..core.random import new_generator
from ..errors import ProblemError
from .problem import Problem
from .python.problem import PythonProblem
from .record import Record
from .state import PlainState

EPISODES, STEPS, STATES = 20, 50, 32
"""How many histories are followed, their most steps, and how many states at a time, unless time is up."""

DRAWN = 2_000
"""How many observations of a step are drawn, to compare how often each comes with its probability."""

LISTED = 1_000
"""The probabilities of up to this number of observations are summed."""

SURPRISE = 25.0
"""A frequency is refused where its probability is below e to the minus this: even the rarest of many is not."""


class HistoryCheck:
    """Follows histories in a problem whose state is hidden, and refuses what is inconsistent."""

    def __init__(self, problem: Problem, seed: int, seconds: float) -> None:
        self._problem, self._name, self._seed, self._seconds = problem, problem.display_name(), seed, seconds
        self._choose = np.random.default_rng(seed)
        again = isinstance(problem, PythonProblem)
        self._forms = ("the first time", "the second time") if again else ("in plain Python", "compiled")
        self._until = math.inf

    def play(self) -> None:
        """Follow histories until enough were followed, or time is up."""
        for episode in range(EPISODES):
            rng = new_generator(np.random.SeedSequence([self._seed, 1, episode]))
            states = [self._start(rng) for _ in range(STATES)]
            for _ in range(min(self._problem.horizon, STEPS)):
                legal = self._same_in_all(states, rng)
                if self._problem.boxes is None:
                    action = int(self._choose.choice(legal))
                else:
                    action = self._problem.plain_random_action(PlainState(states[0].copy()), rng.copy())
                states = self._step(states, action, rng)
                self._until = min(self._until, time.monotonic() + self._seconds)  # the first step compiles
                if time.monotonic() > self._until:
                    return
                if not states:
                    break

    # What a history determines

    def _same_in_all(self, states: list[Any], rng: Any) -> list[int]:
        """The legal actions of states with the same history, which must be the same, as all else that searches ask."""
        problem = self._problem
        asked: dict[str, Callable[[Any], Any]] = {}
        if problem.boxes is None:
            asked["legal"] = lambda state: problem.legal_actions(state[0])
        if problem.has("player"):
            asked["player"] = lambda state: problem.plain_player(state.copy())
        if problem.has("prior"):
            asked["prior"] = lambda state: problem.plain_prior(state.copy()).tolist()
        if problem.has("random_action"):
            asked["random_action"] = lambda state: _plain(
                problem.plain_random_action(PlainState(state.copy()), rng.copy())
            )
        if problem.has("propose"):
            asked["propose"] = lambda state: _plain(problem.plain_propose(PlainState(state.copy()), rng.copy()))
        for what, ask in asked.items():
            first = ask(states[0])
            for other in states[1:]:
                found = ask(other)
                if found != first:
                    raise ProblemError(
                        f"{self._name}.{what} gives {first} in state {problem.written(states[0])} but {found} in state "
                        f"{problem.written(other)}, though both were reached by the same actions and observations; it "
                        "may depend on nothing else"
                    )
        return problem.legal_actions(states[0][0]) if problem.boxes is None else []

    def _step(self, states: list[Any], action: Any, rng: Any) -> list[Any]:
        """Take an action in every state; those of the observation that came most often."""
        problem = self._problem
        reached: dict[bytes, list[Any]] = {}
        steps = []
        for before in states:
            after = before.copy()
            _, done = problem.plain_step(PlainState(after), action, rng)
            if not done:
                seen = self._observe(before, action, after, rng)
                reached.setdefault(seen.tobytes(), []).append(after)
                steps.append((before, after, seen))
        if problem.has("observation_probability") and steps:
            self._probabilities(action, steps, rng)
        if problem.has("perturb") and steps:
            self._perturb(steps[0][1], rng)
        for group in reached.values():
            self._same_in_all(group, rng)
        return max(reached.values(), key=len, default=[])

    # Each function, in both forms

    def _start(self, rng: Any) -> Any:
        return np.asarray(self._problem.plain_start(rng)).reshape(1).copy()

    def _observe(self, before: Any, action: Any, after: Any, rng: Any) -> Any:
        problem, again, kept = self._problem, rng.copy(), (before.tobytes(), after.tobytes())
        plain = np.asarray(problem.plain_observe(before, action, after, rng)).reshape(1).copy()
        if (before.tobytes(), after.tobytes()) != kept:
            raise ProblemError(f"{self._name}.observe changes a state; it must only say what is seen")
        compiled = np.zeros_like(plain)
        self._compiled(
            "observe",
            (problem.params_at, _at(before), self._given(action), _at(after), again.ctypes.data, _at(compiled)),
            f"after action {action} in state {problem.written(before)}",
        )
        if plain.tobytes() != compiled.tobytes() or rng.tobytes() != again.tobytes():
            self._refuse_difference(
                "observe", problem.present_observation(plain), problem.present_observation(compiled), action, before
            )
        return plain

    def _given(self, action: Any) -> int:
        """What compiled functions are given for an action: its number, or where it lies, which is kept alive."""
        boxes = self._problem.boxes
        if boxes is None:
            return int(action)
        self._vector = boxes.vector(action)
        return int(self._vector.ctypes.data)

    def _probability(self, seen: Any, before: Any, action: Any, after: Any) -> float:
        problem, out = self._problem, np.zeros(4)
        plain = problem.plain_observation_probability(seen[0], before, action, after)
        self._compiled(
            "observation_probability",
            (problem.params_at, _at(seen), _at(before), self._given(action), _at(after), out.ctypes.data),
            f"after action {action} in state {problem.written(before)}",
        )
        if not (plain >= 0.0 and math.isfinite(plain)):
            raise ProblemError(
                f"{self._name}.observation_probability gives {plain} for observation "
                f"{problem.present_observation(seen)} after action {action} in state {problem.written(before)}; it "
                "must be finite and at least 0"
            )
        if not math.isclose(plain, out[0], rel_tol=1e-9, abs_tol=1e-12):
            self._refuse_difference("observation_probability", plain, out[0], action, before)
        return plain

    def _probabilities(self, action: Any, steps: list[Any], rng: Any) -> None:
        problem = self._problem
        for before, after, seen in steps[:4]:
            if self._probability(seen, before, action, after) == 0.0:
                raise ProblemError(
                    f"{self._name}.observation_probability gives 0 for observation {problem.present_observation(seen)} "
                    f"after action {action} in state {problem.written(before)}, which observe drew there"
                )
        before, after, _ = steps[0]
        listed = problem.observation
        if isinstance(listed, int) and listed <= LISTED:
            numbers = [np.asarray(problem.as_observation(n)).reshape(1) for n in range(listed)]
            total = math.fsum(self._probability(seen, before, action, after) for seen in numbers)
            if abs(total - 1.0) > 1e-6:
                raise ProblemError(
                    f"{self._name}.observation_probability: the probabilities after action {action} in state "
                    f"{problem.written(before)} sum to {total}, must be 1"
                )
        if not self._continuous():
            self._frequencies(before, action, after, rng)

    def _continuous(self) -> bool:
        """Whether `observation_probability` is a density, which frequencies do not tell."""
        given = self._problem.observation
        return isinstance(given, Record) and given.real

    def _frequencies(self, before: Any, action: Any, after: Any, rng: Any) -> None:
        problem = self._problem
        seen = np.zeros(1, problem.observation_layout())
        task = (problem.params_at, _at(before), self._given(action), _at(after), rng.ctypes.data, _at(seen))
        counts: Counter[bytes] = Counter()
        for _ in range(DRAWN):
            self._compiled("observe", task, f"after action {action} in state {problem.written(before)}")
            counts[seen.tobytes()] += 1
        for key, count in counts.items():
            one = np.frombuffer(key, seen.dtype).copy()
            p = self._probability(one, before, action, after)
            if _surprise(count, p) > SURPRISE:
                raise ProblemError(
                    f"{self._name}.observation_probability gives {p} for observation "
                    f"{problem.present_observation(one)} after action {action} in state "
                    f"{problem.written(before)}, but observe drew it {count} times in {DRAWN}"
                )

    def _perturb(self, state: Any, rng: Any) -> None:
        problem = self._problem
        plain, compiled, again = state.copy(), state.copy(), rng.copy()
        problem.plain_perturb(plain, rng)
        self._compiled("perturb", (problem.params_at, _at(compiled), again.ctypes.data), "")
        if plain.tobytes() != compiled.tobytes() or rng.tobytes() != again.tobytes():
            first, second = self._forms
            raise ProblemError(
                f"{self._name}.perturb makes {problem.written(plain)} {first} but {problem.written(compiled)} {second} "
                f"of state {problem.written(state)}"
            )
        if problem.boxes is None and problem.legal_actions(plain[0]) != problem.legal_actions(state[0]):
            raise ProblemError(
                f"{self._name}.perturb makes {problem.written(plain)} of state {problem.written(state)}, in which "
                "other actions are legal; it may change only what the history does not determine"
            )

    def _compiled(self, function: str, arguments: tuple[int, ...], where: str) -> None:
        if plain_call(self._problem.address(function), arguments) == FAILED:
            self._problem.reraise()
            raise ProblemError(f"{self._name}.{function} raises when compiled {where}, but not in plain Python")

    def _refuse_difference(self, what: str, plain: Any, compiled: Any, action: Any, before: Any) -> NoReturn:
        first, second = self._forms
        raise ProblemError(
            f"{self._name}.{what} gives {plain} {first} but {compiled} {second} after action {action} in state "
            f"{self._problem.written(before)}; rng was the same"
        )


def _surprise(count: int, p: float) -> float:
    """Minus the logarithm of (a bound on) the probability that what has probability p comes so often, or so seldom."""
    total = 0.0
    for times, chance in ((count, p), (DRAWN - count, 1.0 - p)):
        if times > 0:
            total += times * math.log(times / (DRAWN * chance)) if chance > 0.0 else math.inf
    return total


def _at(array: Any) -> int:
    return int(array.ctypes.data)


def _plain(action: Any) -> Any:
    """An action as it can be compared: the numbers of an array in a list."""
    return np.asarray(action).tolist()
