"""The compiled search against a plain double: the same trials, every number again by the specification's formulas.

A search runs one trial at a time; ``plain/reference.py`` replays it, checks that each action was one that the
algorithm may take there, and computes the estimates anew. Counts, Q, V and H_V must agree to 1e-9 at every node.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import boltree as bt
from boltree.core.memory.layout import SINGLE
from plain.games import make
from plain.recorder import Double
from plain.reference import PlainNode, PlainTree, argmax, mean, normalised_exp

GROWTH = ("trial", "leaf")
KINDS = ("tabular", "game two", "game two prior")


def slow_decay(m: float) -> float:
    """A schedule of a user's own."""
    return 0.2 + 1.0 / m


ALGORITHMS: dict[str, Any] = {
    "UCT auto": bt.UCT(),
    "UCT": bt.UCT(c=0.7),
    "PUCT": bt.PUCT(),
    "PUCT reduction": bt.PUCT(c=0.6, reduction=0.2, recommend="value"),
    "PUCT first play": bt.PUCT(c=0.6, first_play=0.3),
    "PUCT noise": bt.PUCT(noise=0.3),
    "HMCTS": bt.HMCTS(budget=150, threshold=4),
    "HMCTS number": bt.HMCTS(budget=90, threshold=8, c=0.5),
    "MENTS": bt.MENTS(alpha=0.5, alias=False),
    "MENTS decay": bt.MENTS(alpha=bt.log_decay(1.0), epsilon=0.3, q_init=-0.4, alias=False),
    "RENTS": bt.RENTS(alpha=0.5, alias=False),
    "RENTS init": bt.RENTS(alpha=bt.sqrt_decay(1.0), epsilon=0.5, q_init=0.2, alias=False),
    "TENTS": bt.TENTS(alpha=0.5, epsilon=0.4, alias=False),
    "TENTS init": bt.TENTS(alpha=1.5, epsilon=0.4, q_init=-0.3, alias=False),
    "BTS": bt.BTS(alpha=0.3, epsilon=0.5, q_init=-1.0, alias=False),
    "BTS function": bt.BTS(alpha=slow_decay, epsilon=0.5, epsilon_prior=0.3, recommend="visits", alias=False),
    "DENTS": bt.DENTS(alpha=0.4, beta=bt.log_decay(1.0), alias=False),
    "DENTS beta": bt.DENTS(alpha=0.4, beta=bt.sqrt_decay(2.0), q_init=-0.5, epsilon=0.2, alias=False),
    "ARBTS": bt.ARBTS(alpha=bt.log_decay(0.7), alias=False),
    "ARDENTS": bt.ARDENTS(alpha=bt.sqrt_decay(1.0), beta=bt.log_decay(2.0), alias=False),
    "ARMENTS": bt.ARMENTS(alpha=0.6, alias=False),
    "ARRENTS": bt.ARRENTS(alpha=0.6, alias=False),
    "ARTENTS": bt.ARTENTS(alpha=0.6, alias=False),
    "MENTS auto": bt.MENTS(alias=False),
    "BTS auto": bt.BTS(epsilon=0.5, alias=False),
    "BTS auto init": bt.BTS(q_init=-0.5, alias=False),
    "DENTS auto": bt.DENTS(alias=False),
    "DENTS half auto": bt.DENTS(alpha=0.4, alias=False),
    "ARBTS auto": bt.ARBTS(alias=False),
    "ARDENTS auto": bt.ARDENTS(alias=False),
    "ARMENTS auto": bt.ARMENTS(alias=False),
    "PowerUCT": bt.PowerUCT(),
    "PowerUCT mean": bt.PowerUCT(p=1.0, c=0.5),
    "PowerUCT high": bt.PowerUCT(p=7.5, c=0.5),
    "StochasticPowerUCT": bt.StochasticPowerUCT(),
    "StochasticPowerUCT high": bt.StochasticPowerUCT(p=3.0, c=0.5),
    "BRUE": bt.BRUE(),
    "ANTS": bt.ANTS(alpha=1.0, target=0.6, every=16, alias=False),
    "Uniform": bt.Uniform(),
}


