"""The lab's part of the command line: parses arguments and calls the library."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..catalogue import PROBLEMS
from ..terminal import number_or_text, positive_number, seed_number, whole_number
from .arguments import add_algorithms, add_laboratory, add_sizes, laboratory
from .ippc.command import add_ippc
from .suite.command import add_suite
from .tuning.command import add_tune

Commands = Any

TENTH = "about a tenth of the work"


def add_lab(commands: Commands) -> None:
    """Add the lab's commands."""
    _add_compare(commands)
    _add_figure(commands)
    _add_claims(commands)
    add_tune(commands)
    add_suite(commands)
    add_ippc(commands)


def _add_compare(commands: Commands) -> None:
    command = commands.add_parser(
        "compare",
        help="run algorithms side by side with repeats; a table, figures and a page",
        description="Run algorithms side by side on a problem, with repeats, and report on them: a table, figures "
        "(PNG, SVG) and an interactive page. Run again, it goes on where it was stopped.",
        epilog="example: boltree compare frozen-lake --out results",
    )
    command.add_argument("what", metavar="PROBLEM", help=f"{', '.join(PROBLEMS)}, module:object, or an experiment.toml")
    add_algorithms(command)
    add_sizes(command, "searches of every algorithm")
    command.add_argument("--seconds", type=positive_number, help="seconds of every search, in place of trials")
    closed = "play episodes, plan anew at each step, and compare returns; --repeats says how many"
    command.add_argument("--closed-loop", action="store_true", help=closed)
    command.add_argument("--growth", choices=("trial", "leaf"), help="of the trees; trial if left out")
    command.add_argument("--evaluator", type=number_or_text, help="rollout, heuristic or a number, for growth leaf")
    command.add_argument("--transpositions", nargs="?", const=True, choices=("state", "auto"), help="share nodes")
    command.add_argument("--threads", type=whole_number, help="threads of every search")
    command.add_argument("--seed", type=seed_number, default=0, help="all random numbers derive from it")
    add_laboratory(command, "an experiment file's quick settings")
    command.set_defaults(call=_compare)


def _compare(options: argparse.Namespace) -> int:
    from .compare import chosen_experiment, compare

    experiment = chosen_experiment(
        options.what, options.quick, algorithms=options.algorithm, parameters=options.parameters,
        trials=options.trials, repeats=options.repeats, seed=options.seed, seconds=options.seconds,
        closed_loop=options.closed_loop, growth=options.growth, evaluator=options.evaluator,
        transpositions=options.transpositions, threads=options.threads,
    )  # fmt: skip
    print(compare(experiment, laboratory(options)))
    return 0


def _add_figure(commands: Commands) -> None:
    command = commands.add_parser(
        "figure",
        help="make a figure or table of the paper",
        description="Make a figure or table of the paper, at full scale or about a tenth; without a name, list them.",
        epilog="example: boltree figure 3a --quick --out results",
    )
    command.add_argument("name", nargs="?", metavar="NAME", help="such as 2, 3a, 10-chain, table-3")
    add_laboratory(command, TENTH)
    command.set_defaults(call=_figure)


def _figure(options: argparse.Namespace) -> int:
    from .figures import FIGURES, TABLES, make_figure

    if options.name is None:
        shown = {name: one.shows for name, one in FIGURES.items()} | TABLES
        width = max(map(len, shown))
        print("\n".join(f"{name.ljust(width)}  {what}" for name, what in shown.items()))
        return 0
    if options.name in ("table-3", "table-4"):
        from .tuning.report import paper_table

        print(paper_table(int(options.name[-1]), laboratory(options), options.quick))
        return 0
    written = make_figure(options.name, laboratory(options), options.quick)
    print("Written: " + ", ".join(map(str, written)) if written else "This part is finished; the others are not yet.")
    return 0


def _add_claims(commands: Commands) -> None:
    command = commands.add_parser(
        "claims",
        help="run the paper's claims and say which hold",
        description="Run the experiments behind the paper's claims and judge each by its criterion. Run again, it goes "
        "on where it was stopped.",
        epilog="example: boltree claims --quick",
    )
    command.add_argument("claims", nargs="*", metavar="CLAIM", help="such as C4; all if left out")
    command.add_argument("--json", type=Path, metavar="FILE", help="also write claims, verdicts and numbers to a file")
    command.add_argument("--write", type=Path, metavar="FILE.md", help="also write them as a page with figures")
    command.add_argument("--list", action="store_true", help="only list the claims")
    add_laboratory(command, TENTH)
    command.set_defaults(call=_claims)


def _claims(options: argparse.Namespace) -> int:
    from .claims.document import as_json, as_markdown, as_text
    from .claims.ledger import chosen, run_claims
    from .claims.pictures import claim_pictures

    claims = chosen(options.claims)
    if options.list:
        print("\n".join(f"{claim.number.ljust(3)}  {claim.says}" for claim in claims))
        return 0
    judged = run_claims(claims, laboratory(options), options.quick)
    print(as_text(judged))
    if options.json:
        options.json.write_text(as_json(judged, options.quick), encoding="utf-8")
    if options.write:
        pictures = claim_pictures(claims, laboratory(options), options.quick, options.write.parent / "figures")
        options.write.write_text(as_markdown(judged, options.quick, pictures), encoding="utf-8")
    return 0
