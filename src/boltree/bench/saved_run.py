"""A run of ``boltree bench`` as a file, and what has become faster or slower since.

A time says little where a machine's speed changes from hour to hour. So a fixed piece of work is run before and after
each repeat of a case, and what is compared are times in units of its time; of both the best counts, since other work
only makes them longer. Where the machine counts instructions, two runs on the same processor are compared by those.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..files import put_whole

FORMAT, VERSION = "boltree bench", 1
TOLERANCE = 0.15
"""A case that has become slower by more than this is a regression."""


@dataclass(frozen=True)
class Measured:
    """The result of one case; costs are of a visit, or of a trial where visits are not counted."""

    name: str
    algorithm: str
    seconds: float
    instructions: float | None
    trials_per_second: float
    bytes_per_node: float | None

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the other cases."""
        return self.name, self.algorithm


@dataclass(frozen=True)
class Run:
    """A run of all cases on a machine."""

    machine: str
    boltree: str
    repeats: int
    scale: float
    fixed_work_seconds: float
    cases: list[Measured]

    def save(self, path: Path) -> None:
        """Write the run to a file."""
        method = (
            "seconds of a visit and of a fixed piece of work, which is run before and after every repeat: the best of "
            "all interleaved repeats; instructions of a visit, of the thread in user space: the fewest"
        )
        content = {"format": FORMAT, "version": VERSION, "method": method, **asdict(self)}
        try:
            put_whole(path, (json.dumps(content, indent=1) + "\n").encode())
        except OSError as error:
            raise ParameterError(f"--json {path}: cannot be written: {error.strerror}") from error

    @classmethod
    def load(cls, path: Path) -> Run:
        """Read a run; ParameterError says what is wrong with a file that is not one."""
        where = f"--compare {path}"
        try:
            content = json.loads(path.read_bytes())
        except OSError as error:
            raise ParameterError(f"{where}: cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise ParameterError(f"{where}: is no file of boltree bench --json, or damaged: {error}") from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ParameterError(f"{where}: is no file of boltree bench --json")
        if content.get("version") != VERSION:
            raise ParameterError(f"{where}: version={content.get('version')!r}, this program reads {VERSION}")
        try:
            cases = [_measured(where, one) for one in content["cases"]]
            run = cls(
                machine=str(content["machine"]),
                boltree=str(content["boltree"]),
                repeats=int(content["repeats"]),
                scale=_positive(where, "scale", content["scale"]),
                fixed_work_seconds=_positive(where, "fixed_work_seconds", content["fixed_work_seconds"]),
                cases=cases,
            )
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, ParameterError):
                raise
            raise ParameterError(f"{where}: is damaged: {error!r}") from error
        if len({case.key for case in cases}) != len(cases) or not cases:
            raise ParameterError(f"{where}: is damaged: it has no case, or one twice")
        return run


def _measured(where: str, given: Any) -> Measured:
    return Measured(
        name=str(given["name"]),
        algorithm=str(given["algorithm"]),
        seconds=_positive(where, "seconds", given["seconds"]),
        instructions=None if given["instructions"] is None else _positive(where, "instructions", given["instructions"]),
        trials_per_second=_positive(where, "trials_per_second", given["trials_per_second"]),
        bytes_per_node=None
        if given["bytes_per_node"] is None
        else _positive(where, "bytes_per_node", given["bytes_per_node"]),
    )


def _positive(where: str, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ParameterError(f"{where}: {name}={value!r}, must be a positive number; the file is damaged")
    return float(value)


@dataclass(frozen=True)
class Change:
    """A case now and then."""

    now: Measured
    then: Measured | None
    same_machine: bool
    unit: float
    """How long the fixed work takes now, relative to then."""

    @property
    def by_instructions(self) -> bool:
        """Whether both were counted, on a machine for which the same machine code is made."""
        counted = self.then is not None and None not in (self.now.instructions, self.then.instructions)
        return counted and self.same_machine

    @property
    def ratio(self) -> float:
        """The cost now relative to then. Above 1 it has become slower; NaN for a case that was not there."""
        if self.then is None:
            return math.nan
        if self.by_instructions:
            assert self.now.instructions is not None
            assert self.then.instructions is not None
            return self.now.instructions / self.then.instructions
        return self.now.seconds / self.then.seconds / self.unit

    @property
    def slower(self) -> bool:
        """Whether it is a regression."""
        return self.ratio > 1.0 + TOLERANCE

    @property
    def row(self) -> list[str]:
        """Its row of the table."""
        if self.then is None:
            return [self.now.name, self.now.algorithm, "", "", "", "new"]
        verdict = "SLOWER" if self.slower else "faster" if self.ratio < 1.0 / (1.0 + TOLERANCE) else ""
        method = "instructions" if self.by_instructions else "time"
        seconds = f"{self.now.seconds / self.then.seconds:.2f}"
        return [self.now.name, self.now.algorithm, method, f"{self.ratio:.2f}", seconds, verdict]


def changes(now: Run, then: Run) -> list[Change]:
    """Every case of now beside the same case of then."""
    before = {case.key: case for case in then.cases}
    same = now.machine == then.machine
    unit = now.fixed_work_seconds / then.fixed_work_seconds
    return [Change(case, before.get(case.key), same, unit) for case in now.cases]