def seed_of(*words: str) -> int:
    """A seed of a case's own, the same in every run."""
    return sum(ord(c) * (i + 1) for i, c in enumerate(" ".join(words))) % 997


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_number(name: str, kind: str, growth: str) -> None:
    """Counts, Q, V and H_V of all algorithms, on the path after every trial and everywhere in the end (§1-§3, §6)."""
    seed = seed_of(name, kind, growth)
    Double(make(kind, seed), ALGORITHMS[name], growth, seed=seed).run(120, every=2)


@pytest.mark.parametrize("name", ["UCT", "MENTS", "RENTS", "DENTS", "ARRENTS", "BTS", "PUCT"])
def test_one_player_with_a_prior(name: str) -> None:
    """The same with a prior and one player, without a discount (§3, mixing and network initialisation)."""
    seed = seed_of(name)
    Double(make("game prior", seed, discount=1.0), ALGORITHMS[name], "leaf", seed=seed).run(120, every=2)


ANCHORED: dict[str, Any] = {
    "BTS": bt.BTS(alpha=0.3, epsilon=0.2, q_init=bt.anchored(0.4), alias=False),
    "MENTS": bt.MENTS(alpha=0.5, q_init=bt.anchored(1.0), alias=False),
    "ARBTS": bt.ARBTS(alpha=bt.sqrt_decay(0.7), q_init=bt.anchored(0.0), alias=False),
    "ARDENTS": bt.ARDENTS(alpha=bt.sqrt_decay(1.0), beta=bt.log_decay(2.0), q_init=bt.anchored(2.0), alias=False),
}


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("kind", ["game prior", "game two prior"])
@pytest.mark.parametrize("name", ANCHORED)
def test_anchored_preferences(name: str, kind: str, growth: str) -> None:
    """Untried actions begin at the value that their node had when its actions were first needed."""
    seed = seed_of(name, kind, growth)
    Double(make(kind, seed), ANCHORED[name], growth, seed=seed).run(120, every=2)


@pytest.mark.parametrize("evaluator", ["heuristic", "rollout", -2.0])
@pytest.mark.parametrize("name", ["UCT auto", "PUCT reduction", "MENTS", "BTS", "ARBTS", "PowerUCT", "BRUE"])
def test_evaluators(name: str, evaluator: Any) -> None:
    """V_init enters the parent's average until the first action is tried, whoever gives it (§1; §5, 2)."""
    seed = seed_of(name, str(evaluator))
    Double(make("game two", seed), ALGORITHMS[name], "leaf", seed=seed, evaluator=evaluator).run(100, every=4)


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize(
    "algorithm",
    [
        bt.BTS(alpha=0.2, alias=False),
        bt.MENTS(alpha=0.2, alias=False),
        bt.MENTS(alpha=0.2),
        bt.TENTS(alpha=0.2, alias=False),
        bt.DENTS(alpha=0.2, beta=bt.log_decay(1.0), alias=False),
        bt.RENTS(alpha=0.2),
        bt.UCT(c=0.3),
        bt.HMCTS(budget=400, threshold=10),
        bt.Uniform(),
    ],
    ids=lambda a: f"{a.name} {getattr(a, 'alias', '')}",
)
def test_many_actions(algorithm: Any, growth: str) -> None:
    """More actions than are looked through for a maximum: the best is remembered, soft sums are kept (§4)."""
    seed = seed_of(algorithm.name)
    Double(make("game two", seed, actions=24, horizon=3), algorithm, growth, seed=seed).run(400, every=10)


CUSTOM: dict[str, Any] = {
    "polynomial max": bt.Custom(search_distribution="polynomial-ucb", state_value="max", c=0.7),
    "ucb max": bt.Custom(search_distribution="ucb", state_value="max"),
    "ucb soft": bt.Custom(search_distribution="ucb", state_value="soft", alpha=0.5, q_init=-0.5, c=0.6),
    "bounds with prior, power": bt.Custom(search_distribution="prior-ucb", state_value="power", c=0.8, p=3.0),
    "halving max": bt.Custom(search_distribution="halving", state_value="max", budget=120, threshold=20),
    "halving soft": bt.Custom(search_distribution="halving", state_value="soft", budget=120, threshold=20),
    "halving soft decay": bt.Custom(
        search_distribution="halving", state_value="soft", alpha=bt.log_decay(1.0), budget=120
    ),
    "boltzmann power": bt.Custom(search_distribution="boltzmann", state_value="power", alpha=0.3, p=4.0),
    "boltzmann sparse": bt.Custom(search_distribution="boltzmann", state_value="sparse", alpha=0.3, alias=True),
    "relative max": bt.Custom(search_distribution="relative", state_value="max", alpha=0.3),
    "boltzmann relative-soft": bt.Custom(search_distribution="boltzmann", state_value="relative-soft", alpha=0.4),
    "sparsemax soft": bt.Custom(search_distribution="sparsemax", state_value="soft", alpha=0.4, alias=True),
    "uniform soft": bt.Custom(search_distribution="uniform", state_value="soft", alpha=0.4),
    "sparsemax shannon": bt.Custom(
        search_distribution="sparsemax", state_value="max", entropy_bonus="shannon", beta=0.5
    ),
}


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("actions", [4, 24])
@pytest.mark.parametrize("name", CUSTOM)
def test_custom_algorithms(name: str, actions: int, growth: str) -> None:
    """Rows of a user's own: the choices of the design space do not disturb one another."""
    problem = make("game two", seed_of(name), actions=actions, horizon=4)
    Double(problem, CUSTOM[name], growth, seed=1, compact=False).run(150, every=5)


