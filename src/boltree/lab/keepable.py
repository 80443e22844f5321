"""What a job must say of itself so that it can be run, shown while it runs, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..jobs.executors import Runnable

Columns = Mapping[str, Any]
"""A job's result by the names of its columns: a number, or a row for each element."""


class Asked(Protocol):
    """Who decides in a job."""

    @property
    def label(self) -> str:
        """What its curve or its row of a table is called."""
        ...

    @property
    def title(self) -> str:
        """The algorithm's name."""
        ...


class Keepable(Runnable, Protocol):
    """A job whose result can be kept."""

    @property
    def problem(self) -> str:
        """The problem's name."""
        ...

    @property
    def setting(self) -> Asked:
        """Who decides."""
        ...

    @property
    def repeat(self) -> int:
        """The number of the repeat."""
        ...

    @property
    def work(self) -> int:
        """How much it is, as it counts for its watcher; at least 1."""
        ...

    def key(self) -> str:
        """A name for the result: the same for the same row."""
        ...

    def row(self) -> dict[str, Any]:
        """What decides the result."""
        ...

    def facts(self) -> dict[str, Any]:
        """Columns that say which job it is."""
        ...

    def value(self, columns: Columns) -> float:
        """The number of a result that is shown while others still run."""
        ...
