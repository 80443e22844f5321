"""Boxes: what a user may write for continuous actions, what functions are given, and what is refused."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import boltree as bt


class Turn(bt.Problem):
    """An angle and a choice: -(angle - 2)^2, and 1 for the second choice."""

    state = bt.record(k="i4")
    actions = (bt.box(0.0, 6.283), 2)
    horizon = 2
    deterministic = True

    @staticmethod
    def start(params, state, rng):
        state.k = 0

    @staticmethod
    def step(params, state, action, rng):
        state.k += 1
        return -((action[0] - 2.0) ** 2) + action[1], False


class Target(bt.Problem):
    """Two numbers that should be near a target, which `propose` knows roughly."""

    state = bt.record(k="i4")
    params = bt.record(wrong="i4")
    actions = bt.box([0.0, -1.0], [1.0, 1.0])
    horizon = 1
    deterministic = True

    @staticmethod
    def start(params, state, rng):
        state.k = 0

    @staticmethod
    def step(params, state, action, rng):
        return -abs(action[0] - 0.25) - abs(action[1] + 0.5), True

    @staticmethod
    def propose(params, state, rng, out):
        out[0] = 0.2 + 0.1 * bt.uniform(rng)
        if params.wrong == 1:
            out[1] = 1.5
        elif params.wrong == 2:
            out[1] = math.nan
        elif params.wrong != 3:
            out[1] = -0.6 + 0.2 * bt.uniform(rng)


class PlainTarget(bt.PythonProblem):
    """`Target` in plain Python."""

    actions, horizon, deterministic = bt.box([0.0, -1.0], [1.0, 1.0]), 1, True

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        return state, -abs(action[0] - 0.25) - abs(action[1] + 0.5), True

    def propose(self, state, rng):
        return 0.2 + 0.1 * rng.random(), -0.6 + 0.2 * rng.random()


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (1, 0, r"box\(1, 0\): low must be below high"),
        (1, 1, "low must be below high"),
        ([0, 1], [1, 0], "low must be below high"),
        ([1], [2, 3], "two arrays of equal length"),
        ([], [], "two arrays of equal length"),
        (0, math.nan, "must be finite"),
        (-math.inf, 0, "must be finite"),
        ("a", 1, "must be numbers"),
    ],
)
def test_wrong_boxes(low, high, says):
    """A box that cannot be says why."""
    with pytest.raises(bt.ProblemError, match=says):
        bt.box(low, high)


def test_wrong_actions():
    """A tuple must hold boxes and numbers of choices, and functions about lists are left out."""
    for wrong in ((2, 3), (bt.box(0, 1), 0), (bt.box(0, 1), "x")):
        with pytest.raises(bt.ProblemError, match=r"must be a tuple of bt\.box"):
            Turn(actions=wrong)
    with pytest.raises(bt.ProblemError, match="at most 64 numbers"):
        Turn(actions=bt.box(np.zeros(65), np.ones(65)))
    legal = staticmethod(lambda params, state, mask: None)
    with pytest.raises(bt.ProblemError, match="legal must be left out where actions are a box"):
        type("Listed", (Turn,), {"legal": legal})()
    with pytest.raises(bt.ProblemError, match=r"propose is there but actions is no bt\.box"):
        Target(wrong=0, actions=3)
    with pytest.raises(bt.ProblemError, match="legal must be left out"):
        type("PlainListed", (PlainTarget,), {"legal": lambda self, state: [0]})()


def test_numbers_and_choices():
    """The numbers of a tuple come in order, a choice is 0.0 or 1.0, and both are found."""
    problem = Turn()
    bt.check(problem)
    found = bt.plan(problem, trials=4_000, seed=0)
    assert found.action.shape == (2,)
    assert found.action[1] == 1.0
    assert found.action[0] == pytest.approx(2.0, abs=0.05)
    assert set(np.unique(found.search.root.actions[:, 1])) == {0.0, 1.0}
    assert found.name == f"[{found.action[0]:.4g}, 1]"


@pytest.mark.parametrize("problem", [Target(wrong=0), PlainTarget()])
def test_proposals(problem):
    """Independent draws are those of `propose`, in both forms of a problem."""
    bt.check(problem)
    search = bt.Search(problem, bt.MENTS(alpha=0.1), seed=0, growth="trial")
    search.run(trials=2_000)
    drawn = search.root.actions
    assert len(drawn) > 50
    for d, (low, high) in enumerate([(0.2, 0.3), (-0.6, -0.4)]):
        assert low <= drawn[:, d].min() < drawn[:, d].max() <= high
    found = bt.plan(problem, trials=2_000, seed=0)
    np.testing.assert_allclose(found.action, [0.25, -0.5], atol=0.02)


@pytest.mark.parametrize("algorithm", [None, bt.UCT(), bt.DENTS(alpha=0.1)])
def test_both_forms_grow_the_same_tree(algorithm):
    """Compiled and in plain Python, the same actions are drawn, bit for bit."""
    searches = [bt.Search(problem, algorithm, seed=5) for problem in (Target(wrong=0), PlainTarget())]
    for search in searches:
        search.run(trials=500)
    np.testing.assert_array_equal(searches[0].root.actions, searches[1].root.actions)
    np.testing.assert_array_equal(searches[0].root.q, searches[1].root.q)


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_wrong_proposals(wrong):
    """A proposal outside of the box, of NaN, or that is not filled in, is refused by `check` and by a search."""
    says = r"Target\.propose drew \[0\.2\d*, (1\.5|nan)\].*must be 2 numbers: 0 to 1, -1 to 1"
    with pytest.raises(bt.ProblemError, match=says):
        bt.check(Target(wrong=wrong))
    search = bt.Search(Target(wrong=wrong), bt.UCT(), seed=0)
    with pytest.raises(bt.ProblemError, match=says):
        search.run(trials=10)
    assert search.trials == 0
    assert search.root.count == 0


def test_wrong_proposals_in_plain_python():
    """A method that returns what is no action is named."""
    wrong = type("Wrong", (PlainTarget,), {"propose": lambda self, state, rng: (0.5, 3.0)})()
    for call in (lambda: bt.check(wrong), lambda: bt.Search(wrong, bt.UCT(), seed=0).run(trials=5)):
        with pytest.raises(bt.ProblemError, match=r"Wrong\.propose returned \(0\.5, 3\.0\) .* must return 2 numbers"):
            call()


def test_a_failed_step_loses_nothing():
    """What a step raises comes with its action, and the tree is as it was."""

    class Breaks(bt.Problem):
        state = bt.record(k="i4")
        actions = bt.box(0.0, 1.0)
        horizon = 3

        @staticmethod
        def start(params, state, rng):
            state.k = 0

        @staticmethod
        def step(params, state, action, rng):
            state.k += 1
            if action > 0.99:
                raise ValueError("too far")
            return action, False

    search = bt.Search(Breaks(), bt.UCT(), seed=0)
    with pytest.raises(ValueError, match="too far") as raised:
        search.run(trials=10_000)
    told = " ".join([str(raised.value), *getattr(raised.value, "__notes__", [])])
    assert float(told.split("action ")[1].split()[0]) > 0.99
    trials = search.trials
    assert trials == search.root.count == search.root.visits.sum() > 0
    assert 0.0 <= search.recommend() <= 0.99


def test_stepping():
    """A problem is stepped from Python by actions as they are recommended, one or several at a time."""
    lqr, target = bt.problems.LQR(), Target(wrong=0)
    after, reward, done = lqr.step((2.0, 0.0), -3)
    assert (after.x, after.v, reward, done) == (1.625, -1.5, -4.9, False)
    states = lqr.reset(count=3)
    after, rewards, _ = lqr.step(states, [0.0, 1.0, -3.0])
    np.testing.assert_allclose(rewards, [-4.0, -4.1, -4.9])
    np.testing.assert_allclose(after["v"], [0.0, 0.5, -1.5])
    assert target.step(target.reset(), [0.25, -0.5])[1] == 0.0
    assert target.step(target.reset(count=2), [[0.25, -0.5], [0.25, 0.5]])[1].tolist() == [0.0, -1.0]
    for wrong in (6.0, math.nan, [1.0, 2.0], "x"):
        with pytest.raises(bt.ParameterError, match="must be a number from -5 to 5"):
            lqr.step((2.0, 0.0), wrong)
    with pytest.raises(bt.ParameterError, match="must be an array of 3 actions"):
        lqr.step(states, [0.0, 1.0])


def test_what_needs_a_list_refuses():
    """Each thing that needs listed actions says so in a sentence."""
    problem = bt.problems.LQR()
    search = bt.Search(problem, seed=0)
    search.run(trials=10)
    for call in (
        lambda: bt.solve(problem),
        lambda: bt.value_of(search),
        lambda: bt.sample_value(search),
        lambda: bt.watch(search),
        lambda: bt.search_many([problem.start_state()], bt.UCT(), 10, problem=problem),
        lambda: problem.legal(problem.reset()),
    ):
        with pytest.raises(bt.ParameterError, match=r"LQR: its actions are drawn from boxes \(box\(-5.0, 5.0\)\)"):
            call()
    for algorithm in (bt.RENTS(), bt.TENTS(), bt.HMCTS(), bt.BRUE(), bt.ANTS(), bt.ARRENTS(), bt.ARTENTS()):
        with pytest.raises(bt.ParameterError, match=f"{algorithm.name}: cannot search LQR, whose actions are drawn"):
            bt.Search(problem, algorithm)
    for options, says in (
        ({"transpositions": True}, "transpositions=True: must be False"),
        ({"threads": 2}, "threads=2: must be 1"),
        ({"proofs": True}, "proofs=True: must be False"),
        ({"outcomes": "known"}, "outcomes='known': must be 'sampled'"),
        ({"outcomes": "pooled"}, "outcomes='pooled': must be 'sampled'"),
    ):
        with pytest.raises(bt.ParameterError, match=says):
            bt.Search(problem, bt.BTS(), **options)
    assert bt.plan(problem, trials=10, threads=4).search.threads == 1  # at most


def test_evaluators_of_values():
    """An evaluator that gives values alone, one leaf at a time, is asked; others are refused."""

    class Values:
        gives_prior = False

        def evaluate(self, states):
            return None, np.full(len(states), -1.0)

    class Priors(Values):
        gives_prior = True

    class Batches(Values):
        batch = 8

    search = bt.Search(Target(wrong=0), bt.UCT(), seed=0, evaluator=Values())
    search.run(trials=50)
    assert search.root.count == 50
    for evaluator, says in ((Priors(), "gives priors"), (Batches(), "one leaf at a time")):
        with pytest.raises(bt.ParameterError, match=says):
            bt.Search(Target(wrong=0), bt.PUCT(), evaluator=evaluator)


def test_episodes():
    """Acting, evaluating and agents take and give actions as they are."""
    problem = bt.problems.LQR()
    episode = bt.act(problem, trials=1_000)
    assert len(episode.actions) == 10
    assert all(isinstance(action, float) for action in episode.actions)
    assert -9.5 < episode.value <= -8.929457
    best = bt.evaluate(problem, lambda state: max(-1.581589 * state.x - 1.832236 * state.v, -5.0), episodes=2)
    assert best.returns.mean() == pytest.approx(-8.93, abs=0.01)
    agent = bt.Agent(problem, trials=500)
    action = agent.plan()
    agent.saw(action, problem.step((2.0, 0.0), action)[0])
    assert agent.search.root.depth == 1


def test_printing():
    """Text names actions by their numbers."""
    found = bt.plan(bt.problems.LQR(), trials=500, seed=0)
    name = f"{found.action:.4g}"
    assert str(found).startswith(f"LQR: {name}, value -")
    assert f"recommends {name}, root value" in str(found.search)
    assert f"* {name} " in str(found.search.root)
    assert found.search.report().moves[0].action == found.action
    assert "actions box(-5.0, 5.0)" in str(bt.problems.LQR())
    assert str(bt.Search(bt.problems.LQR(), seed=0).root).endswith("value 0")


def test_pickles():
    """A problem with boxes travels to another process."""
    again = pickle.loads(pickle.dumps(Target(wrong=0)))
    search = bt.Search(again, seed=0)
    search.run(trials=100)
    assert search.root.value == bt.plan(Target(wrong=0), trials=100, seed=0).value


def test_a_hidden_state_goes_with_boxes():
    """Where the state is hidden, observations and actions widen, and beliefs follow actions that were drawn."""

    class Guess(bt.Problem):
        """Guess a hidden number, seen dimly after each guess."""

        state = bt.record(x="f8")
        observation = bt.record(y="f8")
        actions = bt.box(-1.0, 1.0)
        horizon = 2

        @staticmethod
        def start(params, state, rng):
            state.x = 2.0 * bt.uniform(rng) - 1.0

        @staticmethod
        def step(params, state, action, rng):
            return -abs(action - state.x), False

        @staticmethod
        def observe(params, state, action, next_state, rng, out):
            out.y = next_state.x + 0.1 * (bt.uniform(rng) - 0.5)

        @staticmethod
        def observation_probability(params, observation, state, action, next_state):
            return 10.0 if abs(observation.y - next_state.x) <= 0.05 else 1e-6

    problem = Guess()
    bt.check(problem)
    search = bt.Search(problem, bt.UCT(), seed=0)
    search.run(trials=5_000)
    search.advance(search.recommend(), (0.5,))
    assert search.belief.mean("x") == pytest.approx(0.5, abs=0.05)
    search.run(trials=5_000)
    assert search.recommend() == pytest.approx(0.5, abs=0.2)


def test_gymnasium():
    """A Box is searched as it is, and the compiled problems are Gymnasium's own."""
    gymnasium = pytest.importorskip("gymnasium")
    for name, problem in (
        ("Pendulum-v1", bt.problems.Pendulum()),
        ("MountainCarContinuous-v0", bt.problems.MountainCarContinuous()),
    ):
        env = gymnasium.make(name)
        choose = np.random.default_rng(0)
        for _ in range(5):
            env.reset(seed=int(choose.integers(1000)))
            inner = env.unwrapped
            state = problem.as_state(tuple(map(float, inner.state)))
            for _ in range(100):
                action = float(np.float32(choose.uniform(problem.boxes.low[0], problem.boxes.high[0])))
                _, reward, terminated, *_ = env.step(np.array([action], np.float32))
                state, mine, done = problem.step(state, action)
                np.testing.assert_allclose(list(state), np.asarray(inner.state, float), rtol=1e-4, atol=1e-5)
                assert mine == pytest.approx(float(reward), rel=1e-4, abs=1e-5)
                assert done == terminated
                if done:
                    break
    drawn = bt.from_gymnasium("Pendulum-v1", horizon=20)
    bt.check(drawn)
    search = bt.Search(drawn, seed=0)
    search.run(trials=30)
    assert isinstance(search.recommend(), float)
    assert bt.from_gymnasium("Pendulum-v1", actions=5).actions == 5
    agent = bt.Agent(drawn, trials=3)
    agent.reset(seed=0)
    assert isinstance(agent.step()[0], float)


