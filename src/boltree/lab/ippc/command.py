"""The command ``boltree ippc``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...jobs.arguments import add_running
from ...terminal import positive_number, whole_number


def add_ippc(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser(
        "ippc",
        help="play instances in RDDL at a given time a step, with scores beside another planner's",
        description="Play rounds of instances in RDDL in pyRDDLGym's own simulator, by bt.plan's search or by "
        "algorithms, by noop and at random; and score them against a table of another planner's results, PROST's "
        "unless it is given. Run again, it goes on where it was stopped.",
        epilog="example: boltree ippc --instances SysAdmin_MDP_ippc2011/1 --rounds 10",
    )
    command.add_argument(
        "--instances", nargs="+", metavar="NAME",
        help="DOMAIN/INSTANCE of rddlrepository, or DOMAIN-FILE,INSTANCE-FILE; those of the reference if left out",
    )  # fmt: skip
    command.add_argument("--seconds", type=positive_number, default=0.2, help="CPU-seconds for a step")
    command.add_argument("--rounds", type=whole_number, default=30, help="of each planner on each instance")
    command.add_argument(
        "--algorithm", nargs="+", metavar="NAME", help="search by these, by name; as bt.plan if left out"
    )
    command.add_argument("--growth", choices=("leaf", "trial"), default="trial", help="how the algorithms' trees grow")
    command.add_argument("--transpositions", action="store_true", help="the algorithms share nodes of the same state")
    command.add_argument(
        "--reference", type=Path, metavar="FILE", help="another planner's results; PROST's if left out"
    )
    add_running(command, "boltree-ippc")
    command.set_defaults(call=_ippc)


def _ippc(options: argparse.Namespace) -> int:
    from ...algorithms.table import algorithm
    from ...jobs.settings import setting_of
    from ..arguments import laboratory
    from ..suite.planners import Default, Fixed
    from .report import SHIPPED, ippc_report, read_reference
    from .round import Baseline, Round, Searcher, instance_named

    reference = read_reference(options.reference or SHIPPED)
    names = [instance_named(name) for name in options.instances or reference.results]
    chosen: list[Searcher] = [
        Fixed(setting_of(algorithm(name)), options.growth, options.transpositions) for name in options.algorithm or ()
    ]
    chosen = chosen or [Default()]
    jobs = []
    for domain, instance in names:
        for number in range(options.rounds):
            jobs += [Round(domain, instance, Baseline(label), 0.0, number) for label in ("noop", "random")]
            jobs += [Round(domain, instance, one, options.seconds, number) for one in chosen]
    lab = laboratory(options)
    frame = lab.run_jobs(jobs)
    print(lab.part_finished() if frame is None else ippc_report(frame, reference, options.out))
    return 0
