"""Ctrl-C reaches the caller at whatever moment it comes, and nothing is torn apart by it."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import traceback
from contextlib import contextmanager

import numba
import numpy as np
import pytest

import boltree as bt
from boltree.batches.together import Together
from boltree.core import interrupts
from boltree.core.interrupts import held_back, rescued
from child import call
from mdps import random_mdp
from test_robust import Slow
from trees import check_invariants


class Dice(bt.PythonProblem):
    """Python is asked at every step."""

    actions, horizon = 3, 8

    def start(self, rng):
        return 0

    def legal(self, state):
        return [0, 1, 2] if state % 2 else [0, 2]

    def step(self, state, action, rng):
        return (7 * state + action + rng.integers(3)) % 50, rng.random(), False


class Listed(bt.PythonProblem):
    """Python is asked once about each state, action and player."""

    actions, horizon = 3, 8

    def start(self, rng):
        return 0

    def player(self, state):
        return state % 2

    def outcomes(self, state, action):
        return [(0.5, (3 * state + action) % 101, 1.0, False), (0.5, (5 * state + action + 1) % 101, 0.0, False)]


class Heard(list):
    """What Python has ignored, and the functions that were running then."""

    def __init__(self) -> None:
        self.during: set[str] = set()

    def add(self, ignored) -> None:
        self.append(ignored)
        self.during |= {frame.name for frame in traceback.extract_stack()}


@contextmanager
def hearing():
    """What was ignored; the hook must be the same afterwards."""
    ignored, before = Heard(), sys.unraisablehook
    mine = ignored.add
    sys.unraisablehook = mine
    yield ignored
    assert sys.unraisablehook is mine
    sys.unraisablehook = before
    assert interrupts.dropped == {}


@pytest.fixture
def hook():
    with hearing() as ignored:
        yield ignored


def interrupt_late(calls: int) -> None:
    """Interrupt when the kernel's so manyeth call of a method has been left, where Python drops what is raised."""
    left = calls

    def look(frame, event, argument):
        nonlocal left
        if event == "return" and frame.f_code.co_name == "guarded":
            left -= 1
            if left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(look)


@pytest.mark.parametrize("calls", [1, 2, 7, 40])
@pytest.mark.parametrize("problem", [Slow, Dice, Listed])
def test_an_interrupt_that_python_drops(problem, calls, hook):
    search = bt.Search(problem(), bt.BTS(), seed=0, evaluator=0.0)
    search.run(trials=5)
    try:
        interrupt_late(calls)
        with pytest.raises(KeyboardInterrupt):
            search.run(trials=100_000)
    finally:
        sys.setprofile(None)
    assert hook == []
    assert search.trials < 100_000
    check_invariants(search)
    assert search.run(trials=10) == "trials"


def test_while_solving(hook):
    try:
        interrupt_late(5)
        with pytest.raises(KeyboardInterrupt):
            bt.solve(Listed())
    finally:
        sys.setprofile(None)
    assert bt.solve(Listed()).root_value > 0


def test_it_is_raised_rather_than_another_error(hook):
    class Fails(Dice):
        def step(self, state, action, rng):
            raise OSError("gone")

    search = bt.Search(Fails(), bt.BTS(), seed=0, evaluator=0.0)
    try:
        interrupt_late(2)  # the first is `legal`
        with pytest.raises(KeyboardInterrupt) as caught:
            search.run(trials=10)
    finally:
        sys.setprofile(None)
    assert caught.value.__cause__ is None or isinstance(caught.value.__cause__, OSError)
    with pytest.raises(OSError, match="gone"):
        search.run(trials=10)


def test_all_else_goes_to_the_hook_before(hook):
    class Grave:
        def __del__(self):
            raise ValueError("in a finaliser")

    class Digs(Dice):
        def step(self, state, action, rng):
            Grave()
            return super().step(state, action, rng)

    bt.Search(Digs(), bt.BTS(), seed=0, evaluator=0.0).run(trials=3)
    assert len(hook) >= 3
    assert {one.exc_type for one in hook} == {ValueError}
    hook.clear()


def test_searches_inside_searches_and_in_threads(hook):
    """Hooks begin and end in any order."""

    class Plans(Dice):
        def heuristic(self, state):
            inner = bt.Search(Listed(), bt.BTS(), seed=0, evaluator=0.0)
            inner.run(trials=5)
            return inner.root.value

    def work(seconds):
        bt.Search(Plans(), bt.BTS(), seed=0, evaluator="heuristic").run(seconds=seconds)

    threads = [threading.Thread(target=work, args=(0.05 * k,)) for k in (3, 1, 4, 2)]
    for thread in threads:
        thread.start()
    search = bt.Search(Plans(), bt.BTS(), seed=0, evaluator="heuristic")
    search.run(seconds=0.1)
    try:
        interrupt_late(30)
        with pytest.raises(KeyboardInterrupt):
            search.run(trials=10**9)
    finally:
        sys.setprofile(None)
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_that_meets_a_finaliser(threads, hook):
    """Python ignores what is raised there."""

    class Dying:
        def __del__(self):
            raise KeyboardInterrupt

    def look(search):
        Dying()
        return False

    search = bt.Search(bt.problems.DChain(9), bt.UCT(), seed=0, threads=threads)
    with pytest.raises(KeyboardInterrupt):
        search.run(trials=10**9, stop=look)
    assert search.trials > 0
    assert hook == []


