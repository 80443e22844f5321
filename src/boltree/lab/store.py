"""Results on disk: each finished job is one Parquet file, written completely or not at all.

A file is written under a temporary name and renamed, so a run that was killed leaves only whole files, and two runs in
the same folder cannot harm each other: at worst they compute the same file twice. All of them at once, in one line::

    polars.read_parquet("FOLDER/results/*.parquet")
    duckdb.sql("SELECT * FROM 'FOLDER/results/*.parquet'")
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import LabError
from ..extras import needs
from ..files import make_writable, put_whole
from ..version import __version__
from .keepable import Columns, Keepable

TIMING = ("search_seconds", "evaluation_seconds", "machine")
"""The columns in which two runs of the same job may differ."""


class Store:
    """The results in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.results = self.folder / "results"
        self._polars = needs("polars")
        make_writable(self.results, self.folder)

    def path(self, job: Keepable) -> Path:
        """Where a job's result is kept."""
        return self.results / f"{job.key()}.parquet"

    def missing(self, jobs: Iterable[Keepable]) -> list[Keepable]:
        """The jobs that have no result yet."""
        there = {path.name for path in self.results.glob("*.parquet")}
        return [job for job in jobs if self.path(job).name not in there]

    def write(self, job: Keepable, columns: Columns, machine: str) -> None:
        """Keep a result, and what it was computed on."""
        kinds = {"root_q": self._polars.Float64, "root_visits": self._polars.Int64}  # lists, null where not asked for
        lists = {name: self._polars.List(kind) for name, kind in kinds.items() if name in columns}
        frame = self._polars.DataFrame(columns, schema_overrides=lists)
        fixed = {"job": job.key(), **job.facts(), "version": __version__, "machine": machine}
        frame = frame.select(*(self._polars.lit(value).alias(name) for name, value in fixed.items()), *frame.columns)
        memory = io.BytesIO()
        frame.write_parquet(memory, metadata={"boltree": json.dumps({"version": __version__, "job": job.row()})})
        self.put(self.path(job), memory.getvalue())

    def put(self, path: Path, content: bytes) -> None:
        """Write a whole file or nothing."""
        try:
            put_whole(path, content)
        except OSError as error:
            kept = len(list(self.results.glob("*.parquet")))
            raise LabError(
                f"{path}: cannot be written: {error.strerror}. The {kept} finished jobs in {self.results} are kept; "
                "make room and give the same command again to go on"
            ) from error

    def read(self, jobs: Iterable[Keepable]) -> Any:
        """The results of these jobs as one polars frame, in the order of the jobs."""
        frames = []
        for job in jobs:
            try:
                frame = self._polars.read_parquet(self.path(job))
            except (OSError, self._polars.exceptions.PolarsError) as error:
                raise LabError(
                    f"{self.path(job)}: cannot be read ({error}); delete it and give the same command again"
                ) from error
            # the label belongs to the experiment that asks, not to the one that computed the row
            frames.append(frame.with_columns(self._polars.lit(job.setting.label).alias("label")))
        return self._polars.concat(frames, how="diagonal")
