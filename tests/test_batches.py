"""Batches: K leaves selected, evaluated together and backed up, with every invariant of single trials."""

from __future__ import annotations

import hashlib
import threading
import time

import numpy as np
import pytest

import boltree as bt
from boltree.tree import Node
from trees import check_invariants


class Guess:
    """Values and priors that are a hash of the position: the same on every machine and in every order."""

    def __init__(self, batch=16, *, prior=True, delay=0.0, actions=9):
        self.batch, self.gives_prior, self.delay, self.actions = batch, prior, delay, actions
        self.sizes, self.seen, self.threads = [], [], set()

    def evaluate(self, batch):
        rows = [hashlib.sha256(np.asarray(one).tobytes()).digest() for one in batch]
        self.sizes.append(len(rows))
        self.seen += rows
        self.threads.add(threading.get_ident())
        time.sleep(self.delay)
        numbers = np.array([np.frombuffer(row + row, np.uint8)[: self.actions + 1] for row in rows], float)
        priors = numbers[:, 1:] + 1.0
        return (priors / priors.sum(axis=1, keepdims=True) if self.gives_prior else None), numbers[:, 0] / 128.0 - 1.0


ALGORITHMS = [
    bt.PUCT(), bt.UCT(c=1.0), bt.UCT(), bt.BTS(alpha=0.2), bt.DENTS(alpha=0.2), bt.MENTS(alpha=0.2),
    bt.RENTS(alpha=0.2), bt.TENTS(alpha=0.2), bt.ARBTS(), bt.ARDENTS(), bt.ARMENTS(alpha=0.2), bt.ARRENTS(alpha=0.2),
    bt.ARTENTS(alpha=0.2), bt.BTS(alpha=0.2, alias=True), bt.DENTS(alpha=0.2, alias=True),
    bt.ARDENTS(alias=True), bt.MENTS(alpha=0.2, alias=True), bt.PowerUCT(),
    bt.StochasticPowerUCT(), bt.ANTS(), bt.Uniform(),
]  # fmt: skip
NAMES = [f"{one.name}-{i}" for i, one in enumerate(ALGORITHMS)]


def check_entropies(search):
    """H_Q(s,a) is the mean of its outcomes' H_V, weighted by visits, at every edge."""
    if search.algorithm.entropy_bonus == "none":
        return
    t, storage = search.tree.fields, search.tree.storage
    for index in range(search.size):
        record, node = storage.nodes[index], Node(search.tree, index)
        if record.block < 0 or int(node.visits.sum()) == 0:
            continue
        first = 4 * (int(record.block) + int(record.actions))
        for i, action in enumerate(node.actions):
            outcomes = node.children.get(int(action), [])
            if outcomes:
                expected = sum(child.count * child.entropy for child in outcomes)
                assert storage.words[first + i * int(t.extra_words)] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("prior", [True, False], ids=["prior", "no-prior"])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=NAMES)
def test_the_invariants_of_single_trials_hold(algorithm, prior):
    evaluator = Guess(prior=prior)
    search = bt.Search(bt.problems.TicTacToe(), algorithm, seed=1, evaluator=evaluator)
    for trials in (1, 2, 7, 200, 300):
        assert search.run(trials=trials) == "trials"
        check_invariants(search)
        check_entropies(search)
        nodes = search.tree.storage.nodes[: search.size]
        assert not nodes["flights"].any()
        assert not (nodes["marks"] & 64).any()
    assert search.trials == 510
    assert max(evaluator.sizes) == 16


@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.BTS(alpha=0.5), bt.DENTS(alpha=0.5)], ids=lambda one: one.name)
def test_problems_with_chance(algorithm):
    """Edges with several outcomes, and with so many that they are indexed."""

    class Noise(bt.Problem):
        state = bt.record(x="f8", t="i4")
        actions = 3
        horizon = 6

        @staticmethod
        def start(params, state, rng):
            state.x = 0.0

        @staticmethod
        def step(params, state, action, rng):
            state.x += action + bt.uniform(rng)
            state.t += 1
            return state.x / 10.0, False

    search = bt.Search(Noise(), algorithm, seed=1, evaluator=Guess(actions=3))
    search.run(trials=1500)
    check_invariants(search)
    check_entropies(search)


def tree_of(search):
    t, storage = search.tree.fields, search.tree.storage
    return storage.nodes[: search.size].tobytes(), storage.words[: 4 * int(t.unit_count)].tobytes()


