"""The lab's part of the command line: words to calls."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from ..catalogue import PROBLEMS
from ..errors import ParameterError
from .running import Laboratory, executor_for

Commands = Any
_HELP = argparse.ArgumentDefaultsHelpFormatter


def add_lab(commands: Commands) -> None:
    """Add the lab's commands."""
    _add_compare(commands)


def _whole(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9_]*", text):
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number of at least 1")
    return int(text)


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r}: must be i/n with 1 <= i <= n, such as 1/4")
    return int(found[1]) - 1, int(found[2])


def add_running(command: argparse.ArgumentParser, out: str) -> None:
    """The options of every command that runs jobs."""
    command.add_argument("--out", type=Path, default=Path(out), metavar="FOLDER", help="where results and figures go")
    command.add_argument("--workers", type=_whole, metavar="N", help="worker processes; all cores if left out")
    command.add_argument("--cluster", metavar="ADDRESS", help="run on a Ray cluster: its address, or auto")
    command.add_argument("--shard", type=_shard, default=(0, 1), metavar="I/N", help="run only the I-th of N parts")
    command.add_argument("--no-progress", action="store_true", help="show no progress")


def laboratory(options: argparse.Namespace) -> Laboratory:
    """Where and by whom jobs are run, from the options of `add_running`."""
    if options.workers and options.cluster:
        raise ParameterError("--workers and --cluster: give one of them")
    executor = executor_for(options.workers, options.cluster)
    return Laboratory(options.out, executor, options.shard, show=not options.no_progress)


def _add_compare(commands: Commands) -> None:
    command = commands.add_parser(
        "compare",
        help="run algorithms side by side with repeats; a table, figures and a page",
        description="Run algorithms side by side on a problem, with repeats, and report on them: a table, figures "
        "(PNG, SVG) and an interactive page. Run again, it goes on where it was stopped.",
        epilog="example: boltree compare frozen-lake --out results",
        formatter_class=_HELP,
    )
    command.add_argument("what", metavar="PROBLEM", help=f"{', '.join(PROBLEMS)}, module:object, or an experiment.toml")
    command.add_argument("--algorithm", nargs="+", metavar="NAME", help="which algorithms; the paper's if left out")
    command.add_argument(
        "--parameters", type=Path, metavar="FILE", help="a parameter file, as boltree tune writes it"
    )
    command.add_argument("--trials", type=_whole, help="trials of every search")
    command.add_argument("--repeats", type=_whole, help="searches of every algorithm")
    command.add_argument("--seed", type=int, default=0, help="all random numbers derive from it")
    command.add_argument("--quick", action="store_true", help="an experiment file's quick settings")
    add_running(command, "boltree-results")
    command.set_defaults(call=_compare)


def _compare(options: argparse.Namespace) -> int:
    from .compare import chosen_experiment, compare

    experiment = chosen_experiment(
        options.what, options.quick, algorithms=options.algorithm, parameters=options.parameters,
        trials=options.trials, repeats=options.repeats, seed=options.seed,
    )  # fmt: skip
    print(compare(experiment, laboratory(options)))
    return 0
