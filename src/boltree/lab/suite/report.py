"""What the suite found: tables for the terminal, and the same as Markdown and every number as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...files import put_whole
from ...jobs.statistics import interval
from ...messages import counted
from ...terminal import table
from ...version import __version__
from ..page import Table
from ..tables import as_csv, markdown
from .grid import PLAN
from .proofs import proof_tables, proven_decisions
from .standings import Entry, Numbers, Standings, standings_of

REGRET = (
    "regret: what decisions lose against the best, as a share of what random ones lose: 0 is perfect. Every family of "
    "problems counts equally."
)
BEST = "best per problem: on every problem the grid's setting that turned out best there; it is known only afterwards."
SCORE = (
    "Without exact values ({problems}) the regret is (best score - score) / (best score - random policy's score), "
    "with the best score that was seen."
)


def report(frame: Any, folder: Path, absent: Sequence[str] = ()) -> str:
    """Write what was found to `suite.md` and `suite.csv`; return it as text.

    Args:
        frame: the results, of proofs and of decisions.
        folder: where to write.
        absent: problems that cannot be made here, and why.
    """
    proofs, asked = frame.filter(frame["time_limit"].is_not_nan()), frame.filter(frame["time_limit"].is_nan())
    tables, notes = proof_tables(proofs) if proofs.height else ([], [])
    if asked.height:
        standings = standings_of(asked)
        tables += regret_tables(standings)
        notes += [*_notes(standings), *proven_decisions(asked)]
    notes += [f"Not here: {one}." for one in absent]
    head = _head(frame)
    page, every = folder / "suite.md", folder / "suite.csv"
    shown = [f"**{one.title}**\n\n{markdown(one.heads, one.rows)}" for one in tables]
    put_whole(page, ("\n\n".join([head, *shown, *notes]) + "\n").encode())
    put_whole(every, as_csv([frame.columns, *frame.rows()]).encode())
    texts = [f"{one.title}\n{table(one.heads, one.rows)}" for one in tables]
    return "\n\n".join([head, *texts, *(["\n".join(notes)] if notes else []), f"Written: {page}, {every}"])


def _head(frame: Any) -> str:
    problems, families = counted(frame["problem"].n_unique(), "problem"), frame["family"].n_unique()
    among = f"{families} families" if families != 1 else "one family"
    where = "; ".join(sorted(set(frame["machine"])))
    return f"`boltree suite`, version {__version__}: {problems} of {among} ({where})."


def regret_tables(standings: Standings) -> list[Table]:
    """Who loses how much: in short, by contender, and by family at each number of trials."""
    if not any(standings.regrets.values()):
        return []
    found = [_in_short(standings), _contenders(standings)]
    return [*found, *(_families(standings, trials) for trials in standings.budgets)]


def _in_short(standings: Standings) -> Table:
    rows = []
    plan = next((one.label for one in PLAN if one.label in standings.labels), None)
    for trials in standings.budgets:
        row = [f"{trials:,}"]
        mine = None if plan is None else standings.regret(plan, trials)
        if standings.grid:
            name = standings.best_single(trials)
            single, each = standings.regret(name, trials), standings.mean(standings.best_for_each(trials))
            row += [name, shown(single), shown(each)]
            if mine is not None:
                row += [shown(mine), _ratio(mine, single), _ratio(mine, each)]
        elif mine is not None:
            row.append(shown(mine))
        rows.append(row)
    heads = ["trials"]
    if standings.grid:
        heads += ["best single setting", "its regret", "best per problem"]
    if plan is not None:
        heads += [plan, *(["to the best single", "to the best per problem"] if standings.grid else [])]
    return Table("Mean regret", heads, rows)


def _contenders(standings: Standings) -> Table:
    budgets = standings.budgets
    ordered = sorted(standings.labels, key=lambda label: float(standings.regret(label, budgets[-1]).mean()))
    heads = ["contender", *(f"{trials:,} trials" for trials in budgets), *(f"ms at {trials:,}" for trials in budgets)]
    rows = [
        [
            label,
            *(shown(standings.regret(label, trials)) for trials in budgets),
            *(_milliseconds(standings.mean(standings.seconds[Entry(label, trials)])) for trials in budgets),
        ]
        for label in ordered
    ]
    return Table("Every contender: mean regret, and the time of a decision", heads, rows)


def _families(standings: Standings, trials: int) -> Table:
    named = {label: Entry(label, trials) for label in standings.labels if label not in standings.grid}
    if standings.grid:
        named["best single"] = Entry(standings.best_single(trials), trials)
    columns = {name: standings.regrets[entry] for name, entry in named.items()}
    if standings.grid:
        columns["best per problem"] = standings.best_for_each(trials)
    means = [standings.by_family(numbers) for numbers in columns.values()]
    times = [standings.by_family(standings.seconds[entry]) for entry in named.values()]
    problems = list(next(iter(columns.values())))
    rows = []
    for family in dict.fromkeys(standings.families[problem] for problem in problems):
        count = sum(standings.families[problem] == family for problem in problems)
        row = [family, str(count), *(shown(of[family]) for of in means)]
        rows.append(row + [_milliseconds(of[family]) for of in times])
    heads = ["family", "problems", *columns, *(f"ms {name}" for name in named)]
    return Table(f"Regret by family at {trials:,} trials, and the time of a decision", heads, rows)


def _milliseconds(seconds: Numbers) -> str:
    return f"{1e3 * seconds.mean():.3g}"


def shown(numbers: Numbers) -> str:
    """A mean over repeats, with its 95 % interval where there are several."""
    return str(interval(numbers)) if numbers.size > 1 else f"{numbers.mean():.4f}"


def _ratio(one: Numbers, other: Numbers) -> str:
    """How many times as much."""
    mine, theirs = float(one.mean()), float(other.mean())
    return f"{mine / theirs:.2f}" if theirs > 0.0 else "1.00" if mine == theirs else "-"


def _notes(standings: Standings) -> list[str]:
    notes = [REGRET]
    if standings.grid:
        notes.append(BEST)
    if graded := standings.scored - standings.left_out:
        notes.append(SCORE.format(problems=_names(graded)))
    if standings.left_out:
        notes.append(
            f"Left out: {_names(standings.left_out)}: scores on which nothing is better than the random policy, or "
            "with nothing to be compared with."
        )
    return notes


def _names(problems: Iterable[str]) -> str:
    return ", ".join(sorted(problems))
