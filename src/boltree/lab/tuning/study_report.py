"""``boltree tune`` with Optuna: a study for each algorithm, then what came out is run again with fresh seeds.

The best of many scores is partly luck, so the table's values are those of new searches, which the study never saw.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...catalogue import problem_named, tuned_algorithms
from ...errors import ParameterError
from ...jobs.settings import Setting, parameter_text, setting_of
from ..compare import budget_of, slug
from ..experiment import Experiment
from ..files import parameters_text, read_parameters
from ..ranking import sign, standing
from ..running import Laboratory
from ..store import Store
from .report import write
from .study import Outcome, study
from .study_display import StudyDisplay

EVALUATIONS = 50
REPEATS = 5
POINTS = 20
"""Checkpoints of an evaluation, at which it may be stopped."""
HEADS = ["algorithm", "setting", "score", "tried", "stopped early"]


def starts(problem: str, algorithms: Sequence[str] | None, parameters: Path | None) -> list[Setting]:
    """Where to start: a file's settings, the paper's for the problem, or an algorithm's defaults."""
    known = read_parameters(parameters) if parameters else [setting_of(one) for one in tuned_algorithms(problem)]
    by_title: dict[str, Setting] = {}
    for one in known:
        if by_title.setdefault(one.title, one) is not one:
            raise ParameterError(f"--parameters {parameters}: {one.title} stands there twice; a study has one start")
    chosen = list(by_title.values())
    if algorithms:
        named = {one.title: one for one in map(Setting, algorithms)}
        chosen = [by_title.get(title, one) for title, one in named.items()]
    for one in chosen:
        one.algorithm()
    return chosen


def tune_by_study(
    problem: str,
    settings: Sequence[Setting],
    laboratory: Laboratory,
    workers: int,
    evaluations: int = EVALUATIONS,
    trials: int | None = None,
    repeats: int = REPEATS,
    seed: int = 0,
) -> str:
    """Tune algorithms on a problem, write the parameter file and tables, and return the table as text."""
    problem_named(problem)
    budget = trials or budget_of(problem)
    plan = Experiment(
        name=f"tune-{slug(problem)}", problems=(problem,), settings=(), trials=budget,
        evaluate_every=-(-budget // POINTS), repeats=repeats, seed=seed,
    )  # fmt: skip
    folder = Store(laboratory.folder).folder
    outcomes = []
    with StudyDisplay(quiet=not laboratory.show) as display:
        for start in settings:
            display.begin(start.title, evaluations, budget)
            single = replace(plan, settings=(start,))
            outcomes.append(study(single, evaluations, folder / f"{plan.name}.sqlite", workers, display))
    return report(plan, outcomes, laboratory)


def report(plan: Experiment, outcomes: Sequence[Outcome], laboratory: Laboratory) -> str:
    """Run starts and winners with fresh seeds, write what was found and return its table as text."""
    pairs = []
    for outcome in outcomes:
        start, best = outcome.evaluations[0].setting, outcome.best.setting
        pairs.append((replace(start, label=f"{start.title}, start"), replace(best, label=f"{best.title}, tuned")))
    fresh = replace(plan, seed=plan.seed + 1, settings=tuple(one for pair in pairs for one in pair))
    frame = laboratory.run([fresh])[fresh.name]
    signs = {problem: sign(problem) for problem in plan.problems}
    rows = []
    for outcome, (start, best) in zip(outcomes, pairs, strict=True):
        for head, one in ((best.title, best), ("  start", start)):
            score = str(standing(frame, one, signs).score)
            counts = [str(outcome.tried), str(outcome.stopped)] if one is best else ["", ""]
            rows.append([head, _shown(one), score, *counts])
    caption = f"Tuned on {plan.problems[0]}: {plan.trials:,} trials, {plan.repeats} repeats"
    note = "score: as in the study, but of new searches with fresh seeds; mean and 95 % interval over repeats"
    return write(
        fresh, laboratory.folder, caption, (HEADS, rows), [note],
        parameters_text([best for _, best in pairs], f"{caption}."), _evaluations(plan, outcomes),
    )  # fmt: skip


def _evaluations(plan: Experiment, outcomes: Sequence[Outcome]) -> str:
    """Every evaluation as CSV; one that was stopped has no score."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["algorithm", "number", "parameters", "score", "trials"])
    for outcome in outcomes:
        for number, one in enumerate(outcome.evaluations):
            score = "" if one.score is None else f"{one.score:.6g}"
            trials = plan.checkpoints[len(one.curve) - 1] if one.curve else 0
            writer.writerow([one.setting.title, number, _shown(one.setting), score, trials])
    return text.getvalue()


def _shown(setting: Setting) -> str:
    return parameter_text((key, value) for key, value in setting.parameters.items() if value is not None)
