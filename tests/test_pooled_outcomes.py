"""Outcomes pooled over depths: against plain dictionaries, and what they are worth in a simulator."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.core.memory.layout import TERMINAL
from boltree.lab.suite.hiding import simulator_of
from boltree.lab.suite.regret import Examination
from boltree.tree.pooled import PooledModel
from known_games import Exact

POOLED: dict[str, Any] = {"growth": "trial", "transpositions": True, "outcomes": "pooled"}


class Plain:
    """The same model in dictionaries, read from the nodes of a search."""

    def __init__(self, search: bt.Search) -> None:
        self.search, self.discount = search, search.problem.discount
        self.player: dict[bytes, int] = {}
        self.seen: dict[bytes, dict[int, dict[bytes | None, int]]] = defaultdict(lambda: defaultdict(dict))
        self.paid: dict[tuple[bytes, int], float] = defaultdict(float)
        storage = search.tree.storage
        for index in range(search.size):
            node, here = storage.node(index), storage.states[index].tobytes()
            self.player[here] = int(node["player"])
            for edge in () if search.tree.edges_of(index) is None else search.tree.edges_of(index):
                link = int(edge["child"]) if edge["visits"] else -1
                while link != -1:
                    row = storage.links[link]
                    child = int(row["child"])
                    ends = storage.node(child)["marks"] & TERMINAL
                    after = None if ends else storage.states[child].tobytes()
                    counts = self.seen[here][int(edge["action"])]
                    counts[after] = counts.get(after, 0) + int(row["visits"])
                    self.paid[here, int(edge["action"])] += float(row["rewards"])
                    link = int(row["next"])
        self.values: dict[tuple[bytes, int], float] = {}

    def q(self, state: bytes, left: int) -> dict[int, float]:
        """Q of every action that was tried in a state, in player 0's units."""
        means = {}
        for action, counts in self.seen[state].items():
            valued = {s: n for s, n in counts.items() if s is None or s in self.seen}
            later = self.unknown(left - 1)
            if valued:
                later = sum(n * self.value(s, left - 1) for s, n in valued.items()) / sum(valued.values())
            means[action] = self.paid[state, action] / sum(counts.values()) + self.discount * later
        return means

    def has_unknown(self, state: bytes) -> bool:
        """Whether an action may lead to a state of which no action was tried."""
        return any(s is not None and s not in self.seen for counts in self.seen[state].values() for s in counts)

    def value(self, state: bytes | None, left: int) -> float:
        if state is None or left == 0:
            return 0.0
        if (state, left) not in self.values:
            best = min if self.player[state] else max
            self.values[state, left] = best(self.q(state, left).values())
        return self.values[state, left]

    def unknown(self, left: int) -> float:
        """A state of which no action was tried: the mean of the others."""
        return float(np.mean([self.value(state, left) for state in self.seen])) if left else 0.0


def walk() -> bt.Problem:
    """A slippery walk along a line, with rare jumps to places of which some are seen at the horizon only."""
    rows = []
    for x in range(15):
        up, down, far = min(x + 1, 14), max(x - 1, 0), 15 + x
        rows.append(
            [
                [(0.65, up, 0.1 * x, False), (0.25, down, 0.0, False), (0.1, far, 0.0, False)],
                [(0.6, down, 0.3, False), (0.3, up, -0.2, x == 9), (0.1, far, 0.5, False)],
            ]
        )
    rows += [[[(1.0, x, 1.0, False)], [(1.0, 30 + x, 0.0, False)]] for x in range(15)]
    rows += [[[(1.0, x, 1.0, False)], [(1.0, x, 2.0, False)]] for x in range(15)]
    return bt.problems.OutcomeTable(rows, horizon=6, start=7, discount=0.9)