@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.DENTS(alpha=0.2)], ids=lambda one: one.name)
def test_the_same_seed_gives_the_same_tree_however_slow_the_evaluator(algorithm):
    trees = []
    for delay in (0.0, 0.002):
        search = bt.Search(bt.problems.TicTacToe(), algorithm, seed=5, evaluator=Guess(delay=delay))
        search.run(trials=400)
        trees.append(tree_of(search))
    assert trees[0] == trees[1]


def test_the_evaluator_is_asked_in_another_thread_while_the_search_goes_on():
    evaluator = Guess(batch=8)
    search = bt.Search(bt.problems.TicTacToe(), bt.BTS(), seed=0, evaluator=evaluator)
    search.run(trials=300)
    assert evaluator.threads - {threading.get_ident()}


def test_no_position_of_a_tree_is_evaluated_twice():
    evaluator = Guess(batch=32)
    search = bt.Search(bt.problems.DChain(40), bt.BTS(alpha=1.0), seed=0, evaluator=Guess(32, actions=2))
    search.run(trials=200)
    search = bt.Search(bt.problems.TicTacToe(), bt.PUCT(), seed=0, evaluator=evaluator)
    search.run(trials=800)
    assert sum(evaluator.sizes) == sum(not node for node in search.tree.storage.nodes["marks"][: search.size] & 1)


@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.BTS(alpha=0.1), bt.ARBTS()], ids=lambda one: one.name)
def test_batches_choose_as_well_as_single_trials(algorithm):
    """A value that knows the game: every batch size finds the winning move."""

    class Knows:
        gives_prior = False

        def __init__(self, batch):
            self.batch = batch
            self.solution = bt.solve(problem)

        def evaluate(self, batch):
            return None, np.array(
                [self.solution.value(one, bin(int(one["crosses"]) | int(one["noughts"])).count("1")) for one in batch]
            )

    problem = bt.problems.TicTacToe()
    start = problem.start_state(0)
    for batch in (1, 4, 64):
        search = bt.Search(problem, algorithm, seed=0, state=start, evaluator=Knows(batch))
        search.run(trials=600)
        assert bt.simple_regret(search) == 0.0


class Broken(Guess):
    """Fails at its n-th batch."""

    def __init__(self, at, error):
        super().__init__()
        self.at, self.error = at, error

    def evaluate(self, batch):
        if 0 <= self.at <= len(self.sizes):  # several threads may ask at once
            self.at = -1
            raise self.error
        return super().evaluate(batch)


@pytest.mark.parametrize("at", [0, 1, 2, 7])
@pytest.mark.parametrize("error", [RuntimeError("the network is gone"), KeyboardInterrupt()], ids=["error", "ctrl-c"])
@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.DENTS(alpha=0.2)], ids=lambda one: one.name)
def test_a_failing_evaluator_costs_only_what_was_on_its_way(at, error, algorithm):
    search = bt.Search(bt.problems.TicTacToe(), algorithm, seed=0, evaluator=Broken(at, error))
    with pytest.raises(type(error)):
        search.run(trials=300)
    before = search.trials
    check_invariants(search)
    check_entropies(search)
    assert not search.tree.storage.nodes["flights"][: search.size].any()
    search.run(trials=300)
    assert search.trials == before + 300
    check_invariants(search)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((None, [0.0] * 3), "3 values for a batch"),
        ((None, [np.nan] * 16), "must be finite"),
        ("no", r"must be \(priors or None, values\)"),
    ],
)
def test_bad_answers(answer, says):
    class Bad:
        gives_prior = False
        batch = 16

        def evaluate(self, batch):
            if isinstance(answer, tuple) and len(answer[1]) == 16:
                return None, np.full(len(batch), np.nan)
            return answer

    search = bt.Search(bt.problems.TicTacToe(), bt.BTS(), seed=0, evaluator=Bad())
    with pytest.raises(bt.ParameterError, match=says):
        search.run(trials=100)
    assert search.trials == 0


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "8", 10**6])
def test_batch_sizes_are_checked(size):
    with pytest.raises(bt.ParameterError, match=r"batch=.*must be an integer from 1 to"):
        bt.Search(bt.problems.TicTacToe(), bt.BTS(), evaluator=Guess(size))


def test_limits_of_nodes_and_time_are_kept():
    search = bt.Search(bt.problems.TicTacToe(), bt.BTS(), seed=0, evaluator=Guess(8), max_nodes=200)
    assert search.run(trials=10_000) == "memory"
    assert 100 < search.size <= 200
    check_invariants(search)
    search = bt.Search(bt.problems.TicTacToe(), bt.BTS(), seed=0, evaluator=Guess(8, delay=0.001))
    assert search.run(seconds=0.1) == "seconds"
    check_invariants(search)


