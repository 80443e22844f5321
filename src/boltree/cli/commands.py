"""The command line: parses arguments and calls the library, nothing else."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from ..bench.command import add_bench
from ..catalogue import PROBLEMS_HELP, TOO_LARGE, problem_named
from ..errors import LabError, ParameterError, ProblemError
from ..exact.evaluate import simple_regret, value_of
from ..exact.solve import solve
from ..go.commands import add_go
from ..go.network.command import add_network
from ..lab.arguments import add_algorithms
from ..lab.commands import add_lab
from ..lab.files import chosen_algorithms
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem
from ..search.plan import plan
from ..search.search import Search
from ..terminal import Parser, positive_number, seed_number, table, whole_number
from ..version import __version__
from ..viewer.commands import add_watch
from .cache import add_cache

TRIALS = 100_000
"""Trials of each algorithm that is compared, unless a number is given."""

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
    add_cache(commands)
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
    command = commands.add_parser(
        "plan",
        help="say what to do in a problem; or compare what several algorithms recommend",
        description="Search a problem and say what to do, how sure that is, and what else there is. With --algorithm, "
        "search it with each of these and print what they recommend, its exact value and regret.",
        epilog="examples: boltree plan sailing --seconds 2; boltree plan frozen-lake --algorithm dents bts uct",
    )
    command.add_argument("problem", help=PROBLEMS_HELP)
    add_algorithms(command, "compare these algorithms, by name, with the paper's parameters")
    command.add_argument(
        "--trials", type=whole_number, help=f"at most this number; {TRIALS:,} of each algorithm if left out"
    )
    command.add_argument("--seconds", type=positive_number, help="the most seconds; 1 if neither is given")
    command.add_argument("--growth", choices=("leaf", "trial"), default="trial", help="how the algorithms' trees grow")
    command.add_argument("--seed", type=seed_number, default=0, help="seed of the random numbers")
    command.add_argument("--tree", type=whole_number, metavar="DEPTH", help="also print each tree down to a depth")
    command.set_defaults(call=_plan)


def _plan(options: argparse.Namespace) -> int:
    problem = problem_named(options.problem)
    if options.algorithm is None and options.parameters is None:
        found = plan(problem, seconds=options.seconds, trials=options.trials, seed=options.seed)
        print(found)
        if options.tree:
            found.search.tree(options.tree)
        return 0
    return _compare(problem, options)


def _compare(problem: Problem, options: argparse.Namespace) -> int:
    """Search a problem with each of several algorithms."""
    chosen = chosen_algorithms(options.problem, options.algorithm, options.parameters)
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
        search.run(trials=options.trials or TRIALS, seconds=options.seconds)
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
