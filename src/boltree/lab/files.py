"""Experiment files: TOML in, an `Experiment` out, and what is wrong with a file said in one sentence.

    name = "lake"
    problem = "frozen-lake"                # a list runs each; also DChain(12) or module:object
    trials = 100_000
    evaluate_every = 250
    repeats = 5
    [quick]                                # replaces these with --quick
    repeats = 2
    [[algorithms]]
    name = "dents"
    alpha = [0.1, 1.0]                     # a list is a grid: every combination is run
    beta = "log_decay(alpha)"

A parameter file has only ``[[algorithms]]`` tables.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..algorithms.table import ALGORITHMS, Algorithm, algorithm
from ..catalogue import problem_named, tuned_algorithms
from ..checks import is_whole
from ..errors import ParameterError, ProblemError
from ..extras import needs
from ..jobs.settings import Setting, expanded, labelled
from ..messages import did_you_mean
from .experiment import Experiment, Options

_QUICK = ("trials", "evaluate_every", "repeats")
_NUMBERS = {"trials": 1, "evaluate_every": 1, "repeats": 1, "seed": 0}
_CHOICES = {"growth": ("trial", "leaf"), "evaluation": ("auto", "exact", "sampled")}
_OPTIONS = ("evaluator", "transpositions", "threads")
_FLAGS = ("root", "closed_loop")
_KEYS = ("name", "title", "problem", *_NUMBERS, "seconds", *_CHOICES, *_OPTIONS, *_FLAGS, "quick", "algorithms")
_REQUIRED = ("problem", "algorithms")


def read_experiment(path: Path) -> Experiment:
    """The experiment in a file; ParameterError says what is wrong with it."""
    given = read_toml(path)
    where = str(path)
    _no_others(where, given, _KEYS)
    for key in _REQUIRED:
        if key not in given:
            raise ParameterError(f"{where}: {key} is missing")
    for key in ("name", "title"):
        if key in given and (not isinstance(given[key], str) or not given[key]):
            raise ParameterError(f"{where}: {key} = {_toml(given[key])}: must be a text")
    if not re.fullmatch(r"[\w.-]+", given.get("name", "x")):
        raise ParameterError(f"{where}: name = {_toml(given['name'])}: must be letters, digits, '.', '_' and '-'")
    for key in _FLAGS:
        if not isinstance(given.get(key, False), bool):
            raise ParameterError(f"{where}: {key} = {_toml(given[key])}: must be true or false")
    for key, allowed in _CHOICES.items():
        if key in given and given[key] not in allowed:
            raise ParameterError(f"{where}: {key} = {_toml(given[key])}: must be one of {', '.join(allowed)}")
    numbers: dict[str, Any] = {key: _whole(where, key, given[key]) for key in _NUMBERS if key in given}
    numbers |= _budget(where, given)
    quick = given.get("quick", {})
    if not isinstance(quick, dict):
        raise ParameterError(f"{where}: quick = {_toml(quick)}: must be a table [quick]")
    _no_others(f"{where}: quick", quick, _QUICK)
    made = {key: given[key] for key in ("title", *_FLAGS, *_CHOICES) if key in given}
    return Experiment(
        name=given.get("name", re.sub(r"[^\w.-]+", "-", path.stem)),
        problems=_problems(where, given["problem"]),
        settings=tuple(_settings(where, given["algorithms"])),
        options=options_of(where, {key: given[key] for key in _OPTIONS if key in given}),
        quick={key: _whole(f"{where}: quick", key, value) for key, value in quick.items()},
        **numbers,
        **made,
    )


def read_parameters(path: Path) -> list[Setting]:
    """The settings in a parameter file."""
    given = read_toml(path)
    _no_others(str(path), given, ("algorithms",))
    if "algorithms" not in given:
        raise ParameterError(f"{path}: algorithms is missing: write [[algorithms]] tables with a name and parameters")
    return _settings(str(path), given["algorithms"])


def chosen_algorithms(problem: str, wanted: Sequence[str] | None, parameters: Path | None) -> list[Algorithm]:
    """The algorithms of a parameter file, or the paper's for a problem; only those that are wanted, if some are."""
    known = [one.algorithm() for one in read_parameters(parameters)] if parameters else tuned_algorithms(problem)
    if wanted is None:
        return known
    by_name = {one.name.lower(): one for one in known}
    return [by_name.get(name.lower().replace("-", "").replace("_", "")) or algorithm(name) for name in wanted]


def parameters_text(settings: Iterable[Setting], comment: str = "") -> str:
    """Settings as a parameter file."""
    lines = [f"# {line}" for line in comment.splitlines()]
    for one in settings:
        lines += ["", "[[algorithms]]", f"name = {_toml(one.name)}"]
        lines += [f"{key} = {_toml(value)}" for key, value in one.parameters.items() if value is not None]
    return "\n".join(lines).lstrip("\n") + "\n"


