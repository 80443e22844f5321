"""What the tests of the built-in problems share: calling the compiled functions from Python, and comparing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boltree.core.native import FAILED, plain_call
from boltree.core.random import new_generator, uniform
from boltree.problem.problem import Problem
from boltree.problem.state import PlainState


def copied(state: Any) -> Any:
    """A copy with its padding: `ndarray.copy` copies a record's fields only, what lies between them is left unset."""
    return np.frombuffer(bytearray(state.tobytes()), state.dtype)


class Compiled:
    """A problem's compiled functions; states go in and come out as record arrays."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.out = np.zeros(64 + problem.state_layout().itemsize)

    def _call(self, name: str, *arguments: int) -> int:
        address = self.problem.address(name)
        assert address != 0, f"{name} is not defined"
        result = plain_call(address, (self.problem.params_at, *arguments))
        if result == int(FAILED):
            raise ValueError(f"compiled {name} raised")
        return result

    def start(self, rng: Any) -> Any:
        state = self.problem.new_state()
        self._call("start", state.ctypes.data, rng.ctypes.data)
        return state

    def step(self, state: Any, action: int, rng: Any) -> tuple[Any, float, bool]:
        state = copied(state)
        self._call("step", state.ctypes.data, action, rng.ctypes.data, self.out.ctypes.data)
        return state, float(self.out[0]), bool(self.out[1])

    def outcomes(self, state: Any, action: int) -> list[tuple[Any, float, float, bool]]:
        found = []
        for k in range(self._call("count_outcomes", state.ctypes.data, action)):
            to = copied(state)
            self._call("outcomes", to.ctypes.data, action, k, self.out.ctypes.data)
            found.append((to, float(self.out[0]), float(self.out[1]), bool(self.out[2])))
        return found

    def legal(self, state: Any) -> Any:
        mask = np.ones(self.problem.actions, np.bool_)
        if self.problem.has("legal"):
            mask[:] = False
            self._call("legal", state.ctypes.data, mask.ctypes.data, mask.size)
        return mask

    def player(self, state: Any) -> int:
        return self._call("player", state.ctypes.data)

    def features(self, state: Any) -> Any:
        out = np.full(int(np.prod(self.problem.features_shape)), np.nan, np.float32)
        self._call("features", state.ctypes.data, out.ctypes.data, out.size)
        return out.reshape(self.problem.features_shape)

    def rollout(self, state: Any, rng: Any, steps: int) -> tuple[Any, float]:
        state = copied(state)
        mask = np.zeros(self.problem.actions, np.bool_)
        self.out[0] = self.problem.discount
        self._call(
            *("rollout", state.ctypes.data, rng.ctypes.data, steps),
            *(self.out.ctypes.data, mask.ctypes.data, self.problem.actions),
        )
        return state, float(self.out[0])


def same_words(one: Any, other: Any) -> bool:
    """Whether two states are the same to the search: equal bytes, padding included."""
    return bool(one.tobytes() == other.tobytes())


def plain_random_action(problem: Problem, state: Any, mask: Any, rng: Any) -> int:
    if problem.has("random_action"):
        return int(problem.random_action(problem.plain_params, PlainState(state), rng))  # type: ignore[attr-defined]
    return int(np.flatnonzero(mask)[int(uniform(rng) * mask.sum())])


def check_episodes(problem: Problem, episodes: int = 10, seed: int = 0, steps: int | None = None) -> int:
    """Play random episodes in plain Python beside the compiled functions, compare everything; return the steps."""
    compiled, params = Compiled(problem), problem.plain_params
    cls: Any = type(problem)
    taken = 0
    for episode in range(episodes):
        rng = new_generator([seed, episode])  # type: ignore[arg-type]
        state = problem.new_state()
        cls.start(params, PlainState(state), rng)
        assert same_words(state, compiled.start(rng.copy()))
        first, first_rng, total, weight = copied(state), rng.copy(), 0.0, 1.0
        for _ in range(steps or problem.horizon):
            mask = np.ones(problem.actions, np.bool_)
            if problem.has("legal"):
                for before in (False, True):  # what the mask held must not matter
                    mask[:] = before
                    cls.legal(params, PlainState(state), mask)
                    assert (mask == compiled.legal(state)).all()
            assert mask.any()
            if problem.has("player"):
                assert cls.player(params, PlainState(state)) == compiled.player(state)
            check_outcomes(problem, compiled, state, mask)
            action = plain_random_action(problem, state, mask, rng)
            assert mask[action]
            expected = rng.copy()
            by_compiled = compiled.step(state, action, expected)
            if problem.has("step"):
                reward, done = cls.step(params, PlainState(state), action, rng)
                assert (expected == rng).all()  # both drew the same numbers
                assert (float(reward), bool(done)) == by_compiled[1:]
                assert same_words(state, by_compiled[0])
            else:
                (state, reward, done), rng = by_compiled, expected
            taken += 1
            total += weight * reward
            weight *= problem.discount
            if done:
                break
        end, paid = compiled.rollout(first, first_rng, steps or problem.horizon)
        assert same_words(end, state)
        assert paid == pytest.approx(total, abs=1e-12)
    return taken


def check_outcomes(problem: Problem, compiled: Compiled, state: Any, mask: Any, most: int = 16) -> None:
    """Outcomes in plain Python and compiled are the same, sum to 1, and a deterministic step is the only one."""
    before = state.tobytes()
    for action in np.flatnonzero(mask)[:most]:
        found = compiled.outcomes(state, int(action))
        assert sum(chance for _, chance, _, _ in found) == pytest.approx(1.0, abs=1e-6)
        for k, (to, chance, reward, done) in enumerate(found):
            plain = copied(state)
            assert problem.plain_count_outcomes(PlainState(plain), int(action)) == len(found)
            assert problem.plain_outcome(PlainState(plain), int(action), k) == (chance, reward, done)
            assert same_words(plain, to)
        if problem.deterministic:
            ((to, _, reward, done),) = found
            by_step = compiled.step(state, int(action), new_generator(0))
            assert same_words(by_step[0], to)
            assert by_step[1:] == (reward, done)
    assert state.tobytes() == before


def check_distribution(problem: Problem, state: Any, action: int, draws: int = 20_000, seed: int = 0) -> None:
    """Compiled steps are distributed as the outcomes say: every frequency within five standard errors."""
    compiled, rng = Compiled(problem), new_generator(seed)
    expected: Counter[Any] = Counter()
    for to, chance, reward, done in compiled.outcomes(state, action):
        expected[to.tobytes(), reward, done] += chance  # type: ignore[assignment]
    drawn: Counter[Any] = Counter()
    for _ in range(draws):
        to, reward, done = compiled.step(state, action, rng)
        drawn[to.tobytes(), reward, done] += 1
    assert set(drawn) <= set(expected)
    for key, chance in expected.items():
        error = (chance * (1.0 - chance) / draws) ** 0.5
        assert abs(drawn[key] / draws - chance) <= 5.0 * error + 1e-9


def check_random_actions(problem: Problem, state: Any, draws: int = 20_000, seed: int = 0) -> None:
    """`random_action` is uniform over the legal actions (plain; `check_episodes` ties the compiled one to it)."""
    rng, mask = new_generator(seed), Compiled(problem).legal(state)
    cls: Any = type(problem)
    counts = np.zeros(problem.actions)
    for _ in range(draws):
        counts[cls.random_action(problem.plain_params, PlainState(state), rng)] += 1
    assert (counts[~mask] == 0).all()
    chance = 1.0 / mask.sum()
    assert (np.abs(counts[mask] / draws - chance) <= 5.0 * (chance * (1.0 - chance) / draws) ** 0.5 + 1e-9).all()


def check_recipe(problem: Problem) -> None:
    """The recipe survives JSON and makes a problem with the same parameters."""
    recipe = problem.recipe()
    assert recipe is not None
    again = type(problem)(**json.loads(json.dumps(recipe)))
    assert again.recipe() == recipe
    assert (again.actions, again.horizon, again.discount) == (problem.actions, problem.horizon, problem.discount)
    assert again.deterministic == problem.deterministic
    for mine, its in zip(problem.plain_params, again.plain_params, strict=True):
        assert np.array_equal(mine, its)


def solve(problem: Problem, policy: str = "best", alpha: float = 0.0) -> float:
    """The start's value by backward induction over (state, depth): best, uniform, or soft at alpha. Slow and simple."""
    compiled = Compiled(problem)
    known: dict[tuple[bytes, int], float] = {}

    def value(state: Any, depth: int) -> float:
        key = (state.tobytes(), depth)
        if depth == problem.horizon:
            return 0.0
        if key not in known:
            q = []
            for action in np.flatnonzero(compiled.legal(state)):
                total = 0.0
                for to, chance, reward, done in compiled.outcomes(state, int(action)):
                    total += chance * (reward + (0.0 if done else problem.discount * value(to, depth + 1)))
                q.append(total)
            if policy == "uniform":
                known[key] = sum(q) / len(q)
            elif policy == "soft":
                known[key] = alpha * float(np.logaddexp.reduce(np.array(q) / alpha))
            elif problem.has("player") and compiled.player(state) == 1:
                known[key] = min(q)
            else:
                known[key] = max(q)
        return known[key]

    return value(compiled.start(new_generator(0)), 0)


