"""`bt.evaluate`: closed loop, against exact values and a plain loop; the same by whomever it is run."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.problem.state import PlainState
from child import LONG
from mdps import random_mdp
from python_problems import Slippery


def test_a_policy_is_worth_what_exact_dynamic_programming_says():
    mdp = random_mdp(3, legal_share=1.0, discount=0.9)
    problem, optimal = mdp.problem(), mdp.values()[0]
    start = int(problem.reset().s)
    values = np.zeros((mdp.horizon + 1, mdp.transitions.shape[0]))
    alive = np.ones(len(values[0]))
    alive[list(mdp.terminal)] = 0.0
    for d in range(mdp.horizon - 1, -1, -1):
        following = mdp.rewards[:, 1] + mdp.discount * (alive * values[d + 1])
        values[d] = alive * (mdp.transitions[:, 1] * following).sum(axis=1)
    found = bt.evaluate(problem, lambda state: 1, episodes=400)
    half = found.value.high - found.value.mean
    assert abs(found.value.mean - values[0, start]) < 2.5 * half  # about five standard errors
    assert abs(values[0, start] - optimal[0, start]) > 5 * half  # it is another one's value
    planned = bt.evaluate(problem, episodes=100, trials=300)  # proven, so optimal at every step
    assert abs(planned.value.mean - optimal[0, start]) < 2.5 * (planned.value.high - planned.value.mean)
    assert len(planned) == 100
    assert planned.totals.mean() != planned.returns.mean()


def test_it_is_the_loop_that_a_user_would_write():
    problem = bt.problems.Sailing(4)
    found = bt.evaluate(problem, bt.UCT(), trials=50, episodes=3, seed=7, growth="trial")
    for number in range(3):
        world, mind, _ = np.random.SeedSequence([7, number]).spawn(3)
        rng = new_generator(world)
        state = PlainState(np.asarray(problem.plain_start(rng)).reshape(1).copy())
        search = bt.Search(
            problem, bt.UCT(), state=state, seed=int(mind.generate_state(1, np.uint32)[0]), growth="trial"
        )
        total, steps, done = 0.0, 0, False
        while not done and steps < problem.horizon:
            search.run(trials=50)
            action = search.recommend()
            reward, done = problem.plain_step(state, action, rng)
            search.advance(action, state)
            total, steps = total + reward, steps + 1
        assert (found.totals[number], found.steps[number], found.ended[number]) == (total, steps, done)


@pytest.mark.parametrize("problem", [bt.problems.Sailing(4), Slippery()], ids=["threads", "processes"])
def test_workers_change_nothing(problem):
    alone, several = (bt.evaluate(problem, bt.BTS(), trials=20, episodes=4, workers=n, seed=1) for n in (1, 2))
    np.testing.assert_array_equal(alone.returns, several.returns)
    np.testing.assert_array_equal(alone.steps, several.steps)
    other = bt.evaluate(problem, bt.BTS(), trials=20, episodes=4, seed=2)
    assert other.returns.tolist() != alone.returns.tolist()


def test_games_are_played_from_both_sides():
    """Whoever begins wins Nim from here, if he knows how; the other one takes one stick and loses, from either side."""
    game = bt.problems.Nim((3,))
    everything = lambda state: int(np.flatnonzero(game.legal(state))[-1])  # noqa: E731
    one = lambda state: int(np.flatnonzero(game.legal(state))[0])  # noqa: E731
    values = bt.solve(game).root_value
    assert values in (1.0, -1.0)
    found = bt.evaluate(game, bt.UCT(), trials=500, episodes=4, opponent=one)
    assert found.score.mean == 1.0
    assert found.totals.tolist() == [1.0] * 4
    both = bt.evaluate(game, everything, opponent=everything, episodes=4)
    assert both.totals.tolist() in ([values, -values] * 2, [-values, values] * 2)  # the same game, seen from both sides
    assert both.score.mean == 0.5
    assert str(both).splitlines()[2].strip() == "results 2 won, 0 drawn, 2 lost"


def test_what_is_acted_in_may_be_something_else():
    """The real chain ends after two steps, which the planner does not know."""

    class Cliff:
        def reset(self, seed):
            self.seeds.append(seed)
            self.d, self.taken = 1, 0

        seeds: list[int] = []  # noqa: RUF012

        def where(self):
            return (self.d,)

        def step(self, action):
            self.taken += 1
            self.d += action
            return 0.25 * action, self.taken == 2

    world = Cliff()
    found = bt.evaluate(bt.problems.DChain(10), trials=200, episodes=3, environment=world)
    assert found.totals.tolist() == [0.5] * 3
    assert found.steps.tolist() == [2] * 3
    assert len(set(world.seeds)) == 3
    lost = bt.evaluate(bt.problems.DChain(10), lambda state: 0, episodes=1, environment=world, steps=1)
    assert (lost.totals.tolist(), lost.ended.tolist()) == ([0.0], [False])
    assert str(lost).endswith("steps   1.0; 1 cut off")


def test_an_environment_may_go_on_where_the_problem_ends():
    class Mild:
        def reset(self, seed):
            self.d = 0

        def where(self):
            return (self.d,)  # as the planner writes it, this is after the end

        def step(self, action):
            self.d += action
            return 1.0, self.d == 1

    problem = bt.problems.DChain(2, final_reward=0.0)
    found = bt.evaluate(problem, bt.UCT(), trials=50, episodes=3, environment=Mild(), steps=4)
    assert found.steps.tolist() == [4] * 3  # left pays most, as the planner believes


def test_an_environment_of_gymnasiums_is_acted_in():
    pytest.importorskip("gymnasium", reason="needs gymnasium: pip install 'boltree[gym]'")
    pole = bt.from_gymnasium("CartPole-v1", discount=0.95)
    agent = bt.Agent(pole, bt.UCT(c=3.0), trials=20, seed=0)
    assert agent.play(seed=1, steps=5).rewards == [1.0] * 5
    found = bt.evaluate(pole, bt.UCT(c=3.0), trials=20, episodes=2, steps=5)
    assert (found.totals.tolist(), found.ended.any()) == ([5.0, 5.0], False)


def test_planners_have_budgets_and_options_of_their_own():
    game = bt.problems.TicTacToe()
    strong, weak = bt.Planner(bt.UCT(), trials=400), bt.Planner(bt.UCT(), trials=1)
    assert bt.evaluate(game, strong, opponent=weak, episodes=20).score.mean > 0.8
    assert bt.evaluate(game, weak, opponent=strong, episodes=20).score.mean < 0.3
    assert bt.evaluate(game, strong, opponent=bt.UCT(), trials=1, episodes=4).score.mean > 0.5  # trials: the opponent's
    with pytest.raises(bt.ParameterError, match=r"^trials: give it to the bt\.Planner$"):
        bt.evaluate(game, strong, opponent=weak, trials=5)


def test_an_algorithm_has_a_return_and_a_time(clock):
    found = bt.evaluate(bt.problems.DChain(4), seconds=3.0, episodes=2)
    assert found.returns.tolist() == [1.0, 1.0]
    assert found.seconds_a_step > 0.0
    assert (found.value.low, found.value.high) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"give trials=\.\.\. or seconds"),
        ({"algorithm": 3, "trials": 1}, r"algorithm=3: must be an algorithm, such as bt\.UCT\(\), a bt\.Planner"),
        ({"algorithm": bt.UCT, "trials": 1}, "algorithm=<class .*UCT'>: must be an algorithm"),
        ({"trials": 1, "episodes": 0}, "episodes=0: must be"),
        ({"trials": 1, "workers": 0}, "workers=0: must be"),
        ({"trials": 1, "opponent": bt.UCT()}, "DChain has one player"),
        ({"trials": 1, "horizon": "far"}, "horizon='far': must be 'absolute' or 'receding'"),
        ({"algorithm": lambda state: 0, "trials": 1}, "trials: a function of the state does not search"),
        ({"trials": 1, "environment": object()}, r"has no reset\(\); it needs reset\(seed\), where\(\) and step"),
        ({"algorithm": lambda state: 5}, r"DChain, episode 0: ParameterError: a function chose action=5 in state"),
    ],
)
def test_what_is_given_is_checked(options, message):
    with pytest.raises(ValueError, match=message):
        bt.evaluate(bt.problems.DChain(4), **options)


def test_a_game_needs_an_opponent():
    with pytest.raises(bt.ParameterError, match="TicTacToe is a game for two; give one"):
        bt.evaluate(bt.problems.TicTacToe(), trials=1)
    with pytest.raises(bt.ParameterError, match="score: counts wins"):
        _ = bt.evaluate(bt.problems.DChain(4), trials=50, episodes=1).score


def test_what_cannot_be_sent_to_a_process_is_said():
    with pytest.raises(bt.ParameterError, match=r"workers=2: what is played cannot be sent .*; use workers=1"):
        bt.evaluate(Slippery(), lambda state: 0, episodes=2, workers=2)


def test_progress_is_shown_where_it_is_wanted(capsys):
    bt.evaluate(bt.problems.DChain(4), trials=50, episodes=2, progress=True)
    assert "100%  2 episodes  value 1.0000" in capsys.readouterr().err
    bt.evaluate(bt.problems.DChain(4), trials=50, episodes=2)
    assert capsys.readouterr().err == ""


SCRIPT = """
import boltree as bt


