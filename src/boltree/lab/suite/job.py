"""A job of the suite: one contender on one problem with one budget; a pure function of its row."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...jobs.executors import Watcher
from ...problem.problem import Problem
from ...version import __version__
from ..keepable import Columns
from .case import Case, Numbers
from .decisions import Proof
from .planners import Contender
from .problems import case_named

_DECIDES = (
    "decisions.py", "drawing.py", "endings.py", "episodes.py", "graphs.py", "hiding.py", "horizons.py", "problems.py",
    "regret.py", "simulated.py", "worlds.py",
)  # fmt: skip
"""The files that decide what is asked and how it is judged: a change of theirs makes other jobs."""

_NUMBERS = ("regret", "score", "random", "answers", "seconds", "proven", "false", "error", "trials_run")
"""What every result has, so that all files have the same columns."""


@dataclass(frozen=True)
class SuiteJob:
    """A row of the suite.

    Args:
        problem: the name of a case.
        setting: who decides.
        trials: of every decision; 0 for a proof, which is limited by time.
        repeat: the number of the repeat; other random numbers for the planner, the same positions.
        seconds: for a proof: how long it may take.
    """

    problem: str
    setting: Contender
    trials: int
    repeat: int = 0
    seconds: float | None = None

    def row(self) -> dict[str, Any]:
        """What decides the result."""
        return {
            "problem": self.problem,
            "setting": self.setting.canonical(),
            "trials": self.trials,
            "repeat": self.repeat,
            "seconds": self.seconds,
            "suite": _questions(),
        }

    @cache  # noqa: B019 - a job is a small constant
    def key(self) -> str:
        """A name for the result: the same row and the same version of the package have the same one."""
        text = json.dumps([__version__, self.row()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def seed(self) -> int:
        """The seed of the planner's random numbers, the same for every contender."""
        digest = hashlib.sha256(json.dumps([self.problem, self.repeat]).encode()).digest()
        return int(np.frombuffer(digest, np.uint32)[0])

    def facts(self) -> dict[str, Any]:
        """Columns that say which job it is."""
        case = case_named(self.problem)
        return {
            "problem": self.problem,
            "family": case.family,
            "group": case.group,
            "algorithm": self.setting.title,
            "label": self.setting.label,
            "contender": self.setting.canonical(),
            "repeat": self.repeat,
            "seed": np.int64(self.seed()),  # of one type in every file
            "budget": self.trials,
            "time_limit": math.nan if self.seconds is None else self.seconds,
        }

    @property
    def work(self) -> int:
        """The trials of a decision; a proof counts as one."""
        return max(self.trials, 1)

    def value(self, columns: Columns) -> float:
        """The regret, or the score where there is none."""
        return float(columns["score" if math.isnan(columns["regret"]) else "regret"])

    def run(self, watch: Watcher | None = None) -> Numbers:
        """Ask the contender and judge its decisions; what the measure does not know is NaN."""
        case, problem = _prepared(self.problem)
        measure = case.measure if self.seconds is None else Proof()

        def note(answers: int, regret: float) -> None:
            if watch is not None:
                watch(self.trials * answers // measure.answers, regret)

        trials = self.trials if self.seconds is None else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what a user is warned of is here to be measured
            numbers = measure.run(problem, self.setting.planner(), trials, self.seconds, self.seed(), note)
        return dict.fromkeys(_NUMBERS, math.nan) | {name: float(number) for name, number in numbers.items()}


def _prepared(name: str) -> tuple[Case, Problem]:
    """A case and its problem, which is kept while jobs on it follow one another if they may share it."""
    case = case_named(name)
    return case, _made(name) if case.measure.reusable else case.make()


@lru_cache(maxsize=4)
def _made(name: str) -> Problem:
    return case_named(name).make()


@cache
def _questions() -> str:
    """A hash of the files that decide what is asked."""
    digest = hashlib.sha256()
    for name in _DECIDES:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:20]


def jobs_for(
    cases: Iterable[Case], contenders: Iterable[Contender], budgets: Iterable[int], repeats: int = 1
) -> list[SuiteJob]:
    """Every job, small budgets first; all contenders of a problem one after the other, so that it is made once."""
    settings, chosen = list(contenders), list(cases)
    return [
        SuiteJob(case.name, setting, trials, repeat)
        for trials in sorted(budgets)
        for repeat in range(repeats)
        for case in chosen
        for setting in settings
    ]


def proofs_for(cases: Iterable[Case], contenders: Iterable[Contender], seconds: float) -> list[SuiteJob]:
    """A proof of every provable problem by every contender that can prove."""
    settings = [one for one in contenders if one.proves]
    return [SuiteJob(case.name, one, 0, 0, seconds) for case in cases if case.group == "provable" for one in settings]