@pytest.mark.parametrize(("alpha", "scale"), [(1e-6, 1.0), (1e6, 1.0), (1e6, 1e9), (1.0, 1e9), (1e-6, 1e9)])
@pytest.mark.parametrize("cls", [bt.MENTS, bt.TENTS, bt.RENTS, bt.BTS])
def test_extreme_temperatures(cls: Any, alpha: float, scale: float) -> None:
    """α from 1e-6 to 1e6 and |Q| up to 1e9: nothing overflows, nothing is lost (§4)."""
    for alias in (False, True):
        double = Double(
            make("game two", 5, scale=scale), cls(alpha=alpha, alias=alias), "trial", seed=3, compact=not alias
        )
        double.run(80, every=4)
        assert math.isfinite(double.search.root.value)


# Policies


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_policies(name: str, kind: str, growth: str) -> None:
    """`Node.policy` is what the next visit would draw from: N(s) + 1, the estimates of this moment (§3)."""
    seed = seed_of(kind, growth, name)
    double = Double(make(kind, seed), ALGORITHMS[name], growth, seed=seed)
    for trial in range(80):
        indices = double.trial()
        if trial % 4 == 0:
            double.compare_policies(i for i in indices if sum(double.ways[i][-1].count.values()) >= 2)


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("name", ["UCT", "PUCT", "MENTS", "RENTS", "BTS", "DENTS", "ARRENTS", "TENTS", "Uniform"])
def test_policies_of_young_nodes(name: str, growth: str) -> None:
    """The same where no action was tried yet, or one: a prior or a single estimate already counts."""
    for kind in ("tabular", "game two prior"):
        double = Double(make(kind, 4), ALGORITHMS[name], growth, seed=4)
        for _ in range(6):
            indices = double.trial()
            double.compare_policies(i for i in indices if sum(double.ways[i][-1].count.values()) < 2)


# Alias tables (§4)

TABLED: dict[str, Any] = {
    "BTS": bt.BTS(alpha=bt.log_decay(0.5), epsilon=0.5, alias=True),
    "MENTS": bt.MENTS(alpha=0.5, alias=True),
    "MENTS decay": bt.MENTS(alpha=bt.sqrt_decay(1.0), alias=True, rebuild_factor=1.7),
    "TENTS": bt.TENTS(alpha=0.5, alias=True),
    "DENTS": bt.DENTS(alpha=0.4, beta=bt.log_decay(1.0), alias=True),
    "DENTS early": bt.DENTS(alpha=0.4, beta=bt.log_decay(1.0), alias=True, early_rebuilds=True),
    "DENTS auto": bt.DENTS(alias=True),
    "MENTS auto": bt.MENTS(alias=True),
    "ARBTS": bt.ARBTS(alpha=bt.log_decay(1.0), alias=True, early_rebuilds=True),
    "ARDENTS": bt.ARDENTS(alpha=bt.log_decay(1.0), beta=bt.log_decay(1.0), alias=True),
    "ARMENTS": bt.ARMENTS(alpha=0.5, alias=True, rebuild_factor=2.0),
    "ARTENTS": bt.ARTENTS(alpha=0.5, alias=True, early_rebuilds=True, rebuild_factor=0.6),
    "RENTS": bt.RENTS(alpha=0.5, alias=True),
    "RENTS decay": bt.RENTS(alpha=bt.sqrt_decay(1.0), alias=True, rebuild_factor=0.7),
    "ARRENTS": bt.ARRENTS(alpha=0.5, alias=True),
    "ARRENTS early": bt.ARRENTS(alpha=0.5, alias=True, early_rebuilds=True),
}


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TABLED)
def test_tables(name: str, kind: str, growth: str) -> None:
    """Tables are rebuilt every |A| visits (times a factor; early at 1, 2, 4, ...); the entropy uses the table's π."""
    seed = seed_of(kind, name, growth)
    Double(make(kind, seed), TABLED[name], growth, seed=seed, compact=False).run(120, every=2)


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("name", ["BTS", "MENTS", "DENTS", "DENTS early", "ARDENTS"])
def test_tables_of_compact_nodes(name: str, growth: str) -> None:
    """The same with nodes that get their edges late: a fast path must not change when tables are rebuilt (§4)."""
    seed = seed_of(name, growth)
    Double(make("game two", seed), TABLED[name], growth, seed=seed).run(120, every=2)


