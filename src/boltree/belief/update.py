"""How particles become the belief after an action and an observation: weighed, or kept where they agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.belief import particles as kernels
from ..core.native import for_kernels
from ..core.random import uniform
from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.state import PlainState

Words = NDArray[np.uint64]
"""States as rows of 64-bit words."""
Weights = NDArray[np.float64]

PASSES = 100
"""So often every particle is tried before a belief is said not to explain an observation, or to hold too few."""

FUNCTIONS = ("start", "step", "observe", "observation_probability", "perturb")


class Model:
    """A problem as compiled code sees it that draws and steps particles."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.words = problem.state_layout().itemsize // 8
        self._record = for_kernels(np.zeros(1, kernels.MODEL))
        self._out = np.zeros((problem.actions if problem.boxes is None else 0) + self.words + 8)
        self._seen = np.zeros(problem.observation_layout().itemsize // 8, np.uint64)
        row = self._record[0]
        for name in FUNCTIONS:
            row[name] = problem.address(name) if problem.has(name) else 0
        row["params_at"], row["words"], row["seen_words"] = problem.params_at, self.words, self._seen.size
        row["out_at"], row["seen_at"] = self._out.ctypes.data, self._seen.ctypes.data

    def starts(self, count: int, rng: Any) -> Words:
        """States drawn by the problem's `start`."""
        states = np.zeros((count, self.words), np.uint64)
        self._record["rng_at"] = rng.ctypes.data
        with self.problem.exclusive:
            status = int(kernels.draw_starts(self._record, states))
        if status != kernels.DONE:
            self.problem.reraise()
            self.problem.plain_start(rng)
            self._refuse("start")
        return states

    def step(self, action: Any, seen: Words, before: Words, weights: Weights, rng: Any, perturb: bool = False) -> Words:
        """Where states lead; `weights`, of which there are as many as states wanted, become those of `seen`."""
        after = np.zeros((len(weights), self.words), np.uint64)
        self._record["rng_at"] = rng.ctypes.data
        first = int(uniform(rng) * len(before)) if perturb else 0
        boxes = self.problem.boxes
        vector = np.zeros(0) if boxes is None else boxes.vector(action)
        given = action if boxes is None else vector.ctypes.data
        with self.problem.exclusive:
            status = int(kernels.step_particles(self._record, given, seen, before, after, weights, first, perturb))
        if status != kernels.DONE:
            self.problem.reraise()
            self._again(status, action, seen, before[int(self._record["failed_at"][0])], perturb)
        return after

    def _again(self, status: int, action: Any, seen: Words, words: Words, perturb: bool) -> None:
        """Call what failed again, in plain Python, where it may raise and say more."""
        problem, row = self.problem, self._record[0]
        before = words.copy().view(problem.state_layout())
        after, rng = before.copy(), np.array([row["rng0"], row["rng1"]], np.uint64)
        problem.plain_step(PlainState(after), action, rng)
        if perturb:
            problem.plain_perturb(after, rng)
        if status == kernels.BAD_PROBABILITY:
            record = seen.view(problem.observation_layout())[0]
            raise ProblemError(
                f"{problem.display_name()}.observation_probability gives {float(row['failed_weight'])} for observation "
                f"{problem.present_observation(record)} after action {action} in state {problem.written(before)}; it "
                "must be finite and at least 0"
            )
        if status == kernels.PROBABILITY_FAILED:
            problem.plain_observation_probability(seen.view(problem.observation_layout())[0], before, action, after)
            self._refuse("observation_probability")
        if status == kernels.OBSERVE_FAILED:
            problem.plain_observe(before, action, after, rng)
            self._refuse("observe")
        self._refuse("step" if status == kernels.STEP_FAILED else "perturb")

    def _refuse(self, function: str) -> None:
        raise ProblemError(
            f"{self.problem.display_name()}.{function} raised when compiled, but not in plain Python; run "
            "bt.check(problem)"
        )


def weighed(
    model: Model, action: Any, seen: Words, before: Words, weights: Weights, rng: Any
) -> tuple[Words, Weights] | None:
    """Every particle after a step, weighed by the probability of what was seen; None if that is 0 for all."""
    for _ in range(PASSES):
        new = np.zeros(len(before))
        after = model.step(action, seen, before, new, rng)
        new *= weights
        total = float(new.sum())
        if total > 0.0:
            return after, new / total
    return None


def agreeing(model: Model, action: Any, seen: Words, before: Words, rng: Any) -> Words | None:
    """As many states as there were, each of a step after which the same was seen; None if there is no such step."""
    found: list[Words] = []
    count = 0
    for _ in range(PASSES):  # each takes every particle once, so that all count the same
        same = np.zeros(len(before))
        after = model.step(action, seen, before, same, rng)
        found.append(after[same > 0.0])
        count += len(found[-1])
        if count >= len(before):
            break
    if count == 0:
        return None
    states = np.concatenate(found)
    chosen: Words = states[_shuffled(len(states), len(before), rng)]
    return chosen


def perturbed(model: Model, action: Any, seen: Words, before: Words, count: int, rng: Any) -> Words | None:
    """States changed by the problem's `perturb` after a step, drawn by how well they explain what was seen."""
    found: list[Words] = []
    likely: list[Weights] = []
    for _ in range(PASSES):
        weights = np.zeros(4 * count)
        after = model.step(action, seen, before, weights, rng, perturb=True)
        good = weights > 0.0
        found.append(after[good])
        likely.append(weights[good])
        if sum(map(len, likely)) >= count:
            break
    weights = np.concatenate(likely)
    if not len(weights):
        return None
    return resampled(np.concatenate(found), weights / weights.sum(), count, rng)


def resampled(states: Words, weights: Weights, count: int, rng: Any) -> Words:
    """States drawn by their weights, systematically: each comes as often as it should, up to one."""
    points = (np.arange(count) + uniform(rng)) / count
    chosen: Words = states[np.minimum(np.searchsorted(np.cumsum(weights), points), len(states) - 1)]
    return chosen


def replace_some(states: Words, others: Words, rng: Any) -> Words:
    """States of which some, drawn at random, are replaced by others."""
    changed = states.copy()
    changed[_shuffled(len(states), len(others), rng)] = others
    return changed


def distinct(states: Words) -> int:
    """How many different states there are."""
    rows = np.ascontiguousarray(states).view([("", np.uint64)] * states.shape[1])
    return int(np.unique(rows).size)


def _shuffled(size: int, count: int, rng: Any) -> Any:
    """Numbers below `size` at random, each once before any comes again."""
    generator = np.random.default_rng(int(uniform(rng) * 2**53))
    rounds = [generator.permutation(size) for _ in range(-(-count // size))]
    return np.concatenate(rounds)[:count]
