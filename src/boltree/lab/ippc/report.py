"""What rounds came to: means, errors and scores, as a table for the terminal, as Markdown, and as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ParameterError
from ...files import put_whole
from ...terminal import table
from ...version import __version__
from ..files import read_toml
from ..tables import as_csv, markdown

HEADS = ("instance", "planner", "rounds", "reward", "error", "score", "CPU s a step", "trials a step")

NOTE = (
    "Error: the standard error of the mean. Score: (reward - b) / (reference - b), where b is the better of noop and "
    "random; the reference is {planner}, at {seconds:g} CPU-seconds a step."
)

SHIPPED = Path(__file__).parent / "prost.toml"


@dataclass(frozen=True)
class Reference:
    """Another planner's results: its name, its CPU-seconds a step, and mean reward and error of instances."""

    planner: str
    seconds: float
    results: Mapping[str, tuple[float, float]]


def read_reference(path: Path) -> Reference:
    """The results in a TOML file: ``planner``, ``seconds`` and ``[results]`` with "DOMAIN/INSTANCE" = [mean, error]."""
    given = read_toml(path)
    try:
        results = {str(name): (float(mean), float(error)) for name, (mean, error) in given["results"].items()}
        return Reference(str(given["planner"]), float(given["seconds"]), results)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ParameterError(
            f'{path}: {error}; must have planner, seconds and [results] with "DOMAIN/INSTANCE" = [mean, error]'
        ) from None


def score(reward: float, baselines: list[float], reference: float) -> float:
    """A planner's score: 0 for the better baseline, 1 for the reference; not a number where these are the same."""
    low = max(baselines)
    return (reward - low) / (reference - low) if reference != low else float("nan")


def ippc_report(frame: Any, reference: Reference, folder: Path) -> str:
    """Write what rounds came to, to `ippc.md` and `ippc.csv`; return it as text."""
    rows: list[list[str]] = []
    scores: dict[str, list[float]] = {}
    for (instance,), part in frame.sort("repeat").group_by(["problem"], maintain_order=True):
        known = reference.results.get(instance)
        rewards = {
            (label, seconds): one
            for (label, seconds), one in part.group_by(["label", "step_seconds"], maintain_order=True)
        }
        baselines = [float(one["reward"].mean()) for (label, _), one in rewards.items() if label in ("noop", "random")]
        if known is not None:
            rows.append(
                [
                    instance,
                    reference.planner,
                    "-",
                    f"{known[0]:.2f}",
                    f"{known[1]:.2f}",
                    "1.00",
                    f"{reference.seconds:g}",
                    "-",
                ]
            )
        for (label, _), one in rewards.items():
            values = one["reward"].to_numpy()
            found = float("nan") if known is None else score(float(values.mean()), baselines, known[0])
            if not np.isnan(found) and label not in ("noop", "random"):
                scores.setdefault(label, []).append(found)
            error = f"{values.std(ddof=1) / np.sqrt(values.size):.2f}" if values.size > 1 else "-"
            rows.append(
                [
                    *(instance, label, str(values.size), f"{values.mean():.2f}", error),
                    *("-" if np.isnan(found) else f"{found:.2f}", f"{one['seconds'].mean():.3f}"),
                    f"{one['trials_run'].mean():,.0f}",
                ]
            )
    rows.sort(key=lambda row: row[0])
    for label, found_scores in scores.items():
        rows.append([f"mean of {len(found_scores)}", label, "", "", "", f"{np.mean(found_scores):.2f}", "", ""])
    head = f"`boltree ippc`, version {__version__} ({'; '.join(sorted(set(frame['machine'])))})."
    note = NOTE.format(planner=reference.planner, seconds=reference.seconds)
    page, every = folder / "ippc.md", folder / "ippc.csv"
    put_whole(page, "\n\n".join([head, markdown(HEADS, rows), note, ""]).encode())
    put_whole(every, as_csv([frame.columns, *frame.rows()]).encode())
    return "\n\n".join([head, table(HEADS, rows), note, f"Written: {page}, {every}"])