def experiment_text(experiment: Experiment) -> str:
    """An experiment as a file that `read_experiment` reads back."""
    lines = [f"{key} = {_toml(getattr(experiment, key))}" for key in ("name", "title") if getattr(experiment, key)]
    lines.append(f"problem = {_toml(list(experiment.problems))}")
    timed = experiment.seconds is not None
    numbers = ["seconds", *(key for key in _NUMBERS if key not in ("trials", "evaluate_every"))] if timed else _NUMBERS
    lines += [f"{key} = {_toml(getattr(experiment, key))}" for key in (*numbers, *_CHOICES, *_FLAGS)]
    lines += [f"{key} = {_toml(value)}" for key, value in experiment.options.given().items()]
    if experiment.quick:
        lines += ["", "[quick]", *(f"{key} = {_toml(value)}" for key, value in experiment.quick.items())]
    for one in experiment.settings:
        lines += ["", "[[algorithms]]", f"name = {_toml(one.name)}", f"label = {_toml(one.label)}"]
        lines += [f"{key} = {_toml(value)}" for key, value in one.parameters.items() if value is not None]
    return "\n".join(lines) + "\n"


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds; ParameterError if it cannot be read."""
    library = needs("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        found: dict[str, Any] = library.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"{path}: is not a text file in UTF-8 (byte {error.start})") from error
    except library.TOMLDecodeError as error:
        raise ParameterError(f"{path}: is not TOML: {error}") from error
    except RecursionError:
        raise ParameterError(f"{path}: is not TOML that can be read: lists within lists, too deep") from None
    return found


def _no_others(where: str, given: Mapping[str, Any], allowed: Sequence[str]) -> None:
    for key in given:
        if key not in allowed:
            hint = did_you_mean(key, allowed)
            if "algorithms[" in where and key in _KEYS:
                hint = f"; {key} is written above the algorithms, for all of them"
            raise ParameterError(f"{where}: unknown key {key}; allowed are {', '.join(allowed)}{hint}")


def _budget(where: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a search is given: trials, evaluated now and then, or seconds."""
    if "seconds" in given:
        for key in ("trials", "evaluate_every"):
            if key in given:
                raise ParameterError(f"{where}: seconds and {key}: give one of them")
        seconds = given["seconds"]
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0.0 < seconds < float("inf"):
            raise ParameterError(f"{where}: seconds = {_toml(seconds)}: must be a number above 0")
        return {"trials": 0, "evaluate_every": 0, "seconds": float(seconds)}
    for key in ("trials", *(() if given.get("closed_loop") else ("evaluate_every",))):
        if key not in given:
            raise ParameterError(f"{where}: {key} is missing")
    return {} if "evaluate_every" in given else {"evaluate_every": int(given["trials"])}


def options_of(where: str, given: Mapping[str, Any]) -> Options:
    """Options of searches, from a file or the command line."""
    evaluator, shared, threads = (given.get(key, getattr(Options(), key)) for key in _OPTIONS)
    number = isinstance(evaluator, (int, float)) and not isinstance(evaluator, bool)
    if not number and evaluator not in ("rollout", "heuristic"):
        raise ParameterError(f'{where}: evaluator = {_toml(evaluator)}: must be "rollout", "heuristic" or a number')
    if not isinstance(shared, bool) and shared not in ("state", "auto"):
        raise ParameterError(f'{where}: transpositions = {_toml(shared)}: must be true, false, "state" or "auto"')
    if not is_whole(threads) or threads < 1:
        raise ParameterError(f"{where}: threads = {_toml(threads)}: must be a whole number of at least 1")
    return Options(float(evaluator) if number else evaluator, shared, int(threads))


def _whole(where: str, key: str, value: Any) -> int:
    least = _NUMBERS[key]
    if not is_whole(value) or value < least:
        raise ParameterError(f"{where}: {key} = {_toml(value)}: must be a whole number of at least {least}")
    return int(value)


def _problems(where: str, given: Any) -> tuple[str, ...]:
    names = given if isinstance(given, list) else [given]
    if not names:
        raise ParameterError(f"{where}: problem = []: must name at least one problem")
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"{where}: problem: {_toml(name)} stands there twice")
        if not isinstance(name, str):
            raise ParameterError(f'{where}: problem = {_toml(name)}: must be a text, such as "frozen-lake"')
        try:
            problem_named(name)
        except (ParameterError, ProblemError) as error:
            raise ParameterError(f"{where}: {error}") from error
    return tuple(names)


def _settings(where: str, given: Any) -> list[Setting]:
    if not isinstance(given, list) or not given or not all(isinstance(one, dict) for one in given):
        raise ParameterError(f"{where}: algorithms: must be one or more [[algorithms]] tables")
    settings: list[Setting] = []
    for number, one in enumerate(given, 1):
        here = f"{where}: algorithms[{number}]"
        name, label = one.get("name"), one.get("label", "")
        if not isinstance(name, str):
            raise ParameterError(f"{here}: name is missing: one of {', '.join(ALGORITHMS)}")
        if not isinstance(label, str):
            raise ParameterError(f"{here}: label = {_toml(label)}: must be a text")
        found = ALGORITHMS.get(name.lower().replace("-", "").replace("_", ""))
        if found is None:
            hint = did_you_mean(name, ALGORITHMS)
            raise ParameterError(f"{here}: name = {_toml(name)}: must be one of {', '.join(ALGORITHMS)}{hint}")
        parameters = {key: value for key, value in one.items() if key not in ("name", "label")}
        _no_others(f"{here} ({name})", parameters, [item.name for item in fields(found)])
        for key, value in parameters.items():
            if value == []:
                raise ParameterError(f"{here}: {key} = []: an empty grid; give at least one value")
        grid = expanded(name, parameters, label)
        if label and len(grid) > 1:
            raise ParameterError(f"{here}: label = {_toml(label)}: {len(grid)} settings cannot share a label")
        for setting in grid:
            try:
                setting.algorithm()
            except (ParameterError, TypeError) as error:
                raise ParameterError(f"{here}: {error}") from error
        settings += grid
    try:
        return labelled(settings)
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from error


def _toml(value: Any) -> str:
    """A value as TOML writes it; JSON's texts, numbers, booleans and lists are TOML's too."""
    return json.dumps(value, ensure_ascii=False, default=str)
