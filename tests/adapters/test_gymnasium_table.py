"""Toy-text environments of Gymnasium's, read from their tables."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.problem.state import PlainState
from speed import trials_a_second

gymnasium = pytest.importorskip("gymnasium", reason="pip install 'boltree[gym]'")


def induction(table, horizon, discount=1.0):
    """Optimal values by backward induction on a table P, in plain Python."""
    value = dict.fromkeys(table, 0.0)

    def worth(outcomes):
        return sum(p * (r + (0.0 if done else discount * value[t])) for p, t, r, done in outcomes)

    for _ in range(horizon):
        value = {s: max(worth(outcomes) for outcomes in rows.values()) for s, rows in table.items()}
    return value


@pytest.mark.parametrize(
    ("name", "options", "horizon"),
    [
        ("FrozenLake-v1", {"map_name": "8x8", "is_slippery": True}, 100),
        ("FrozenLake-v1", {"is_slippery": False}, 100),
        ("CliffWalking", {}, 200),
        ("CliffWalking", {"is_slippery": True}, 50),
        ("Taxi", {}, 200),
        ("Taxi", {"is_rainy": True}, 30),
    ],
)
def test_exact_values_are_those_of_the_table(name, options, horizon):
    name = latest(name)
    problem = bt.from_gymnasium(name, horizon=horizon, discount=0.99, **options)
    env = gymnasium.make(name, **options).unwrapped
    values = induction(env.P, horizon, 0.99)
    for seed in range(3):
        state = problem.start_state(seed)
        assert env.initial_state_distrib[int(state["s"])] > 0
        assert bt.solve(problem, state=state).root_value == pytest.approx(values[int(state["s"])], abs=1e-9)
    bt.check(problem, episodes=2)


def latest(name):
    """The newest version of an environment that is installed."""
    if "-v" in name:
        return name
    return max(spec.id for spec in gymnasium.registry.values() if spec.id.startswith(f"{name}-v"))


def test_steps_are_distributed_as_the_environments():
    """The compiled problem's own steps against the environment's."""
    problem = bt.from_gymnasium("FrozenLake-v1", is_slippery=True)
    env = gymnasium.make("FrozenLake-v1", is_slippery=True).unwrapped
    env.reset(seed=3)
    rng = new_generator(0)
    for s, action in ((0, 2), (6, 1), (14, 2)):
        seen = np.zeros((2, 16))
        for _ in range(2000):
            env.s = s
            seen[0, env.step(action)[0]] += 1
            state = PlainState(np.asarray(problem.as_state((s,))).reshape(1))
            problem.plain_step(state, action, rng)
            seen[1, state.s] += 1
        assert np.abs(seen[0] - seen[1]).max() < 120


def test_a_search_finds_the_way():
    """The last stretch of the slippery lake, right above the goal."""
    lake = bt.from_gymnasium("FrozenLake-v1", map_name="8x8", is_slippery=True, horizon=10)
    best = bt.solve(lake, state=(55,))
    for algorithm in (bt.UCT(), bt.BTS(alpha=0.02), bt.DENTS(alpha=0.05)):
        search = bt.Search(lake, algorithm, seed=0, growth="trial", state=(55,))
        search.run(trials=50_000)
        assert lake.action_name(search.recommend()) == "right"
        assert search.recommend() == best.actions((55,))[np.argmax(best.q((55,)))]
        assert search.root.value == pytest.approx(best.root_value, abs=0.1)
        assert 0.0 <= bt.simple_regret(search) < 0.08


def test_the_horizon_is_the_time_limit():
    assert bt.from_gymnasium("FrozenLake-v1").horizon == gymnasium.spec("FrozenLake-v1").max_episode_steps
    assert bt.from_gymnasium(gymnasium.make("FrozenLake-v1", max_episode_steps=17)).horizon == 17
    assert bt.from_gymnasium(latest("CliffWalking")).horizon == 200
    assert bt.from_gymnasium("FrozenLake-v1", horizon=5).horizon == 5


def test_an_environment_that_does_more_than_its_table():
    with pytest.raises(bt.ProblemError, match=r"does not follow its table P: action \d in state \d+ led to state \d+"):
        bt.from_gymnasium(latest("Taxi"), fickle_passenger=True)
    problem = bt.from_gymnasium(latest("Taxi"), fickle_passenger=True, replay=True, horizon=10)
    bt.check(problem, episodes=1)


def test_it_is_as_fast_as_our_own():
    """The same problem as a built-in one: within a factor of its speed."""
    problems = bt.from_gymnasium("FrozenLake-v1", map_name="8x8"), bt.problems.FrozenLake("8x8")
    theirs, ours = trials_a_second(30_000, *problems)
    assert theirs > ours / 4


def test_searches_are_saved(tmp_path):
    lake = bt.from_gymnasium("FrozenLake-v1")
    search = bt.Search(lake, bt.UCT(), seed=0, growth="trial")
    search.run(trials=200)
    search.save(tmp_path / "lake")
    with pytest.raises(bt.ParameterError, match=r"give problem=\.\.\. again"):
        bt.Search.load(tmp_path / "lake")
    again = bt.Search.load(tmp_path / "lake", problem=bt.from_gymnasium("FrozenLake-v1"))
    assert again.root.value == search.root.value
