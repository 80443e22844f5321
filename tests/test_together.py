"""Many searches that share one evaluator: each does what it would do alone, and nobody waits for ever."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import boltree as bt
from boltree.batches import rows, server
from boltree.batches.together import Arrivals
from boltree.tree import Node
from child import LONG
from clock import TICK
from test_batches import ALGORITHMS, NAMES, Broken, Guess, Sometimes, check_entropies, check_links, tree_of
from trees import check_invariants


def run_all(searches, trials=None, seconds=None):
    """Run each in a thread of its own; why each stopped, or what it raised."""

    def run(search):
        try:
            return search.run(trials=trials, seconds=seconds)
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(searches)) as threads:
        return list(threads.map(run, searches))


@pytest.mark.parametrize("threads", [1, 2, 12])
@pytest.mark.parametrize("prior", [True, False], ids=["prior", "no-prior"])
def test_every_search_keeps_its_invariants(prior, threads, monkeypatch):
    """All algorithms at once, in one Together."""
    come, all_there, enter = [], threading.Event(), Arrivals.add

    def noted(self, one):
        enter(self, one)
        come.append(one)
        if len(come) == len(ALGORITHMS):
            all_there.set()

    class Waiting(Guess):
        def evaluate(self, batch):
            assert trials < 150 or all_there.wait(LONG)  # all have come before the first has ended
            return super().evaluate(batch)

    guess = Waiting(4, prior=prior)
    with bt.Together(guess, threads=threads) as together:
        problem = bt.problems.TicTacToe()
        searches = [bt.Search(problem, one, seed=i, evaluator=together) for i, one in enumerate(ALGORITHMS)]
        for trials in (1, 2, 150):
            if trials == 150:
                monkeypatch.setattr(Arrivals, "add", noted)
                before = len(guess.sizes)
            assert set(run_all(searches, trials)) == {"trials"}
    for search in searches:
        assert search.trials == 153
        check_invariants(search)
        check_entropies(search)
        check_links(search)
    many = len(ALGORITHMS) // together.at_once
    assert max(guess.sizes[before:]) > 4 * (many - 1)  # leaves of many searches in one batch, no longer their roots
    assert together.batches == len(guess.sizes)
    assert together.evaluations == sum(guess.sizes)


@pytest.mark.parametrize("threads", [1, 2, 12])
@pytest.mark.parametrize("name", ["PUCT", "BTS", "ARDENTS"])
def test_a_search_does_what_it_would_do_alone(name, threads):
    algorithm = next(one for one in ALGORITHMS if one.name == name)
    problem = bt.problems.TicTacToe()

    def searches(together):
        return [bt.Search(problem, algorithm, seed=seed, evaluator=together) for seed in range(9)]

    with bt.Together(Guess(4), threads=threads) as together:
        many = searches(together)
        run_all(many, 100)
        run_all(many, 60)
    with bt.Together(Guess(4, delay=0.001)) as together:
        for one, alone in zip(many, searches(together), strict=True):
            alone.run(trials=100)
            alone.run(trials=60)
            assert tree_of(alone) == tree_of(one)


def test_features_and_states_reach_the_evaluator():
    """Go has features, TicTacToe none: both get what a single search would give."""
    for problem in (bt.problems.Go(5), bt.problems.TicTacToe()):
        guess, shared = Guess(1, actions=problem.actions), Guess(1, actions=problem.actions)
        alone = bt.Search(problem, bt.PUCT(), seed=0, evaluator=guess)
        alone.run(trials=80)
        with bt.Together(shared) as together:
            search = bt.Search(problem, bt.PUCT(), seed=0, evaluator=together)
            search.run(trials=80)
        assert tree_of(search) == tree_of(alone)
        assert set(shared.seen) == set(guess.seen)


@pytest.mark.parametrize("at", [0, 1, 5])
def test_a_failing_evaluator_is_everybodys_error(at):
    with bt.Together(Broken(at, RuntimeError("the network is gone")), threads=2) as together:
        problem = bt.problems.TicTacToe()
        searches = [bt.Search(problem, bt.BTS(alpha=0.2), seed=i, evaluator=together) for i in range(7)]
        ended = run_all(searches, 200)
        assert any("the network is gone" in str(one) for one in ended)
        assert all(one == "trials" or "the network is gone" in str(one) for one in ended)
        for search in searches:
            check_invariants(search)
            check_links(search)
        assert set(run_all(searches, 50)) == {"trials"}
        for search in searches:
            check_invariants(search)


def test_a_failing_problem_is_its_own_searchs_error():
    with bt.Together(Guess(4, actions=3)) as together:
        problem = Sometimes()
        searches = [bt.Search(problem, bt.BTS(alpha=0.5), seed=i, evaluator=together) for i in range(8)]
        ended = run_all(searches, 60)
        assert any(isinstance(one, ValueError) and "a bad state" in str(one) for one in ended)
        assert all(one == "trials" or "a bad state" in str(one) for one in ended)
        for search in searches:
            check_invariants(search)
            check_links(search)


class Featured(bt.Problem):
    """Its features raise at one state."""

    state = bt.record(x="i4")
    actions = 2
    horizon = 12
    features_shape = (3,)

    @staticmethod
    def start(params, state, rng):
        state.x = 1

    @staticmethod
    def step(params, state, action, rng):
        state.x = 2 * state.x + action
        return 0.0, False

    @staticmethod
    def features(params, state, out):
        if state.x == 11:
            raise ValueError("eleven has no features")
        out[state.x % 3] = 1.0


def test_failing_features():
    with bt.Together(Guess(4, actions=2)) as together:
        search = bt.Search(Featured(), bt.Uniform(), seed=0, evaluator=together)
        with pytest.raises(ValueError, match="eleven has no features"):
            search.run(trials=200)
        check_invariants(search)
        check_links(search)


def test_features_begin_as_zeros():
    """A row that held another position's features is clean."""

    class Sums(Guess):
        def evaluate(self, batch):
            assert (batch.reshape(len(batch), -1).sum(axis=1) == 1.0).all()
            return super().evaluate(batch)

    class Whole(Featured):
        @staticmethod
        def features(params, state, out):
            out[state.x % 3] = 1.0

    with bt.Together(Sums(4, actions=2)) as together:
        problem = Whole()
        searches = [bt.Search(problem, bt.Uniform(), seed=i, evaluator=together) for i in range(5)]
        assert set(run_all(searches, 100)) == {"trials"}


