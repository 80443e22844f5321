"""What grid tuning found: a table, every setting's score as CSV, and a parameter file."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...jobs.settings import Setting, parameter_text
from ...terminal import table
from ..compare import slug
from ..experiment import Experiment
from ..files import parameters_text
from ..running import Laboratory
from ..tables import as_csv, markdown
from .tuning import Tuned, paper_grid, tune_grid

NOTES = (
    "score: the recommended policy's value over the last tenth of the checkpoints; mean and 95 % interval over repeats",
    "as good: how many settings have an interval that overlaps the best one's, that one included",
)


def paper_table(number: int, laboratory: Laboratory, quick: bool = False) -> str:
    """Run the search behind the paper's table 3 or 4 and compare what comes out with it."""
    return tune(paper_grid(number, quick=quick), laboratory)


def tune(experiment: Experiment, laboratory: Laboratory) -> str:
    """Run a grid, write its parameter file and tables, and return the table as text."""
    tuned = tune_grid(experiment, laboratory)
    if tuned is None:
        return laboratory.part_finished()
    return report(experiment, tuned, laboratory.folder)


def report(experiment: Experiment, tuned: Sequence[Tuned], folder: Path) -> str:
    """Write what was found and return its table as text."""
    repeats = f"{experiment.repeats} repeats" if experiment.repeats > 1 else "one repeat, so no intervals"
    caption = f"Tuned on {', '.join(experiment.problems)}: {experiment.trials:,} trials, {repeats}"
    comment = f"The best of {sum(len(one.ranking.standings) for one in tuned)} settings. {caption}."
    parameters = parameters_text([one.setting for one in tuned], comment)
    return write(experiment, folder, caption, rows_of(experiment, tuned), NOTES, parameters, _scores(tuned))


def write(
    experiment: Experiment,
    folder: Path,
    caption: str,
    rows: tuple[list[str], list[list[str]]],
    notes: Sequence[str],
    parameters: str,
    details: str,
) -> str:
    """Write a parameter file, a table as Markdown and details as CSV; return the table and where they are as text."""
    slugs = slug("-".join(experiment.problems))
    chosen, page = folder / f"{slugs}-parameters.toml", folder / f"{experiment.name}.md"
    chosen.write_text(parameters, encoding="utf-8")
    page.write_text("\n\n".join([caption, markdown(*rows), *notes]) + "\n", encoding="utf-8")
    every = folder / f"{experiment.name}.csv"
    every.write_text(details, encoding="utf-8")
    then = f"boltree compare {shlex.quote(experiment.problems[0])} --parameters {shlex.quote(str(chosen))}"
    return "\n".join([caption, table(*rows), *notes, "", f"Written: {chosen}, {page}, {every}", f"Use it: {then}"])


def rows_of(experiment: Experiment, tuned: Iterable[Tuned]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: for each algorithm what was found, and below it what the reference does."""
    heads = ["algorithm", "setting", "score", "rank", "as good", "difference"]
    whose = "paper" if experiment.problems[0].startswith(("frozen-lake", "sailing")) else "usual"
    rows = []
    for one in tuned:
        best, of = one.ranking.best, len(one.ranking.standings)
        keys = _differing(one)
        rows.append(
            [one.title, _shown(best.setting, keys), str(best.score), f"1/{of}", f"{one.ranking.alike}/{of}", ""]
        )
        if one.reference is not None:
            place = f"{one.ranking.place(one.reference)}/{of}"
            shown = _shown(one.reference.setting, keys)
            rows.append([f"  {whose}", shown, str(one.reference.score), place, "", _difference(one)])
    return heads, rows


def _difference(one: Tuned) -> str:
    """How far a reference is from the best."""
    assert one.reference is not None
    if one.reference.setting.algorithm() == one.setting.algorithm():
        return "the same"
    apart = f"{one.reference.score.mean - one.ranking.best.score.mean:+.4f}"
    return f"{apart}, within noise" if one.ranking.as_good(one.reference) else apart


def _differing(one: Tuned) -> list[str]:
    """The parameters in which an algorithm's settings differ."""
    settings = [other.setting for other in one.ranking.standings]
    if one.reference is not None:
        settings.append(one.reference.setting)
    made = [setting.algorithm() for setting in settings]
    return [
        item.name for item in fields(made[0])
        if any(getattr(other, item.name) != getattr(made[0], item.name) for other in made)
    ]  # fmt: skip


def _shown(setting: Setting, keys: Iterable[str]) -> str:
    made = setting.algorithm()
    return parameter_text((key, getattr(made, key)) for key in list(keys) or setting.parameters)


def _scores(tuned: Iterable[Tuned]) -> str:
    """Every setting's score as CSV."""
    rows: list[list[Any]] = [["algorithm", "rank", "parameters", "score", "low", "high", "along", "as_good"]]
    for found in tuned:
        keys = _differing(found)
        for one in found.ranking.standings:
            numbers = [f"{number:.6g}" for number in (*one.score, one.along)]
            place, good = found.ranking.place(one), found.ranking.as_good(one)
            rows.append([found.title, place, _shown(one.setting, keys), *numbers, "yes" if good else "no"])
    return as_csv(rows)
