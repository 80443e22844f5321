"""Who is taken by which cohort."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from boltree.evaluators.cohort import Client, Question
from boltree.evaluators.desk import Desk
from child import LONG


class Empty:
    """A cohort, as far as a desk sees it."""

    def __init__(self) -> None:
        self.clients: list[Client] = []


def desk_for(cohorts: int) -> tuple[Desk, list[Any]]:
    desk = Desk()
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
    desk, cohorts = desk_for(3)
    clients(desk, 7)
    for cohort in cohorts:
        take(desk, cohort)
    assert [len(cohort.clients) for cohort in cohorts] == [3, 3, 1]
    clients(desk, 2)
    assert desk.take(cohorts[0]) == ([], [])  # it has its share
    assert len(take(desk, cohorts[2])[0]) == 2


def test_who_waits_is_told_that_somebody_comes() -> None:
    desk, cohorts = desk_for(2)
    clients(desk, 1)
    assert len(take(desk, cohorts[0])[0]) == 1
    for one, expected in ((Question(np.zeros(3)), (0, 1)), (None, (1, 0))):
        taken: list[Any] = []
        waiting = threading.Thread(target=lambda taken=taken: taken.append(take(desk, cohorts[1])), daemon=True)
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()  # there is nothing to do
        if one is None:
            clients(desk, 1)
        else:
            desk.enter(one)
        waiting.join(LONG)
        assert [(len(new), len(questions)) for new, questions in taken] == [expected]