def test_limits():
    problem = bt.problems.TicTacToe()
    with bt.Together(Guess(4, delay=0.001)) as together:
        search = bt.Search(problem, bt.PUCT(), seed=0, evaluator=together, max_nodes=40)
        assert search.run(trials=1000) == "memory"
        assert search.size <= 40
        check_invariants(search)
        halving = bt.Search(problem, bt.HMCTS(), seed=0, evaluator=together)
        assert halving.run(trials=64) == "trials"
        assert halving.trials == 64
        for bad in ({"stop": lambda search: True}, {"progress": True}):
            with pytest.raises(bt.ParameterError, match="Together"):
                search.run(trials=1, **bad)


def test_a_limit_of_time(clock):
    with bt.Together(Guess(4)) as together:
        search = bt.Search(bt.problems.TicTacToe(), bt.PUCT(), seed=0, evaluator=together)
        began = clock.seconds
        assert search.run(seconds=10.0) == "seconds"
        assert clock.seconds - began >= 10.0
        assert 10 < search.trials < 4 * 10.0 / TICK + 8  # four a batch, and the clock is read once a batch at least
        assert search.run(trials=0) == "trials"


@pytest.mark.parametrize("threads", [1, 2, 12])
def test_searches_come_and_go(threads):
    """As games do: each search begins and ends when it likes, and moves on."""

    def play(seed):
        search = bt.Search(problem, bt.PUCT(), seed=seed, evaluator=together)
        for _ in range(12):
            if search.root.actions.size == 0:
                break
            search.run(trials=20 + seed % 5)
            check_invariants(search)
            search.advance(search.recommend())
        return search.root.depth

    class Blind(Guess):
        def evaluate(self, batch):
            return np.full((len(batch), 7), 1 / 7), np.zeros(len(batch))

    problem = bt.problems.ConnectFour()
    with bt.Together(Blind(2), threads=threads) as together, ThreadPoolExecutor(10) as games:
        assert min(games.map(play, range(20))) > 6


def test_one_kind_of_problem_at_a_time():
    class Slow(Guess):
        def evaluate(self, batch):
            begun.set()
            assert released.wait(LONG)
            return super().evaluate(batch)

    begun, released, slow = threading.Event(), threading.Event(), Slow(4)
    chain = bt.problems.DChain(5)
    with bt.Together(slow) as together, ThreadPoolExecutor(1) as thread:
        first = bt.Search(bt.problems.TicTacToe(), bt.PUCT(), seed=0, evaluator=together)
        other = bt.Search(chain, bt.PUCT(), seed=0, evaluator=together)
        running = thread.submit(first.run, 60)
        try:
            assert begun.wait(LONG)
            with pytest.raises(bt.ParameterError, match="problem=DChain: must be like TicTacToe"):
                other.run(trials=5)
        finally:
            released.set()
        assert running.result() == "trials"
        slow.actions = chain.actions
        assert other.run(trials=5) == "trials"  # nobody else is there now


