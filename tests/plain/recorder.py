"""A compiled search and its plain double: run one trial, replay it, compare."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

import boltree as bt
from boltree.algorithms.schedules import Spectrum
from boltree.problem.state import PlainState

from .reference import SAMPLED, PlainNode, PlainTree, Step

TOLERANCE = 1e-9

TABLES: dict[Any, float] = {False: math.inf, True: 2, "auto": 16}
"""From how many actions on a node has an alias table."""


class ProblemRules:
    """A `bt.Problem` as the reference sees it: its functions run in plain Python, states are their bytes."""

    def __init__(self, problem: Any) -> None:
        self.problem, self.horizon, self.discount = problem, problem.horizon, problem.discount
        self._params = problem.plain_params
        self._known: dict[tuple[str, bytes], Any] = {}

    def _state(self, key: bytes) -> Any:
        return PlainState(np.frombuffer(key, self.problem.state_layout()).copy())

    def _once(self, what: str, key: bytes) -> Any:
        if (what, key) not in self._known:
            self._known[what, key] = getattr(self, f"_{what}")(key)
        return self._known[what, key]

    def _legal(self, key: bytes) -> list[int]:
        if not self.problem.has("legal"):
            return list(range(self.problem.actions))
        mask = np.zeros(self.problem.actions, np.bool_)
        type(self.problem).legal(self._params, self._state(key), mask)
        return [int(a) for a in np.flatnonzero(mask)]

    def _player(self, key: bytes) -> int:
        return int(type(self.problem).player(self._params, self._state(key))) if self.problem.has("player") else 0

    def _prior(self, key: bytes) -> dict[int, float] | None:
        if not self.problem.has("prior"):
            return None
        out = np.zeros(self.problem.actions)
        type(self.problem).prior(self._params, self._state(key), out)
        return {a: float(out[a]) for a in self.legal(key)}

    def legal(self, key: Any) -> list[int]:
        return list(self._once("legal", key))

    def player(self, key: Any) -> int:
        return self._once("player", key)

    def prior(self, key: Any) -> dict[int, float] | None:
        return self._once("prior", key)

    def hint(self, key: Any) -> float:
        return float(type(self.problem).heuristic(self._params, self._state(key)))


class Double:
    """A search and the reference that replays it."""

    def __init__(
        self,
        problem: Any,
        algorithm: Any,
        growth: str,
        *,
        seed: int = 0,
        evaluator: Any = 0.3,
        compact: bool = True,
        tree: type[PlainTree] = PlainTree,
        transpositions: Any = False,
        rules: type[ProblemRules] = ProblemRules,
        outcomes: Any = "sampled",
    ) -> None:
        self.search = bt.Search(
            problem,
            algorithm,
            seed=seed,
            growth=growth,  # type: ignore[arg-type]
            evaluator=evaluator,
            transpositions=transpositions,
            outcomes=outcomes,
        )
        if not compact:
            self.search.tree.fields.compact = 0
        noise = None
        if getattr(algorithm, "noise", 0.0):
            noise = {a: float(x) for a, x in enumerate(self.search.tree.storage.scratch["noise"])}
        known = rules(problem)
        self.plain = tree(
            known,
            algorithm,
            self.search.tree.storage.states[0].tobytes(),
            growth=growth,
            v_init=known.hint if evaluator == "heuristic" else 0.0 if evaluator == "rollout" else evaluator,
            alias=TABLES[getattr(algorithm, "alias", False)],
            noise=noise,
        )
        self.evaluator = evaluator
        self.ways: dict[int, list[PlainNode]] = {
            0: [self.plain.root]
        }  # from a node's index: the way there from the root
        self.indices = {id(self.plain.root): 0}

    def trial(self) -> list[int]:
        """Run one trial of the search and replay it; returns the indices of the nodes it went through."""
        search = self.search
        if self.plain.name == "ANTS":
            self.plain.alpha_now = float(search.tree.fields.alpha_scale)
        assert search.run(trials=1) == "trials"
        if isinstance(getattr(search.algorithm, "alpha", None), Spectrum):
            self.plain.alpha_now = float(search.tree.fields.trial_alpha)
        if search.tree.estimates is not None:
            search.tree.estimates.resume()  # what trials go by, not what is shown
        storage = search.tree.storage
        path, length = storage.scratch["path"], int(search.tree.fields.length)
        indices = [int(path[level]["node"]) for level in range(length)] + [int(search.tree.fields.leaf)]
        nodes = storage.nodes
        steps = [
            Step(
                self.action_of(path[level], after),
                float(path[level]["reward"]),
                storage.states[after].tobytes(),
                bool(nodes[after].marks & 1),
            )
            for level, after in enumerate(indices[1:])
        ]
        if self.evaluator == "rollout":  # what the rollout brought is only known from the search
            self.plain.v_init = float(nodes[indices[-1]].value)
        way = self.plain.replay(steps)
        if self.plain.name == "ANTS":
            self.plain.alpha_now = float(search.tree.fields.alpha_scale)
        for level, (index, node) in enumerate(zip(indices, way, strict=True)):
            assert self.ways.setdefault(index, way[: level + 1])[-1] is node, (
                "one node of the search, two of the reference"
            )
            assert self.indices.setdefault(id(node), index) == index, "one node of the reference, two of the search"
        return indices

    def action_of(self, step: Any, after: int) -> int:
        """The action of a step that led to a node."""
        storage = self.search.tree.storage
        if step["slot"] < 0:
            return int(storage.nodes[after].action)
        return int(storage.edges[int(storage.nodes[int(step["node"])].block) + int(step["slot"])].action)

    def compare(self, indices: Iterable[int]) -> None:
        """N(s), A(s), N(s,a), Q, V, H_V and the rebuilding of tables of these nodes."""
        t = self.plain
        for index in indices:
            seen, node = self.search.node_at(index), self.ways[index][-1]
            where = (
                f"{t.name}, trial {t.trials}, node {index} at depth {node.depth}, N={node.visits}, player {node.player}"
            )
            assert seen.count == node.visits, where
            assert seen._record.depth == node.depth, where
            assert node.ended or seen.player == node.player, where
            assert seen.actions.tolist() == node.actions, where
            assert seen.visits.tolist() == [node.count[a] for a in node.actions], where
            close(seen.q, [t.q(node, a) if node.returns[a] else np.nan for a in node.actions], f"Q: {where}")
            close(seen.value, node.value, f"V: {where}")
            if t.bonus:
                close(seen.entropy, node.entropy, f"H_V: {where}")
            if node.table is not None and seen._edges is not None:
                assert self.due(seen) == node.table.until, f"next visit that rebuilds the table: {where}"

    def due(self, seen: Any) -> int:
        """At which visit a node works out its policy again, if it has a table or draws ahead."""
        fields, n = self.search.tree.fields, len(seen.actions)
        header = self.search.tree.storage.headers[int(seen._record.block) - 1]
        word = int(header.rebuild)
        if not fields.ahead_from <= n < fields.alias_from:
            return word
        return seen.count + 1 + (-word if word < 0 else max(word.bit_length() - 1, 0) // 4)

    def compare_policies(self, indices: Iterable[int]) -> None:
        """π of the next visit (for bounds: the action with the highest) of these nodes."""
        t = self.plain
        for index in indices:
            seen, way = self.search.node_at(index), self.ways[index]
            node = way[-1]
            if node.ended:
                continue
            where = (
                f"{t.name}, trial {t.trials}, node {index} at depth {node.depth}, N={node.visits}, player {node.player}"
            )
            policy, wanted = seen.policy, t.next_policy(way)
            if t.distribution in (*SAMPLED, "uniform", "switching") or (
                t.distribution in ("ucb", "polynomial-ucb") and 0 in node.count.values()
            ):
                close(policy, wanted, f"policy: {where}")
            else:
                close(policy.sum(), 1.0, where)
                assert (wanted[policy > 0] > 0).all(), f"policy: {where}: seen {policy}, wanted {wanted}"

    def run(self, trials: int, *, every: int = 1) -> None:
        """Replay so many trials; compare the nodes of every so manieth trial's path, and all nodes in the end."""
        for trial in range(trials):
            indices = self.trial()
            if trial % every == 0:
                self.compare(indices)
        self.compare_all()

    def compare_all(self) -> None:
        assert self.search.size == self.plain.size == len(self.ways)
        self.compare(self.ways)
        if any(self.plain.root.returns.values()):
            assert self.search.recommend() in self.plain.recommended(self.plain.root)


def close(seen: Any, wanted: Any, what: str) -> None:
    """Equal to 1e-9, relative or absolute; NaN equals NaN."""
    seen, wanted = np.asarray(seen, float), np.asarray(wanted, float)
    assert seen.shape == wanted.shape, what
    good = np.isclose(seen, wanted, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    assert good.all(), f"{what}: seen {seen.tolist()}, wanted {wanted.tolist()}"
