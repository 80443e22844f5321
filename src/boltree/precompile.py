"""Compiles the kernels ahead of their first use, by small searches of every kind.

``python -m boltree.precompile FOLDER [most|all]`` leaves the machine code in a folder, compiled for a common processor
of this architecture: what a wheel carries as ``boltree/machine_code`` (``core/shipped.py``).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from . import problems
from .algorithms.table import DENTS, PUCT, UCT
from .core.machine_code import version_folder
from .core.shipped import common_processor, write_target
from .exact.evaluate import simple_regret
from .exact.solve import solve
from .problem.problem import Problem
from .problem.record import record
from .search.act import act
from .search.many import search_many
from .search.plan import plan
from .search.search import Search

TRIALS = 64


class _Even:
    """An evaluator in batches that prefers nothing."""

    batch = 4
    gives_prior = True

    def evaluate(self, features: Any) -> tuple[Any, Any]:
        """Even priors, and a value of 0, for each leaf."""
        return np.ones((len(features), 7)), np.zeros(len(features))


def _plans() -> None:
    plan(problems.FrozenLake("8x12-test"), trials=TRIALS, seed=0)
    plan(problems.ConnectFour(), trials=TRIALS, seed=0)
    for problem in (problems.Sailing(), problems.TicTacToe()):
        plan(problem, trials=TRIALS, seed=0)


def _searches() -> None:
    chain = problems.DChain(6)
    search = Search(chain, DENTS(), seed=0)
    search.run(trials=TRIALS)
    simple_regret(search)
    str(search)
    with tempfile.TemporaryDirectory() as folder:
        search.save(Path(folder) / "search")
        Search.load(Path(folder) / "search")
    search.advance(1)
    solve(chain, objective="soft", alpha=1.0)


class _Walk(Problem):
    """A simulator: its outcomes are not listed."""

    state = record(x="i4")
    actions, horizon, deterministic = 2, 8, False

    @staticmethod
    def start(params: Any, state: Any, rng: Any) -> None:
        """Begin at 0."""
        state.x = 0

    @staticmethod
    def step(params: Any, state: Any, action: int, rng: Any) -> tuple[float, bool]:
        """Go left or right."""
        state.x += 1 if action == 1 else -1
        return (1.0 if state.x == 3 else 0.0), state.x == 3


def _simulators() -> None:
    act(_Walk(), trials=TRIALS, seed=0)


def _hidden() -> None:
    search = Search(problems.Tiger(), seed=0)
    search.run(trials=TRIALS)
    search.advance(0, 1)


def _many() -> None:
    game = problems.ConnectFour()
    search_many([game] * 4, UCT(), trials=8)


def _many_with_evaluator() -> None:
    search_many([problems.ConnectFour()] * 4, PUCT(), trials=8, evaluator=_Even())


def _batches() -> None:
    Search(problems.ConnectFour(), PUCT(), evaluator=_Even(), seed=0).run(trials=TRIALS)


def _threads() -> None:
    Search(problems.DChain(6), UCT(), threads=2, deterministic=True, seed=0).run(trials=4 * TRIALS)
    Search(problems.Go(5), UCT(), threads=2, seed=0).run(trials=TRIALS)


def _limits() -> None:
    Search(problems.DChain(6), DENTS(), max_nodes=16, on_full="recycle", seed=0).run(trials=TRIALS)


MOST: tuple[tuple[Callable[[], None], ...], ...] = ((_plans, _simulators), (_searches,))
ALL = ((_plans, _simulators, _batches, _threads), (_searches, _hidden, _many_with_evaluator, _many, _limits))
"""What is compiled, one process each: what most searches need, and everything."""


def write_machine_code(folder: Path, *, everything: bool = False) -> None:
    """Compile kernels for a common processor of this architecture, and leave their machine code in a folder.

    Args:
        folder: where to; it is made anew.
        everything: threads, batches, many searches and full trees too; else what most searches need.
    """
    processor = common_processor()
    if processor is None:
        raise OSError("machine code is made ahead for x86-64 and for ARM of 64 bits alone")
    with tempfile.TemporaryDirectory() as name:
        environment = os.environ | {
            "BOLTREE_CACHE": name,
            "BOLTREE_SHIPPED": "0",
            "BOLTREE_QUIET": "1",
            "NUMBA_CPU_NAME": processor,
            "NUMBA_CPU_FEATURES": "",
            "PYTHONPATH": os.pathsep.join((str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", ""))),
        }
        which = "ALL" if everything else "MOST"
        running = [
            subprocess.Popen(
                [sys.executable, "-c", f"from boltree import precompile as p; p.compile_here(p.{which}[{n}])"],
                env=environment, cwd=name,
            )
            for n in range(len(MOST))
        ]  # fmt: skip
        statuses = [process.wait() for process in running]
        if any(statuses):
            raise OSError("a process that compiled kernels failed; what it printed says why")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in next(Path(name).rglob("*.nbi")).parent.iterdir():
            shutil.copy(file, folder)


def compile_here(searches: tuple[Callable[[], None], ...]) -> None:
    """Run small searches in this process, whose machine code is kept where this process keeps it."""
    for search in searches:
        search()
    write_target(version_folder())


if __name__ == "__main__":
    write_machine_code(Path(sys.argv[1]), everything=sys.argv[2:] == ["all"])
