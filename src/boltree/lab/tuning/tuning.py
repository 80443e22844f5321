"""Tuning by grids, as in the paper's Appendix D.3: every setting is run, and each algorithm's best is kept.

Where a grid says ``beta = "log_decay(alpha)"``, beta is tuned in a second stage, as in the paper: at the best alpha and
epsilon, log_decay(100), (10), (1) and (0.1) are run too. The first stage's winner is compared with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...catalogue import problem_named, tuned_algorithms
from ...errors import ParameterError
from ...jobs.settings import Setting, labelled, setting_of, title_of
from ..compare import budget_of, slug
from ..experiment import Experiment
from ..files import read_experiment, read_parameters, read_toml
from ..ranking import Ranking, Standing, ranking, sign, standing
from ..running import Laboratory
from ..shipped import shipped

BETAS = (100.0, 10.0, 1.0, 0.1)
"""DENTS' initial entropy temperatures of Appendix D.3."""
LATER = "log_decay(alpha)"
"""A beta that is to be tuned after alpha."""
POINTS = 100
"""Evaluations along a search, unless a file says otherwise: only its end counts."""


@dataclass(frozen=True)
class Tuned:
    """What came out for an algorithm: its settings in order, and how the paper's own setting did."""

    ranking: Ranking
    reference: Standing | None

    @property
    def setting(self) -> Setting:
        """The best setting, written out."""
        best = self.ranking.best.setting
        if best.parameters.get("beta") != LATER:
            return best
        return replace(best, parameters={**best.parameters, "beta": f"log_decay({best.parameters['alpha']!r})"})

    @property
    def title(self) -> str:
        """The algorithm's name."""
        return self.setting.title


def tune_grid(experiment: Experiment, laboratory: Laboratory) -> list[Tuned] | None:
    """Run a grid and rank each algorithm's settings; None if parts of it are left to other shards."""
    signs = {problem: sign(problem) for problem in experiment.problems}
    results = laboratory.run([experiment])
    if experiment.name not in results:
        return None
    by_title: dict[str, list[Standing]] = {}
    for setting in experiment.settings:
        one = standing(results[experiment.name], setting, signs)
        by_title.setdefault(setting.title, []).append(one)
    references = references_for(experiment)
    later, extra = _later(by_title), _not_run(experiment, references)
    second = replace(experiment, name=f"{experiment.name}-beta", settings=tuple(later + extra))
    if second.settings:
        results = laboratory.run([second])
        if second.name not in results:
            return None
        for setting in later:
            by_title[setting.title].append(standing(results[second.name], setting, signs))
    known = {one.setting.algorithm(): one for several in by_title.values() for one in several}
    known |= {one.algorithm(): standing(results[second.name], one, signs) for one in extra}
    return [
        Tuned(ranking(several), known[references[title].algorithm()] if title in references else None)
        for title, several in by_title.items()
    ]


def references_for(experiment: Experiment) -> dict[str, Setting]:
    """The catalogue's settings for the problem, the paper's tables 3 and 4 among them, by the algorithm's title."""
    known = [setting_of(one) for one in tuned_algorithms(experiment.problems[0])]
    wanted = {setting.title for setting in experiment.settings}
    return {one.title: one for one in known if one.title in wanted}


def _later(by_title: dict[str, list[Standing]]) -> list[Setting]:
    """The second stage: the best of each algorithm whose beta followed alpha, with other betas."""
    settings = []
    for several in by_title.values():
        best = ranking(several).best.setting
        if best.parameters.get("beta") == LATER:
            settings += [
                replace(best, label="", parameters={**best.parameters, "beta": f"log_decay({beta})"}) for beta in BETAS
            ]
    return labelled(settings)


def _not_run(experiment: Experiment, references: dict[str, Setting]) -> list[Setting]:
    """The references that are not in the grid; they are run to compare with, and never chosen."""
    there = {setting.algorithm() for setting in experiment.settings}
    return [
        replace(one, label=f"{one.title} (reference)")
        for one in references.values()
        if one.algorithm() not in there
    ]  # fmt: skip


def paper_grid(number: int, *, quick: bool = False) -> Experiment:
    """The grid of the paper's table 3 or 4."""
    return shipped(f"table-{number}", quick=quick)


def grid_for(
    problem: str | None,
    grid: str,
    algorithms: Sequence[str] | None = None,
    trials: int | None = None,
    repeats: int | None = None,
    seed: int | None = None,
    quick: bool = False,
) -> Experiment:
    """The experiment of ``boltree tune --grid``: the paper's grids, an experiment file's, or a parameter file's.

    The problem, trials, repeats and seed given here replace the file's.
    """
    if grid == "paper":
        if problem is None:
            raise ParameterError("--grid paper: name the problem too, such as frozen-lake-8x12 or sailing-n")
        experiment = paper_grid(4 if problem.startswith("sailing") else 3)
        if not problem.startswith(("frozen-lake", "sailing")):
            experiment = _with_budget(experiment, problem)
    elif "problem" in read_toml(Path(grid)):
        experiment = read_experiment(Path(grid))
    elif problem is None:
        raise ParameterError(f"--grid {grid}: names no problem; write boltree tune PROBLEM --grid {grid}")
    else:
        bare = Experiment("", (problem,), tuple(read_parameters(Path(grid))), 1, 1)
        experiment = _with_budget(bare, problem)
    if quick:
        experiment = experiment.at_a_tenth()
    if problem is not None:
        problem_named(problem)
        experiment = replace(experiment, problems=(problem,), title=problem)
    if trials is not None:
        experiment = replace(experiment, trials=trials, evaluate_every=max(trials // POINTS, 1))
    settings = [one for one in experiment.settings if not algorithms or one.title in map(title_of, algorithms)]
    for name in algorithms or ():
        if title_of(name) not in {one.title for one in settings}:
            there = ", ".join(dict.fromkeys(one.name for one in experiment.settings))
            raise ParameterError(f"--algorithm {name}: not in the grid; there are {there}")
    changed: dict[str, Any] = {"repeats": repeats, "seed": seed}
    return replace(
        experiment,
        name=f"grid-{slug('-'.join(experiment.problems))}",
        settings=tuple(settings),
        **{key: value for key, value in changed.items() if value is not None},
    )


def _with_budget(experiment: Experiment, problem: str) -> Experiment:
    trials = budget_of(problem)
    fewer = max(trials // 6, 1)
    quick = {"trials": fewer, "evaluate_every": max(fewer // POINTS, 1), "repeats": 3}
    return replace(experiment, trials=trials, evaluate_every=max(trials // POINTS, 1), quick=quick)
