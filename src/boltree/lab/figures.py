"""Every figure of the paper that is data: which experiment it shows, and how its panels are laid out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..algorithms.schedules import uniform_until
from ..errors import ParameterError
from ..jobs.settings import Setting, parameter_text
from .curves import Curve, Figure, Panel
from .experiment import Experiment
from .page import Table, write_page
from .pictures import draw
from .running import Laboratory
from .shipped import shipped
from .summaries import curve_of, optimum_of, panel_of, problem_title, table_rows


@dataclass(frozen=True)
class Pictured:
    """A figure of the paper: a name, what it shows, its experiments, and how they become pictures by name."""

    shows: str
    experiments: tuple[str, ...]
    lay_out: Callable[[Experiment, Any], dict[str, Figure]]


def _side_by_side(experiment: Experiment, frame: Any) -> dict[str, Figure]:
    """One panel for each problem, all algorithms in each."""
    several = len(experiment.problems) > 1
    panels = [panel_of(frame, experiment, one, problem_title(one) if several else "") for one in experiment.problems]
    return {experiment.name: Figure(experiment.title, panels, columns=min(len(panels), 2))}


def _sweep(experiment: Experiment, frame: Any) -> dict[str, Figure]:
    """One figure for each algorithm and problem, one panel for each setting: a row for each temperature."""
    figures = {}
    for problem in experiment.problems:
        best = optimum_of(frame, problem)
        families: dict[str, list[Setting]] = {}
        for setting in experiment.settings:
            families.setdefault(_family(setting), []).append(setting)
        for family, settings in families.items():
            shown = settings[0].title
            panels = [
                Panel(_point(setting, experiment.trials), [curve_of(frame, setting.label, problem, shown)], best)
                for setting in settings
            ]
            epsilons = len({setting.parameters.get("epsilon") for setting in settings})
            columns = epsilons if epsilons > 1 else min(len(panels), 3)
            where = problem_title(problem)
            name = f"{where}-{family}".replace(" ", "-").lower()
            figures[name] = Figure(f"{family} on the {where}", panels, columns)
    return figures


def _family(setting: Setting) -> str:
    beta = setting.parameters.get("beta")
    if beta == "alpha":
        return f"{setting.title} with β=α"
    return setting.label if setting.label.endswith("tuned") else setting.title


def _point(setting: Setting, trials: int) -> str:
    """The parameters of a panel, and whether all of its trials are uniform search."""
    text = parameter_text((key, value) for key, value in setting.parameters.items() if key != "beta")
    uniform = uniform_until(setting.parameters.get("epsilon", 0.0)) >= trials
    return f"{text} (uniform)" if uniform else text


def _by_temperature(experiment: Experiment, frame: Any) -> dict[str, Figure]:
    """One figure each for MENTS, RENTS and TENTS: a panel for each temperature, BTS and DENTS beside it."""
    (problem,) = experiment.problems
    best, figures = optimum_of(frame, problem), {}
    for title in ("MENTS", "RENTS", "TENTS"):
        panels = []
        for alpha in dict.fromkeys(setting.parameters["alpha"] for setting in experiment.settings):
            curves: list[Curve] = [
                curve_of(frame, setting.label, problem, setting.title)
                for setting in experiment.settings
                if setting.parameters["alpha"] == alpha and setting.title in (title, "BTS", "DENTS")
            ]
            panels.append(Panel(f"α={alpha:g}", curves, best))
        figures[f"{experiment.name}-{title.lower()}"] = Figure(f"{title} by temperature, 8x8 Frozen Lake", panels, 3)
    return figures


def _pairs(experiment: Experiment, frame: Any) -> dict[str, Figure]:
    """One panel for each temperature, the algorithms at it together."""
    (problem,) = experiment.problems
    best, panels = optimum_of(frame, problem), []
    for alpha in dict.fromkeys(setting.parameters["alpha"] for setting in experiment.settings):
        chosen = [setting for setting in experiment.settings if setting.parameters["alpha"] == alpha]
        curves = [curve_of(frame, setting.label, problem, _family(setting)) for setting in chosen]
        panels.append(Panel(f"α={alpha:g}", curves, best))
    return {experiment.name: Figure(experiment.title, panels, columns=min(len(panels), 2))}


FIGURES: dict[str, Pictured] = {
    "2": Pictured("MENTS, DENTS and UCT on the 10-chains", ("figure-2",), _side_by_side),
    "3a": Pictured("Frozen Lake 8x12, seven algorithms", ("figure-3a",), _side_by_side),
    "3b": Pictured("Sailing 6x6, seven algorithms", ("figure-3b",), _side_by_side),
    "10-chain": Pictured("the 10-chains by parameters (D.2.1)", ("10-chain",), _sweep),
    "20-chain": Pictured("the 20-chains by parameters (D.2.1)", ("20-chain",), _sweep),
    "lake-8x8": Pictured("temperatures on the 8x8 lake (D.2.2)", ("lake-8x8",), _by_temperature),
    "dents-ments": Pictured(
        "DENTS with β=α against MENTS (D.4)", ("dents-as-ments-chain", "dents-as-ments-lake"), _pairs
    ),
}


TABLES = {
    "table-3": "tuned parameters for Frozen Lake (D.3), by the paper's grids",
    "table-4": "tuned parameters for Sailing (D.3), by the paper's grids",
}


def make_figure(name: str, laboratory: Laboratory, quick: bool) -> list[Path]:
    """Run a figure's experiments, draw it, and write its page; the files written."""
    if name not in FIGURES:
        raise ParameterError(f"figure {name!r}: must be one of {', '.join([*FIGURES, *TABLES])}")
    pictured = FIGURES[name]
    experiments = [shipped(one, quick=quick) for one in pictured.experiments]
    frames = laboratory.run(experiments)
    figures: dict[str, Figure] = {}
    tables = []
    for experiment in experiments:
        if experiment.name not in frames:
            return []
        frame = frames[experiment.name]
        figures |= pictured.lay_out(experiment, frame)
        for problem in experiment.problems:
            caption = f"{problem_title(problem)} after {experiment.trials:,} trials, {experiment.repeats} repeats"
            tables.append(Table(caption, *table_rows(frame, experiment, problem)))
    written = [path for one, figure in figures.items() for path in draw(figure, laboratory.folder / one)]
    page = laboratory.folder / f"figure-{name.removeprefix('figure-')}.html"
    write_page(page, f"Figure {name}: {pictured.shows}", list(figures.values()), tables, [])
    return [*written, page]