# What is drawn (§3)

DRAWN: dict[str, Any] = {  # policies that are neither flat nor sharp: there a wrong one shows
    "BTS": bt.BTS(alpha=1.0, epsilon=0.1, alias=False),
    "DENTS": bt.DENTS(alpha=1.0, beta=bt.log_decay(1.0), epsilon=0.1, alias=False),
    "RENTS": bt.RENTS(alpha=1.0, epsilon=0.1, alias=False),
    "TENTS": bt.TENTS(alpha=2.0, epsilon=0.1, alias=False),
    "ARRENTS": bt.ARRENTS(alpha=1.0, epsilon=0.1, alias=False),
    "BTS tables": bt.BTS(alpha=1.0, epsilon=0.1, epsilon_prior=0.5, alias=True),
    "TENTS tables": bt.TENTS(alpha=2.0, epsilon=0.1, alias=True),
    "RENTS tables": bt.RENTS(alpha=1.0, epsilon=0.1, epsilon_prior=0.5, alias=True),
    "MENTS tables": bt.MENTS(alpha=1.0, epsilon=0.1, epsilon_prior=0.5, alias=True),
    "UCT": bt.UCT(c=0.7),
    "BRUE": bt.BRUE(),
    "Uniform": bt.Uniform(),
}


class Scores:
    """Sums of what was drawn minus what was to be expected: a martingale, which 4.5 standard deviations bound."""

    def __init__(self) -> None:
        self.sums: dict[Any, tuple[float, float]] = {}

    def add(self, key: Any, score: float, variance: float) -> None:
        total, spread = self.sums.get(key, (0.0, 0.0))
        self.sums[key] = total + score, spread + variance

    def visit(self, node: PlainNode, pi: np.ndarray, action: int, root: bool) -> None:
        slot = node.actions.index(action)
        for i, p in enumerate(pi):
            for key in ("any", "root")[: 1 + root]:
                self.add((key, len(pi), i), (i == slot) - p, p * (1 - p))
        square = float((pi**2).sum())  # too sharp or too flat
        self.add("sharpness", pi[slot] - square, float((pi**3).sum()) - square**2)

    def check(self) -> None:
        for key, (total, variance) in self.sums.items():
            assert abs(total) <= 4.5 * math.sqrt(max(variance, 0.0)) + 1e-6, (
                f"{key}: off by {total:.2f}, variance {variance:.2f}"
            )


@pytest.mark.parametrize("name", DRAWN)
def test_draws_follow_the_policy(name: str) -> None:
    """Over a run, each action is drawn as often as its probabilities say, at all nodes together and at the root."""
    kind = "game two prior" if name == "BTS tables" else "tabular"
    double = Double(make(kind, 11, horizon=3), DRAWN[name], "trial", seed=5, compact=False)
    scores = Scores()
    for _ in range(1000):
        double.trial()
        for visit in double.plain.last:
            if visit.pi is not None:
                scores.visit(visit.node, visit.pi, visit.step.action, visit.node is double.plain.root)
    scores.check()
    assert len(scores.sums) > 5


