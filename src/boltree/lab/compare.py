"""``boltree compare``: algorithms side by side on a problem, or an experiment from a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from ..catalogue import problem_named, tuned_algorithms
from ..errors import ParameterError
from ..jobs.settings import Setting, labelled, setting_of
from ..terminal import table
from .curves import Figure
from .experiment import Experiment
from .files import options_of, read_experiment, read_parameters
from .page import Table, write_page
from .pictures import draw
from .running import Laboratory
from .summaries import optimum_of, panel_of, problem_title, table_rows

BUDGETS = {"frozen-lake": 200_000, "sailing": 200_000, "d-chain": 10_000}
"""Trials by the beginning of a problem's name; `BUDGET` for the others."""
BUDGET = 20_000
STEP_BUDGET = 1_000
"""Trials before each step of a closed loop."""
REPEATS = 10
POINTS = 400
"""Evaluations along a curve, unless an experiment says otherwise."""


def budget_of(problem: str) -> int:
    """Trials for a problem, unless said otherwise."""
    return next((n for start, n in BUDGETS.items() if problem.startswith(start)), BUDGET)


def budgets() -> str:
    """The same in words.

    >>> budgets()
    '200,000 on frozen-lake and sailing, 10,000 on d-chain, 20,000 on others'
    """
    by_number: dict[int, list[str]] = {}
    for name, number in BUDGETS.items():
        by_number.setdefault(number, []).append(name)
    return ", ".join(f"{n:,} on {' and '.join(names)}" for n, names in by_number.items()) + f", {BUDGET:,} on others"


def slug(problem: str) -> str:
    """A problem's name as part of a file's.

    >>> slug("DChain(12, final_reward=0.5)")
    'DChain-12-final-reward-0.5'
    """
    return re.sub(r"[^A-Za-z0-9.-]+", "-", problem).strip("-")


def comparison(
    problem: str,
    algorithms: Sequence[str] | None = None,
    parameters: Path | None = None,
    trials: int | None = None,
    repeats: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    closed_loop: bool = False,
    growth: Literal["leaf", "trial"] | None = None,
    **options: Any,
) -> Experiment:
    """The experiment that ``boltree compare`` runs: the paper's algorithms, or those named, or those of a file."""
    problem_named(problem)
    settings = read_parameters(parameters) if parameters else [setting_of(one) for one in tuned_algorithms(problem)]
    if algorithms:
        named = [Setting(name) for name in algorithms]
        settings = [known for one in named for known in [s for s in settings if s.title == one.title] or [one]]
        for setting in settings:
            setting.algorithm()
    if seconds is not None and trials:
        raise ParameterError("--seconds and --trials: give one of them")
    budget = 0 if seconds is not None else trials or (STEP_BUDGET if closed_loop else budget_of(problem))
    given = {key: value for key, value in options.items() if value is not None}
    return Experiment(
        name=f"compare-{slug(problem)}",
        title=problem_title(problem),
        problems=(problem,),
        settings=tuple(labelled(settings)),
        trials=budget,
        evaluate_every=budget if closed_loop else max(budget // POINTS, 1),
        repeats=repeats or REPEATS,
        seed=seed,
        growth=growth or "trial",
        options=options_of("--evaluator, --transpositions, --threads", given),
        seconds=seconds,
        closed_loop=closed_loop,
    )


def report(experiment: Experiment, frame: Any, folder: Path) -> str:
    """Draw an experiment's curves, write its page, and return its table as text."""
    several = len(experiment.problems) > 1
    panels = [panel_of(frame, experiment, one, problem_title(one) if several else "") for one in experiment.problems]
    title = experiment.title or experiment.name
    x_label = "trials" if experiment.seconds is None else "seconds"
    figure = Figure(
        f"{title}, {experiment.budget_text}",
        panels,
        min(len(panels), 2),
        f"{x_label} before each step" if experiment.closed_loop else x_label,
        "return of an episode" if experiment.closed_loop else "value of the recommended policy",
    )
    tables, texts = [], []
    for problem in experiment.problems:
        heads, rows = table_rows(frame, experiment, problem)
        best = optimum_of(frame, problem)
        optimum = "" if best is None else f"; the optimum is {best:.4f}"
        repeats = f"{experiment.repeats} repeats" if experiment.repeats > 1 else "one repeat"
        given = f"{'with' if experiment.closed_loop else 'after'} {experiment.budget_text}"
        caption = f"{problem_title(problem)} {given}, {repeats}{optimum}"
        tables.append(Table(caption, heads, rows))
        texts.append(f"{caption}\n{table(heads, rows)}")
    pictures = draw(figure, folder / experiment.name)
    page = folder / f"{experiment.name}.html"
    write_page(page, title, [figure], tables, [])
    written = ", ".join(str(path) for path in [*pictures, page])
    return "\n\n".join([*texts, f"Written: {written}"])


def compare(experiment: Experiment, laboratory: Laboratory) -> str:
    """Run an experiment and report on it."""
    frames = laboratory.run([experiment])
    if experiment.name not in frames:
        return laboratory.part_finished()
    return report(experiment, frames[experiment.name], laboratory.folder)


def chosen_experiment(what: str, quick: bool, **options: Any) -> Experiment:
    """The experiment in a file (``*.toml``), or the comparison on a problem."""
    if not what.endswith(".toml"):
        if quick:
            raise ParameterError("--quick: only with an experiment file; give --trials and --repeats")
        return comparison(what, **options)
    names = {"algorithms": "algorithm", "closed_loop": "closed-loop"}
    given = [f"--{names.get(key, key)}" for key, value in options.items() if value]
    if given:
        raise ParameterError(f"{given[0]}: not with an experiment file; write it into {what}")
    experiment = read_experiment(Path(what))
    return experiment.at_a_tenth() if quick else experiment
