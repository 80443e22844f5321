"""A compiled RDDL instance beside pyRDDLGym's simulator: the same transitions, if both draw the same numbers.

Both get a stub for their generator, which says one number u for every draw of a transition (and simple functions of it
where draws are not by inversion), so that the order and the number of draws do not matter. What the samplers give
instead is tested by itself, in tests/test_sampling.py.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from boltree.adapters.rddl import _world
from boltree.adapters.rddl_compiled import compiled_instance
from boltree.adapters.rddl_world import Fluents
from boltree.core.native import call
from boltree.core.random import new_generator
from boltree.problem.state import PlainState


def told(u: float, *numbers: Any) -> Any:
    """What the stubs say in place of a draw by anything but inversion: a number that depends on all arguments."""
    found = u
    for k, x in enumerate(numbers):
        found = found + (k + 1.5) * x
    return found


class PyRDDLGymStub:
    """In place of NumPy's generator."""

    def __init__(self, u: float) -> None:
        self.u = u

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return low + (high - low) * (self.u if size is None else np.full(size, self.u))

    def random(self, size: Any = None) -> Any:
        return self.uniform(size=size)

    def normal(self, loc: Any, scale: Any) -> Any:
        return told(self.u, loc, scale)

    def poisson(self, lam: Any) -> Any:
        return np.asarray(told(self.u, lam)).astype(np.int64)

    def exponential(self, scale: Any) -> Any:
        return told(self.u, scale)

    def gamma(self, shape: Any, scale: Any) -> Any:
        return told(self.u, shape, scale)

    def weibull(self, a: Any) -> Any:
        return told(self.u, a)

    def binomial(self, n: Any, p: Any) -> Any:
        return np.asarray(n * self.u).astype(np.int64)


class SamplingStub:
    """In place of `boltree.problem.sampling`."""

    def __init__(self, u: float) -> None:
        self.u = u

    def uniform_between(self, rng: Any, low: float, high: float) -> float:
        return low + (high - low) * self.u

    def normal(self, rng: Any, mean: float, variance: float) -> float:
        return float(told(self.u, mean, math.sqrt(variance)))

    def poisson(self, rng: Any, rate: float) -> int:
        return int(told(self.u, rate))

    def exponential(self, rng: Any, scale: float) -> float:
        return float(told(self.u, scale))

    def gamma(self, rng: Any, shape: float, scale: float) -> float:
        return float(told(self.u, shape, scale))

    def weibull(self, rng: Any, shape: float, scale: float) -> float:
        return scale * float(told(self.u, shape))

    def binomial(self, rng: Any, count: int, chance: float) -> int:
        return int(count * self.u)

    def categorical(self, rng: Any, weights: Any) -> int:
        return int(np.argmax(self.u < np.cumsum(weights) / np.sum(weights)))


class DisagreementError(AssertionError):
    """Where the two differ."""


def agree(domain: str, instance: str, transitions: int = 200, seed: int = 0) -> Any:
    """Walk at random and compare legal actions, next fluents, rewards, ends, observations; the compiled problem."""
    world, env = _world(domain, instance)
    problem = compiled_instance(f"{domain}, {instance}", world, int(env.horizon), float(env.discount), None, True)
    sampler, fluents, choose = world.sampler, Fluents(), np.random.default_rng(seed)
    names = list(sampler.rddl.state_fluents)
    namespace = type(problem).step.__globals__
    step, state_of = type(problem).step, problem.state_of
    before_uniform, before_sampling = namespace["uniform"], namespace["sampling"]
    try:
        world.begin(0)
        here, steps = fluents.save(world.inner), 0
        for _ in range(transitions):
            fluents.restore(world.inner, here)
            values = dict(zip(names, here, strict=True))
            state = PlainState(np.array(state_of(values)).reshape(1))
            mine = problem.legal_actions(state)
            theirs = _legal_of_some(world, choose, mine)
            for action, legal in theirs.items():
                if legal != (action in mine):
                    raise DisagreementError(
                        f"action {world.action_names[action]} legal: {legal} by pyRDDLGym; {values}"
                    )
            if not mine:
                world.begin(0)
                here, steps = fluents.save(world.inner), 0
                continue
            action, u = int(choose.choice(mine)), float(choose.random())
            sampler.rng = PyRDDLGymStub(u)
            fluents.restore(world.inner, here)
            _, reward, done = world.take(action)
            namespace["uniform"], namespace["sampling"] = (lambda rng, u=u: u), SamplingStub(u)
            before = state.memory.copy()
            my_reward, my_done = step(problem.plain_params, state, action, None)
            after = problem.fluent_values(state)
            where = f"action {world.action_names[action]}, u={u}, in {values}"
            here = fluents.save(world.inner)
            observed = dict(zip(names, here, strict=True))
            for name in names:
                if not np.allclose(
                    np.asarray(observed[name], float), after[name].astype(float), rtol=1e-9, atol=1e-9, equal_nan=True
                ):
                    raise DisagreementError(f"{name}: {after[name]!r}, must be {observed[name]!r}; {where}")
            if not np.isclose(my_reward, reward, rtol=1e-9, atol=1e-9) or bool(my_done) != done:
                raise DisagreementError(f"{my_reward, my_done}, must be {reward, done}; {where}")
            if problem.hidden:
                _agree_on_what_is_seen(problem, sampler, before, action, state.memory, where)
            if problem.rewards is not None:
                assert problem.rewards[0] <= my_reward <= problem.rewards[1]
            steps += 1
            if done or steps >= env.horizon:
                world.begin(0)
                here, steps = fluents.save(world.inner), 0
    finally:
        namespace["uniform"], namespace["sampling"] = before_uniform, before_sampling
    return problem


