"""Planners: whatever is asked for a decision at a state; `bt.plan`, or an algorithm with its options."""

from __future__ import annotations

import hashlib
import importlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from ...errors import ParameterError
from ...jobs.settings import Setting
from ...problem.problem import Problem
from ...search.search import Search

MEMORY = 2**31
"""Bytes that a search may take; then it answers with what it has."""


class Decision(NamedTuple):
    """What a planner answers: an action, its estimate of the state's value to player 0, and whether that is proven."""

    action: int
    value: float
    proven: bool
    trials: int
    seconds: float


Planner = Callable[[Problem, Any, "int | None", "float | None", int], Decision]
"""From a problem, a state, a number of trials, seconds (either may be None) and a seed to a decision."""


class Contender(Protocol):
    """What is compared: makes a planner, and has a name."""

    @property
    def label(self) -> str:
        """What its row of a table is called."""
        ...

    @property
    def title(self) -> str:
        """The algorithm's name."""
        ...

    @property
    def proves(self) -> bool:
        """Whether its decisions may be proven."""
        ...

    def canonical(self) -> str:
        """Text that is the same for the same planner."""
        ...

    def planner(self) -> Planner:
        """The planner."""
        ...

    def search(self, problem: Problem, state: Any, seed: int) -> Search:
        """A search from a state, which can be advanced along a game."""
        ...


@dataclass(frozen=True)
class Fixed:
    """A search by one algorithm with given options."""

    setting: Setting
    growth: Literal["leaf", "trial"] = "leaf"
    transpositions: bool = False

    @property
    def label(self) -> str:
        """The algorithm with its parameters, then its options."""
        return " ".join([self.setting.label, self.growth, *(["transpositions"] if self.transpositions else [])])

    @property
    def title(self) -> str:
        """The algorithm's name."""
        return self.setting.title

    @property
    def proves(self) -> bool:
        """Never."""
        return False

    def canonical(self) -> str:
        """Every parameter, in order."""
        return json.dumps([self.setting.canonical(), self.growth, self.transpositions])

    def planner(self) -> Planner:
        """Search anew at every state."""

        def search_for(problem: Problem, state: Any, trials: int | None, seconds: float | None, seed: int) -> Decision:
            search = self.search(problem, state, seed)
            search.run(trials=0)  # compile, or load what is compiled, before the clock starts
            began = time.perf_counter()
            search.run(trials=trials, seconds=seconds)
            spent = time.perf_counter() - began
            return Decision(search.recommend(), float(search.root.value), False, search.trials, spent)

        return search_for

    def search(self, problem: Problem, state: Any, seed: int) -> Search:
        """A search from a state, by the algorithm with its options."""
        return Search(
            problem, self.setting.algorithm(), state=state, seed=seed, growth=self.growth,
            transpositions=self.transpositions, max_bytes=MEMORY,
        )  # fmt: skip


@dataclass(frozen=True)
class Default:
    """`bt.plan`, with nothing chosen."""

    label: str = "bt.plan"
    title: str = "bt.plan"
    proves: bool = True

    def canonical(self) -> str:
        """With a hash of the package: what is proposed by default may change from one day to the next."""
        return json.dumps(["plan", _sources()])

    def planner(self) -> Planner:
        """Ask `bt.plan`."""
        plan = getattr(importlib.import_module("boltree"), "plan", None)
        if plan is None:
            raise ParameterError("bt.plan: is not in this version of boltree; give --settings grid")

        def ask(problem: Problem, state: Any, trials: int | None, seconds: float | None, seed: int) -> Decision:
            began = time.perf_counter()
            found = plan(problem, trials=trials, seconds=seconds, state=state, seed=seed)
            spent = time.perf_counter() - began
            return Decision(int(found.action), float(found.value), bool(found.proven), int(found.trials), spent)

        return ask

    def search(self, problem: Problem, state: Any, seed: int) -> Search:
        """A search from a state, with nothing chosen."""
        return Search(problem, state=state, seed=seed, max_bytes=MEMORY)


@cache
def _sources() -> str:
    """A hash of the package's files, but those of the lab."""
    package, digest = Path(__file__).resolve().parents[2], hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        if "lab" not in file.relative_to(package).parts:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:20]
