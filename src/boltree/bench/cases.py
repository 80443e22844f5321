"""What ``boltree bench`` measures: the cases, and the ruler beside which each repeat is measured."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import problems
from ..algorithms.schedules import log_decay
from ..algorithms.table import ARBTS, BTS, DENTS, MENTS, UCT, Algorithm
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem
from ..search.many import search_many
from ..search.search import Search
from .counting import Counter
from .fixed_work import fixed_work, new_chain
from .saved_run import Measured

CHAIN = 1 << 14
"""Places that the fixed work goes through, few enough for a core's own cache: in a shared one, others slow it down."""

LOOKS = 5


class Ruler:
    """A fixed piece of work as a measure of time, and the machine's count of instructions if it has one."""

    def __init__(self) -> None:
        self._chain = new_chain(CHAIN)
        self.counter = Counter()
        self.best = math.inf  # seconds
        self.look()

    def look(self) -> None:
        """Do the fixed work a few times, each so short that other work seldom comes between."""
        for _ in range(LOOKS):
            began = time.perf_counter()
            fixed_work(self._chain, 10_000, 30_000)
            self.best = min(self.best, time.perf_counter() - began)


@dataclass
class Case:
    """One line of the table."""

    name: str
    problem: Problem
    algorithm: Algorithm
    trials: int
    options: dict[str, Any]
    target: str = ""
    best: float = math.inf  # seconds a visit
    rate: float = 0.0  # trials a second
    bytes_per_node: float | None = None
    instructions: float = math.inf  # a visit

    def begin(self, seed: int) -> tuple[Callable[[], object], Callable[[], int]]:
        """A fresh search after a little warm-up: what is to be measured, and then how many visits it made."""
        search = Search(self.problem, self.algorithm, seed=seed, **self.options)
        search.run(trials=10)
        visits = int(search.tree.fields.visits_made)

        def made() -> int:
            self.bytes_per_node = search.nbytes / search.size
            return int(search.tree.fields.visits_made) - visits

        return (lambda: search.run(trials=self.trials)), made

    def measure(self, seed: int, ruler: Ruler) -> None:
        """One repeat, between two looks at the ruler."""
        work, made = self.begin(seed)
        ruler.look()
        began = time.perf_counter()
        counted = ruler.counter.of(work)
        spent = time.perf_counter() - began
        ruler.look()
        visits = made()
        if spent / visits < self.best:
            self.best, self.rate = spent / visits, self.trials / spent
        if counted is not None:
            self.instructions = min(self.instructions, counted / visits)

    @property
    def measured(self) -> Measured:
        """The result, as a run's file keeps it."""
        return Measured(
            name=self.name,
            algorithm=self.algorithm.name,
            seconds=self.best,
            instructions=self.instructions if self.instructions < math.inf else None,
            trials_per_second=self.rate,
            bytes_per_node=self.bytes_per_node,
        )

    @property
    def row(self) -> list[str]:
        """Its row of the table."""
        memory = "" if self.bytes_per_node is None else f"{self.bytes_per_node:.0f}"
        return [self.name, self.algorithm.name, self.visit, self.target, f"{self.rate / 1e3:,.0f} k", memory]

    @property
    def visit(self) -> str:
        """Nanoseconds a visit, in words."""
        return f"{self.best * 1e9:,.0f}"