class Frozen:
    """A search put back after each trial; only its random numbers go on."""

    def __init__(self, search: Any) -> None:
        self.search, t = search, search.tree.fields
        self.tree = search.tree.record.copy()
        nodes, units = int(t.node_count) + 64, int(t.unit_count) + 4096  # with room for one trial more
        memory = search.tree.storage
        parts = [memory.nodes[:nodes], memory.states[:nodes], memory.edges[:units]]
        self.parts = [(part, part.copy()) for part in parts]

    def restore(self) -> None:
        for part, kept in self.parts:
            part[:] = kept
        self.search.tree.record[:] = self.tree


def forget_draws(search: bt.Search) -> None:
    """Let every node that draws ahead do so at its next visit, from the policy of then."""
    fields, storage = search.tree.fields, search.tree.storage
    for node in storage.nodes[: search.size]:
        if node["block"] >= 0 and not node["marks"] & SINGLE:
            if fields.ahead_from <= node["actions"] < fields.alias_from:
                storage.headers["rebuild"][int(node["block"]) - 1] = 0


@pytest.mark.parametrize("kind", ["game two", "game two prior"])
@pytest.mark.parametrize("name", [name for name, algorithm in DRAWN.items() if hasattr(algorithm, "alpha")])
def test_draws_from_a_fixed_tree(name: str, kind: str) -> None:
    """χ² of the actions drawn from one tree, at every node that is reached often, against the reference's π."""
    double = Double(make(kind, 21), DRAWN[name], "trial", seed=9, compact=False)
    for _ in range(90):
        double.trial()
    search = double.search
    forget_draws(search)
    frozen = Frozen(search)
    drawn: dict[int, dict[int, int]] = {}
    known = search.size
    for _ in range(4000):
        search.run(trials=1)
        path, length = search.tree.storage.scratch["path"], int(search.tree.fields.length)
        indices = [int(path[level]["node"]) for level in range(length)] + [int(search.tree.fields.leaf)]
        for index, after in itertools.pairwise(indices):
            if index < known:
                counts = drawn.setdefault(index, {})
                action = int(search.tree.storage.nodes[after].action)
                counts[action] = counts.get(action, 0) + 1
        frozen.restore()
    total, freedom = 0.0, 0
    for index, counts in drawn.items():
        way = double.ways[index]
        node = way[-1]
        pi = double.plain.next_policy(way, tabled=not double.plain.draws_ahead(node))
        expected = pi * sum(counts.values())
        if len(node.actions) < 2 or expected[pi > 0].min() < 8:
            continue
        observed = np.array([counts.get(a, 0) for a in node.actions], float)
        assert observed[pi == 0].sum() == 0
        one = stats.chisquare(observed[pi > 0], expected[pi > 0])
        assert one.pvalue > 1e-7, f"node {index}: drawn {observed}, expected {expected}"
        total, freedom = total + one.statistic, freedom + int((pi > 0).sum()) - 1
    assert freedom >= 5
    assert stats.chi2.sf(total, freedom) > 1e-6
    assert search.trials == 90


# Algorithms with something of their own


def test_halving_rounds_at_the_root() -> None:
    """Eight arms, budget 240: three rounds of 10, 20 and 40 further visits (§3, H-MCTS; §5, 6)."""
    problem = bt.problems.Bandit([0.1, 0.8, 0.3, 0.6, 0.5, 0.4, 0.7, 0.2])
    double = Double(problem, bt.HMCTS(budget=240, threshold=0), "trial", seed=1)
    double.run(240, every=20)
    assert double.search.root.visits.tolist() == [10, 70, 10, 30, 30, 10, 70, 10]


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("seed", range(4))
def test_halving_in_depth(seed: int, growth: str) -> None:
    """The root halves, nodes below it follow UCB, and so does the root with leftover trials."""
    double = Double(make("game two", seed), bt.HMCTS(budget=160, threshold=4, c=0.5), growth, seed=seed)
    for trial in range(200):
        double.trial()
        if trial % 10 == 0:
            double.compare_policies([0])
    double.compare_all()


