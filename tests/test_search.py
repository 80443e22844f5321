"""The handle: running, stopping, looking, advancing, acting."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from child import Interrupt, call
from mdps import random_mdp
from test_batches import tree_of
from test_invariants import ALGORITHMS
from trees import check_invariants


def test_the_first_example():
    """A hundred thousand trials are too few to tell apart moves that differ by one lost step: any may be the best."""
    problem = bt.problems.FrozenLake("8x12-test")
    algorithm = bt.DENTS(alpha=0.1, beta=bt.log_decay(1.0), epsilon=1.0)
    search = bt.Search(problem, algorithm, seed=0, growth="trial")
    assert search.run(trials=100_000) == "trials"
    assert search.recommend() == int(search.root.actions[np.argmax(search.root.q)])
    assert search.root.q.shape == search.root.visits.shape == search.root.actions.shape == (4,)
    assert search.root.visits.sum() == search.root.count == 100_000
    assert bt.value_of(search) + bt.simple_regret(search) == pytest.approx(0.99**18)
    assert 0.7 < bt.value_of(search) <= 0.99**18


def test_limits(clock):
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.BTS(alpha=0.1), seed=0)
    assert search.run(trials=0) == "trials"
    assert search.trials == 0
    began = clock.seconds
    assert search.run(seconds=10.0) == "seconds"
    assert 10.0 <= clock.seconds - began < 10.5
    assert search.run(trials=10, seconds=100.0) == "trials"
    before = search.trials
    assert search.run(stop=lambda s: s.trials >= before + 1000) == "stop"
    assert search.trials >= before + 1000


def test_memory_limits():
    problem = bt.problems.FrozenLake("8x8")
    for growth in ("leaf", "trial"):
        search = bt.Search(problem, bt.DENTS(alpha=0.1), seed=0, growth=growth, max_nodes=2_000)
        assert search.run(trials=10**9) == "memory"
        assert 1_800 < search.size <= 2_000
        check_invariants(search)
        assert search.run(trials=10) == "memory"  # still full, still usable
        assert search.recommend() in range(4)
        search = bt.Search(problem, bt.DENTS(alpha=0.1), seed=0, growth=growth, max_bytes=300_000)
        assert search.run(trials=10**9) == "memory"
        assert 260_000 < search.nbytes + search.tree.storage.scratch_bytes <= 300_000
        check_invariants(search)


def test_progress(capsys):
    seen = []
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.BTS(alpha=0.1), seed=0)
    search.run(trials=200_000, progress=lambda s: seen.append(s.trials))
    assert seen == sorted(seen)
    assert seen[-1] == 200_000
    search.run(trials=50_000, progress=True)
    shown = capsys.readouterr().err
    assert "100%" in shown
    assert "50,000 trials" in shown


def interrupt_once():
    search = bt.Search(bt.problems.FrozenLake("8x12-test"), bt.DENTS(alpha=0.1), seed=0)
    search.run(trials=10)
    with Interrupt(after=0.1) as interrupt, pytest.raises(KeyboardInterrupt):
        interrupt.run(search)
    done = search.trials
    assert done > 10
    assert search.root.count == done
    search.run(trials=100)
    assert search.trials == done + 100


def test_interrupting_keeps_the_tree():
    call(interrupt_once)


def test_looking_at_nodes(capsys):
    search = bt.Search(random_mdp(3).problem(), bt.BTS(alpha=0.3), seed=0)
    search.run(trials=2_000)
    action = int(search.root.actions[0])
    outcomes = search.children[action]
    assert sum(child.count for child in outcomes) == search.root.visits[0]
    busiest = max(outcomes, key=lambda child: child.count)
    assert search.node([action]).count == busiest.count
    assert search.node([(action, 0)]).count == outcomes[0].count
    assert search.node().count == 2_000
    assert search.policy().sum() == pytest.approx(1.0)
    child = search.node([action])
    assert child.depth == 1
    if child.visits.sum():
        assert search.recommend(child.state, 1) == int(child.actions[np.nanargmax(child.q)])
    search.tree(2)
    text = capsys.readouterr().out
    assert "2,000 trials" in text
    assert "*" in text


def test_reading_changes_nothing():
    problem = random_mdp(3).problem()
    for algorithm in ALGORITHMS:
        quiet, read = (bt.Search(problem, algorithm, seed=0) for _ in range(2))
        for search in (quiet, read):
            search.run(trials=300)
        _ = read.policy(), read.recommend(), read.tree(3), bt.value_of(read), bt.sample_value(read), read.root.q
        for path in ([], [int(read.root.actions[0])]):
            _ = read.node(path).policy
        for search in (quiet, read):
            search.run(trials=300)
        assert quiet.root.visits.tolist() == read.root.visits.tolist(), algorithm.name


@pytest.mark.parametrize("name", ["UCT", "BTS", "DENTS", "ARDENTS"])
@pytest.mark.parametrize("transpositions", [False, True])
def test_advancing_along_is_advancing_twice(name, transpositions):
    """An own move and the other's answer: the same tree, whether they are in the tree or not."""
    problem = bt.problems.TicTacToe()

    def searched():
        search = bt.Search(problem, getattr(bt, name)(), seed=0, transpositions=transpositions)
        search.run(trials=400)
        return search

    first = searched()
    ways = [[int(a), int(b)] for a in first.root.actions[:3] for b in first.root.actions[-3:] if a != b]
    for way in ways:
        stepwise, along = searched(), searched()
        states = []
        for action in way:
            stepwise.advance(action)
            states.append(stepwise.root.state)
        along.advance_along(list(zip(way, states, strict=True)))
        assert tree_of(along) == tree_of(stepwise)
        for search in (stepwise, along):
            search.run(trials=100)
        assert tree_of(along) == tree_of(stepwise)


