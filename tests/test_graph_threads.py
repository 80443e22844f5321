"""Several threads where nodes are shared: each has a graph, and what they counted is added up."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.parallel import own_graphs
from child import Interrupt, call
from mdps import random_mdp
from test_robust import Fragile
from test_transpositions import GROWTH, MODES, SHARING
from trees import check_shared


def new_search(problem: Any, algorithm: Any = None, **options: Any) -> bt.Search:
    return bt.Search(problem, algorithm, **{"transpositions": True, "threads": 3, "seed": 0, **options})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("name", ["UCT", "UCT c", "BTS", "DENTS", "MENTS", "ARBTS", "PowerUCT", "ANTS"])
def test_equations(name: str, growth: Any, mode: Any) -> None:
    algorithm = SHARING.get(name) or SHARING[next(key for key in SHARING if key.startswith(name.split()[0]))]
    mdp = random_mdp(7, states=6, actions=3, horizon=6, discount=0.8)
    search = new_search(mdp.problem(), algorithm, growth=growth, transpositions=mode)
    for trials in (1, 2, 5, 300, 1_000):
        search.run(trials=trials)
        check_shared(search, merged=True)
    assert search.parallelism == "a graph each"
    assert search.root.count == search.trials == 1_308


def counts_of(tree: Any) -> tuple[Counter[Any], Counter[Any]]:
    """Of each node, by state, depth and end: visits that took an action; of each link, arrivals and rewards."""
    visits: Counter[Any] = Counter()
    links: Counter[Any] = Counter()

    def key(node: Any) -> Any:
        return node.state_record.tobytes(), node.depth, node.terminal

    for index in range(tree.size):
        node = bt.tree.Node(tree, index)
        visits[key(node)] += int(node.visits.sum())
        for action in node.actions if node.children else ():
            outcomes = zip(node.outcomes(int(action)), node._links(int(action)), strict=True)
            for child, link in outcomes:
                links[key(node), int(action), key(child), "arrivals"] += int(link.visits)
                links[key(node), int(action), key(child), "paid"] += round(float(link.rewards) * 2**20)
    return visits, links


@pytest.mark.parametrize("growth", GROWTH)
def test_a_merged_graph_is_the_sum_of_its_graphs(growth: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Node by node and link by link, added up in plain Python; rewards are dyadic, so that sums are exact."""
    mdp = random_mdp(5, states=6, actions=3, horizon=4)
    mdp.rewards[:] = np.round(mdp.rewards * 64) / 64
    search = new_search(mdp.problem(), bt.UCT(c=1.0), growth=growth)
    parts: list[Any] = []
    add_up = own_graphs.OwnGraphs._add_up

    def collect(runner: Any) -> None:
        if runner._helpers:
            parts.append([counts_of(tree) for tree in (runner.tree, *runner._helpers)])
        add_up(runner)

    monkeypatch.setattr(own_graphs.OwnGraphs, "_add_up", collect)
    for _ in range(3):
        search.run(trials=700)
        visits, links = Counter[Any](), Counter[Any]()
        for part in parts[-1]:
            visits.update(part[0])
            links.update(part[1])  # `+` would leave out what is negative
        seen = counts_of(search.tree)
        assert seen[0] == visits
        assert {key: n for key, n in seen[1].items() if n} == {key: n for key, n in links.items() if n}
    assert len(parts) == 3


def test_leaves_that_two_graphs_valued_are_worth_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    search, parts = new_search(bt.problems.ConnectFour(), bt.UCT(c=5.0), threads=2), []
    add_up = own_graphs.OwnGraphs._add_up

    def values_of(tree: Any) -> dict[int, float]:
        return {action: node.value for action, (node,) in bt.tree.Node(tree, 0).children.items()}

    def collect(runner: Any) -> None:
        parts.extend(values_of(tree) for tree in (runner.tree, *runner._helpers))
        add_up(runner)

    monkeypatch.setattr(own_graphs.OwnGraphs, "_add_up", collect)
    search.run(trials=14)  # every graph tries each column once
    one, two = parts[:2]
    assert set(one) == set(two) == set(range(7))
    assert one != two
    assert values_of(search.tree) == {action: (one[action] + two[action]) / 2 for action in one}
    assert all(node.count == 1 for (node,) in search.children.values())


