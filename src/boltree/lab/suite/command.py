"""The command ``boltree suite``."""

from __future__ import annotations

import argparse
from typing import Any

from ...errors import ParameterError
from ...jobs.arguments import add_running
from ...terminal import positive_number, table, whole_number

TRIALS, QUICK_TRIALS = (1_000, 10_000), (1_000,)
"""Trials of every decision, unless they are given."""


def add_suite(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser(
        "suite",
        help="measure bt.plan on many problems: what it proves, and its regret beside a grid of 40 settings",
        description="Measure decisions on many problems of many kinds: which ones bt.plan proves in time, and what "
        "bt.plan and 40 settings of the algorithms lose against the best decisions at equal trials. Run again, it goes "
        "on where it was stopped.",
        epilog="example: boltree suite --quick",
    )
    command.add_argument(
        "--group", nargs="+", choices=("provable", "large", "games"), help="which groups of problems; all if left out"
    )
    command.add_argument("--problems", nargs="+", metavar="NAME", help="which ones, such as mazes-1*; all if left out")
    command.add_argument("--settings", choices=("plan", "grid", "all"), default="all", help="who decides")
    parts = ("proofs", "regrets", "games")
    command.add_argument("--part", choices=parts, help="only this part; the first two if left out")
    command.add_argument(
        "--trials", nargs="+", type=whole_number, metavar="N", help="trials of every decision (1000 10000)"
    )
    command.add_argument("--seconds", type=positive_number, default=2.0, help="how long a proof may take")
    command.add_argument("--repeats", type=whole_number, default=1, help="decisions with other random numbers")
    command.add_argument(
        "--quick", action="store_true", help="one problem of each family and 1000 trials, unless they are named"
    )
    command.add_argument(
        "--games", type=whole_number, default=100, help="with --part games: how many of each, against OpenSpiel's MCTS"
    )
    command.add_argument("--move-seconds", type=positive_number, default=0.2, help="with --part games: for a move")
    command.add_argument(
        "--through", choices=("problem", "openspiel"), default="problem",
        help="with --part games: play by our own compiled problems, or through bt.from_openspiel",
    )  # fmt: skip
    command.add_argument("--list", action="store_true", help="only list the problems")
    add_running(command, "boltree-suite")
    command.set_defaults(call=_suite)


def _suite(options: argparse.Namespace) -> int:
    from ..arguments import laboratory
    from .choice import CONTENDERS, chosen_cases
    from .job import jobs_for, proofs_for
    from .problems import missing
    from .report import report

    if options.part == "games" and not options.list:
        return _games(options)
    cases = chosen_cases(options.group, options.problems, options.quick)
    if options.list:
        print(table(["problem", "family", "group"], [[case.name, case.family, case.group] for case in cases]))
        return 0
    contenders = CONTENDERS[options.settings]
    jobs = []
    if options.part != "regrets":
        jobs += proofs_for(cases, contenders, options.seconds)
        if options.part == "proofs" and not jobs:
            raise ParameterError("--part proofs: needs a provable problem, and --settings plan or all")
    if options.part != "proofs":
        budgets = options.trials or (QUICK_TRIALS if options.quick else TRIALS)
        jobs += jobs_for(cases, contenders, sorted(set(budgets)), options.repeats)
    lab = laboratory(options)
    frame = lab.run_jobs(jobs)
    print(lab.part_finished() if frame is None else report(frame, options.out, missing()))
    return 0


def _games(options: argparse.Namespace) -> int:
    from ..arguments import laboratory
    from .boards import chosen_games
    from .grid import PLAN
    from .match_report import match_report
    from .matches import match

    jobs = []
    for name in chosen_games(options.problems):
        jobs += match(name, PLAN[0], options.games, options.move_seconds, options.through)
    lab = laboratory(options)
    frame = lab.run_jobs(jobs)
    print(lab.part_finished() if frame is None else match_report(frame, options.out))
    return 0
