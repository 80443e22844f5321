"""What may go wrong where searches share an evaluator: nobody waits for ever, and nothing wrong is believed."""

from __future__ import annotations

import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import boltree as bt
from boltree.batches.server import WakeUps
from child import LONG, call
from test_together import Featured, run_all
from trees import check_invariants


class Even:
    """Every action alike, every position worth nothing; takes its time."""

    def __init__(self, actions=None, batch=4, delay=0.002):
        self.actions, self.batch, self.delay, self.gives_prior = actions, batch, delay, actions is not None

    def evaluate(self, batch):
        time.sleep(self.delay)
        priors = np.full((len(batch), self.actions), 1 / self.actions) if self.gives_prior else None
        return priors, np.zeros(len(batch))


class Walk(bt.PythonProblem):
    actions, horizon, deterministic = 2, 20, False

    def __init__(self, end=2**60):
        super().__init__()
        self.end = end

    def start(self, rng):
        return 1

    def step(self, state, action, rng):
        if state > self.end:
            raise ValueError("a bad state")
        return 2 * state + action, -1.0, False


def test_roots_of_a_python_problem_are_asked_about_while_others_run():
    problem = Walk()

    def run(number):
        time.sleep(0.03 * number)
        return bt.Search(problem, bt.PUCT(), seed=number, evaluator=together).run(trials=150)

    with bt.Together(Even(actions=2, delay=0.005), threads=2) as together, ThreadPoolExecutor(8) as threads:
        assert list(threads.map(run, range(8), timeout=LONG)) == ["trials"] * 8


def test_every_search_of_a_failing_python_problem_has_its_error():
    problem = Walk(end=64)
    with bt.Together(Even(), threads=2) as together:
        ended = run_all([bt.Search(problem, bt.UCT(), seed=i, evaluator=together) for i in range(12)], 4_000)
    assert [str(one) for one in ended] == ["a bad state"] * 12


class Unseen(Featured):
    @staticmethod
    def features(params, state, out):
        out[0] = "not a number"


def test_features_that_do_not_compile():
    with bt.Together(Even(), threads=2) as together:
        ended = run_all([bt.Search(Unseen(), bt.UCT(), seed=i, evaluator=together) for i in range(3)], 10)
    assert all("features does not compile" in str(one) for one in ended)


def test_values_may_be_a_column():
    class Columns(Even):
        def evaluate(self, batch):
            values = np.array([np.asarray(one).tobytes()[0] / 256 for one in batch])
            return None, np.stack([values, values + 1000], 1)[:, 0] if self.delay else values

    found = []
    for delay in (0.0, 1e-6):
        with bt.Together(Columns(delay=delay), threads=2) as together:
            search = bt.Search(bt.problems.TicTacToe(), bt.UCT(), seed=0, evaluator=together)
            search.run(trials=200)
            found.append(search.root.value)
    assert found[0] == found[1]


def test_leaving_does_not_wait_for_a_slow_evaluator():
    """While a search waits for its values, all others end and leave."""
    asked, left, slow = threading.Event(), threading.Event(), []

    class Slow(Even):
        def evaluate(self, batch):
            if not slow:
                slow.append(threading.get_ident())
                asked.set()
            if threading.get_ident() == slow[0]:
                slow.append(left.wait(200.0))
            return super().evaluate(batch)

    problem = bt.problems.TicTacToe()
    with bt.Together(Slow(delay=0.0), threads=2) as together, ThreadPoolExecutor(1) as thread:
        waits = thread.submit(bt.Search(problem, bt.UCT(), seed=0, evaluator=together).run, 5)
        assert asked.wait(LONG)
        searches = [bt.Search(problem, bt.UCT(), seed=i, evaluator=together) for i in range(27)]
        assert run_all(searches, 5) == ["trials"] * 27
        left.set()
        assert waits.result(LONG) == "trials"
    assert all(slow[1:])  # and not because it was waited for in vain


@pytest.mark.parametrize("name", ["boltree-together", "boltree-helper", "boltree-server"])
def test_threads_that_cannot_be_started(name, monkeypatch):
    start, failing = threading.Thread.start, [name]

    def started(self):
        if self.name in failing:
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", started)
    with bt.Together(Even(), threads=6) as together:
        search = bt.Search(bt.problems.TicTacToe(), bt.UCT(), seed=0, evaluator=together)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="can't start new thread"):
                search.run(trials=8)


def interrupt_as_a_search_comes_in():
    note_arrival, coming = WakeUps.note_arrival, [True]

    def interrupted(self):
        if coming.pop():
            signal.raise_signal(signal.SIGINT)
        note_arrival(self)

    with bt.Together(Even(), threads=2) as together, pytest.MonkeyPatch.context() as patch:
        search, other = (bt.Search(bt.problems.TicTacToe(), bt.UCT(), seed=0, evaluator=together) for _ in range(2))
        patch.setattr(WakeUps, "note_arrival", interrupted)
        with pytest.raises(KeyboardInterrupt):
            search.run(trials=10_000)
        patch.undo()
        before = search.trials
        assert other.run(trials=200) == "trials"
        assert search.trials == before < 10_000  # no thread goes on with it
        assert search.run(trials=50) == "trials"
    assert search.trials == before + 50
    check_invariants(search)


def test_an_interrupt_as_a_search_comes_in():
    call(interrupt_as_a_search_comes_in)


def test_threads_take_turns_as_before_when_the_last_search_has_ended():
    before, during = sys.getswitchinterval(), []

    class Watching(Even):
        def evaluate(self, batch):
            during.append(sys.getswitchinterval())
            return super().evaluate(batch)

    with bt.Together(Watching(), threads=1) as one, bt.Together(Watching(), threads=1) as other:
        searches = [bt.Search(bt.problems.TicTacToe(), bt.UCT(), seed=0, evaluator=each) for each in (one, other)]
        run_all(searches, 40)
        assert sys.getswitchinterval() == before
    assert max(during) < before