def check_openspiel(problem: Problem, name: str, called: Callable[[str], str], games: int = 300) -> Counter[float]:
    """Play random games in OpenSpiel beside the compiled functions; return how often each result came.

    `called` makes our name of a move from OpenSpiel's: moves are told apart by their names.
    """
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'boltree[openspiel]'")
    game, compiled, source = pyspiel.load_game(name), Compiled(problem), np.random.default_rng(0)
    results: Counter[float] = Counter()
    for _ in range(games):
        state, theirs, done, reward = compiled.start(new_generator(0)), game.new_initial_state(), False, 0.0
        while not done:
            assert not theirs.is_terminal()
            player = theirs.current_player()
            assert compiled.player(state) == player
            legal = np.flatnonzero(compiled.legal(state)).tolist()
            ours = {problem.action_name_in(PlainState(state), action): action for action in legal}
            moves = {called(theirs.action_to_string(player, move)): move for move in theirs.legal_actions()}
            assert len(ours) == len(legal)
            assert set(ours) == set(moves)
            played = str(source.choice(sorted(ours)))
            theirs.apply_action(moves[played])
            state, reward, done = compiled.step(state, ours[played], new_generator(0))
            assert reward == theirs.returns()[0]
        assert theirs.is_terminal()
        results[reward] += 1
    return results