def test_advancing_along_where_nothing_is_known():
    problem = bt.problems.TicTacToe()
    told = bt.Search(problem, bt.BTS(), seed=0)
    states = []
    for action in (4, 0, 8):
        told.advance(action)
        states.append(told.root.state)
    search = bt.Search(problem, bt.BTS(), seed=0)
    search.advance_along([])
    assert search.root.depth == 0
    search.advance_along(list(zip((4, 0, 8), states, strict=True)))
    assert (search.root.state, search.root.depth, search.root.player) == (states[-1], 3, 1)
    told.advance(1)
    for trials in (0, 500):  # whether the first step is known or not
        search.run(trials=trials)
        for action in (4, "left"):
            with pytest.raises(bt.ParameterError, match=f"step 2: action={action!r}: must be a legal action there"):
                search.advance_along([(1, told.root.state), (action, told.root.state)])
            assert search.root.state == states[-1]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_advance_keeps_the_subtree(algorithm, growth):
    search = bt.Search(random_mdp(6, horizon=5).problem(), algorithm, seed=0, growth=growth)
    search.run(trials=1_500)
    action = max(search.children, key=lambda a: sum(c.count for c in search.children[a]))
    child = search.node([action])
    if child.terminal:
        pytest.skip("the most visited outcome is the end")
    expected = (child.count, child.value, child.q.tolist(), child.visits.tolist(), child.depth)
    old = search.root
    search.advance(action, child.state)
    root = search.root
    assert repr((root.count, root.value, root.q.tolist(), root.visits.tolist(), root.depth)) == repr(expected)
    with pytest.raises(RuntimeError, match="left by advance"):
        _ = old.count
    check_invariants(search)
    trials = search.trials
    search.run(trials=500)
    assert search.trials == trials + 500
    assert search.root.count == expected[0] + 500
    check_invariants(search)


def test_advance_to_what_was_never_seen():
    search = bt.Search(bt.problems.DChain(10), bt.BTS(alpha=1.0), seed=0)
    search.advance(1)  # nothing was tried, but the problem is deterministic
    assert int(search.root.state["d"]) == 2
    assert search.root.depth == 1
    search.run(trials=1_000)
    assert search.root.value == 1.0
    stochastic = bt.Search(bt.problems.Sailing(6), bt.BTS(), seed=0)
    stochastic.run(trials=200)
    with pytest.raises(bt.ParameterError, match=r"give state=\.\.\. to say which one it was"):
        stochastic.advance(stochastic.recommend())
    outcome = stochastic.children[stochastic.recommend()][0]
    count = outcome.count
    stochastic.advance(stochastic.recommend(), outcome.state)
    assert stochastic.root.count == count


