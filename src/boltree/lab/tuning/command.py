"""``boltree tune``: parses its arguments and calls the library."""

from __future__ import annotations

import argparse
from typing import Any

from ...catalogue import PROBLEMS
from ...errors import ParameterError
from ...terminal import seed_number, whole_number
from ..arguments import add_algorithms, add_laboratory, add_sizes, laboratory


def add_tune(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser(
        "tune",
        help="find good parameters for a problem, by Optuna or over a grid; writes a parameter file",
        description="Find good parameters of algorithms for a problem and write them to a file that compare and plan "
        "read. Optuna proposes settings and stops hopeless ones early; with --grid every setting of a grid is run. "
        "Run again, it goes on where it was stopped.",
        epilog="example: boltree tune sailing --algorithm dents bts --evaluations 50 --out results",
    )
    names = f"{', '.join(PROBLEMS)}, or module:object; a grid file may name it"
    command.add_argument("problem", nargs="?", metavar="PROBLEM", help=names)
    add_algorithms(command, file="start from a parameter file's settings")
    command.add_argument(
        "--grid", metavar="FILE", help="a parameter file or experiment whose lists are grids, or 'paper': Appendix D.3"
    )
    command.add_argument("--evaluations", type=whole_number, metavar="N", help="settings to try of each algorithm (50)")
    add_sizes(command, "searches of every setting (5)")
    command.add_argument("--seed", type=seed_number, help="all random numbers derive from it (0)")
    add_laboratory(command, "a grid file's quick settings")
    command.set_defaults(call=_tune)


def _tune(options: argparse.Namespace) -> int:
    from ...jobs.executors import cores

    if options.grid is not None:
        from .report import tune
        from .tuning import grid_for

        _refuse(options, ("evaluations", "parameters"), "without --grid")
        experiment = grid_for(
            options.problem, options.grid, options.algorithm, options.trials, options.repeats, options.seed,
            options.quick,
        )  # fmt: skip
        print(tune(experiment, laboratory(options)))
        return 0

    from .study_report import EVALUATIONS, REPEATS, starts, tune_by_study

    if options.problem is None:
        raise ParameterError(f"PROBLEM is missing: one of {', '.join(PROBLEMS)}, or module:object")
    _refuse(options, ("quick", "cluster"), "with --grid")
    if options.shard != (0, 1):
        raise ParameterError("--shard: only with --grid")
    settings = starts(options.problem, options.algorithm, options.parameters)
    print(
        tune_by_study(
            options.problem, settings, laboratory(options), options.workers or cores(),
            options.evaluations or EVALUATIONS, options.trials, options.repeats or REPEATS, options.seed or 0,
        )
    )  # fmt: skip
    return 0


def _refuse(options: argparse.Namespace, names: tuple[str, ...], when: str) -> None:
    for name in names:
        if getattr(options, name):
            raise ParameterError(f"--{name}: only {when}")
