"""What a figure shows, as data: curves with intervals, in panels. Drawn as a picture or as a page elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Curve:
    """A mean over repeats against trials, with its 95 % interval."""

    label: str
    trials: NDArray[Any]
    mean: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]
    repeats: int


@dataclass(frozen=True)
class Panel:
    """Curves over the same axes; `optimum` is the best value there is, where it is known."""

    title: str
    curves: Sequence[Curve]
    optimum: float | None = None


@dataclass(frozen=True)
class Figure:
    """Panels side by side, `columns` to a row, all over the same axes."""

    title: str
    panels: Sequence[Panel]
    columns: int = 1
    x_label: str = "trials"
    y_label: str = "value of the recommended policy"