def test_advancing_and_saving_between_batches(tmp_path):
    evaluator = Guess(8)
    search = bt.Search(bt.problems.TicTacToe(), bt.ARDENTS(), seed=0, evaluator=evaluator)
    search.run(trials=200)
    search.advance(search.recommend())
    search.run(trials=200)
    check_invariants(search)
    search.save(tmp_path / "s")
    again = bt.Search.load(tmp_path / "s", evaluator=Guess(8))
    search.run(trials=100)
    again.run(trials=100)
    assert tree_of(search) == tree_of(again)


def test_searches_that_count_single_trials_take_one_leaf_at_a_time():
    for algorithm in (bt.HMCTS(budget=200), bt.BRUE()):
        evaluator = Guess(8)
        bt.Search(bt.problems.TicTacToe(), algorithm, seed=0, evaluator=evaluator).run(trials=100)
        assert set(evaluator.sizes) == {1}


def test_virtual_loss_spreads_a_batch_of_puct():
    """Without it every trial of a batch would go the same way, and most would collide."""
    evaluator = Guess(32)
    search = bt.Search(bt.problems.TicTacToe(), bt.PUCT(), seed=0, evaluator=evaluator)
    search.run(trials=1 + 32 * 10)
    assert np.mean(evaluator.sizes[2:]) > 16


class Sometimes(bt.Problem):
    """Raises on its way now and then, in compiled code too."""

    state = bt.record(x="i4", t="i4")
    actions = 3
    horizon = 8

    @staticmethod
    def start(params, state, rng):
        state.x = 0

    @staticmethod
    def step(params, state, action, rng):
        state.x = state.x * 3 + action + 1
        state.t += 1
        if state.x % 23 == 22:
            raise ValueError("a bad state")
        return 0.1 * action, False


def check_links(search):
    """Every child belongs to its parent's edge, and nothing is on its way."""
    nodes = search.tree.storage.nodes[: search.size]
    assert not nodes["flights"].any()
    assert not (nodes["marks"] & 64).any()
    for index in range(search.size):
        for action, outcomes in Node(search.tree, index).children.items():
            for child in outcomes:
                assert child._index < search.size
                assert nodes["parent"][child._index] == index
                assert nodes["action"][child._index] == action


@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.BTS(alpha=0.5)], ids=lambda one: one.name)
def test_a_failing_problem_leaves_nothing_on_its_way(algorithm):
    search = bt.Search(Sometimes(), algorithm, seed=0, evaluator=Guess(8, actions=3))
    failures = 0
    for _ in range(30):
        try:
            search.run(trials=40)
        except ValueError:
            failures += 1
        check_links(search)
        check_invariants(search)
    assert failures > 5


def test_an_interrupt_during_selection_leaves_nothing_on_its_way(monkeypatch):
    from boltree.batches import batch_runner

    search = bt.Search(bt.problems.TicTacToe(), bt.BTS(alpha=0.5), seed=0, evaluator=Guess(8))
    search.run(trials=50)
    calls = []

    def interrupted(*arguments):
        count = select(*arguments)
        calls.append(count)
        if len(calls) == 4:
            raise KeyboardInterrupt  # as Python raises it: as soon as the kernel has returned
        return count

    select = batch_runner.select_batch
    monkeypatch.setattr(batch_runner, "select_batch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search.run(trials=200)
    check_links(search)
    check_invariants(search)
    monkeypatch.setattr(batch_runner, "select_batch", select)
    search.run(trials=200)
    check_links(search)
    check_invariants(search)


def test_looking_and_saving_while_batches_fly(tmp_path):
    """Every policy of this problem is worth the same: whenever it is looked at."""
    transitions = np.full((3, 2, 3), 1 / 3)
    problem = bt.problems.Tabular(transitions, np.ones((3, 2)), horizon=4)
    seen, refused = [], []

    def look(search):
        seen.append(bt.value_of(search))
        try:
            search.save(tmp_path / "s")
        except bt.ParameterError as error:
            refused.append(str(error))

    search = bt.Search(problem, bt.BTS(), seed=0, evaluator=Guess(16, actions=2))
    search.run(trials=400, progress=look)
    assert np.allclose(seen, 4.0)
    assert refused
    assert "a batch of trials is on its way" in refused[0]
    search.save(tmp_path / "s")