def _agree_on_what_is_seen(problem: Any, sampler: Any, before: Any, action: int, after: Any, where: str) -> None:
    """The observation that the compiled problem draws, and that it may come."""
    record = problem.plain_observe(before[0], action, after[0], None)
    seen = problem.observation_values(record)
    for name in sampler.rddl.observ_fluents:
        theirs, mine = np.asarray(sampler.subs[name], float), seen[name].astype(float)
        if not np.allclose(theirs, mine, rtol=1e-9, atol=1e-9, equal_nan=True):
            raise DisagreementError(f"{name}: {mine!r} is observed, must be {theirs!r}; {where}")
    if problem.has("observation_probability"):
        chance = problem.plain_observation_probability(record, before[0], action, after[0])
        if not 0.0 < chance <= 1.0 + 1e-12:
            raise DisagreementError(f"what is observed has probability {chance}; {where}")


def _legal_of_some(world: Any, choose: Any, mine: list[int]) -> dict[int, bool]:
    """What pyRDDLGym says of some actions."""
    if not world.sampler.rddl.preconditions:
        return dict.fromkeys(range(len(world.actions)), True)
    some = choose.permutation(len(world.actions))[:12].tolist() + mine[:2]
    return {a: bool(world.sampler.check_action_preconditions(world.actions[a], silent=True)) for a in some}


def same_compiled(problem: Any, transitions: int = 200, seed: int = 0) -> int:
    """The machine code and plain Python from one generator: the same, real numbers but for their last bits."""
    rng, choose = new_generator(seed), np.random.default_rng(seed)
    mask, out = np.zeros(problem.actions, np.bool_), np.zeros(64 + problem.state_layout().itemsize // 8)
    known = problem.has("outcomes")
    functions = {name: problem.address(name) for name in ("step", "legal", "count_outcomes", "outcomes")}
    state = np.array(problem.plain_start(rng)).reshape(1)
    for step in range(transitions):
        mine = state.copy()
        legal = problem.legal_actions(mine)
        if functions["legal"]:
            assert _call_4(functions["legal"], problem.params_at, _at(state), _at(mask), problem.actions) == 0
            assert np.flatnonzero(mask).tolist() == legal
        if not legal:
            state = np.array(problem.plain_start(rng)).reshape(1)
            continue
        action = int(choose.choice(legal))
        if known and not problem.deterministic and step % 10 == 0:
            _same_outcomes(problem, functions, state, action, out)
        words = rng.copy()
        reward, done = problem.plain_step(PlainState(mine), action, words)
        assert _call_5(functions["step"], problem.params_at, _at(state), action, _at(rng), _at(out)) == 0
        assert bool(out[1]) == done
        assert np.isclose(out[0], reward, rtol=1e-12, atol=1e-12)
        for field in type(problem).state.names:  # NumPy's own functions may give another last bit of a real number
            same = np.allclose(state[field], mine[field], rtol=1e-12, atol=1e-12, equal_nan=True)
            assert same if field == "f" else np.array_equal(state[field], mine[field])
        assert rng.tolist() == words.tolist()
        if done:
            state = np.array(problem.plain_start(rng)).reshape(1)
    return transitions


def _same_outcomes(problem: Any, functions: dict[str, int], state: Any, action: int, out: Any) -> None:
    """All outcomes of an action: the same, with probabilities that sum to 1."""
    count = _call_3(functions["count_outcomes"], problem.params_at, _at(state), action)
    assert count == problem.plain_count_outcomes(PlainState(state.copy()), action)
    total = 0.0
    for k in range(count):
        theirs, mine = state.copy(), PlainState(state.copy())
        found = problem.plain_outcome(mine, action, k)
        assert _call_5(functions["outcomes"], problem.params_at, _at(theirs), action, k, _at(out)) == 0
        assert np.allclose(out[:3], np.array(found, float), rtol=1e-12, atol=1e-12)
        assert theirs.tobytes() == mine.tobytes() or found[0] == 0.0 or "f" in type(problem).state.names
        total += found[0]
    assert abs(total - 1.0) < 1e-9


def _at(array: Any) -> int:
    return int(array.ctypes.data)


@numba.njit
def _call_3(address, a, b, c):  # type: ignore[no-untyped-def]
    return call(address, (a, b, c))


@numba.njit
def _call_4(address, a, b, c, d):  # type: ignore[no-untyped-def]
    return call(address, (a, b, c, d))


@numba.njit
def _call_5(address, a, b, c, d, e):  # type: ignore[no-untyped-def]
    return call(address, (a, b, c, d, e))
