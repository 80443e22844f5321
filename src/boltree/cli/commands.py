"""The command line: words to calls, nothing else."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..bench.table import add_bench
from ..catalogue import PROBLEMS_HELP, TOO_LARGE, problem_named
from ..errors import LabError, ParameterError, ProblemError
from ..exact.evaluate import simple_regret, value_of
from ..exact.solve import solve
from ..go.commands import add_go
from ..go.network.command import add_network
from ..lab.commands import add_lab
from ..lab.files import chosen_algorithms
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem
from ..search.search import Search
from ..terminal import HelpFormatter, Parser, table
from ..version import __version__
from ..viewer.commands import add_watch

PLAIN_STATES = 20_000
"""A problem in plain Python with more states is not solved exactly beside its searches."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = Parser(prog="boltree", description="Monte-Carlo tree search with Boltzmann exploration.")
    parser.add_argument("--version", action="version", version=f"boltree {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_plan(commands)
    add_watch(commands)
    add_lab(commands)
    add_go(commands)
    add_network(commands)
    add_bench(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.call(options))
    except (ParameterError, ProblemError) as error:
        print(f"boltree: {error}", file=sys.stderr)
        return 2
    except LabError as error:
        print(f"boltree: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("boltree: interrupted", file=sys.stderr)
        return 130


def _add_plan(commands: argparse._SubParsersAction[Parser]) -> None:
    plan = commands.add_parser(
        "plan",
        help="search a problem with several algorithms and compare what they recommend",
        description="Search a problem with several algorithms; print what each recommends, its exact value and regret.",
        epilog="example: boltree plan frozen-lake --trials 100000 --algorithm dents bts uct",
        formatter_class=HelpFormatter,
    )
    plan.add_argument("problem", help=PROBLEMS_HELP)
    plan.add_argument(
        "--algorithm", nargs="+", metavar="NAME", help="algorithms by name; the paper's, tuned, if left out"
    )
    plan.add_argument("--parameters", type=Path, metavar="FILE", help="a parameter file, as boltree tune writes it")
    plan.add_argument("--trials", type=int, default=100_000, help="trials of each algorithm")
    plan.add_argument("--seconds", type=float, help="at most so long each")
    plan.add_argument("--growth", choices=("leaf", "trial"), default="trial", help="how the tree grows")
    plan.add_argument("--seed", type=int, default=0, help="seed of the random numbers")
    plan.add_argument("--tree", type=int, metavar="DEPTH", help="also print each tree down to a depth")
    plan.set_defaults(call=_plan)


def _plan(options: argparse.Namespace) -> int:
    problem = problem_named(options.problem)
    chosen = chosen_algorithms(options.problem, options.algorithm, options.parameters)
    if options.trials < 1:
        raise ParameterError(f"--trials {options.trials}: must be at least 1")
    exact = problem.has("outcomes") and options.problem not in TOO_LARGE
    if exact:
        try:
            best = solve(problem, max_states=PLAIN_STATES if isinstance(problem, PythonProblem) else None)
            print(f"{options.problem}: optimal value {best.root_value:.4f}")
        except ProblemError as error:
            exact = False
            print(f"{error}; so there are no exact values")
    rows = []
    Search(problem, chosen[0], seed=0, growth=options.growth).run(trials=1)  # compile before timing
    for one in chosen:
        search = Search(problem, one, seed=options.seed, growth=options.growth)
        began = time.perf_counter()
        search.run(trials=options.trials, seconds=options.seconds)
        spent = time.perf_counter() - began
        rows.append(_row(search, problem, spent, exact))
        if options.tree:
            search.tree(options.tree)
    heads = [
        "algorithm",
        "recommends",
        *(["value", "regret"] if exact else []),
        "root value",
        "trials",
        "nodes",
        "trials/s",
    ]
    print(table(heads, rows))
    return 0


def _row(search: Search, problem: Problem, spent: float, exact: bool) -> list[str]:
    action = search.recommend()
    name = search.root.action_name(action)
    values = [f"{value_of(search):.4f}", f"{simple_regret(search):.4f}"] if exact else []
    return [
        search.algorithm.name,
        str(action) if name == str(action) else f"{action} ({name})",
        *values,
        f"{search.root.value:.4f}",
        f"{search.trials:,}",
        f"{search.size:,}",
        f"{search.trials / max(spent, 1e-9):,.0f}",
    ]