def test_an_interrupt_of_another_thread_is_not_taken(hook):
    """What is dropped elsewhere is not this search's."""
    with rescued():
        thread = threading.Thread(target=lambda: interrupts.sys.unraisablehook(Ignored()))
        thread.start()
        thread.join()
    assert len(hook) == 1
    hook.clear()


class Ignored:
    exc_type, exc_value = KeyboardInterrupt, None


def hold_back():
    done = []
    with pytest.raises(KeyboardInterrupt), held_back():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        done.append(1)
    assert done == [1]
    with pytest.raises(KeyboardInterrupt), held_back():  # noqa: PT012 - also where the block fails
        signal.raise_signal(signal.SIGINT)
        raise OSError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_held_back_comes_afterwards():
    call(hold_back)


class Rain:
    """Interrupts of a search at random moments, each when the search has said that it runs.

    What both threads look at are plain numbers: an interrupt in the middle of a lock's methods could leave it locked.
    """

    def __init__(self, search: bt.Search, heard: Heard, most: float = 0.003) -> None:
        self._search, self._heard, self._most, self._rng = search, heard, most, random.Random(0)
        self._running = self._arrived = False
        self.sent = 0

    def _runs(self, _) -> None:
        self._running = True

    def _send(self) -> None:
        """Interrupt until it has arrived: Python may have ignored it, and goes on then."""
        while not self._arrived:
            self._running, ignored = False, len(self._heard)
            while not self._running:
                time.sleep(0.0005)
            time.sleep(self._most * self._rng.random())
            self.sent += 1
            os.kill(os.getpid(), signal.SIGINT)
            while not self._arrived and len(self._heard) == ignored:
                time.sleep(0.0005)

    def fall(self, times: int) -> None:
        """Interrupt it so many times."""
        for _ in range(times):
            self._arrived = False
            sender = threading.Thread(target=self._send, daemon=True)
            sender.start()
            try:
                while True:
                    self._search.run(trials=10**12, progress=self._runs)
            except KeyboardInterrupt:
                self._arrived = True
            sender.join()


SEARCHES = {
    "asked once": lambda: bt.Search(Slow(), bt.BTS(), seed=0, evaluator=0.0, max_nodes=10**6),
    "asked always": lambda: bt.Search(Dice(), bt.UCT(c=1.0), seed=0, evaluator=0.0),
    "rollouts": lambda: bt.Search(Dice(), bt.BTS(), seed=0),
    "listed": lambda: bt.Search(Listed(), bt.DENTS(), seed=0, evaluator=0.0),
    "threads": lambda: bt.Search(random_mdp(3, horizon=6).problem(), bt.DENTS(), seed=0, threads=2),
    "shared tree": lambda: bt.Search(bt.problems.Go(size=6), bt.UCT(c=1.0), seed=0, threads=2),
    "deterministic": lambda: bt.Search(bt.problems.Go(size=6), bt.UCT(c=1.0), seed=0, threads=2, deterministic=True),
}


def interrupt_at_random(kind, times):
    with hearing() as heard:
        for begun in range(0, times, 25):
            search = SEARCHES[kind]()
            search.run(trials=100)
            rain = Rain(search, heard)
            rain.fall(25)
            assert rain.sent == 25 + len(heard), begun  # Python says what it ignores
            assert "run_within" not in heard.during
            heard.clear()
    assert search.root.count == search.trials
    if search.size < 20_000:
        check_invariants(search, runs=26)


@pytest.mark.parametrize("times", [25, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", SEARCHES)
def test_a_rain_of_interrupts(kind, times):
    call(interrupt_at_random, kind, times)


def asked_of_records(work) -> set[str]:
    """Where Numba asks an array of records, which answers by code in Python: an interrupt there would be dropped."""
    found: set[str] = set()

    def look(frame, event, argument):
        if event == "call" and str(frame.f_locals.get("attr", "")).startswith("__numba"):
            found.add(f"{frame.f_back.f_code.co_filename}:{frame.f_back.f_lineno}")

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


@pytest.mark.parametrize("kind", SEARCHES)
def test_no_kernel_is_given_what_answers_in_python(kind, tmp_path):
    def work() -> None:
        search = SEARCHES[kind]()
        search.run(trials=1000)
        search.advance(search.recommend(), state=search.root.outcomes(search.recommend())[0].state)
        search.run(seconds=0.05)
        if not isinstance(search.problem, bt.PythonProblem):
            search.save(tmp_path / "saved")

    assert asked_of_records(work) == set()


def test_nor_in_other_places():
    problem = bt.problems.FrozenLake("8x8")
    search = bt.Search(problem, bt.DENTS(), seed=0, transpositions=True)
    plain = bt.Search(problem, bt.UCT(c=1.0), seed=0, on_full="recycle", max_nodes=5_000)

    def work() -> None:
        bt.Search(problem, bt.PUCT(), seed=0, evaluator=Even()).run(trials=100)
        with Together(Even()) as together:
            bt.Search(problem, bt.BTS(), seed=0, evaluator=together).run(trials=100)
        search.run(trials=500)
        plain.run(trials=5_000)
        bt.simple_regret(plain)
        bt.sample_value(plain, episodes=5)
        bt.solve(problem)
        bt.search_many([problem] * 4, bt.BTS(), trials=50, threads=2, seed=0)

    assert asked_of_records(work) == set()
    assert asked_of_records(lambda: scanned(np.zeros(1, [("a", "i8")]).view(np.recarray))) != set()  # it can be seen


class Even:
    batch = 4

    def evaluate(self, batch):
        return np.full((len(batch), 4), 0.25), np.zeros(len(batch))


@numba.njit
def scanned(records) -> int:
    """Any kernel."""
    return records[0].a
