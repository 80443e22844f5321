"""Which server takes which searches and queries."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from boltree.batches.server import Query, RunningSearch
from boltree.batches.together import Arrivals
from child import LONG


class Empty:
    """A server, as far as arrivals see it."""

    def __init__(self) -> None:
        self.searches: list[RunningSearch] = []


def arrivals_for(servers: int) -> tuple[Arrivals, list[Any]]:
    arrivals = Arrivals()
    made: list[Any] = [Empty() for _ in range(servers)]
    arrivals.servers = made
    return arrivals, made


def add_searches(arrivals: Arrivals, count: int) -> None:
    tree: Any = SimpleNamespace(trials=0)
    for _ in range(count):
        arrivals.add(RunningSearch(tree, 10, None, arrivals.wake_ups))


def take(arrivals: Arrivals, server: Any) -> tuple[list[RunningSearch], list[Query]]:
    taken = arrivals.take(server)
    assert taken is not None
    return taken


def test_servers_take_alike() -> None:
    arrivals, servers = arrivals_for(3)
    add_searches(arrivals, 7)
    for server in servers:
        take(arrivals, server)
    assert [len(server.searches) for server in servers] == [3, 3, 1]
    add_searches(arrivals, 2)
    assert arrivals.take(servers[0]) == ([], [])  # it has its part
    assert len(take(arrivals, servers[2])[0]) == 2


def test_a_server_that_waits_is_woken_by_an_arrival() -> None:
    arrivals, servers = arrivals_for(2)
    add_searches(arrivals, 1)
    assert len(take(arrivals, servers[0])[0]) == 1
    for one, expected in ((Query(np.zeros(3)), (0, 1)), (None, (1, 0))):
        taken: list[Any] = []
        waiting = threading.Thread(target=lambda taken=taken: taken.append(take(arrivals, servers[1])), daemon=True)
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()  # there is nothing to do
        if one is None:
            add_searches(arrivals, 1)
        else:
            arrivals.add(one)
        waiting.join(LONG)
        assert [(len(new), len(queries)) for new, queries in taken] == [expected]
