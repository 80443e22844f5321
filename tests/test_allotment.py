"""Trials that several threads share: all are run, once, and no thread takes most of the last ones."""

from __future__ import annotations

import threading

import pytest

from boltree.parallel.allotment import FIRST_TRIALS, PIECE_SECONDS, Allotment


def test_no_user_takes_much_of_what_is_left():
    shared, own = Allotment(4), Allotment()
    shared.raise_to(1_000)
    own.raise_to(1_000)
    assert shared.take(10_000) == 125
    assert shared.take(50) == 50
    assert own.take(10_000) == 1_000
    assert own.take(1) == 0
    taken = []
    while one := shared.take(10_000):
        taken.append(one)
    assert sum(taken) == 825
    assert taken == sorted(taken, reverse=True)
    assert max(taken[-5:]) <= FIRST_TRIALS // 4


def test_a_bound_for_one_user_only():
    allotment = Allotment()
    allotment.raise_to(100)
    assert allotment.take(80, most=30) == 30
    assert allotment.take(80, most=20) == 0
    allotment.give_back(10)
    assert allotment.given == 20
    assert allotment.take(200) == 80


def test_every_trial_is_run_once():
    allotment, ran = Allotment(3), [0, 0, 0]
    allotment.raise_to(20_000)

    def work(k):
        def run(trials):
            some = max(trials - k, 0)  # the others leave some of them
            ran[k] += some
            return some

        allotment.use(run, lambda: ran[k] < 5_000 or k == 0)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(ran) == allotment.given == 20_000


@pytest.mark.parametrize(("each", "most"), [(1e-6, 4_000), (1e-3, FIRST_TRIALS)])
def test_pieces_are_short(each, most, clock):
    """However long a trial takes, a piece comes to about the seconds that it should take."""
    clock.tick, pieces, allotment = 0.0, [], Allotment()

    def run(trials):
        clock.seconds += each * trials
        pieces.append(trials)
        return trials

    allotment.raise_to(100_000)
    allotment.use(run, lambda: True)
    assert sum(pieces) == 100_000
    assert max(pieces) <= most
    assert 0.25 * PIECE_SECONDS < each * max(pieces[10:-1]) <= 2 * PIECE_SECONDS


def test_trials_that_were_not_run_are_given_back():
    allotment = Allotment()
    allotment.raise_to(100)

    def fails(trials):
        raise MemoryError("no more")

    with pytest.raises(MemoryError, match="no more"):
        allotment.use(fails, lambda: True)
    assert allotment.given == 0
