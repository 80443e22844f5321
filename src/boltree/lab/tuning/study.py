"""Tuning by Optuna: proposals by a Parzen estimator, hopeless ones stopped early, everything kept in a database.

The study of an algorithm is a function of its experiment: each proposal's random numbers derive from the seed and from
how many settings were evaluated before, so a study that was killed goes on as if it had not been. The first setting
evaluated is the one to start from, so what comes out did at least as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...catalogue import problem_named
from ...errors import LabError
from ...extras import needs
from ...jobs.settings import Setting
from ...version import __version__
from ..experiment import Experiment
from ..jobs import _is_exact, jobs_of
from ..race import OutOfMemory, race
from ..ranking import ending, sign
from .spaces import Space, explicit, point_of, random_returns, space_of, suggested

UNPRUNED = 5
"""Settings that are evaluated in full before any is stopped early."""
WARM_UP = 4
"""Nothing is stopped in the first of this number of parts of its trials: curves may cross."""


class Watcher(Protocol):
    """Is told how a study goes."""

    def running(self, trials: int) -> None:
        """The setting under evaluation has reached a number of trials."""
        ...

    def evaluated(self, so_far: Outcome) -> None:
        """Another setting has been evaluated."""
        ...


@dataclass(frozen=True)
class Evaluation:
    """A setting that was tried: its score, or None if it was stopped; and its mean value at each checkpoint."""

    setting: Setting
    score: float | None
    curve: tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """A study: every evaluation, in order."""

    evaluations: tuple[Evaluation, ...]

    @property
    def best(self) -> Evaluation:
        """The one with the highest score; the earlier one of equals."""
        return max(self.evaluations, key=lambda one: -np.inf if one.score is None else one.score)

    @property
    def tried(self) -> int:
        """How many different settings there are."""
        return len({one.setting.algorithm() for one in self.evaluations})

    @property
    def stopped(self) -> int:
        """How many of them were stopped early."""
        return len({one.setting.algorithm() for one in self.evaluations if one.score is None})


def study(experiment: Experiment, evaluations: int, storage: Path, workers: int, watcher: Watcher | None) -> Outcome:
    """Tune the parameters of an experiment's algorithm on its problem.

    Args:
        experiment: one problem; its settings, of one algorithm, are evaluated first, and the first is where the search
            starts: what is not searched over stays as there.
        evaluations: different settings to evaluate, those of earlier runs included.
        storage: the file that keeps the study.
        workers: threads that run an evaluation's repeats.
        watcher: is told how it goes.
    """
    optuna = needs("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    states = optuna.trial.TrialState
    problem, start = problem_named(experiment.problems[0]), experiment.settings[0].algorithm()
    space = space_of(start, problem, random_returns(problem), experiment.trials)
    exactly = _is_exact(problem, jobs_of(experiment)[0])
    direction, points = sign(experiment.problems[0]), len(experiment.checkpoints)
    pruner = optuna.pruners.MedianPruner(UNPRUNED, n_warmup_steps=points // WARM_UP)
    kept = _database(optuna, storage)
    try:
        found = optuna.create_study(
            storage=kept, study_name=_name(experiment, space), direction="maximize", pruner=pruner, load_if_exists=True
        )
        past: list[Evaluation] = []
        for ended in found.get_trials(states=(states.COMPLETE, states.PRUNED)):
            if not _enough(past, evaluations):
                past.append(_evaluation(ended, start.name))
        while not _enough(past, evaluations):
            found.sampler = optuna.samplers.TPESampler(seed=_seed(experiment.seed, len(past)))
            # what a killed run left unfinished is ignored: the same proposal is made again
            given = experiment.settings[len(past)].algorithm() if len(past) < len(experiment.settings) else None
            if given is not None and not found.get_trials(states=(states.WAITING,)):
                found.enqueue_trial(point_of(given, space))
            trial = found.ask()
            proposed = explicit(start, space) | suggested(trial, space)
            setting = Setting(start.name.lower(), explicit(given, space) if given else proposed)
            trial.set_user_attr("parameters", dict(setting.parameters))
            known = next((one for one in past if one.setting.algorithm() == setting.algorithm()), None)
            if known is not None:  # it would come out the same
                score = _repeated(trial, known)
            else:
                score = _score(trial, replace(experiment, settings=(setting,)), exactly, direction, workers, watcher)
            told = found.tell(trial, score, state=states.PRUNED if score is None else states.COMPLETE)
            past.append(_evaluation(told, start.name))
            if watcher is not None:
                watcher.evaluated(Outcome(tuple(past)))
    finally:
        kept.remove_session()
        kept.engine.dispose()
    if Outcome(tuple(past)).best.score is None:
        raise LabError(f"{start.name} on {experiment.problems[0]}: no setting could be evaluated: out of memory")
    return Outcome(tuple(past))


def _database(optuna: Any, file: Path) -> Any:
    """The file that keeps studies; a kill cannot harm it, and it does not wait for the disk at every checkpoint."""
    kept = optuna.storages.RDBStorage(f"sqlite:///{file}")
    kept.engine.dispose()  # connections made from here on are told
    event = needs("sqlalchemy.event")
    event.listen(kept.engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
    return kept


def _score(
    trial: Any, experiment: Experiment, exactly: bool, direction: float, workers: int, watcher: Watcher | None
) -> float | None:
    """A setting's score by the criterion of `ranking`; None if it was stopped, or ran out of memory."""
    values = []
    try:
        for number, (trials, reached) in enumerate(race(experiment, exactly, workers)):
            values.append(direction * reached)
            trial.report(float(values[-1].mean()), number)
            if watcher is not None:
                watcher.running(trials)
            if trials < experiment.trials and trial.should_prune():
                return None
    except OutOfMemory:
        return None
    return float(ending(np.array(values).T).mean())


def _enough(past: Sequence[Evaluation], evaluations: int) -> bool:
    """Whether a number of different settings were tried; where few exist, proposals repeat and must end too."""
    return len(past) >= 4 * evaluations or Outcome(tuple(past)).tried >= evaluations


def _repeated(trial: Any, known: Evaluation) -> float | None:
    """The score of a setting that was evaluated before."""
    for number, value in enumerate(known.curve):
        trial.report(value, number)
    return known.score


def _evaluation(trial: Any, name: str) -> Evaluation:
    """An Optuna trial that has ended."""
    setting = Setting(name.lower(), trial.user_attrs["parameters"])
    score = trial.value if trial.state.name == "COMPLETE" else None
    return Evaluation(setting, score, tuple(value for _, value in sorted(trial.intermediate_values.items())))


def _seed(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def _name(experiment: Experiment, space: Space) -> str:
    """A name for the study: the same for the same question, however many evaluations are asked for."""
    first = [one.canonical() for one in experiment.settings]
    question = asdict(replace(experiment, name="", title="", settings=(), quick={}))
    text = json.dumps([__version__, question, first, {key: asdict(one) for key, one in space.items()}], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{experiment.settings[0].title} on {experiment.problems[0]} {digest}"
