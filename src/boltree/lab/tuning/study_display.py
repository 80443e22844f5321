"""How far a study is, on the terminal: a bar and the best score so far."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from ...extras import needs
from ...jobs.settings import parameter_text
from .study import Outcome


class StudyDisplay:
    """A live line for each algorithm in a terminal; elsewhere a line every ten seconds."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet, self._shown = quiet, time.monotonic()
        self._title, self._evaluations, self._trials, self._done = "", 1, 1, 0
        self._live: Any = None
        self._line: Any = None

    def __enter__(self) -> StudyDisplay:
        if not self._quiet:
            console, progress = needs("rich.console").Console(stderr=True), needs("rich.progress")
            if console.is_terminal:
                self._live = progress.Progress(
                    progress.TextColumn("{task.description}"),
                    progress.BarColumn(30),
                    progress.TextColumn("{task.fields[done]}/{task.total:.0f}"),
                    progress.TextColumn("{task.fields[best]}"),
                    progress.TimeElapsedColumn(),
                    console=console,
                )
                self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, at)

    def begin(self, title: str, evaluations: int, trials: int) -> None:
        """A study of an algorithm begins."""
        self._title, self._evaluations, self._trials, self._done = title, evaluations, trials, 0
        if self._live is not None:
            self._line = self._live.add_task(f"{title:9}", total=evaluations, done=0, best="")

    def running(self, trials: int) -> None:
        """The setting under evaluation has reached a number of trials."""
        if self._live is not None:
            self._live.update(self._line, completed=self._done + trials / self._trials)

    def evaluated(self, so_far: Outcome) -> None:
        """Another setting has been evaluated."""
        self._done = so_far.tried
        best = "nothing fits into memory"
        if so_far.best.score is not None:
            best = f"best {so_far.best.score:.4f}"
        shown = [(key, value) for key, value in so_far.best.setting.parameters.items() if value is not None]
        stopped = f", {so_far.stopped} stopped early" if so_far.stopped else ""
        text = f"{best} ({parameter_text(shown)}){stopped}"
        if self._live is not None:
            self._live.update(self._line, completed=self._done, done=self._done, best=text)
        elif not self._quiet and time.monotonic() - self._shown >= 10.0:
            self._shown = time.monotonic()
            print(f"{self._title}: {self._done} of {self._evaluations}, {text}", file=sys.stderr, flush=True)