class Line(bt.PythonProblem):
    actions, horizon = 2, 3

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        return state + action, float(action), False


{calls}
"""

CALL = "print(bt.evaluate(Line(), bt.UCT(), trials=5, episodes=2, workers=2).value.mean)"


def ran(arguments, folder):
    """What a program of the user's prints, and what it says where it fails."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
    )


def test_a_script_that_each_worker_would_run_again_is_refused(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(calls=CALL))
    found = ran([str(script)], tmp_path)
    last = found.stderr[found.stderr.index("ParameterError") :]
    assert "workers=2: each worker process imports script.py first, and would come to line 15 again" in last
    assert 'if __name__ == "__main__":' in last
    assert found.stderr.count("Traceback") == 1
    script.write_text(SCRIPT.format(calls=f"def main():\n    {CALL}\n\n\nif __name__ == '__main__':\n    main()"))
    found = ran([str(script)], tmp_path)
    assert "Traceback" not in found.stderr
    assert 0.0 <= float(found.stdout) <= 3.0


def test_a_problem_of_an_interactive_session_is_not_sent_to_workers(tmp_path):
    found = ran(["-c", SCRIPT.format(calls=CALL)], tmp_path)
    assert "workers=2: worker processes cannot import Line, which was written in an interactive session" in found.stderr
    assert found.stderr.count("Traceback") == 1
