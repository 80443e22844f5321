"""An agent that acts in a running environment of Gymnasium's."""

from __future__ import annotations

import pytest

import boltree as bt

gymnasium = pytest.importorskip("gymnasium", reason="pip install 'boltree[gym]'")


def test_the_subtree_is_kept():
    env = gymnasium.make("CartPole-v1")
    agent = bt.Agent(env, bt.UCT(c=3.0), trials=60, seed=0)
    agent.reset(seed=2)
    kept = []
    for _ in range(8):
        agent.step()
        kept.append(agent.search.root.count)
        env_state = env.unwrapped.state.tolist()
    agent.plan()
    assert agent.search.root.count > 60  # trials of the steps before are among them
    assert list(agent.search.root.state.state[0]) == env_state
    assert agent.search.root.depth == 8


def test_an_agent_takes_over_a_running_environment():
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    for _ in range(3):
        env.step(0)
    agent = bt.Agent(env, bt.UCT(), trials=30)
    action, reward = agent.step()
    assert action in (0, 1)
    assert reward == 1.0
    for _ in range(3):  # somebody else acts; the agent goes on from wherever that led
        env.step(1)
    assert agent.plan() in (0, 1)
    assert list(agent.search.root.state.state[0]) == env.unwrapped.state.tolist()


@pytest.mark.parametrize("options", [{}, {"replay": True, "deterministic": True}])
def test_a_lake_is_crossed(options):
    lake = bt.from_gymnasium("FrozenLake-v1", is_slippery=False, horizon=8, **options)
    episode = bt.Agent(lake, bt.BTS(alpha=0.05), trials=200, growth="trial").play(seed=0)
    assert episode.value == 1.0
    assert len(episode.states) == len(episode.actions) + 1


def test_chance_comes_out_as_in_the_environment():
    """Replayed with chance: where the agent thinks it is, is where the environment is."""
    problem = bt.from_gymnasium("FrozenLake-v1", is_slippery=True, horizon=20, replay=True)
    agent = bt.Agent(problem, bt.UCT(), trials=20)
    agent.reset(seed=5)
    for _ in range(6):
        agent.step()
        if agent.done:
            break
        agent.plan()
        assert agent.search.root.state.observation == problem.running.env.unwrapped.s
        simulator = problem.simulator
        simulator.restore(agent.search.root.state)
        assert simulator.world.inner.s == problem.running.env.unwrapped.s
        generators = [
            env.np_random.bit_generator.state for env in (simulator.world.inner, problem.running.env.unwrapped)
        ]
        assert generators[0] == generators[1]


def test_episodes_end():
    agent = bt.Agent("FrozenLake-v1", bt.Uniform(), trials=5)
    for problem in ("FrozenLake-v1", "CartPole-v1", bt.from_gymnasium("FrozenLake-v1", replay=True)):
        with pytest.raises(bt.ParameterError, match=r"Agent: call agent\.reset\(\) first"):
            bt.Agent(problem, bt.Uniform(), trials=5).plan()
    episode = agent.play(seed=1)
    assert episode.done
    with pytest.raises(bt.ParameterError, match=r"the episode has ended; call reset\(\)"):
        agent.step()
    assert len(agent.play(seed=1, steps=2).actions) == 2


def test_the_horizon():
    short = bt.from_gymnasium("CartPole-v1", horizon=6)
    assert len(bt.Agent(short, bt.UCT(), trials=30).play(seed=0, steps=9).actions) == 9
    with pytest.raises(bt.ParameterError, match="the horizon of 6 steps is used up; use horizon='receding'"):
        bt.Agent(short, bt.UCT(), trials=30, horizon="absolute").play(seed=0)


def test_refusals():
    with pytest.raises(bt.ParameterError, match=r"Agent: give trials=\.\.\. or seconds="):
        bt.Agent("CartPole-v1", bt.UCT())
    with pytest.raises(bt.ParameterError, match="horizon='far': must be"):
        bt.Agent("CartPole-v1", bt.UCT(), trials=5, horizon="far")
    agent = bt.Agent("FrozenLake-v1", bt.UCT(), trials=5)
    with pytest.raises(bt.ParameterError, match=r"saw\(\) is for a problem without an environment"):
        agent.saw(0, 1)