def openspiel_value(name: str) -> float:
    """What OpenSpiel's game is worth to player 0, by going through all of its states. Slow and simple."""
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'boltree[openspiel]'")
    known: dict[str, float] = {}

    def value(state: Any) -> float:
        if state.is_terminal():
            return float(state.returns()[0])
        key = f"{state.current_player()} {state}"
        if key not in known:
            values = [value(state.child(move)) for move in state.legal_actions()]
            known[key] = max(values) if state.current_player() == 0 else min(values)
        return known[key]

    return value(pyspiel.load_game(name).new_initial_state())


@pytest.fixture(name="compiled")
def compiled_fixture() -> Callable[[Problem], Compiled]:
    return Compiled


class Checks:
    """The functions above, for tests that cannot import this file by name."""

    compiled = Compiled
    episodes = staticmethod(check_episodes)
    distribution = staticmethod(check_distribution)
    random_actions = staticmethod(check_random_actions)
    recipe = staticmethod(check_recipe)
    solve = staticmethod(solve)
    openspiel = staticmethod(check_openspiel)
    openspiel_value = staticmethod(openspiel_value)


@pytest.fixture
def checks() -> type[Checks]:
    return Checks


def play_moves(problem: Problem, actions: Any) -> list[tuple[Any, float, bool]]:
    """What (state, reward, done) each action of a list leads to, compiled, from the start."""
    compiled, rng = Compiled(problem), new_generator(0)
    state, found = compiled.start(rng), []
    for action in actions:
        state, reward, done = compiled.step(state, int(action), rng)
        found.append((state, reward, done))
    return found


@pytest.fixture
def play() -> Callable[[Problem, Any], list[tuple[Any, float, bool]]]:
    return play_moves
