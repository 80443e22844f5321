"""One round: a planner acts in pyRDDLGym's simulator from the start to the horizon."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np

from ...adapters.rddl import RDDLRounds, from_rddl
from ...errors import ParameterError
from ...jobs.executors import Watcher
from ...problem.problem import Problem
from ...search.search import Search
from ...version import __version__
from ..keepable import Asked, Columns

FIRST_SEED = 1000
"""The simulator's seed in round 0; that of round k is k more, for every planner."""

SHORTEST = 0.25
"""The least share of its time that a step has, however much the steps before it took too long."""


class Searcher(Asked, Protocol):
    """A planner that searches, such as those of the suite."""

    def canonical(self) -> str:
        """Text that is the same for the same planner."""
        ...

    def search(self, problem: Problem, state: Any, seed: int) -> Search:
        """A search from a state."""
        ...


@dataclass(frozen=True)
class Baseline:
    """Who does not search: ``noop`` or ``random``."""

    label: str

    @property
    def title(self) -> str:
        """Its name."""
        return self.label

    def canonical(self) -> str:
        """Its name."""
        return self.label

    def choose(self, legal: list[int], rng: np.random.Generator) -> int:
        """The first legal action, which is to do nothing where that is legal, or a random one."""
        return legal[0] if self.label == "noop" else int(rng.choice(legal))


@dataclass(frozen=True)
class Round:
    """A row: one round of a planner on an instance.

    Args:
        domain: of rddlrepository, or a file.
        instance: of it, or a file.
        setting: who acts.
        seconds: of the processor's time for a step; 0 for a baseline.
        repeat: the number of the round.
    """

    domain: str
    instance: str
    setting: Searcher | Baseline
    seconds: float
    repeat: int

    @property
    def problem(self) -> str:
        """The instance's name in tables."""
        return f"{self.domain}/{self.instance}"

    @property
    def work(self) -> int:
        """It is not known how many steps there are before the instance is read."""
        return 40

    def row(self) -> dict[str, Any]:
        """What decides the result, apart from how much time allows."""
        return {
            "domain": self.domain, "instance": self.instance, "setting": self.setting.canonical(),
            "seconds": self.seconds, "round": self.repeat,
        }  # fmt: skip

    @cache  # noqa: B019 - a job is a small constant
    def key(self) -> str:
        """A name for the result: the same row and the same version of the package have the same one."""
        text = json.dumps([__version__, "ippc", self.row()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def facts(self) -> dict[str, Any]:
        """Columns that say which round it is."""
        return {
            "problem": self.problem, "label": self.setting.label, "algorithm": self.setting.title,
            "contender": self.setting.canonical(), "step_seconds": self.seconds, "repeat": self.repeat,
        }  # fmt: skip

    def value(self, columns: Columns) -> float:
        """What the round paid."""
        return float(columns["reward"])

    def run(self, watch: Watcher | None = None) -> dict[str, float]:
        """Play it: what it paid, the steps, the processor's seconds and the trials of a step."""
        world = RDDLRounds(self.domain, self.instance)
        world.begin(FIRST_SEED + self.repeat)
        player = _Still(self) if isinstance(self.setting, Baseline) else _Player(self, self.setting)
        total, weight, steps = 0.0, 1.0, 0
        while steps < world.horizon and not world.ended:
            reward = world.step(player.choose(world))
            total += weight * reward
            weight *= world.discount
            steps += 1
            if watch is not None:
                watch(steps, total)
        return {"reward": total, "steps": float(steps), **player.told(max(steps, 1))}


class _Still:
    """A baseline's round."""

    def __init__(self, job: Round) -> None:
        self.baseline, self.rng = job.setting, np.random.default_rng(job.repeat)

    def choose(self, world: RDDLRounds) -> int:
        assert isinstance(self.baseline, Baseline)
        return self.baseline.choose(world.legal(), self.rng)

    def told(self, steps: int) -> dict[str, float]:
        return {"seconds": 0.0, "trials_run": 0.0}


class _Player:
    """A search's round: its tree is kept from step to step, and steps that took too long are made up for."""

    def __init__(self, job: Round, setting: Searcher) -> None:
        self.problem = _problem(job.domain, job.instance)
        self.setting, self.seconds, self.seed = setting, job.seconds, job.repeat
        self.search: Search | None = None
        self.action, self.debt, self.spent, self.trials = 0, 0.0, 0.0, 0
        start = None if self.problem.hidden else self.problem.start_state(0)
        setting.search(self.problem, start, 0).run(trials=2)  # compile before time is measured

    def choose(self, world: RDDLRounds) -> int:
        began = time.process_time()
        problem = self.problem
        if self.search is None:
            state = None if problem.hidden else problem.state_of(world.values())
            self.search = self.setting.search(problem, state, self.seed)
        elif problem.hidden:
            self.search.advance(self.action, problem.observation_of(world.observed()))
        else:
            self.search.advance(self.action, problem.state_of(world.values()))
        before = self.search.trials
        until = began + max(self.seconds - self.debt, SHORTEST * self.seconds)
        self.search.run(stop=lambda _: time.process_time() >= until)
        self.action = self.search.recommend()
        spent = time.process_time() - began
        self.debt = max(self.debt + spent - self.seconds, 0.0)
        self.spent, self.trials = self.spent + spent, self.trials + self.search.trials - before
        return world.number(self.problem.action_name(self.action))

    def told(self, steps: int) -> dict[str, float]:
        return {"seconds": self.spent / steps, "trials_run": self.trials / steps}


@cache
def _problem(domain: str, instance: str) -> Any:
    """The compiled instance."""
    return from_rddl(domain, instance, compiled=True)


def instance_named(text: str) -> tuple[str, str]:
    """The domain and the instance of ``DOMAIN/INSTANCE`` (or of two files with a comma between them)."""
    domain, comma, instance = text.partition(",") if "," in text else text.rpartition("/")
    if not (domain and comma and instance):
        raise ParameterError(
            f"instance {text!r}: must be DOMAIN/INSTANCE, such as SysAdmin_MDP_ippc2011/1, or two files"
        )
    return domain.strip(), instance.strip()