@pytest.mark.parametrize("seed", range(2))
def test_mountain_car(seed):
    """Solved by default: 90 or more."""
    assert bt.act(bt.problems.MountainCarContinuous(), trials=50, seed=seed).value >= 90.0


def test_pendulum_beats_grids():
    """From hanging, at equal trials, the value found is above that of every grid."""

    class Grid(bt.Problem):
        state = bt.record(angle="f8", speed="f8")
        params = bt.record(values="f8[:]")
        horizon, deterministic = 200, True

        @staticmethod
        def start(params, state, rng):
            state.angle = math.pi

        @staticmethod
        def step(params, state, action, rng):
            u = params.values[action]
            angle, speed = state.angle, state.speed
            away = (angle + math.pi) % (2.0 * math.pi) - math.pi
            cost = away * away + 0.1 * speed * speed + 0.001 * u * u
            speed = min(max(speed + (15.0 * math.sin(angle) + 3.0 * u) * 0.05, -8.0), 8.0)
            state.angle = angle + 0.05 * speed
            state.speed = speed
            return -cost, False

    def value(problem, **options):
        search = bt.Search(problem, seed=0, **options)
        search.run(trials=1_000)
        return search.root.value

    best = max(value(Grid(values=np.linspace(-2.0, 2.0, n), actions=n)) for n in (5, 9, 17, 33))
    assert value(bt.problems.Pendulum(), state=(math.pi, 0.0)) > best
