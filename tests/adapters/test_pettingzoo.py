"""Games of PettingZoo's: against the environments themselves, and against our own games."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.problem.random import Generator
from boltree.problem.state import PlainState
from trees import check_invariants

pettingzoo = pytest.importorskip("pettingzoo", reason="pip install 'boltree[pettingzoo]'")
pytest.importorskip("pygame", reason="pip install 'boltree[pettingzoo]'")

OURS = {"tictactoe_v3": bt.problems.TicTacToe, "connect_four_v3": bt.problems.ConnectFour}


def environment(name):
    if hasattr(pettingzoo, "make"):
        return pettingzoo.make("aec", f"classic/{name.replace('_v', '-v')}")
    return importlib.import_module(f"pettingzoo.classic.{name}").env()


def raw(name):
    """A game's class, without wrappers."""
    return type(environment(name).unwrapped)


def replayed(name):
    """The same game without the shortcut: its class is not PettingZoo's."""
    return bt.from_pettingzoo(type("Mine", (raw(name),), {"__module__": "mine"})())


@pytest.mark.parametrize("name", list(OURS))
@pytest.mark.parametrize("make", [bt.from_pettingzoo, replayed])
def test_random_games_are_those_of_pettingzoo(name, make):
    """Whole games: the same movers, legal moves, rewards and ends as the environment with all its wrappers."""
    problem = make(name)
    env = environment(name)
    rng, choose = new_generator(0), np.random.default_rng(1)
    for _ in range(3):
        env.reset()
        here = PlainState(np.asarray(problem.as_state(problem.start(Generator(rng)))).reshape(1).copy())
        done = False
        while not done:
            observation, _, _, _, _ = env.last()
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            assert problem.legal_actions(here) == legal
            assert problem.plain_player(here.memory) == env.possible_agents.index(env.agent_selection)
            action = int(choose.choice(legal))
            env.step(action)
            reward, done = problem.plain_step(here, action, rng)
            assert reward == env.rewards[env.possible_agents[0]]
            assert done == all(env.terminations.values())
    bt.check(problem, episodes=2)


@pytest.mark.parametrize("name", list(OURS))
def test_searches_are_those_of_our_own_games(name):
    """The same rules: the same trees, with PettingZoo's players as ours, however states are reached again."""
    searches = []
    for problem in (bt.from_pettingzoo(name), replayed(name), OURS[name]()):
        search = bt.Search(problem, bt.UCT(c=1.0), seed=3, evaluator=0.0)
        search.run(trials=150)
        check_invariants(search)
        searches.append(search)
    assert len({str(search.root.visits.tolist()) for search in searches}) == 1
    assert len({search.root.value for search in searches}) == 1


def test_tic_tac_toe_is_solved_as_our_own():
    problem, ours = bt.from_pettingzoo("tictactoe_v3"), bt.problems.TicTacToe()
    here, there = problem.start(Generator(new_generator(0))), bt.Search(ours, bt.UCT(), seed=0)
    there.run(trials=5)
    for move in (0, 4, 8, 1):
        here = problem.step(here, move, None)[0]
        there.advance(move)
    assert bt.solve(problem, state=here).root_value == bt.solve(ours, state=there.root.state).root_value
    search = bt.Search(problem, bt.UCT(c=1.0), state=here, seed=0)
    search.run(trials=300)
    assert search.recommend() == 7  # stops 1, 4, 7


def test_an_environment_is_left_alone():
    env = environment("tictactoe_v3")
    env.reset()
    env.step(4)
    problem = bt.from_pettingzoo(env)
    episode = bt.act(problem, bt.UCT(c=1.0), trials=100, seed=0)
    assert episode.done
    assert sum(env.unwrapped.board.squares) == 1


def test_ones_own_functions():
    kind = raw("connect_four_v3")

    def save(env):
        return list(env.board), env.agent_selection

    def restore(env, state):
        env.reset()
        env.board = list(state[0])
        if env.agent_selection != state[1]:
            env.agent_selection = env._agent_selector.next()

    def forgets(env, state):
        env.reset()
        env.board = list(state[0])

    bt.check(bt.from_pettingzoo(kind(), get_state=save, set_state=restore), episodes=2)
    with pytest.raises((bt.ProblemError, AssertionError), match="restoring does not restore"):
        bt.check(bt.from_pettingzoo(kind(), get_state=save, set_state=forgets), episodes=2)


def _kind(**changes):
    kind = raw("tictactoe_v3")

    class Changed(kind):
        metadata = kind.metadata | {"name": changes.get("name", "mine_v0")}

        def __init__(self):
            super().__init__()
            if "agents" in changes:
                self.possible_agents = changes["agents"]

        def step(self, action):
            super().step(action)
            if changes.get("generous"):
                self.rewards["player_1"] += 1

        def __deepcopy__(self, memo):
            if changes.get("uncopied"):
                raise TypeError("no copies")
            return type(self)()

    return Changed()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: "tictacto_v3", r"no such classic game; did you mean tictactoe_v3\?"),
        (lambda: "no_such_v0", "environment='no_such_v0': PettingZoo has no such classic game"),
        (lambda: 3, r"environment=3: must be a pettingzoo.AECEnv, or a name such as 'tictactoe_v3'"),
        (lambda: "rps_v2", "environment='rps_v2': its players do not know everything"),
        (lambda: _kind(agents=["a", "b", "c"]), "it has 3 players, must have 2"),
        (lambda: _kind(uncopied=True), r"a second one to plan in cannot be made \(no copies\)"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(bt.ParameterError, match=message):
        bt.from_pettingzoo(make())


def test_rewards_must_be_opposite():
    with pytest.raises(bt.ProblemError, match=r"action \d of player_1 paid 1 and 0; rewards must be opposite"):
        bt.Search(bt.from_pettingzoo(_kind(generous=True)), bt.UCT(), seed=0).run(trials=10)


def test_options():
    with pytest.raises(bt.ParameterError, match="give both or neither"):
        bt.from_pettingzoo("tictactoe_v3", get_state=lambda env: 0)
    with pytest.raises(bt.ParameterError, match="screen_height: is for an environment's name"):
        bt.from_pettingzoo(environment("tictactoe_v3"), screen_height=3)
    assert bt.from_pettingzoo("tictactoe_v3", screen_height=100, horizon=9).horizon == 9