def test_closing_wakes_everybody():
    class Slow(Guess):
        def evaluate(self, batch):
            begun.set()
            time.sleep(0.02)
            return super().evaluate(batch)

    begun, problem = threading.Event(), bt.problems.TicTacToe()
    together = bt.Together(Slow(2))
    searches = [bt.Search(problem, bt.PUCT(), seed=i, evaluator=together) for i in range(3)]
    with ThreadPoolExecutor(1) as thread:
        ended = thread.submit(run_all, searches, 10_000)
        assert begun.wait(LONG)
        together.close()
        assert all("was closed" in str(one) for one in ended.result(LONG))
    for search in searches:
        check_links(search)
    with pytest.raises(RuntimeError, match="was closed"):
        searches[0].run(trials=1)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_threads_are_checked(threads):
    with pytest.raises(bt.ParameterError, match="threads="):
        bt.Together(Guess(4), threads=threads)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=NAMES)
def test_memory_that_was_used_before_changes_nothing(algorithm):
    """`advance` moves into the arenas of the tree before the last: whatever they hold."""

    def played(spoil):
        search = bt.Search(bt.problems.TicTacToe(), algorithm, seed=3, evaluator=Guess(4))
        for _ in range(4):
            search.run(trials=120)
            search.advance(search.recommend())
            if spoil and search.tree._spare is not None:
                for arena in search.tree._spare.values():
                    arena.array[: 1 << 20] = 0xAB
        search.run(trials=50)
        check_invariants(search)
        check_links(search)
        nodes, edges = tree_of(search)[0], []
        for index in range(search.size):
            node = Node(search.tree, index)
            edges.append((node.actions.tolist(), node.visits.tolist(), node.q.tobytes(), node.policy.tolist()))
        return nodes, edges

    assert played(True) == played(False)


def test_memory_is_cleared_before_it_is_used_again():
    search = bt.Search(bt.problems.TicTacToe(), bt.DENTS(alpha=0.2), seed=3, evaluator=Guess(4))
    for _ in range(3):
        search.run(trials=300)
        assert search.root.policy.size
        search.advance(search.recommend())
        assert not any(arena.array[: 8 << 20].any() for arena in search.tree._spare.values())
    broken = Broken(9, RuntimeError())
    broken.actions = 50
    wide = bt.Search(bt.problems.Go(7), bt.PUCT(), seed=3, evaluator=broken)
    with pytest.raises(RuntimeError):
        wide.run(trials=300)
    wide.advance(30)
    assert not any(arena.array[: 8 << 20].any() for arena in wide.tree._spare.values())


@pytest.mark.parametrize("evaluator", ["rollout", None, 0.5])
def test_evaluators_are_checked(evaluator):
    with pytest.raises(bt.ParameterError, match="evaluator="):
        bt.Together(evaluator)


def test_threads_are_woken_one_by_one(monkeypatch):
    """The next when the last has come back, or has had its time; all, when no server runs any more."""
    now = [100.0]
    monkeypatch.setattr(server.time, "perf_counter", lambda: now[0])
    wake_ups, ended = server.WakeUps(), [threading.Event() for _ in range(6)]

    def out():
        return sum(one.is_set() for one in ended)

    for one in ended:
        wake_ups.add(one)
    assert out() == 1
    wake_ups.look()
    assert out() == 1
    wake_ups.note_arrival()
    assert out() == 2
    now[0] += 2 * server.LONGEST_ABSENCE_SECONDS
    wake_ups.look()
    assert out() == 3
    assert [one.is_set() for one in ended] == [True] * 3 + [False] * 3  # in the order in which they ended
    wake_ups.wake_all()
    assert out() == 6
    late = threading.Event()
    wake_ups.add(late)
    assert late.is_set()


@pytest.mark.parametrize("threads", [1, 4, 5, 15])
def test_as_many_threads_as_asked_for(threads):
    before = threading.active_count()
    with bt.Together(Guess(4, prior=False), threads=threads) as together:
        bt.Search(bt.problems.DChain(9), bt.BTS(), seed=0, evaluator=together).run(trials=50)
        helpers = [thread for thread in threading.enumerate() if thread.name == "boltree-helper"]
        assert len(helpers) == max(threads - together.at_once, 0)  # besides the servers' own
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 2])
def test_so_many_lead_at_the_same_time(threads, monkeypatch):
    inside, highest, advance, counting, met = 0, 0, rows.advance_groups, threading.Lock(), threading.Event()

    def slowly(*arguments):
        nonlocal inside, highest
        with counting:
            inside += 1
            highest = max(highest, inside)
            if inside == threads:
                met.set()
        assert met.wait(LONG)
        time.sleep(0.005)  # one more than asked for would come now
        try:
            return advance(*arguments)
        finally:
            with counting:
                inside -= 1

    monkeypatch.setattr(rows, "advance_groups", slowly)
    with bt.Together(Guess(4), threads=threads) as together:
        problem = bt.problems.TicTacToe()
        searches = [bt.Search(problem, bt.PUCT(), seed=i, evaluator=together) for i in range(8)]
        assert set(run_all(searches, 60)) == {"trials"}
    assert highest == threads
