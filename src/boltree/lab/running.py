"""Running an experiment: what is missing is run and kept, then everything is read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import LabError
from ..jobs.executors import Executor, Progress
from .display import Display
from .experiment import Experiment
from .files import experiment_text
from .jobs import jobs_of
from .keepable import Keepable
from .store import Store


@dataclass(frozen=True)
class Laboratory:
    """Where experiments are run and kept.

    Args:
        folder: where results go.
        executor: who runs jobs.
        shard: (i, n) runs only every n-th job, beginning with the i-th (from 0).
        show: whether to show progress on the terminal.
    """

    folder: Path
    executor: Executor
    shard: tuple[int, int] = (0, 1)
    show: bool = True

    def run(self, experiments: Sequence[Experiment]) -> dict[str, Any]:
        """Run what is missing of some experiments, all jobs together; the results by the experiments' names.

        An experiment whose jobs are not all finished (those of another shard) has no result.
        """
        store = Store(self.folder)
        jobs = {experiment.name: jobs_of(experiment) for experiment in experiments}
        for experiment in experiments:
            text = experiment_text(experiment).encode()
            store.put(store.folder / f"{experiment.name}.experiment.toml", text)
        self._run_part(store, [job for several in jobs.values() for job in several])
        return {name: store.read(several) for name, several in jobs.items() if not store.missing(several)}

    def run_jobs(self, jobs: Sequence[Keepable]) -> Any:
        """Run what is missing of some jobs; their results as one frame, or None where another shard's are missing."""
        store = Store(self.folder)
        self._run_part(store, jobs)
        return None if store.missing(jobs) else store.read(jobs)

    def part_finished(self) -> str:
        """What to say where only a part was to be run, and others are missing."""
        part, parts = self.shard
        return (
            f"Part {part + 1} of {parts} is finished and kept in {self.folder}; when all parts are, give the same "
            "command without --shard for what is left and the report"
        )

    def _run_part(self, store: Store, jobs: Sequence[Keepable]) -> None:
        unique = {job.key(): job for job in jobs}
        first, of = self.shard
        self._run(store, list(unique.values())[first::of])

    def _run(self, store: Store, jobs: list[Keepable]) -> None:
        todo = store.missing(jobs)
        if not todo:
            return
        progress, failures = Progress(len(todo)), []
        with (
            Display(todo, len(jobs) - len(todo), progress, quiet=not self.show) as display,
            # closed, whatever happens: a traceback that is kept must not keep workers alive
            closing(self.executor.run(todo, progress, display.tick)) as ending,
        ):
            for finished in ending:
                if finished.columns is None:
                    failures.append(finished)
                else:
                    store.write(finished.job, finished.columns, finished.machine)
                display.finished(finished)
        if failures:
            first = failures[0]
            raise LabError(
                f"{len(failures)} of {len(jobs)} jobs failed; the others are kept in {store.results}. "
                f"First: {first.job.setting.label} on {first.job.problem}, repeat {first.job.repeat}: {first.failure}"
            )
