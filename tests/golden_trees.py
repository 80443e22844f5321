"""Searches whose trees are pinned: their digests and, for people, a few whole trees are stored in ``tests/golden``.

``python tests/golden_trees.py`` writes both files anew: only after a change that is meant to change what searches do,
with the reason in the commit's message.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import boltree as bt
from boltree.tree import Node
from mdps import random_mdp
from test_invariants import ALGORITHMS

FOLDER = Path(__file__).parent / "golden"
DIGESTS, READABLE = FOLDER / "digests.json", FOLDER / "trees.json"
TRIALS = 300
NEED_A_PARENT = ("RENTS", "ARRENTS", "HMCTS", "BRUE")
ALL = ("leaf", "trial")


class Evaluator:
    """Values and priors made from the bytes of states: the same on every machine."""

    gives_prior = True

    def __init__(self, batch: int, actions: int = 3) -> None:
        self.batch, self._actions = batch, actions

    def evaluate(self, positions: Any) -> tuple[Any, Any]:
        sums = np.array([sum(np.asarray(one).tobytes()) for one in positions], np.float64)
        return 1.0 + (sums[:, None] + np.arange(self._actions)) % 3.0, sums % 7.0 / 7.0


def random_problem(discount: float = 0.9, deterministic: bool = False, horizon: int = 5) -> bt.Problem:
    return random_mdp(7, horizon=horizon, discount=discount, deterministic=deterministic).problem()


def one_run(problem: bt.Problem, algorithm: bt.Algorithm, **options: Any) -> bt.Search:
    search = bt.Search(problem, algorithm, seed=5, **options)
    for trials in (TRIALS // 3, TRIALS - TRIALS // 3):
        search.run(trials=trials)
    return search


def with_an_advance(algorithm: bt.Algorithm, growth: str, **options: Any) -> bt.Search:
    search = one_run(random_problem(), algorithm, growth=growth, **options)
    search.advance(search.recommend(), search.node([search.recommend()]).state, horizon="receding")
    search.run(trials=TRIALS)
    return search


def in_common_batches(algorithm: bt.Algorithm) -> bt.Search:
    problem = random_problem()
    with bt.Together(Evaluator(4)) as together, ThreadPoolExecutor(2) as threads:
        searches = [bt.Search(problem, algorithm, seed=seed, evaluator=together) for seed in (5, 6)]
        list(threads.map(lambda search: search.run(trials=TRIALS), searches))
    return searches[0]


MODES: dict[str, tuple[tuple[str, ...], Callable[[bt.Algorithm, str], bt.Search]]] = {
    "one thread": (ALL, lambda a, g: one_run(random_problem(), a, growth=g)),
    "one thread, deterministic problem": (ALL, lambda a, g: one_run(random_problem(1.0, True), a, growth=g)),
    "one thread, two players": (ALL, lambda a, g: one_run(bt.problems.TicTacToe(), a, growth=g)),
    "one evaluation at a time": (("leaf",), lambda a, _: one_run(random_problem(), a, evaluator=Evaluator(1))),
    "batches": (("leaf",), lambda a, _: one_run(random_problem(), a, evaluator=Evaluator(8))),
    "batches, two players": (("leaf",), lambda a, _: one_run(bt.problems.TicTacToe(), a, evaluator=Evaluator(8, 9))),
    "common batches": (("leaf",), lambda a, _: in_common_batches(a)),
    "a tree each": (ALL, lambda a, g: one_run(random_problem(), a, growth=g, threads=3, deterministic=True)),
    "a tree each, two players": (
        ALL,
        lambda a, g: one_run(bt.problems.TicTacToe(), a, growth=g, threads=3, deterministic=True),
    ),
    "transpositions by depth": (ALL, lambda a, g: one_run(random_problem(), a, growth=g, transpositions=True)),
    "transpositions by state": (ALL, lambda a, g: one_run(random_problem(), a, growth=g, transpositions="state")),
    "transpositions by depth, two players": (
        ALL,
        lambda a, g: one_run(bt.problems.TicTacToe(), a, growth=g, transpositions=True),
    ),
    "transpositions, known outcomes": (
        ALL,
        lambda a, g: one_run(random_problem(), a, growth=g, transpositions=True, outcomes="known"),
    ),
    "transpositions, proofs": (
        ALL,
        lambda a, g: one_run(
            random_problem(horizon=7), a, growth=g, transpositions=True, outcomes="known", proofs=True
        ),
    ),
    "transpositions, proofs, two players": (
        ALL,
        lambda a, g: one_run(bt.problems.TicTacToe(), a, growth=g, transpositions=True, outcomes="known", proofs=True),
    ),
    "transpositions, a graph each": (
        ALL,
        lambda a, g: one_run(random_problem(), a, growth=g, transpositions=True, threads=3),
    ),
    "advance": (ALL, with_an_advance),
    "advance, transpositions": (ALL, lambda a, g: with_an_advance(a, g, transpositions=True)),
    "recycling": (ALL, lambda a, g: one_run(random_problem(), a, growth=g, max_nodes=90, on_full="recycle")),
}


def algorithms_of(mode: str) -> Iterator[tuple[str, bt.Algorithm]]:
    """The algorithms that a mode allows, each with a name of its own."""
    for algorithm in ALGORITHMS:
        if "transpositions" in mode and algorithm.name in NEED_A_PARENT:
            continue
        if "proofs" in mode and algorithm.state_value_row.has_temperature:
            continue
        yield algorithm.name + (" with tables" if getattr(algorithm, "alias", None) is True else ""), algorithm


def digest(search: bt.Search) -> str:
    """A hash of all nodes in the order in which they were made: counts, values, entropies, states."""
    seen, found = search.survey(), hashlib.sha256()
    for column in (seen.parent, seen.action, seen.depth, seen.visits, seen.value, seen.terminal, seen.recommended):
        found.update(np.ascontiguousarray(column).tobytes())
    nodes = [Node(search.tree, i) for i in range(search.size)]
    found.update(np.array([node.entropy for node in nodes]).tobytes())
    for node in nodes:
        found.update(search.problem.as_state(node.state).tobytes())
    found.update(search.root.q.tobytes() + search.root.policy.tobytes())
    return found.hexdigest()[:16]


def digests_of(mode: str, only: Container[str] | None = None) -> dict[str, str]:
    """The digest of every search of a mode, or of some algorithms only."""
    growths, run = MODES[mode]
    return {
        f"{name}, {growth}": digest(run(algorithm, growth))
        for name, algorithm in algorithms_of(mode)
        for growth in growths
        if only is None or name in only
    }


def readable_trees() -> dict[str, Any]:
    """Whole trees of a dozen nodes, as JSON: a few algorithms on the paper's D-chain."""
    trees = {}
    for algorithm in (bt.UCT(c=1.0), bt.MENTS(alpha=0.5), bt.BTS(alpha=0.5), bt.DENTS(alpha=0.5), bt.ARDENTS()):
        search = bt.Search(bt.problems.DChain(6), algorithm, seed=1, growth="trial")
        search.run(trials=40)
        trees[algorithm.name] = as_json(search.root)
    return trees


def as_json(node: Node) -> dict[str, Any]:
    q, visits = node.q, node.visits
    return {
        "d": int(node.state.d),
        "visits": node.count,
        "value": node.value,
        "entropy": node.entropy,
        "actions": {
            str(action): {
                "visits": int(visits[i]),
                "q": None if np.isnan(q[i]) else float(q[i]),
                "outcomes": [as_json(child) for child in node.children.get(int(action), [])],
            }
            for i, action in enumerate(node.actions)
        },
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    DIGESTS.write_text(json.dumps({mode: digests_of(mode) for mode in MODES}, indent=1) + "\n")
    READABLE.write_text(json.dumps(readable_trees(), indent=1) + "\n")