def test_halving_stops_at_its_budget() -> None:
    """Four arms, budget 3: the round is cut off, all four survive, and what is left goes by UCB among them (§3)."""
    double = Double(bt.problems.Bandit([0.0, 0.1, 0.2, 0.3]), bt.HMCTS(budget=3, threshold=0, c=5.0), "trial", seed=0)
    double.run(100)
    assert double.search.root.visits.min() > 15


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("target", [0.3, 0.6, 0.9])
def test_ants_meets_its_target(target: float, growth: str) -> None:
    """Every k trials α gives the nodes visited since then the wished-for mean of H(softmax(Q/α)) / log|A| (§6).

    A node's first visit in growth "leaf" draws nothing, and a node with one action has no entropy: neither counts.
    Where actions are tied, no temperature makes the mean lower than that of uniform draws among the best.
    """
    every = 32
    problem = make("game two", 8)
    double = Double(problem, bt.ANTS(alpha=1.0, target=target, every=every, alias=False), growth, seed=2)
    window: set[int] = set()
    means: list[float] = []
    wished: list[float] = []
    for trial in range(1, 5 * every + 1):
        before = float(double.search.tree.fields.alpha_scale)
        window.update(double.trial())
        after = float(double.search.tree.fields.alpha_scale)
        if trial % every:
            assert after == before
            continue
        nodes = [double.ways[index][-1] for index in window]
        qs = [double.plain.mover_q(node) for node in nodes if len(node.actions) > 1 and node.tried]
        means.append(mean([share_at(q, after) for q in qs]))
        wished.append(max(target, mean([share_at(q, 1e-9) for q in qs])))
        window.clear()
    double.compare_all()
    assert wished.count(target) >= 4
    assert means == pytest.approx(wished, rel=0.05)


def share_at(q: np.ndarray, alpha: float) -> float:
    """H(softmax(q / α)) / log n."""
    pi = normalised_exp(q / alpha)
    return -float((pi * np.log(np.maximum(pi, 1e-300))).sum()) / math.log(len(q))


# The reference itself


def test_reference_counts_outcomes() -> None:
    """Outcomes x with V = 1, then y with V = 0, give R + 1/2 (§2; §5, 10)."""
    tree = PlainTree(
        Double(make("tabular", 0), bt.BTS(alpha=1.0), "leaf").plain.rules, bt.BTS(alpha=1.0), b"\0" * 8, growth="leaf"
    )
    root = tree.root
    action = root.actions[0]
    for name, value in ((b"\1" + b"\0" * 7, 1.0), (b"\2" + b"\0" * 7, 0.0)):
        child = PlainNode(tree.rules, name, 1, False)
        child.visits, child.value = 1, value
        root.children[action][name] = child
        root.rewards[action].append(3.0)
        root.count[action] += 1
    assert tree.q(root, action) == pytest.approx(3.0 + 0.5 * tree.rules.discount)


class BetaOfTheEdge(PlainTree):
    def beta(self, n: int) -> float:
        return super().beta(n - 1)


class LeavesIgnored(PlainTree):
    def first_value(self, node: PlainNode) -> float:
        return 0.0


class ShiftByOneAction(PlainTree):
    def q_init(self, node: PlainNode) -> dict[int, float]:
        given = super().q_init(node)
        return {a: x - given[node.actions[0]] for a, x in given.items()} if node.prior else given


class OutcomesUnweighted(PlainTree):
    def q(self, node: PlainNode, action: int) -> float:
        values = [c.value for c in node.children[action].values()]
        return mean(node.rewards[action]) + self.rules.discount * mean(values)


class NoDiscount(PlainTree):
    def q(self, node: PlainNode, action: int) -> float:
        n = node.count[action]
        return mean(node.rewards[action]) + math.fsum(c.visits / n * c.value for c in node.children[action].values())


class InitialInTheMaximum(PlainTree):
    def state_value(self, node: PlainNode, reference: np.ndarray | None) -> float:
        return node.sign * float(self.mover_q(node).max())


class OneSidedMaximum(PlainTree):
    def state_value(self, node: PlainNode, reference: np.ndarray | None) -> float:
        return max(self.q(node, a) for a in node.tried)


class UniformReference(PlainTree):
    def reference(self, node: PlainNode, parent: PlainNode | None, pi: np.ndarray | None) -> np.ndarray:
        return super().reference(node, None, None)


class CountBeforeArrival(PlainTree):
    def upper_bounds(self, node: PlainNode, n: int, among: list[int]) -> list[int]:
        return super().upper_bounds(node, max(n - 1, 1), among)


class FirstPlayOfPlayerZero(PlainTree):
    def prior_bounds(self, node: PlainNode) -> list[int]:
        kept, node.value = node.value, node.sign * node.value
        allowed = super().prior_bounds(node)
        node.value = kept
        return allowed


class NeverRebuilt(PlainTree):
    def table_life(self, node: PlainNode, n: int) -> int:
        return 10**9


