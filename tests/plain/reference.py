"""Every algorithm again, plainly: dicts, lists and the formulas of the specification, as they stand there.

Nothing here is fast and nothing is kept that a formula could give: Q is summed over its outcomes each time it is asked
for, V and H_V are computed when a trial is backed up, by the definitions of ``spec/algorithms.md`` (cited as §). Its
formulas are the specification's and it shares no line with the package; `PlainTree.replay` takes the trials that a
compiled search made, checks that each of its choices was one the algorithm may make, and backs them up again.

Where the specification leaves a choice open this takes the package's, so that agreement says nothing about these:

- RENTS: the "mean mass over A(s)" is the mean over those actions of A(s) that were legal at the parent.
- Mean values: V(s) is the mean of the returns since the first tried action, without V_init.
- Power means: the lowest return seen is that of all levels so far, the one being backed up included.
- BRUE: σ counts from 1 and its pair is explored; N(s,a) counts updates; V is the greedy action's; a trial that a new
  leaf ends above σ updates the pair that led there.
- Tables: the first is built at the first selection, or on creation where H_V needs a policy that has a prior or is
  relative to the parent's, which is the one that the parent drew from on the trial that built the table; the
  factor's interval is rounded down; early rebuilds come at twice the count until the interval is shorter.
- How ties are broken, and the order in which halving visits the survivors of a round are not looked at.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from boltree.algorithms.anchored import Anchored

TIE = 1e-9
FLOOR = -32.0

TABLE: dict[str, tuple[str, str, str]] = {
    # search policy (§3), state value (§2), entropy (§3)
    "UCT": ("ucb", "mean", ""),
    "PUCT": ("prior-ucb", "mean", ""),
    "HMCTS": ("halving", "mean", ""),
    "MENTS": ("boltzmann", "soft", ""),
    "ANTS": ("boltzmann", "soft", ""),
    "RENTS": ("relative", "relative-soft", ""),
    "TENTS": ("sparsemax", "sparse", ""),
    "BTS": ("boltzmann", "max", ""),
    "DENTS": ("boltzmann", "max", "shannon"),
    "ARBTS": ("boltzmann", "mean", ""),
    "ARDENTS": ("boltzmann", "mean", "shannon"),
    "ARMENTS": ("boltzmann", "mean", "shannon"),
    "ARRENTS": ("relative", "mean", "relative"),
    "ARTENTS": ("sparsemax", "mean", "tsallis"),
    "PowerUCT": ("ucb", "power", ""),
    "StochasticPowerUCT": ("polynomial-ucb", "power", ""),
    "BRUE": ("switching", "mean", ""),
    "Uniform": ("uniform", "max", ""),
}


def design(algorithm: Any) -> tuple[str, str, str]:
    """The search policy, state value and entropy of an algorithm; a custom one says them itself."""
    if type(algorithm).__name__ == "Custom":
        return algorithm.search_distribution, algorithm.state_value, algorithm.entropy_bonus.replace("none", "")
    return TABLE[type(algorithm).__name__]


SAMPLED = ("boltzmann", "relative", "sparsemax")

AUTO = {"alpha": ("constant", 0.06), "beta": ("log", 0.1)}
AUTO_MEAN = {"alpha": ("log", 0.1), "beta": ("log", 0.1)}
"""Temperatures "auto", in units of the returns seen (docs/choosing.md); the second for AR-BTS and AR-DENTS."""


class Rules(Protocol):
    """What the reference must know of a problem."""

    horizon: int
    discount: float

    def legal(self, state: Hashable) -> list[int]: ...

    def player(self, state: Hashable) -> int: ...

    def prior(self, state: Hashable) -> dict[int, float] | None: ...


@dataclass(frozen=True)
class Step:
    """One step of a trial: what was done and what came of it."""

    action: int
    reward: float
    state: Hashable
    terminal: bool


@dataclass
class Schedule:
    """Sequential halving at the root (§3, H-MCTS)."""

    budget: int
    rounds: int
    survivors: list[int]
    left: dict[int, int] = field(default_factory=dict)  # further visits of this round
    used: int = 0
    over: bool = False


@dataclass
class Tabled:
    """What an alias table remembers of the visit that built it (§4)."""

    rho: np.ndarray
    pi: np.ndarray
    reference: np.ndarray | None
    until: int


class PlainNode:
    """A decision node: counts, rewards and returns as they came in, and the values of the last backup."""

    def __init__(self, rules: Rules, state: Hashable, depth: int, terminal: bool) -> None:
        self.state, self.depth, self.terminal = state, depth, terminal
        self.ended = terminal or depth >= rules.horizon
        self.actions: list[int] = [] if self.ended else rules.legal(state)
        self.player = rules.player(state)
        self.prior = None if self.ended else rules.prior(state)
        self.visits = 0
        self.count = dict.fromkeys(self.actions, 0)
        self.rewards: dict[int, list[float]] = {a: [] for a in self.actions}
        self.returns: dict[int, list[float]] = {a: [] for a in self.actions}
        self.children: dict[int, dict[Hashable, PlainNode]] = {a: {} for a in self.actions}
        self.value = 0.0
        self.entropy = 0.0
        self.schedule: Schedule | None = None
        self.table: Tabled | None = None
        self.preference: float | None = None  # of untried actions, where nobody chose one: fixed at the first decision
        self.anchor: float | None = None  # the value of the node, in the mover's units, at the same time

    @property
    def sign(self) -> float:
        """From player 0's units to the mover's, and back (§3, two players)."""
        return -1.0 if self.player == 1 else 1.0

    @property
    def tried(self) -> list[int]:
        """Actions that an estimate exists for."""
        return [a for a in self.actions if self.returns[a]]


@dataclass
class Visit:
    """One decision of a trial."""

    node: PlainNode
    step: Step
    pi: np.ndarray | None  # what the action was drawn from; None where it was an argmax
    backup_pi: np.ndarray | None  # what the entropy backup uses: the same, or the table's (§4)
    reference: (
        np.ndarray | None
    )  # the parent's policy over this node's actions: on this trial, or when a table was built
    allowed: list[int]


def sparsemax(q: np.ndarray) -> tuple[np.ndarray, float]:
    """The sparsemax of q and its value 1/2 + 1/2 sum over the support of (q² − t²) (§2, TENTS)."""
    shift = q.max()
    q = q - shift
    z = np.sort(q)[::-1]
    support = [z[i - 1] for i in range(1, len(z) + 1) if 1 + i * z[i - 1] > z[:i].sum()]
    t = (sum(support) - 1) / len(support)
    return np.maximum(0.0, q - t), 0.5 + 0.5 * sum(x * x - t * t for x in support) + shift


def normalised_exp(q: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """weights · exp(q), normalised."""
    w = np.exp(q - q.max()) * (1.0 if weights is None else weights)
    return w / w.sum()


def log_sum_exp(q: np.ndarray, weights: np.ndarray | None = None) -> float:
    """log of the sum of weights · exp(q), shifted by the maximum."""
    return float(q.max() + np.log((np.exp(q - q.max()) * (1.0 if weights is None else weights)).sum()))


def mean(values: list[float]) -> float:
    """The arithmetic mean."""
    return math.fsum(values) / len(values)


class PlainTree:
    """A search tree that is told the trials and keeps its own account of them.

    Args:
        rules: the problem.
        algorithm: an algorithm of the package; only its name and parameters are read.
        root: the state at the root.
        growth: "leaf" or "trial" (§1).
        v_init: the constant evaluator, or a function of the state; 0 with growth "trial".
        alias: nodes with at least so many actions sample from tables (§4).
        noise: Dirichlet noise of the root's prior by action, for PUCT.
    """

    def __init__(
        self,
        rules: Rules,
        algorithm: Any,
        root: Hashable,
        *,
        growth: str,
        v_init: float | Callable[[Hashable], float] = 0.0,
        alias: float = math.inf,
        noise: dict[int, float] | None = None,
    ) -> None:
        self.rules, self.growth, self.alias, self.noise = rules, growth, alias, noise
        self.v_init = v_init if growth == "leaf" else 0.0
        self.name = type(algorithm).__name__
        self.distribution, self.family, self.bonus = design(algorithm)
        self.p: dict[str, Any] = {name: getattr(algorithm, name) for name in algorithm.__dataclass_fields__}
        self.root = PlainNode(rules, root, 0, False)
        self.root.value = self.first_value(self.root)
        self.trials = 0
        self.size = 1
        self.lowest, self.highest = math.inf, -math.inf
        self.totals: list[float] = []  # the return of each trial, from the root
        self.alpha_now: float | None = None  # ANTS: the temperature of the moment
        self.last: list[Visit] = []  # the decisions of the last trial

    @property
    def relative(self) -> bool:
        """Whether policies or values depend on the parent's policy."""
        return "relative" in (self.distribution, self.family.split("-")[0], self.bonus)

    def first_value(self, node: PlainNode) -> float:
        """V_init(s) (§1)."""
        return self.v_init(node.state) if callable(self.v_init) else self.v_init

    # Estimates (§2)

    def q(self, node: PlainNode, action: int) -> float:
        """Q(s,a) of a tried action, player 0's: a mean of returns, or R̂ + γ Σ N(s')/N(s,a) V(s')."""
        if self.family == "mean":
            return mean(node.returns[action])
        n = len(node.rewards[action])
        outcomes = node.children[action].values()
        assert sum(child.visits for child in outcomes) == n == node.count[action], "Σ N(s') = N(s,a) always holds (§2)"
        expected = math.fsum(child.visits / n * child.value for child in outcomes)
        return mean(node.rewards[action]) + self.rules.discount * expected

    def h(self, node: PlainNode, action: int) -> float:
        """H_Q(s,a) = γ Σ N(s')/N(s,a) H_V(s'), player 0's; 0 at the start (§3)."""
        n = node.count[action]
        entropies = [c.visits / n * c.entropy for c in node.children[action].values()] if n else []
        return self.rules.discount * math.fsum(entropies)

    def q_init(self, node: PlainNode) -> dict[int, float]:
        """What an untried action counts as, in the mover's units (§3)."""
        given = self.p.get("q_init")
        if isinstance(given, Anchored):  # log prior above the highest, in slopes, from the node on
            assert node.prior is not None
            anchor = node.sign * node.value if node.anchor is None else node.anchor
            logs = {a: max(FLOOR, math.log(node.prior[a])) if node.prior[a] > 0 else FLOOR for a in node.actions}
            return {a: anchor + given.slope * (x - max(logs.values())) for a, x in logs.items()}
        if given is None and node.prior is not None and self.distribution in SAMPLED:
            logs = {a: max(FLOOR, math.log(node.prior[a])) if node.prior[a] > 0 else FLOOR for a in node.actions}
            b = -mean(list(logs.values()))
            return {a: x + b for a, x in logs.items()}
        if given is None and self.p.get("alpha") == "auto":
            fixed = self.lowest_return(node) if node.preference is None else node.preference
            return dict.fromkeys(node.actions, fixed)
        return dict.fromkeys(node.actions, given or 0.0)

    def lowest_return(self, node: PlainNode) -> float:
        """The lowest return of a trial so far in the mover's units; 0 before the first."""
        return min((node.sign * total for total in self.totals), default=0.0)

    @property
    def unit(self) -> float:
        """What temperatures "auto" are measured in: the spread of the trials' returns; their size, or 1, if it is 0."""
        if not self.totals:
            return 1.0
        return (max(self.totals) - min(self.totals)) or abs(self.totals[0]) or 1.0

    def mover_q(self, node: PlainNode) -> np.ndarray:
        """q over the legal actions in the mover's units, untried ones as Q_init."""
        init = self.q_init(node)
        return np.array([node.sign * self.q(node, a) if node.returns[a] else init[a] for a in node.actions])

    def mover_h(self, node: PlainNode) -> np.ndarray:
        """h over the legal actions in the mover's units."""
        return np.array([node.sign * self.h(node, a) for a in node.actions])

    def alpha(self, n: int) -> float:
        """The search temperature at a count (§3); for ANTS the one that was solved for (§6)."""
        if self.alpha_now is not None:
            return self.alpha_now
        return self.scheduled("alpha", n)

    def beta(self, n: int) -> float:
        """The entropy's weight: its own schedule, or alpha for AR-MENTS, AR-RENTS and AR-TENTS (§3)."""
        return self.scheduled("beta" if "beta" in self.p else "alpha", n)

    def scheduled(self, name: str, n: int) -> float:
        """A schedule at a count: a number, x / log(e + m), x / √m with m ≥ 1, or a function (§3)."""
        given = self.p[name]
        if given == "auto":
            kind, x = (AUTO_MEAN if self.name in ("ARBTS", "ARDENTS") else AUTO)[name]
            x *= self.unit
        elif isinstance(given, (int, float)):
            kind, x = "constant", float(given)
        else:
            kind, x = getattr(given, "kind", "function"), float(getattr(given, "x", math.nan))
        if kind == "log":
            return x / math.log(math.e + n)
        if kind == "sqrt":
            return x / math.sqrt(max(n, 1))
        return x if kind == "constant" else float(given(n))

    # Values (§2)

    def state_value(self, node: PlainNode, reference: np.ndarray | None) -> float:
        """V(s) of a node with a tried action, player 0's."""
        alpha = self.alpha(node.visits) if "alpha" in self.p else 1.0
        if self.family in ("mean", "max", "power"):
            tried = node.tried
            q = np.array([node.sign * self.q(node, a) for a in tried])
            n = np.array([node.count[a] for a in tried], float)
            if self.family == "mean" and self.name != "BRUE":
                value = float((n * q).sum() / n.sum())
            elif self.family in ("max", "mean"):  # BRUE: its greedy policy's
                value = float(q.max())
            else:
                low = self.lowest if node.player == 0 else -self.highest
                p = self.p["p"]
                shifted = np.maximum(0.0, q - low)
                value = low + float(((n / n.sum()) * shifted**p).sum() ** (1 / p))
        else:
            q = self.mover_q(node) / alpha
            if self.family == "soft":
                value = alpha * log_sum_exp(q)
            elif self.family == "relative-soft":
                value = alpha * log_sum_exp(q, reference)
            else:
                value = alpha * sparsemax(q)[1]
        return node.sign * value

    # Policies (§3)

    def reference(self, node: PlainNode, parent: PlainNode | None, pi: np.ndarray | None) -> np.ndarray:
        """π_parent over A(s): matched by label, the mean mass where it was illegal, normalised (§2, RENTS).

        The page's "mean mass over A(s)" is read as the mean over those actions of A(s) that were legal at the parent.
        """
        n = len(node.actions)
        if parent is None or pi is None:
            return np.full(n, 1.0 / n)
        mass = dict(zip(parent.actions, pi, strict=True))
        shared = [mass[a] for a in node.actions if a in mass]
        filler = sum(shared) / len(shared) if shared else 0.0
        weights = np.array([mass.get(a, filler) for a in node.actions])
        return weights / weights.sum() if weights.sum() > 0 else np.full(n, 1.0 / n)

    def rho(self, node: PlainNode, n: int, reference: np.ndarray | None) -> np.ndarray:
        """ρ(·|s) at the count n."""
        q = self.mover_q(node)
        if self.bonus:
            q = q + self.beta(n) * self.mover_h(node)
        q = q / self.alpha(n)
        if self.distribution == "sparsemax":
            return sparsemax(q)[0]
        return normalised_exp(q, reference if self.distribution == "relative" else None)

    def mixed(self, node: PlainNode, n: int, rho: np.ndarray) -> np.ndarray:
        """π = λ_p π̃ + (1−λ_p) [(1−λ) ρ + λ/|A(s)|] (§3)."""
        lam = min(1.0, self.p["epsilon"] / math.log(math.e + n))
        pi = (1 - lam) * rho + lam / len(node.actions)
        if node.prior is not None:
            lam_p = min(1.0, self.p["epsilon_prior"] / math.log(math.e + n))
            pi = lam_p * np.array([node.prior[a] for a in node.actions]) + (1 - lam_p) * pi
        return pi

    def entropy_of(self, pi: np.ndarray, reference: np.ndarray | None) -> float:
        """The entropy of a normalised distribution: Shannon's, −KL(π ‖ π_parent), or Tsallis' (§3)."""
        if self.bonus == "tsallis":
            return 0.5 * (1.0 - float((pi**2).sum()))
        p = pi[pi > 0]
        if self.bonus == "shannon":
            return -float((p * np.log(p)).sum())
        assert reference is not None
        return -float((p * np.log(p / reference[pi > 0])).sum())

    def sampled_policy(self, node: PlainNode, n: int, reference: np.ndarray | None) -> np.ndarray:
        """π(·|s) at the count n, from the estimates of this moment."""
        return self.mixed(node, n, self.rho(node, n, reference))

    def visit_table(self, node: PlainNode, reference: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """π to draw from, with the table's ρ and the current λ; and π of the visit that built the table (§4)."""
        n = node.visits
        if node.table is None or n >= node.table.until:
            rho = self.rho(node, n, reference)
            node.table = Tabled(rho, self.mixed(node, n, rho), reference, n + self.table_life(node, n))
        return self.mixed(node, n, node.table.rho), node.table.pi

    def draws_ahead(self, node: PlainNode) -> bool:
        """Whether a node draws its next actions at once, in place of a table: from the policy of the first of them."""
        return self.alias <= len(node.actions) < 16 and not self.relative

    def table_life(self, node: PlainNode, n: int) -> int:
        """How many visits a table built at the n-th serves: |A| times a factor; early ones 1, 2, 4, ... (§4)."""
        life = max(1, int(self.p["rebuild_factor"] * len(node.actions)))
        if self.draws_ahead(node):
            life = min(life, 15)  # so many draws are made at once
        return min(life, n) if self.p["early_rebuilds"] else life

    # Bounds (§3)

    def upper_bounds(self, node: PlainNode, n: int, among: list[int]) -> list[int]:
        """The actions that UCT and its relatives may take: all untried ones, else those with the highest bound."""
        untried = [a for a in among if node.count[a] == 0]
        if untried:
            return untried
        q = {a: node.sign * self.q(node, a) for a in node.actions if node.count[a]}
        c = self.p["c"]
        if c == "auto":
            c = max(0.001, max(abs(x) for x in q.values()))
        width = n**0.25 if self.distribution == "polynomial-ucb" else math.sqrt(math.log(n))
        return argmax({a: q[a] + c * width / math.sqrt(node.count[a]) for a in among})

    def prior_bounds(self, node: PlainNode) -> list[int]:
        """The actions that PUCT may take: untried ones count as a number, or the node's own value minus a reduction."""
        prior = node.prior or dict.fromkeys(node.actions, 1.0 / len(node.actions))
        if node is self.root and self.noise is not None:
            w = self.p["noise"]
            prior = {a: (1 - w) * prior[a] + w * self.noise[a] for a in node.actions}
        total = sum(node.count.values())
        first_play = self.p["first_play"]
        if first_play == "parent":
            first_play = node.sign * node.value - self.p["reduction"]
        return argmax(
            {
                a: (node.sign * self.q(node, a) if node.count[a] else first_play)
                + self.p["c"] * prior[a] * math.sqrt(total) / (1 + node.count[a])
                for a in node.actions
            }
        )

    # Sequential halving (§3, H-MCTS)

    def halving(self, node: PlainNode) -> list[int]:
        """The actions that H-MCTS may take at the root."""
        if node.schedule is None:
            k, budget = len(node.actions), self.p["budget"]
            node.schedule = Schedule(budget, math.ceil(math.log2(k)), list(node.actions))
            if budget <= self.p["threshold"] or k == 1:
                node.schedule.over = True
            else:
                self.allocate(node.schedule)
        plan = node.schedule
        while not plan.over and not any(plan.left.values()):
            keep = math.ceil(len(plan.survivors) / 2)
            best = sorted(plan.survivors, key=lambda a: -node.sign * self.q(node, a))
            plan.survivors = sorted(best[:keep])
            plan.over = len(plan.survivors) == 1 or plan.used >= plan.budget
            if not plan.over:
                self.allocate(plan)
        plan.over = plan.over or plan.used >= plan.budget
        if plan.over:
            return self.upper_bounds(node, node.visits, plan.survivors)
        return [a for a in plan.survivors if plan.left[a] > 0]

    def allocate(self, plan: Schedule) -> None:
        """A round: each survivor is given ⌊B / (survivors × rounds)⌋ further visits, at least 1."""
        each = max(1, plan.budget // (len(plan.survivors) * plan.rounds))
        for a in plan.survivors:
            plan.left[a] = each

    # One trial (§1)

    def replay(self, steps: list[Step]) -> list[PlainNode]:
        """Take one trial: check its choices and its end, back it up; returns the nodes it went through."""
        node, created = self.root, False
        path: list[Visit] = []
        self.trials += 1
        for step in steps:
            assert not node.ended, f"a trial went on from an ended node at depth {node.depth}"
            assert not (self.growth == "leaf" and created), "a trial went on from a new node (growth leaf)"
            node.visits += 1
            visit = self.decide(node, step, path)
            path.append(visit)
            node, created = self.follow(node, step)
            assert node.terminal == step.terminal
        assert self.may_stop(node, created, path), f"a trial stopped at depth {node.depth}"
        if not self.cut(node, created, path):
            node.visits += 1
        if created and not node.ended:
            node.value = self.first_value(node)
            node.entropy = self.first_entropy(node, path)
            tabled = len(node.actions) >= self.alias and not self.draws_ahead(node)
            if tabled and self.bonus and (self.relative or node.prior is not None):
                self.visit_table(node, self.reference(node, path[-1].node, path[-1].pi))  # the first policy's
        self.back_up(path, node)
        self.last = path
        return [visit.node for visit in path] + [node]

    def follow(self, node: PlainNode, step: Step) -> tuple[PlainNode, bool]:
        """The node that a step leads to, and whether it is new."""
        outcomes = node.children[step.action]
        created = step.state not in outcomes
        if created:
            outcomes[step.state] = PlainNode(self.rules, step.state, node.depth + 1, step.terminal)
            self.size += 1
        return outcomes[step.state], created

    def cut(self, node: PlainNode, created: bool, path: list[Visit]) -> bool:
        """Whether a trial must stop at a node though it could go on there; never in a tree."""
        return False

    def may_stop(self, node: PlainNode, created: bool, path: list[Visit]) -> bool:
        """Whether a trial may end at a node: at an end, or at a new leaf."""
        return node.ended or (created and self.growth == "leaf") or self.cut(node, created, path)

    def decide(self, node: PlainNode, step: Step, path: list[Visit]) -> Visit:
        """Check one choice of the compiled search."""
        if node.preference is None:
            node.preference = self.lowest_return(node)
        if node.anchor is None:
            node.anchor = node.sign * node.value
        pi = backup_pi = reference = None
        if self.distribution in SAMPLED:
            reference = self.reference(node, path[-1].node if path else None, path[-1].pi if path else None)
            if len(node.actions) >= self.alias:
                pi, backup_pi = self.visit_table(node, reference)
                assert node.table is not None
                reference = node.table.reference
            else:
                pi = backup_pi = self.sampled_policy(node, node.visits, reference)
            allowed = [a for a, p in zip(node.actions, pi, strict=True) if p > 0]
        elif self.distribution == "uniform":
            allowed = node.actions
        elif self.distribution in ("ucb", "polynomial-ucb"):
            allowed = self.upper_bounds(node, node.visits, node.actions)
        elif self.distribution == "prior-ucb":
            allowed = self.prior_bounds(node)
        elif self.distribution == "halving":
            allowed = self.upper_bounds(node, node.visits, node.actions) if path else self.halve(node, step.action)
        else:
            allowed = self.switching(node)
        assert step.action in allowed, f"{self.name}: took {step.action} at depth {node.depth}, may take {allowed}"
        if pi is None and len(allowed) > 1:  # drawn evenly, unless halving is free to order its visits
            if self.distribution != "halving" or node.schedule is None or node.schedule.over:
                pi = np.array([1.0 / len(allowed) if a in allowed else 0.0 for a in node.actions])
        return Visit(node, step, pi, backup_pi, reference, allowed)

    def halve(self, node: PlainNode, action: int) -> list[int]:
        """H-MCTS at the root: a visit of its schedule."""
        allowed = self.halving(node)
        plan = node.schedule
        assert plan is not None
        if not plan.over and action in allowed:
            plan.used += 1
            plan.left[action] -= 1
        return allowed

    @property
    def switch(self) -> int:
        """BRUE: the switching depth of this trial, σ = H − ((n−1) mod H) (§6)."""
        return self.rules.horizon - (self.trials - 1) % self.rules.horizon

    def switching(self, node: PlainNode) -> list[int]:
        """BRUE: any action down to the pair that is updated, greedy by Q̄ below it (§6)."""
        tried = node.tried
        if node.depth < self.switch or not tried:
            return node.actions
        return argmax({a: node.sign * self.q(node, a) for a in tried})

    def switched(self, path: list[Visit], leaf: PlainNode) -> int | None:
        """BRUE: the level of the only pair that is updated, σ counted from 1 (§6).

        The page leaves open what a trial updates that ends above σ: here the pair that led to a new leaf, which
        stands for all below it; nothing when the problem ended.
        """
        if len(path) >= self.switch:
            return self.switch - 1
        return None if leaf.ended else len(path) - 1

    def first_entropy(self, node: PlainNode, path: list[Visit]) -> float:
        """A new node's H_V: the entropy of its own first policy, player 0's (§3)."""
        if not self.bonus:
            return 0.0
        reference = self.reference(node, path[-1].node, path[-1].pi)
        return node.sign * self.entropy_of(self.sampled_policy(node, node.visits, reference), reference)

    def total(self, path: list[Visit], value: float) -> float:
        """A trial's return from the root, with the value of its leaf."""
        for visit in reversed(path):
            value = visit.step.reward + self.rules.discount * value
        return value

    def back_up(self, path: list[Visit], leaf: PlainNode) -> None:
        """Deepest first: counts, rewards, returns, then V and H_V by their definitions (§1-§3)."""
        value = 0.0 if leaf.ended else leaf.value
        self.totals.append(self.total(path, value))  # before any value is computed at a temperature
        for level in reversed(range(len(path))):
            visit = path[level]
            node, action = visit.node, visit.step.action
            value = visit.step.reward + self.rules.discount * value
            self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)
            if self.distribution == "switching" and level != self.switched(path, leaf):
                continue
            node.count[action] += 1
            node.rewards[action].append(visit.step.reward)
            node.returns[action].append(value)
            node.value = self.state_value(node, visit.reference)
            if self.bonus:
                assert visit.backup_pi is not None
                own = self.entropy_of(visit.backup_pi, visit.reference)
                node.entropy = node.sign * (own + float((visit.backup_pi * self.mover_h(node)).sum()))

    # What the search will do next

    def next_policy(self, way: list[PlainNode], *, tabled: bool = False) -> np.ndarray:
        """π that the next visit of the last node would draw from (N(s) + 1); `way` leads there from the root.

        For bounds: even among the actions that may be taken. With `tabled` as the alias tables stand, else from the
        estimates of this moment.
        """
        above: PlainNode | None = None
        pi: np.ndarray | None = None
        for node in way:
            n = node.visits + 1
            if self.distribution in SAMPLED:
                if tabled and node.table is not None and n < node.table.until:
                    pi = self.mixed(node, n, node.table.rho)
                else:
                    pi = self.sampled_policy(node, n, self.reference(node, above, pi))
            else:
                allowed = node.actions
                if self.distribution in ("ucb", "polynomial-ucb"):
                    allowed = self.upper_bounds(node, n, node.actions)
                elif self.distribution == "prior-ucb":
                    allowed = self.prior_bounds(node)
                elif self.distribution == "halving":
                    root = node is self.root
                    allowed = self.next_halving() if root else self.upper_bounds(node, n, node.actions)
                pi = np.array([1.0 / len(allowed) if a in allowed else 0.0 for a in node.actions])
            above = node
        assert pi is not None
        return pi

    def next_halving(self) -> list[int]:
        """What H-MCTS may take next at the root, without taking it."""
        kept = copy.deepcopy(self.root.schedule)
        self.root.visits += 1
        allowed = self.halving(self.root)
        self.root.visits -= 1
        self.root.schedule = kept
        return allowed

    def recommended(self, node: PlainNode) -> list[int]:
        """The actions that may be recommended: the best by value or by visits, among the tried (§3)."""
        if self.p["recommend"] == "visits":
            return argmax({a: float(node.count[a]) for a in node.tried})
        return argmax({a: node.sign * self.q(node, a) for a in node.tried})


def argmax(scores: dict[int, float]) -> list[int]:
    """The keys of the highest scores, up to ties of 1e-9."""
    best = max(scores.values())
    return [a for a, x in scores.items() if x >= best - TIE * max(1.0, abs(best))]
