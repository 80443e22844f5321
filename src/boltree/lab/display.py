"""How far a run is, on the terminal: a bar and the current value for every algorithm."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from ..extras import needs
from ..jobs.executors import Finished, Progress
from .keepable import Keepable

MANY = 12
"""More labels than this are shown together, one line for each algorithm."""


class Display:
    """A live table in a terminal; elsewhere a line every ten seconds."""

    def __init__(self, jobs: Sequence[Keepable], kept: int, progress: Progress, *, quiet: bool) -> None:
        self._jobs, self._progress, self._quiet = jobs, progress, quiet
        self._places = {job: index for index, job in enumerate(jobs)} if not quiet else {}
        labels = list(dict.fromkeys(job.setting.label for job in jobs))
        self._by_title = len(labels) > MANY
        self._groups: dict[str, list[int]] = {}
        for index, job in enumerate(jobs):
            self._groups.setdefault(self._group(job), []).append(index)
        self._several = len({job.problem for job in jobs}) > 1 or self._by_title
        self._kept, self._done, self._failed = kept, 0, 0
        self._began = self._shown = time.monotonic()
        self._live: Any = None

    def _group(self, job: Keepable) -> str:
        return job.setting.title if self._by_title else job.setting.label

    def __enter__(self) -> Display:
        if not self._quiet:
            console = needs("rich.console").Console(stderr=True)
            if self._kept:
                console.print(f"{self._kept} jobs are finished already; {len(self._jobs)} to go")
            if console.is_terminal:
                often = min(8.0, 8_000 / len(self._jobs))  # a table of many jobs takes time itself
                self._live = needs("rich.live").Live(
                    console=console, refresh_per_second=often, get_renderable=self._table
                )
                self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, at)

    def finished(self, finished: Finished) -> None:
        """Note that a job has ended."""
        self._done += 1
        if self._quiet:
            return
        index = self._places[finished.job]
        if finished.columns is None:
            self._failed += 1
        self._progress.cells[2 * index] = finished.job.work
        if finished.columns is not None:
            self._progress.cells[2 * index + 1] = finished.job.value(finished.columns)

    def tick(self) -> None:
        """Where there is no terminal, say now and then how far the run is."""
        now = time.monotonic()
        if self._quiet or self._live is not None or now - self._shown < 10.0:
            return
        self._shown = now
        print(f"{self._done} of {len(self._jobs)} jobs, {now - self._began:.0f} s", file=sys.stderr, flush=True)

    def _table(self) -> Any:
        rich_table, bars = needs("rich.table"), needs("rich.progress_bar")
        table = rich_table.Table(box=None, pad_edge=False)
        for head, justify in (("algorithm", "left"), ("", "left"), ("jobs", "right"), ("value", "right")):
            table.add_column(head, justify=justify, no_wrap=True)
        reached = total = 0.0
        for label, members in self._groups.items():
            cells = [self._progress.read(index) for index in members]
            done = sum(cell[0] for cell in cells)
            budget = sum(self._jobs[index].work for index in members)
            reached, total = reached + done, total + budget
            ended = sum(cell[0] >= self._jobs[index].work for index, cell in zip(members, cells, strict=True))
            values = [value for trials, value in cells if trials]
            value = "" if self._several or not values else f"{sum(values) / len(values):.4f}"
            bar = bars.ProgressBar(total=budget, completed=done, width=30)
            table.add_row(label, bar, f"{ended}/{len(members)}", value)
        spent = time.monotonic() - self._began
        left = "" if not reached else f", about {spent / reached * (total - reached):.0f} s left"
        failed = f", {self._failed} failed" if self._failed else ""
        table.caption = f"{self._done} of {len(self._jobs)} jobs{failed}, {spent:.0f} s{left}"
        table.caption_justify = "left"
        return table