@pytest.mark.parametrize("algorithm", [bt.UCT(c=1.0), bt.BTS(), bt.DENTS()], ids=lambda a: a.name)
def test_receding_horizon(algorithm):
    search = bt.Search(bt.problems.FrozenLake("8x8", horizon=5), algorithm, seed=0)
    for _ in range(4):
        search.run(trials=2_000)
        search.advance(search.recommend(), horizon="receding")
        assert search.horizon - search.root.depth == 5
    search.run(trials=2_000)
    tried = search.root.q[~np.isnan(search.root.q)]
    visits = search.root.visits[search.root.visits > 0]
    if algorithm.state_value == "mean":
        assert search.root.value == pytest.approx((tried * visits).sum() / visits.sum(), abs=1e-12)


def test_acting():
    episode = bt.act(bt.problems.FrozenLake("8x8"), bt.DENTS(alpha=0.1), trials=20_000, seed=1, growth="trial")
    assert episode.done
    assert len(episode.states) == len(episode.actions) + 1
    assert episode.value == pytest.approx(0.99 ** len(episode.actions))
    again = bt.act(bt.problems.FrozenLake("8x8"), bt.DENTS(alpha=0.1), trials=20_000, seed=1, growth="trial")
    assert again.actions == episode.actions
    sailing = bt.act(bt.problems.Sailing(4), bt.UCT(), trials=2_000, seed=0)
    assert sailing.done
    assert sailing.value < 0
    short = bt.act(bt.problems.DChain(10), bt.BTS(), trials=100, steps=2, horizon="receding")
    assert len(short.actions) <= 2


def test_start_from_a_given_state():
    search = bt.Search(bt.problems.DChain(10), bt.BTS(), state=(9,), seed=0)
    search.run(trials=100)
    assert search.root.q.tolist() == pytest.approx([0.1, 1.0])
    same = bt.Search(bt.problems.DChain(10), bt.BTS(), state={"d": 9}, seed=0)
    same.run(trials=100)
    assert same.root.visits.tolist() == search.root.visits.tolist()


def test_random_starts_follow_the_seed():
    class Dice(bt.Problem):
        state = bt.record(x="i4")
        actions = 1
        horizon = 1

        @staticmethod
        def start(params, state, rng):
            state.x = bt.integer(rng, 6)

        @staticmethod
        def step(params, state, action, rng):
            return float(state.x), True

    starts = [int(bt.Search(Dice(), bt.UCT(), seed=seed).root.state["x"]) for seed in range(60)]
    assert set(starts) == set(range(6))
    assert starts == [int(bt.Search(Dice(), bt.UCT(), seed=seed).root.state["x"]) for seed in range(60)]


def test_millions_of_nodes():
    search = bt.Search(bt.problems.SyntheticTree(4, 12, seed=0), bt.BTS(alpha=1.0), seed=0, evaluator=0.0)
    search.run(trials=2_000_000)
    assert search.size > 1_500_000
    assert search.nbytes / search.size < 150


@pytest.mark.slow
def test_ten_million_nodes():
    search = bt.Search(bt.problems.SyntheticTree(4, 20, seed=0), bt.BTS(alpha=1.0), seed=0, evaluator=0.0)
    search.run(trials=10_500_000)
    assert search.size > 10_000_000
    visits = search.tree.storage.nodes["visits"][: search.size]
    depth = search.tree.storage.nodes["depth"][: search.size]
    assert visits[depth == 1].sum() == search.trials


class Paid(bt.PythonProblem):
    """Every step pays 1."""

    actions, horizon, deterministic = 2, 10, True

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        return state + 1, 1.0, False


@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_a_receding_horizon_lacks_the_last_reward_of_old_trials(growth):
    """As docs/differences.md says: means keep what old trials saw, Bellman values do not."""
    for algorithm, half, quarter in ((bt.UCT(), 9.5, 9.75), (bt.BTS(), 10.0, 10.0)):
        search = bt.Search(Paid(), algorithm, seed=0, growth=growth)
        search.run(trials=1_000)
        action = search.recommend()
        old = int(search.root.visits[action])
        search.advance(action, horizon="receding")
        assert search.root.value == 9.0
        search.run(trials=old)
        assert search.root.value == pytest.approx(half, abs=0.01)
        search.run(trials=2 * old)
        assert search.root.value == pytest.approx(quarter, abs=0.01)


def test_nodes_by_number():
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.UCT(c=1.0), seed=0)
    search.run(trials=100)
    most = search.node_at(search.survey().visits.argmax())
    assert most.count == search.root.count == 100
    for wrong in (-1, 2**40):
        with pytest.raises(IndexError, match=rf"node {wrong}: there is none; must be from 0 to {search.size - 1}"):
            _ = search.node_at(wrong).count