def test_the_same_seed_gives_the_same_graph() -> None:
    def grown(threads: int, runs: tuple[int, ...]) -> Any:
        search = new_search(bt.problems.ConnectFour(), bt.UCT(c=0.7), threads=threads, outcomes="known", proofs=True)
        for trials in runs:
            search.run(trials=trials)
        return search.root.visits.tolist(), search.root.q.tolist(), search.size

    assert grown(2, (20_000,)) == grown(2, (20_000,))
    assert grown(3, (3_000, 50)) == grown(3, (3_000, 50))
    assert grown(2, (3_000,)) != grown(3, (3_000,))


@pytest.mark.parametrize("moves", ["3344", "334455"])
def test_what_one_graph_proves_is_proven(moves: str) -> None:
    search = new_search(bt.problems.ConnectFour(moves), threads=2)
    search.tree.exact = None
    assert search.run(trials=200_000) == "proven"
    assert search.root.value == 1.0
    assert search.trials < 200_000


def test_it_finds_what_one_thread_finds() -> None:
    plan = bt.plan(bt.problems.FrozenLake("8x12-test"), trials=100_000, seed=0, threads=2)
    assert plan.search.parallelism == "a graph each"
    assert plan.proven
    assert plan.value == pytest.approx(bt.solve(bt.problems.FrozenLake("8x12-test")).root_value, abs=1e-12)


def test_a_users_exception_in_a_thread() -> None:
    for growth in GROWTH:
        search = new_search(Fragile(chance=0.0005), bt.DENTS(alpha=0.3), growth=growth)
        failures = 0
        for _ in range(20):
            try:
                search.run(trials=500)
            except RuntimeError as error:
                failures += str(error) == "it broke"
            check_shared(search, merged=True)
        assert failures > 5
        assert search.root.count == search.trials > 500


def test_limits() -> None:
    search = new_search(bt.problems.ConnectFour(), bt.BTS(), evaluator=0.0, max_nodes=5_000)
    assert search.run(trials=100_000) == "memory"
    assert 4_000 < search.size <= 5_000
    check_shared(search, merged=True)
    search = new_search(bt.problems.ConnectFour(), bt.BTS(), evaluator=0.0, max_bytes=3_000_000)
    assert search.run(trials=1_000_000) == "memory"
    assert 1_500_000 < search.nbytes <= 3_000_000
    check_shared(search, merged=True)


def interrupt_again_and_again() -> None:
    search = new_search(bt.problems.ConnectFour(), bt.UCT(), max_bytes=10**9)
    search.run(trials=200)  # compiled
    for k in range(8):
        with Interrupt(after=0.013 * k) as interrupt, pytest.raises(KeyboardInterrupt):
            interrupt.run(search)
    search.run(trials=100)
    assert search.root.count == search.trials


@pytest.mark.skipif(os.name != "posix", reason="signals to a process are POSIX")
def test_interrupts() -> None:
    call(interrupt_again_and_again)


def test_advancing_and_saving(tmp_path: Any) -> None:
    search = new_search(bt.problems.ConnectFour())
    for _ in range(4):
        search.run(trials=300)
        search.advance(search.recommend())
    search.save(tmp_path / "search")
    loaded = bt.Search.load(tmp_path / "search")
    assert (loaded.threads, loaded.trials, loaded.size) == (3, search.trials, search.size)
    loaded.run(trials=300)
    assert loaded.trials == search.trials + 300
    assert loaded.root.count == search.root.count + 300
