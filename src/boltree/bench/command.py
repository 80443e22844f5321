"""``boltree bench``: how fast the search is on this machine, and against what a Python user would otherwise install.

Times are the best of several interleaved repeats, in nanoseconds per node visit (a trial of n steps makes n + 1).
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from pathlib import Path
from typing import Any

from .. import problems
from ..algorithms.table import UCT
from ..errors import ParameterError
from ..search.search import Search
from ..terminal import positive_number, table, whole_number
from ..version import __version__
from .cases import Case, Ruler, cases
from .saved_run import TOLERANCE, Run, changes
from .threads import measure_threads
from .yardstick import measure_beside

MEASUREMENTS = 4
"""How often a case that looks slower is measured, at most, before it is reported as slower."""


def machine_name() -> str:
    """The machine, as the table names it."""
    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def add_bench(commands: Any) -> None:
    """Add the command ``bench``."""
    bench = commands.add_parser(
        "bench",
        help="measure this machine",
        description="Measure the search on this machine: time per visit, memory per node, and open_spiel if installed. "
        "A target is what the project asks of itself, in nanoseconds a visit, or in trials a second where it says so; "
        "nothing fails when it is missed.",
        epilog="example: boltree bench --repeats 5 --json bench.json; later: boltree bench --compare bench.json",
    )
    bench.add_argument("--repeats", type=whole_number, default=3, help="interleaved repeats; the best counts")
    bench.add_argument(
        "--scale",
        type=positive_number,
        help="trials of each repeat, relative to the usual number; with --threads, seconds of one thread",
    )
    bench.add_argument("--json", type=Path, metavar="FILE", help="also write the run to a file, for --compare")
    bench.add_argument(
        "--compare",
        type=Path,
        metavar="FILE",
        help=f"compare with a run that was saved; ends with status 1 if a case is over {TOLERANCE:.0%}% slower",
    )
    bench.add_argument(
        "--threads",
        type=int,
        nargs="+",
        metavar="N",
        help="measure what several threads bring over one, and the share of time that they wait for each other",
    )
    bench.add_argument("--deterministic", action="store_true", help="with --threads: the same tree for the same seed")
    bench.add_argument(
        "--yardstick",
        type=Path,
        metavar="PATH",
        help="measure beside the same searches in C++, whose header bts.hpp lies in this folder; needs g++",
    )
    bench.set_defaults(call=run_bench)


def run_bench(options: argparse.Namespace) -> int:
    """Measure, and print the table; 1 when something has become slower than in the run that it is compared with."""
    before = Run.load(options.compare) if options.compare else None
    scale = options.scale if options.scale is not None else before.scale if before else 1.0
    if before and scale != before.scale:
        raise ParameterError(f"--scale {scale}: {options.compare} was measured with {before.scale}; leave it out")
    if options.threads:
        if options.json or before:
            raise ParameterError("--threads: cannot be saved or compared; leave --json and --compare out")
        print(machine_name())
        print(measure_threads(options.threads, scale, options.repeats, deterministic=options.deterministic))
        return 0
    if options.deterministic:
        raise ParameterError("--deterministic: is about threads; give --threads too")
    if options.yardstick:
        if options.json or before:
            raise ParameterError("--yardstick: cannot be saved or compared; leave --json and --compare out")
        print(machine_name())
        print(measure_beside(options.yardstick, scale, options.repeats))
        return 0
    listed, ruler = cases(scale), Ruler()
    measure_all(listed, range(options.repeats), ruler)

    def run() -> Run:
        measured = [case.measured for case in listed]
        return Run(machine_name(), __version__, options.repeats, scale, ruler.best, measured)

    if before:
        for again in range(1, MEASUREMENTS):  # it may look slower only because of other work on the machine
            found = changes(run(), before)
            doubtful = [case for case, one in zip(listed, found, strict=True) if one.slower and not one.by_instructions]
            measure_all(doubtful, range(again * options.repeats, (again + 1) * options.repeats), ruler)
    print(machine_name())
    print(table(["problem", "algorithm", "ns/visit", "target", "trials/s", "bytes/node"], [c.row for c in listed]))
    if before is None:
        print_open_spiel(scale, options.repeats)
    if options.json:
        run().save(options.json)
    return compare(run(), before, options.compare) if before else 0


def measure_all(listed: list[Case], repeats: range, ruler: Ruler) -> None:
    """Every case once in each repeat."""
    for repeat in repeats:
        for case in listed:
            case.measure(repeat, ruler)


def compare(now: Run, then: Run, path: Path) -> int:
    """Print the ratios to a run that was saved; 1 when a case has become slower."""
    found = changes(now, then)
    print(f"\nCompared with {path} (boltree {then.boltree}, {then.machine}), above 1 is slower:")
    print(table(["problem", "algorithm", "by", "ratio", "ratio of plain times", ""], [change.row for change in found]))
    gone = {case.key for case in then.cases} - {case.key for case in now.cases}
    for name, algorithm in sorted(gone):
        print(f"{name}, {algorithm}: not measured any more")
    slower = sum(change.slower for change in found)
    print(f"{slower} of {len(found)} cases are over {TOLERANCE:.0%} slower")
    return 1 if slower else 0


def print_open_spiel(scale: float, repeats: int) -> None:
    """The comparison with open_spiel, or how to have it."""
    spiel = open_spiel_rows(scale, repeats)
    if spiel:
        print()
        print(table(["game, random rollouts", "", "boltree sims/s", "open_spiel sims/s", "ratio"], spiel))
    else:
        print("\nopen_spiel is not installed: pip install 'boltree[bench]' to compare with its C++ search")


def open_spiel_rows(scale: float, repeats: int) -> list[list[str]]:
    """open_spiel's C++ UCT bot against UCT here, on the same core in the same run; empty when it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return []
    rows = []
    for name, problem in (("tic_tac_toe", problems.TicTacToe()), ("connect_four", problems.ConnectFour())):
        trials = max(100, int(20_000 * scale))
        ours, theirs = 0.0, 0.0
        for repeat in range(repeats):
            search = Search(problem, UCT(c=1.4), seed=repeat)
            search.run(trials=10)
            began = time.perf_counter()
            search.run(trials=trials)
            ours = max(ours, trials / (time.perf_counter() - began))
            game = pyspiel.load_game(name)
            evaluator = pyspiel.RandomRolloutEvaluator(1, repeat)
            bot = pyspiel.MCTSBot(game, evaluator, 1.4, trials, 1000, False, repeat, False)
            state = game.new_initial_state()
            began = time.perf_counter()
            bot.mcts_search(state)
            theirs = max(theirs, trials / (time.perf_counter() - began))
        rows.append([name, "UCT", f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.1f}"])
    return rows
