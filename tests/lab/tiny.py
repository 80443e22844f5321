"""A tiny experiment, run as a user runs it, whose workers a test can hold at a gate.

Nothing here waits for a fixed time: a worker that reaches the gate leaves its process id there and waits until the gate
is opened, so a test knows what has happened and what cannot have happened yet, however slow the machine is.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import boltree
from boltree.cli.commands import main
from boltree.lab.store import TIMING
from child import Child

PACKAGE = str(Path(boltree.__file__).resolve().parents[1])
"""Where other processes find the package that is tested, from whatever folder."""
JOBS = 27
BEFORE_THE_GATE = 6
"""Jobs that end while all workers are held: the first repeat on the two problems without a gate."""

EXPERIMENT = """
name = "tiny"
problem = ["DChain(6)", "frozen-lake-8x8", "users_problems:held"]
trials = 200
evaluate_every = 100
repeats = 3
[[algorithms]]
name = "uct"
[[algorithms]]
name = "dents"
alpha = 0.5
beta = "log_decay(alpha)"
[[algorithms]]
name = "hmcts"
"""

FAILING = """
name = "failing"
problem = [{}]
trials = 100
evaluate_every = 100
repeats = {}
[[algorithms]]
name = "uct"
"""

PROBLEMS = '''
import multiprocessing, os, signal, sys, time
from pathlib import Path

import boltree as bt

GATE = Path(os.environ.get("GATE", "no-gate"))
SPAWNED = multiprocessing.parent_process() is not None
WORKER = SPAWNED or "default_worker.py" in " ".join(sys.orig_argv)  # of ours or of Ray; not who reads the experiment


def held():
    """A chain, behind the gate."""
    if WORKER and GATE.is_dir():
        (GATE / f"{os.getpid()}.waits").touch()
        while not (GATE / "open").exists():
            time.sleep(0.02)
    return bt.problems.DChain(6)


def deadly():
    """A chain that no worker survives."""
    if WORKER:
        (GATE / f"{os.getpid()}.died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return bt.problems.DChain(6)


class Faulty(bt.PythonProblem):
    """Raises when it is searched."""

    actions, horizon = 2, 5

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        raise LookupError("there is no room 7")
'''


def write_user(folder: Path) -> Path:
    """A user's folder: the experiment, and the module of problems beside it."""
    (folder / "tiny.toml").write_text(EXPERIMENT)
    (folder / "users_problems.py").write_text(PROBLEMS)
    return folder


def write_failing(folder: Path, *problems: str, repeats: int = 1) -> None:
    """An experiment, `failing.toml`, on these problems."""
    names = ", ".join(f'"{name}"' for name in problems)
    (folder / "failing.toml").write_text(FAILING.format(names, repeats))


def run_here(out: Path, *options: str, experiment: str = "tiny.toml") -> int:
    """Run the experiment of the current folder in this process, on one worker; its exit status."""
    return main(["compare", experiment, "--out", str(out), "--workers", "1", *options])


def results(out: Path) -> dict[str, tuple[int, int]]:
    """The files of results; a file that was written anew has another inode or another time."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in (out / "results").glob("*.parquet")}


def table(out: Path) -> Any:
    """All results in a folder that do not depend on who computed them."""
    import polars  # pytest imports this file to look for doctests, also where there is no polars

    frame = polars.read_parquet(out / "results" / "*.parquet").drop(TIMING)
    return frame.sort("problem", "algorithm", "repeat", "trials")


class Gate:
    """Where workers wait."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def waiting(self) -> list[int]:
        """The processes that have come to the gate."""
        return [int(path.stem) for path in self.folder.glob("*.waits")]

    def open(self) -> None:
        """Let all pass, also those that come later."""
        (self.folder / "open").touch()


class Run(Child):
    """The command line in a process group of its own, as a terminal starts it."""

    def __init__(self, user: Path, out: Path, *options: str, gate: Gate | None = None, path: str = "") -> None:
        environment = {"PYTHONPATH": os.pathsep.join([path, PACKAGE] if path else [PACKAGE])}
        if gate is not None:
            environment["GATE"] = str(gate.folder)
        self.out = out
        command = [sys.executable, "-m", "boltree", "compare", *options, "--out", str(out)]
        super().__init__(command, folder=user, **environment)

    def __enter__(self) -> Run:
        return self

    def until_held(self, gate: Gate, workers: int = 2) -> None:
        """Wait until the workers stand at the gate, and what they did before is on disk."""
        self.until(lambda: len(gate.waiting()) >= workers and len(results(self.out)) == BEFORE_THE_GATE)

    def result(self) -> tuple[int, str, str]:
        """Wait for the end: the exit status, the output and the errors."""
        return self.end(), self.output(), self.errors()


def gone(process: int) -> bool:
    """Whether there is no such process any more."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False
