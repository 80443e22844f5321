"""The experiments of the paper, shipped as files."""

from __future__ import annotations

from pathlib import Path

from ..errors import ParameterError
from .experiment import Experiment
from .files import read_experiment

_FOLDER = Path(__file__).parent / "paper"


def names() -> list[str]:
    """The names of the shipped experiments."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def shipped(name: str, *, quick: bool = False) -> Experiment:
    """A shipped experiment, at full scale or at about a tenth."""
    path = _FOLDER / f"{name}.toml"
    if not path.is_file():
        raise ParameterError(f"experiment {name!r}: must be one of {', '.join(names())}")
    experiment = read_experiment(path)
    return experiment.at_a_tenth() if quick else experiment
