"""The command ``boltree watch``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..catalogue import PROBLEMS_HELP, problem_named
from ..errors import ParameterError
from ..files import make_writable
from ..lab.compare import budget_of, budgets
from ..lab.files import chosen_algorithms
from ..lab.summaries import problem_title
from ..search.progress import ProgressLine
from ..search.search import Search
from ..terminal import HelpFormatter, seed_number, whole_number
from ..tree.proof_text import after_value
from .labels import labels_of, title_of

ALGORITHMS = ["dents", "uct"]
"""Watched side by side unless others are named."""

PLAN = "plan"
"""Named among the algorithms: the search without one, which chooses by itself."""


def add_watch(commands: Any) -> None:
    """Add the command ``watch``."""
    command = commands.add_parser(
        "watch",
        help="show searches in a browser: how they spread their visits, and their trees",
        description="Search a problem with some algorithms and write one page that shows them side by side: visits, "
        "values and recommended actions over trials, the root's curves, and the trees. The page needs nothing else.",
        epilog="examples: boltree watch frozen-lake --algorithm dents uct --out search.html; "
        "boltree watch frozen-lake --algorithm plan uct",
        formatter_class=HelpFormatter,
    )
    command.add_argument("problem", help=PROBLEMS_HELP)
    command.add_argument(
        "--algorithm",
        nargs="+",
        metavar="NAME",
        help=f"algorithms by name, and {PLAN} for what boltree plan does; dents uct if left out",
    )
    command.add_argument("--parameters", type=Path, metavar="FILE", help="a parameter file, as boltree tune writes it")
    command.add_argument("--trials", type=whole_number, help=f"trials of each algorithm; {budgets()} if left out")
    command.add_argument(
        "--growth", choices=("leaf", "trial"), default="trial", help=f"how the algorithms' trees grow; {PLAN} chooses"
    )
    command.add_argument("--seed", type=seed_number, default=0, help="seed of the random numbers")
    command.add_argument("--out", type=Path, default=Path("search.html"), metavar="FILE", help="where the page goes")
    command.set_defaults(call=_watch)


def _watch(options: argparse.Namespace) -> int:
    from .page import Watched, checked_page
    from .recording import record
    from .story import story

    problem = problem_named(options.problem)
    wanted = options.algorithm or (None if options.parameters else ALGORITHMS)
    plans = [place for place, name in enumerate(wanted or ()) if name.lower() == PLAN]
    if len(plans) > 1:
        raise ParameterError(f"--algorithm {' '.join(wanted or ())}: {PLAN} stands there twice")
    algorithms = None if wanted is None else [name for name in wanted if name.lower() != PLAN]
    chosen = chosen_algorithms(options.problem, algorithms, options.parameters)
    if options.out.is_dir():
        raise ParameterError(f"--out {options.out}: is a folder; name a file in it, such as {options.out}/search.html")
    try:
        checked_page(options.out)
    except ParameterError as error:
        raise ParameterError(f"--out {error}") from None
    make_writable(options.out.parent, options.out)
    trials = options.trials or budget_of(options.problem)
    labels = labels_of(chosen)
    searches = [Search(problem, one, seed=options.seed, growth=options.growth) for one in chosen]
    for place in plans:
        labels.insert(place, PLAN)
        searches.insert(place, Search(problem, seed=options.seed))
    lines = _Lines(trials) if sys.stderr.isatty() else None
    recordings = record(searches, trials, lines, labels)
    if lines:
        lines.close()
    title = title_of([one.label for one in recordings], problem_title(options.problem))
    Watched(recordings, title).save(options.out)
    for recording in recordings:
        end = recording.moments[-1]
        best = "nothing" if end.recommended is None else recording.search.root.action_name(end.recommended)
        full = "; no room for more" if recording.full else ""
        sure = f", value {end.value:.4g}{after_value(end.bounds)}" if end.bounds else ""
        print(f"{recording.label}: {end.trials:,} trials, {end.nodes:,} nodes, recommends {best}{sure}{full}")
    for said in (story(recordings) or {"searches": []})["searches"]:
        print(f"{said['verdict']}. {said['sentences'][0]}")
    print(f"Written: {options.out} ({options.out.stat().st_size / 1e6:.1f} MB); open it in a browser")
    return 0


class _Lines:
    """A line of progress for each search."""

    def __init__(self, trials: int) -> None:
        self._trials = trials
        self._search: Search | None = None
        self._line: ProgressLine | None = None

    def __call__(self, search: Search) -> None:
        if self._line is None or search is not self._search:
            self.close()
            self._search, self._line = search, ProgressLine(search, self._trials, None)
        self._line(search)

    def close(self) -> None:
        """End the last line."""
        if self._line is not None:
            self._line.close()