class WorseHalf(PlainTree):
    def halving(self, node: PlainNode) -> list[int]:
        node.player = 1 - node.player
        allowed = super().halving(node)
        node.player = 1 - node.player
        return allowed


class PowerUnshifted(PlainTree):
    def state_value(self, node: PlainNode, reference: np.ndarray | None) -> float:
        self.lowest, self.highest = -50.0, 50.0
        return super().state_value(node, reference)


class GreedyTooEarly(PlainTree):
    def switching(self, node: PlainNode) -> list[int]:
        tried = node.tried
        if node.depth < self.switch - 1 or not tried:
            return node.actions
        return argmax({a: node.sign * self.q(node, a) for a in tried})


class EntropyStartsAtZero(PlainTree):
    def first_entropy(self, node: PlainNode, path: Any) -> float:
        return 0.0


class OldCountInMixture(PlainTree):
    def mixed(self, node: PlainNode, n: int, rho: np.ndarray) -> np.ndarray:
        return super().mixed(node, n - 1, rho)


class UnitOfAllLevels(PlainTree):
    @property
    def unit(self) -> float:
        return (self.highest - self.lowest) or 1.0 if self.totals else 1.0


class UnitOfThisMoment(PlainTree):
    @property
    def unit(self) -> float:
        return abs(self.totals[-1]) if self.totals else 1.0


class PreferencesFollow(PlainTree):
    def decide(self, node: PlainNode, step: Any, path: Any) -> Any:
        node.preference = self.lowest_return(node)
        return super().decide(node, step, path)


class LowestOfPlayerZero(PlainTree):
    def lowest_return(self, node: PlainNode) -> float:
        return min(self.totals, default=0.0)


@pytest.mark.parametrize(
    ("broken", "algorithm", "kind", "growth"),
    [
        (BetaOfTheEdge, ALGORITHMS["DENTS"], "tabular", "trial"),
        (EntropyStartsAtZero, ALGORITHMS["DENTS"], "tabular", "leaf"),
        (OldCountInMixture, ALGORITHMS["RENTS"], "tabular", "trial"),
        (LeavesIgnored, ALGORITHMS["BTS"], "tabular", "leaf"),
        (LeavesIgnored, ALGORITHMS["UCT"], "tabular", "leaf"),
        (ShiftByOneAction, ALGORITHMS["MENTS"], "game two prior", "trial"),
        (OutcomesUnweighted, ALGORITHMS["Uniform"], "tabular", "trial"),
        (NoDiscount, ALGORITHMS["BTS"], "tabular", "trial"),
        (InitialInTheMaximum, ALGORITHMS["BTS function"], "tabular", "trial"),
        (OneSidedMaximum, ALGORITHMS["BTS"], "game two", "trial"),
        (UniformReference, ALGORITHMS["RENTS"], "tabular", "trial"),
        (CountBeforeArrival, ALGORITHMS["UCT"], "tabular", "trial"),
        (FirstPlayOfPlayerZero, ALGORITHMS["PUCT"], "game two", "leaf"),
        (NeverRebuilt, TABLED["TENTS"], "tabular", "trial"),
        (UnitOfAllLevels, ALGORITHMS["DENTS auto"], "tabular", "trial"),
        (UnitOfThisMoment, ALGORITHMS["MENTS auto"], "tabular", "leaf"),
        (PreferencesFollow, ALGORITHMS["MENTS auto"], "tabular", "trial"),
        (LowestOfPlayerZero, ALGORITHMS["MENTS auto"], "game two", "trial"),
        (WorseHalf, ALGORITHMS["HMCTS"], "game two", "trial"),
        (PowerUnshifted, ALGORITHMS["PowerUCT"], "tabular", "trial"),
        (GreedyTooEarly, ALGORITHMS["BRUE"], "tabular", "trial"),
    ],
    ids=lambda x: x.__name__ if isinstance(x, type) else getattr(x, "name", x),
)
def test_a_wrong_formula_is_noticed(broken: type[PlainTree], algorithm: Any, kind: str, growth: str) -> None:
    """Each replay can fail: a reference with one formula wrong disagrees with the search (§5)."""
    double = Double(make(kind, 3), algorithm, growth, seed=3, tree=broken, compact=False)
    with pytest.raises(AssertionError):
        double.run(150, every=5)