class ManyCase(Case):
    """A line about many small searches at once; costs are of a trial, since visits are not counted."""

    SEARCHES = 1024

    def begin(self, seed: int) -> tuple[Callable[[], object], Callable[[], int]]:
        """Searches from states of their own; together they run the case's trials."""
        each = max(1, self.trials // self.SEARCHES)
        self.trials = each * self.SEARCHES
        states = np.zeros(self.SEARCHES, self.problem.state_layout())
        states["path"] = np.arange(self.SEARCHES)
        options: Any = {"problem": self.problem, "seed": seed, **self.options}
        search_many(states[:1], self.algorithm, 1, **options)
        return (lambda: search_many(states, self.algorithm, each, **options)), (lambda: self.trials)

    @property
    def visit(self) -> str:
        """Nothing, because visits are not counted."""
        return ""


class Grid(PythonProblem):
    """A deterministic grid in plain Python."""

    actions, horizon, deterministic = 4, 40, True

    def start(self, rng: Any) -> Any:
        """The corner."""
        return (0, 0)

    def step(self, state: Any, action: int, rng: Any) -> tuple[Any, float, bool]:
        """One cell in one of four directions."""
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[action]
        x, y = min(max(state[0] + dx, 0), 9), min(max(state[1] + dy, 0), 9)
        return (x, y), -1.0, (x, y) == (9, 9)


class SlipperyGrid(PythonProblem):
    """A grid in plain Python that lists its outcomes: straight on, or to one of the sides."""

    actions, horizon = 4, 40

    def start(self, rng: Any) -> Any:
        """The corner."""
        return (0, 0)

    def outcomes(self, state: Any, action: int) -> list[tuple[float, Any, float, bool]]:
        """Three cells."""
        found = []
        for chance, direction in ((0.8, action), (0.1, action ^ 2), (0.1, action ^ 3)):
            following, reward, done = Grid.step(self, state, direction, None)  # type: ignore[arg-type]
            found.append((chance, following, reward, done))
        return found


def cases(scale: float) -> list[Case]:
    """What is measured, with the project's targets in nanoseconds a visit."""
    chain, lake, sea = problems.DChain(10), problems.FrozenLake("8x12-test"), problems.Sailing(6, "SE")
    wide, small = problems.SyntheticTree(362, 6, seed=0), problems.SyntheticTree(8, 20, seed=0)
    leaf, trial = {"evaluator": 0.0}, {"growth": "trial"}
    shared: dict[str, Any] = {"transpositions": True}
    proofs: dict[str, Any] = {**shared, "outcomes": "known", "proofs": True}
    slow: dict[str, Any] = {"alpha": 10.0, "q_init": -200.0}
    listed = [
        Case("D-chain 10, leaf", chain, UCT(), 400_000, leaf, "30"),
        Case("D-chain 10, leaf", chain, BTS(alpha=1.0, epsilon=0.1), 400_000, leaf, "60"),
        Case("D-chain 10, leaf", chain, DENTS(alpha=1.0, beta=log_decay(1.0), epsilon=0.1), 400_000, leaf, "75"),
        Case("D-chain 10, leaf", chain, MENTS(alpha=1.0, epsilon=0.1), 200_000, leaf, "80"),
        Case("Frozen Lake 8x12, trial", lake, UCT(), 100_000, trial, "80"),
        Case("Frozen Lake 8x12, trial", lake, BTS(alpha=0.1, epsilon=2.0), 100_000, trial, "110"),
        Case("Frozen Lake 8x12, trial", lake, DENTS(alpha=0.1, beta=log_decay(1.0)), 100_000, trial, "150"),
        Case("Frozen Lake 8x12, trial", lake, MENTS(alpha=0.001), 100_000, trial, "150"),
        Case("Sailing 6x6, trial", sea, UCT(), 30_000, trial, "150"),
        Case("Sailing 6x6, trial", sea, BTS(**slow), 30_000, trial, "150"),
        Case("Sailing 6x6, trial", sea, DENTS(beta=log_decay(10.0), **slow), 30_000, trial, "160"),
        Case("362 actions, alias", wide, BTS(alpha=0.1, alias=True), 60_000, leaf, "220"),
        Case("362 actions, alias", wide, DENTS(alpha=0.1, beta=log_decay(1.0), alias=True), 60_000, leaf, "260"),
        Case("362 actions, direct", wide, BTS(alpha=0.1, alias=False), 10_000, leaf, "3,600"),
        Case("362 actions, direct", wide, DENTS(alpha=0.1, beta=log_decay(1.0), alias=False), 5_000, leaf, "7,000"),
        Case("Connect Four, rollouts", problems.ConnectFour(), UCT(c=1.4), 100_000, {}, "250 k trials/s"),
        Case("Connect Four, transpositions", problems.ConnectFour(), ARBTS(), 100_000, shared, ""),
        Case("Connect Four, proofs", problems.ConnectFour(), ARBTS(), 100_000, proofs, "1.4 times that"),
        Case("Hex 7x7, transpositions", problems.Hex(7), ARBTS(), 50_000, shared, ""),
        Case("Hex 7x7, proofs", problems.Hex(7), ARBTS(), 50_000, proofs, "1.4 times that"),
        ManyCase("1024 searches, 8 actions", small, UCT(), 1024 * 64, leaf, "1,500 k trials/s"),
        ManyCase("1024 searches, 8 actions", small, BTS(alpha=0.1), 1024 * 64, leaf, "1,500 k trials/s"),
        Case("Python grid, leaf", Grid(), BTS(), 50_000, leaf, "200 k trials/s"),
        Case("Python grid with chance, leaf", SlipperyGrid(), BTS(), 50_000, leaf, "80 k trials/s"),
    ]
    for case in listed:
        case.trials = max(100, int(case.trials * scale))
    return listed
