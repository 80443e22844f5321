"""An agent without an environment: in a world of the user's, which says what was seen, and in a problem's simulator."""

from __future__ import annotations

import pytest

import boltree as bt
from hidden_problems import PythonTiger, Tiger


@pytest.mark.parametrize(
    ("problem", "options"),
    [(Tiger(horizon=6), {}), (PythonTiger(horizon=4), {}), (bt.problems.DChain(4), {}),
     (bt.problems.Sailing(4, horizon=12), {"growth": "trial"}),
     (Tiger(horizon=5), {"belief": [(1,), (1,), (0,)]})],
    ids=repr,
)  # fmt: skip
def test_episodes_are_those_of_act(problem, options):
    """In the simulator an agent does what `bt.act` does, step by step."""
    algorithm = bt.BTS(alpha=5.0)

    def made():  # drawing from a belief moves its random numbers on, so each has its own
        return {name: bt.Belief(problem, states=given, seed=1) if name == "belief" else given
                for name, given in options.items()}  # fmt: skip

    played = bt.Agent(problem, algorithm, trials=200, seed=3, **made()).play(seed=3)
    acted = bt.act(problem, algorithm, trials=200, seed=3, **made())
    assert played.actions == acted.actions
    assert played.rewards == acted.rewards
    assert played.observations == acted.observations
    assert played.states == acted.states
    assert played.done == acted.done


def test_a_loop_in_a_world_of_ones_own():
    """What was seen is all that the agent learns; the subtree is kept, and the belief is that of the observations."""
    agent = bt.Agent(Tiger(horizon=4), bt.BTS(alpha=10.0), trials=5_000, seed=0, horizon="receding")
    expected = bt.Belief(Tiger(), states=[(0,), (1,)])
    for heard in (1, 1):
        assert agent.plan() == 0
        agent.saw(0, heard)
        expected = expected.update(0, heard)
        assert agent.search.belief.mean("right") == pytest.approx(expected.mean("right"), abs=0.02)
        assert agent.search.root.count > 0
    assert agent.plan() == 1
    agent.saw(2, 0)  # another action than the recommended one
    assert agent.search.belief.mean("right") == pytest.approx(0.5, abs=0.02)
    agent.reset()
    assert agent.search.trials == 0


def test_a_state_may_be_seen():
    agent = bt.Agent(bt.problems.DChain(4), trials=200)
    first = agent.plan()
    state = agent.search.children[first][0].state
    agent.saw(first, state)
    assert agent.search.root.state == state
    assert agent.search.root.depth == 1


def test_mistakes_lose_nothing():
    agent = bt.Agent(Tiger(horizon=3), bt.UCT(), trials=50)
    agent.plan()
    for action, seen in ((7, 0), (0, 2)):
        with pytest.raises((bt.ParameterError, bt.ProblemError), match=r"action=7|observation=2|observation"):
            agent.saw(action, seen)
        assert agent.search.root.count == 50
    with pytest.raises(bt.ParameterError, match=r"call agent\.reset\(\) first, which begins a simulation"):
        agent.step()
    agent.reset(seed=0)
    agent.step()
    agent.saw(0, 1)  # the world is no longer the simulation's
    with pytest.raises(bt.ParameterError, match="which begins a simulation"):
        agent.step()
    agent.saw(0, 1)
    with pytest.raises(bt.ParameterError, match="the horizon of 3 steps is used up"):
        agent.plan()
    far = bt.Agent(Tiger(horizon=3), bt.UCT(), trials=50, horizon="receding")
    for _ in range(5):
        far.plan()
        far.saw(0, 1)


def test_an_episode_ends():
    agent = bt.Agent(Tiger(ends=True), bt.BTS(alpha=10.0), trials=500, seed=0)
    episode = agent.play(seed=1)
    assert episode.done
    assert len(episode.observations) == len(episode.actions) - 1
    with pytest.raises(bt.ParameterError, match=r"the episode has ended; call reset\(\)"):
        agent.step()


def test_a_misspelt_option_is_named():
    with pytest.raises(
        bt.ParameterError, match=r"Agent: secnds: must be an option of bt.Search; did you mean seconds\?"
    ):
        bt.Agent(bt.problems.DChain(4), secnds=1.0)