@pytest.mark.parametrize("make", ["one player", "two players", "walk"])
@pytest.mark.parametrize("seed", range(3))
def test_every_number(seed: int, make: str) -> None:
    problem = walk() if make == "walk" else Exact(seed, two=make == "two players").problem
    search = bt.Search(simulator_of(problem), bt.BTS(alpha=0.3), seed=seed, **POOLED)
    search.run(trials=60)
    plain, tree = Plain(search), search.tree
    pooled = len(plain.player) * 1.25 <= search.size
    assert pooled, "the test is of nothing where states do not come again"
    assert (make == "walk") == any(plain.has_unknown(s) for s in plain.seen), "and of states that have no value"
    compared = 0
    for index in range(search.size):
        node = tree.storage.node(index)
        if tree.edges_of(index) is None:
            continue
        here, left = tree.storage.states[index].tobytes(), search.horizon - int(node["depth"])
        assert node["value"] == pytest.approx(plain.value(here, left))
        q, sign = plain.q(here, left), -1.0 if node["player"] else 1.0
        for edge in tree.edges_of(index):
            if edge["visits"]:
                assert sign * edge["q"] == pytest.approx(q[int(edge["action"])])
                assert edge["w"] == pytest.approx(q[int(edge["action"])] * edge["visits"])
                compared += 1
    assert compared > 20


def test_where_nothing_is_known_of_what_follows_it_is_the_mean_of_the_states() -> None:
    """State 0 leads to state 1, of which no action was tried; state 2 ends."""
    counts = np.array([4, 2])
    model = PooledModel(
        np.array([0, 1, 1, 2]), np.zeros(3, np.uint8), counts, np.array([4.0, 6.0]), np.array([0, 1]),
        np.array([1, -1]), counts,
    )  # fmt: skip
    values, layers = model.values(2, 0.5)
    assert layers == 3
    assert values.reshape(3, 4).tolist() == [[0.0] * 4, [1.0, 0.0, 3.0, 2.0], [1.0 + 0.5 * 2.0, 0.0, 3.0, 2.5]]


def test_looking_changes_nothing() -> None:
    problem = simulator_of(Exact(0).problem)
    whole, pieces = (bt.Search(problem, bt.BTS(), seed=1, **POOLED) for _ in range(2))
    whole.run(trials=300)
    for _ in range(6):
        pieces.run(trials=50)
    assert np.array_equal(whole.root.q, pieces.root.q)
    assert np.array_equal(whole.root.visits, pieces.root.visits)


def test_a_saved_search_goes_on_alike(tmp_path: Any) -> None:
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.BTS(), seed=0, **POOLED)
    search.run(trials=200)
    search.save(tmp_path / "search")
    again = bt.Search.load(tmp_path / "search")
    assert again.outcomes == "pooled"
    assert np.array_equal(again.root.q, search.root.q)
    for one in (search, again):
        one.run(trials=100)
    assert np.array_equal(again.root.q, search.root.q)


def test_where_states_do_not_come_again_it_is_sampling() -> None:
    problem = bt.problems.SyntheticTree(3, 5, seed=0)
    searches = [bt.Search(problem, bt.BTS(), seed=0, **{**POOLED, "outcomes": o}) for o in ("pooled", "sampled")]
    for search in searches:
        search.run(trials=300)
    assert np.array_equal(searches[0].root.q, searches[1].root.q)


def test_in_a_simulator_pooled_outcomes_are_worth_much() -> None:
    """Sailing, asked at ten positions: winds of all steps count for each."""
    examination = Examination(bt.problems.Sailing(8, "E", horizon=40), 10)
    lost = {}
    for outcomes in ("pooled", "sampled"):
        actions = []
        for k, position in enumerate(examination.positions):
            search = bt.Search(
                simulator_of(position.problem), bt.BTS(alpha=bt.spectrum()), state=position.state, seed=k,
                **{**POOLED, "outcomes": outcomes},
            )  # fmt: skip
            search.run(trials=300)
            actions.append(search.recommend())
        lost[outcomes] = examination.regret(actions)
    assert lost["pooled"] < 0.5 * lost["sampled"]


@pytest.mark.parametrize(
    ("algorithm", "options", "message"),
    [
        (bt.BTS(), {"growth": "trial"}, "outcomes='pooled': needs transpositions=True, where"),
        (bt.BTS(), {"transpositions": True}, "outcomes='pooled': needs growth='trial'"),
        (bt.UCT(), {"growth": "trial", "transpositions": True}, "must be 'sampled' or 'known' with UCT"),
        (bt.MENTS(), {"growth": "trial", "transpositions": True}, "must be 'sampled' or 'known' with MENTS"),
    ],
)
def test_refused(algorithm: bt.Algorithm, options: dict[str, Any], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        bt.Search(Exact(0).problem, algorithm, outcomes="pooled", **options)
