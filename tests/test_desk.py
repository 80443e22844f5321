"""Who is taken by which cohort."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from boltree.evaluators import Together
from boltree.evaluators.cohort import Client, Question
from boltree.evaluators.desk import Desk


class Half:
    gives_prior, batch = False, 4

    def evaluate(self, batch: Any) -> tuple[None, Any]:
        return None, np.full(len(batch), 0.5)


class Empty:
    """A cohort, as far as a desk sees it."""

    def __init__(self) -> None:
        self.clients: list[Client] = []


def desk_for(cohorts: int, at_once: Any) -> tuple[Desk, list[Any]]:
    desk = Desk(at_once)
    made: list[Any] = [Empty() for _ in range(cohorts)]
    desk.cohorts = made
    return desk, made


def clients(desk: Desk, count: int) -> None:
    search: Any = SimpleNamespace(trials=0)
    for _ in range(count):
        desk.enter(Client(search, 10, None, desk.door))


def take(desk: Desk, cohort: Any) -> tuple[list[Client], list[Question]]:
    taken = desk.take(cohort)
    assert taken is not None
    return taken


def test_cohorts_take_alike() -> None:
    desk, cohorts = desk_for(3, lambda searches: 3)
    clients(desk, 7)
    for cohort in cohorts:
        take(desk, cohort)
    assert [len(cohort.clients) for cohort in cohorts] == [3, 3, 1]
    clients(desk, 2)
    assert desk.take(cohorts[0]) == ([], [])  # it has its share
    assert len(take(desk, cohorts[2])[0]) == 2


def test_few_searches_use_few_cohorts() -> None:
    desk, cohorts = desk_for(3, lambda searches: 3 if searches >= 6 else 2)
    clients(desk, 5)
    last: list[Any] = []
    waits = threading.Thread(target=lambda: last.append(desk.take(cohorts[2])))
    waits.start()
    for cohort in cohorts[:2]:
        take(desk, cohort)
    assert [len(cohort.clients) for cohort in cohorts] == [3, 2, 0]
    desk.enter(Question(np.zeros(3)))
    assert len(take(desk, cohorts[1])[1]) == 1
    waits.join(0.1)
    assert waits.is_alive()
    clients(desk, 1)  # now there are six
    waits.join(10)
    assert len(last[0][0]) == 1


def test_many_searches_have_more_batches_on_their_way() -> None:
    with Together(Half(), threads=12) as together:
        assert [together.at_once(searches) for searches in (1, 96, 107, 108, 500)] == [4, 4, 4, 6, 6]
    with Together(Half(), threads=2) as together:
        assert together.at_once(1) == together.at_once(500) == 3


def test_who_was_just_taken_counts() -> None:
    """Otherwise the second cohort would not be told that it is needed."""
    desk, cohorts = desk_for(2, lambda searches: 1 if searches < 3 else 2)
    clients(desk, 2)
    assert len(take(desk, cohorts[0])[0]) == 2
    taken: list[Any] = []
    waiting = threading.Thread(target=lambda: taken.append(desk.take(cohorts[1])), daemon=True)
    waiting.start()
    clients(desk, 1)
    waiting.join(20.0)
    assert [len(new) for new, _ in taken] == [1]
