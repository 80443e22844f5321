"""``boltree bench --yardstick PATH``: the speed of searches relative to the same searches written in C++.

A yardstick is a folder with a header ``bts.hpp``: BTS, DENTS and UCT in C++, with leaf growth and leaf values of 0, and
the problems chain, lake and sailing. It is compiled with g++ together with ``yardstick.cpp``, and both programs search
alternately with the same parameters. The processor time of the searching thread counts, and of all repeats the best.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import problems
from ..algorithms.schedules import log_decay
from ..algorithms.table import BTS, DENTS, UCT, Algorithm
from ..errors import ParameterError
from ..problem.problem import Problem
from ..search.search import Search
from ..terminal import table
from .sailing_in_place import SailingInPlace

HEADER = "bts.hpp"
COMMAND = ("g++", "-O3", "-march=native", "-std=c++20")


@dataclass(frozen=True)
class Setting:
    """A problem that both programs know, with the parameters of their algorithms."""

    name: str
    word: str  # for the problem in yardstick.cpp
    problem: Problem
    trials: int
    alpha: float
    epsilon: float
    beta: float
    c: float
    q_init: float = 0.0

    def algorithms(self) -> list[tuple[Algorithm, bool]]:
        """The algorithms, and whether they draw from tables."""
        found: list[tuple[Algorithm, bool]] = []
        for tables in (False, True):
            shared: dict[str, Any] = {
                "alpha": self.alpha, "epsilon": self.epsilon, "q_init": self.q_init, "alias": tables,
            }  # fmt: skip
            found += [(BTS(**shared), tables), (DENTS(beta=log_decay(self.beta), **shared), tables)]
        return [*found, (UCT(c=self.c), False)]


def settings() -> list[Setting]:
    """The problems, with the parameters that suit them."""
    return [
        Setting("D-chain", "chain", problems.DChain(10, horizon=10), 300_000, 1.0, 1.0, 1.0, 1.0),
        Setting("Frozen Lake", "lake", problems.FrozenLake("8x12-test"), 100_000, 0.1, 2.0, 1.0, 0.5),
        Setting("Sailing", "sailing", SailingInPlace(), 100_000, 10.0, 1.0, 10.0, 20.0, -200.0),
    ]


@dataclass
class Comparison:
    """One search in both programs."""

    setting: Setting
    algorithm: Algorithm
    tables: bool
    trials: int
    ours: float = math.inf  # seconds
    theirs: float = math.inf
    our_depth: float = 0.0
    their_depth: float = 0.0

    def measure(self, program: Path, seed: int) -> None:
        """Search once in each program."""
        s = self.setting
        numbers = (int(self.tables), s.alpha, s.epsilon, s.beta, s.c, s.q_init, s.problem.horizon, self.trials)
        command = [str(program), s.word, self.algorithm.name, *map(str, numbers)]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        self.theirs, self.their_depth = min(self.theirs, float(told[0])), float(told[2]) / float(told[1])
        search = Search(s.problem, self.algorithm, seed=seed, evaluator=0.0)
        search.run(trials=1)  # compiles
        began = time.thread_time()
        search.run(trials=self.trials - 1)
        self.ours = min(self.ours, time.thread_time() - began)
        self.our_depth = search.tree.fields.visits_made / self.trials - 1.0

    @property
    def row(self) -> list[str]:
        """Its row of the table."""
        drawn = "" if isinstance(self.algorithm, UCT) else "tables" if self.tables else "directly"
        rates = [f"{self.trials / seconds / 1e3:,.0f} k" for seconds in (self.ours, self.theirs)]
        depths = [f"{depth:.1f}" for depth in (self.our_depth, self.their_depth)]
        return [self.setting.name, self.algorithm.name, drawn, *depths, *rates, f"{self.theirs / self.ours:.2f}"]


@dataclass
class Yardstick:
    """A yardstick's search, compiled.

    Args:
        path: the folder of its header.
    """

    path: Path
    _folder: Any = field(default_factory=tempfile.TemporaryDirectory)

    def __post_init__(self) -> None:
        where = f"--yardstick {self.path}"
        if not (self.path / HEADER).is_file():
            raise ParameterError(f"{where}: must be a folder with {HEADER}")
        if shutil.which(COMMAND[0]) is None:
            raise ParameterError(f"{where}: needs {COMMAND[0]}, which is not installed, to compile the search in C++")
        self.program = Path(self._folder.name) / "yardstick"
        source = Path(__file__).with_name("yardstick.cpp")
        command = [*COMMAND, f"-I{self.path}", str(source), "-o", str(self.program)]
        compiled = subprocess.run(command, capture_output=True, text=True)
        if compiled.returncode:
            said = compiled.stderr.strip().splitlines() or ["g++ said nothing"]
            raise ParameterError(f"{where}: {HEADER} does not compile: {said[0]}")

    def __enter__(self) -> Yardstick:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def measure_beside(path: Path, scale: float, repeats: int) -> str:
    """Measure all searches beside the yardstick in `path`; the table."""
    listed = [
        Comparison(setting, algorithm, tables, max(100, int(setting.trials * scale)))
        for setting in settings()
        for algorithm, tables in setting.algorithms()
    ]
    with Yardstick(path) as yardstick:
        for repeat in range(repeats):
            for comparison in listed:
                comparison.measure(yardstick.program, repeat)
    head = ["problem", "algorithm", "drawn", "depth", "depth in C++", "trials/s", "C++", "ours over C++"]
    return table(head, [comparison.row for comparison in listed])
