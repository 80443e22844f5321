"""``bt.check``: run a problem's functions in plain Python, then compiled, and say in one sentence what is wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .core.native import FAILED, plain_call
from .core.random import new_generator
from .errors import ProblemError
from .problem import FUNCTIONS, Problem
from .states import PlainState
from .wording import did_you_mean

EPISODES = 20


def check(problem: Problem, *, episodes: int = EPISODES, seed: int = 0) -> None:
    """Play random episodes in plain Python and compiled; raise ProblemError with what is missing or inconsistent.

    Checked: every function runs; start and step change the state alike in both forms and draw the same random numbers;
    rewards are finite; there is a legal action wherever the problem has not ended; player is 0 or 1; priors are not
    negative; outcomes' probabilities sum to 1 and agree with step; a deterministic problem is one.

    >>> import boltree as bt
    >>> bt.check(bt.problems.DChain(10))
    """
    name = type(problem).__name__
    _names(problem, name)
    problem.check_more(seed)
    choose = np.random.default_rng(seed)
    for episode in range(episodes):
        rng = new_generator(np.random.SeedSequence([seed, episode]))
        memory = _start(problem, name, rng)
        for _ in range(min(problem.horizon, 200)):
            where = f"in state {problem.written(memory)}"
            legal = _legal(problem, name, memory, where)
            _player(problem, name, memory, where)
            _prior(problem, name, memory, where)
            _heuristic(problem, name, memory, where)
            _outcomes(problem, name, memory, legal, where)
            _features(problem, name, memory, where)
            _random_action(problem, name, memory, legal, rng.copy(), where)
            action = int(choose.choice(legal))
            done = _step(problem, name, memory, action, rng, where)
            if done:
                break


def _names(problem: Problem, name: str) -> None:
    """A function that looks like a misspelt one would be ignored."""
    known = {*FUNCTIONS, *problem.functions()}
    for own in vars(type(problem)):
        if own not in known and callable(getattr(type(problem), own)) and not own.startswith("_"):
            meant = did_you_mean(own, FUNCTIONS, likeness=0.8)  # helpers of the user's own are none of our business
            if meant:
                raise ProblemError(f"{name}.{own} is not a function of a problem{meant}")


def _features(problem: Problem, name: str, memory: Any, where: str) -> None:
    if problem.has("features"):
        if not problem.features_shape:
            raise ProblemError(f"{name}: features_shape is missing; features(params, state, out) fills so many numbers")
        plain = problem.plain_features(memory.copy())
        compiled = np.zeros_like(plain)
        arguments = (problem.params_at, memory.ctypes.data, compiled.ctypes.data, compiled.size)
        _compiled(problem, name, "features", arguments, where)
        if not np.allclose(plain, compiled, rtol=1e-5, atol=1e-6):
            raise ProblemError(f"{name}.features gives other numbers compiled than in plain Python {where}")


def _random_action(problem: Problem, name: str, memory: Any, legal: list[int], rng: Any, where: str) -> None:
    if problem.has("random_action"):
        action = problem.plain_random_action(PlainState(memory.copy()), rng)
        if action not in legal:
            raise ProblemError(f"{name}.random_action returned {action} {where}; the legal actions are {legal}")


def _compiled(problem: Problem, name: str, function: str, arguments: tuple[int, ...], where: str) -> int:
    result = plain_call(problem.address(function), arguments)
    if result == FAILED:
        problem.reraise()
        raise ProblemError(f"{name}.{function} raises when compiled {where}, but not in plain Python")
    return result


def _start(problem: Problem, name: str, rng: Any) -> Any:
    again = rng.copy()
    plain = np.asarray(problem.plain_start(rng)).reshape(1).copy()
    compiled = problem.new_state()
    _compiled(problem, name, "start", (problem.params_at, compiled.ctypes.data, again.ctypes.data), "at the start")
    if plain.tobytes() != compiled.tobytes():
        raise ProblemError(
            f"{name}.start gives {problem.written(plain)} in plain Python but {problem.written(compiled)} compiled"
        )
    return plain


def _legal(problem: Problem, name: str, memory: Any, where: str) -> list[int]:
    before = memory.tobytes()
    legal = problem.legal_actions(memory[0])
    if not legal:
        raise ProblemError(
            f"{name}: no legal action {where}; a state without legal actions must be terminal (done=True)"
        )
    if problem.has("legal"):
        mask = np.zeros(problem.actions, np.uint8)
        _compiled(problem, name, "legal", (problem.params_at, memory.ctypes.data, mask.ctypes.data, mask.size), where)
        if [int(a) for a in np.flatnonzero(mask)] != legal:
            raise ProblemError(
                f"{name}.legal gives {legal} in plain Python but {np.flatnonzero(mask).tolist()} compiled {where}"
            )
        if memory.tobytes() != before:
            raise ProblemError(f"{name}.legal changes the state {where}; it must only fill the mask")
    return legal


def _player(problem: Problem, name: str, memory: Any, where: str) -> None:
    if problem.has("player"):
        plain = problem.plain_player(memory.copy())
        compiled = _compiled(problem, name, "player", (problem.params_at, memory.ctypes.data), where)
        if int(plain) not in (0, 1) or compiled != int(plain):
            raise ProblemError(
                f"{name}.player returns {plain} in plain Python and {compiled} compiled {where}; it must be 0 or 1"
            )


def _prior(problem: Problem, name: str, memory: Any, where: str) -> None:
    if problem.has("prior"):
        plain, compiled = problem.plain_prior(memory.copy()), np.zeros(problem.actions)
        _compiled(
            problem, name, "prior", (problem.params_at, memory.ctypes.data, compiled.ctypes.data, compiled.size), where
        )
        if not (np.isfinite(plain).all() and (plain >= 0).all()):
            raise ProblemError(f"{name}.prior gives {plain.tolist()} {where}; a prior must be finite and at least 0")
        if not np.allclose(plain, compiled, rtol=1e-9, atol=1e-12):
            raise ProblemError(
                f"{name}.prior gives {plain.tolist()} in plain Python but {compiled.tolist()} compiled {where}"
            )


def _heuristic(problem: Problem, name: str, memory: Any, where: str) -> None:
    if problem.has("heuristic"):
        plain, out = problem.plain_heuristic(memory.copy()), np.zeros(4)
        _compiled(problem, name, "heuristic", (problem.params_at, memory.ctypes.data, out.ctypes.data), where)
        if not math.isfinite(plain) or not math.isclose(plain, out[0], rel_tol=1e-9, abs_tol=1e-12):
            raise ProblemError(
                f"{name}.heuristic gives {plain} in plain Python and {out[0]} compiled {where}; both must be the same "
                "finite number"
            )


def _outcomes(problem: Problem, name: str, memory: Any, legal: list[int], where: str) -> None:
    if not {"outcomes", "chances"} & set(problem.functions()):
        return
    for action in legal:
        total = 0.0
        count = problem.plain_count_outcomes(PlainState(memory.copy()), action)
        compiled = _compiled(problem, name, "count_outcomes", (problem.params_at, memory.ctypes.data, action), where)
        if count != compiled or count < 1:
            raise ProblemError(
                f"{name}.count_outcomes gives {count} in plain Python and {compiled} compiled for action "
                f"{action} {where}; it must be at least 1"
            )
        for k in range(count):
            plain, native, out = memory.copy(), memory.copy(), np.zeros(8)
            p, reward, done = problem.plain_outcome(PlainState(plain), action, k)
            _compiled(
                problem, name, "outcomes", (problem.params_at, native.ctypes.data, action, k, out.ctypes.data), where
            )
            if (
                not np.allclose((p, reward, float(done)), out[:3], rtol=1e-9, atol=1e-12)
                or plain.tobytes() != native.tobytes()
            ):
                raise ProblemError(
                    f"{name}.outcomes({action}, {k}) gives {(p, reward, done)}, {problem.written(plain)} in plain "
                    f"Python but {tuple(out[:3])}, {problem.written(native)} compiled {where}"
                )
            total += p
        if abs(total - 1.0) > 1e-6:
            raise ProblemError(f"{name}.outcomes: probabilities of action {action} {where} sum to {total}, must be 1")


def _step(problem: Problem, name: str, memory: Any, action: int, rng: Any, where: str) -> bool:
    before, native, again = memory.copy(), memory.copy(), rng.copy()
    reward, done = problem.plain_step(PlainState(memory), action, rng)
    out = np.zeros(native.size * native.itemsize // 8 + 8)
    _compiled(
        problem,
        name,
        "step",
        (problem.params_at, native.ctypes.data, action, again.ctypes.data, out.ctypes.data),
        where,
    )
    if not math.isfinite(reward):
        raise ProblemError(f"{name}.step: reward={reward} for action {action} {where}; rewards must be finite")
    if problem.deterministic:
        other = before.copy()
        result = problem.plain_step(PlainState(other), action, new_generator(int(rng[1] >> np.uint64(8))))
        if result != (reward, done) or other.tobytes() != memory.tobytes():
            raise ProblemError(f"{name}: deterministic = True, but action {action} {where} led to different outcomes")
    if (
        not math.isclose(reward, out[0], rel_tol=1e-9, abs_tol=1e-12)
        or bool(out[1]) != done
        or memory.tobytes() != native.tobytes()
    ):
        raise ProblemError(
            f"{name}.step({action}) gives {(reward, done)}, {problem.written(memory)} in plain Python but "
            f"{(float(out[0]), bool(out[1]))}, {problem.written(native)} compiled {where}"
        )
    if rng.tobytes() != again.tobytes():
        raise ProblemError(f"{name}.step draws other random numbers compiled than in plain Python {where}")
    if "outcomes" in problem.functions() and "step" in problem.functions():
        _step_is_an_outcome(problem, name, before, memory, action, reward, done, where)
    return done


def _step_is_an_outcome(
    problem: Problem, name: str, before: Any, after: Any, action: int, reward: float, done: bool, where: str
) -> None:
    for k in range(problem.plain_count_outcomes(PlainState(before.copy()), action)):
        state = before.copy()
        p, outcome_reward, outcome_done = problem.plain_outcome(PlainState(state), action, k)
        if p > 0 and math.isclose(outcome_reward, reward, rel_tol=1e-9, abs_tol=1e-12) and bool(outcome_done) == done:
            if state.tobytes() == after.tobytes():
                return
    raise ProblemError(
        f"{name}.step({action}) led to {problem.written(after)}, reward {reward} {where}, which is none of its outcomes"
    )
