"""Options that several commands of the lab have, and what is made of them."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import ParameterError
from ..jobs.arguments import add_running, executor_for
from ..terminal import whole_number
from .running import Laboratory


def add_algorithms(
    command: argparse.ArgumentParser,
    names: str = "algorithms by name; the paper's if left out",
    file: str = "a parameter file, as boltree tune writes it",
) -> None:
    """Options that choose algorithms, as `chosen_algorithms` reads them; what the help says of them."""
    command.add_argument("--algorithm", nargs="+", metavar="NAME", help=names)
    command.add_argument("--parameters", type=Path, metavar="FILE", help=file)


def add_sizes(command: argparse.ArgumentParser, repeats: str) -> None:
    """How long searches are and how many there are; `repeats` is the help of the latter."""
    command.add_argument("--trials", type=whole_number, help="trials of every search")
    command.add_argument("--repeats", type=whole_number, help=repeats)


def add_laboratory(command: argparse.ArgumentParser, quick: str) -> None:
    """The options that `laboratory` reads, and ``--quick`` with its help."""
    command.add_argument("--quick", action="store_true", help=quick)
    add_running(command, "boltree-results")


def laboratory(options: argparse.Namespace) -> Laboratory:
    """Where and by whom jobs are run, from the options of `add_laboratory`."""
    if options.workers and options.cluster:
        raise ParameterError("--workers and --cluster: give one of them")
    executor = executor_for(options.workers, options.cluster)
    return Laboratory(options.out, executor, options.shard, show=not options.no_progress)
