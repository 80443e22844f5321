"""The ledger: every claim in order, run and judged."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import LabError, ParameterError
from ...version import __version__
from ..experiment import Experiment
from ..files import read_toml
from ..running import Laboratory
from ..shipped import shipped
from ..store import Store
from . import chains, contention, costs, gridworlds, limits, noise, theory
from .claim import Claim, Part, Verdict, verdict
from .results import Result, Results

_JUDGES = {
    number: judges
    for part in (chains, gridworlds, theory, costs, noise, limits, contention)
    for number, judges in part.JUDGES.items()
}
_MEASURES = costs.MEASURES | noise.MEASURES | contention.MEASURES
_MADE = theory.MADE | limits.MADE

LEDGER: dict[str, Claim] = {
    row["number"]: Claim(**row, parts=_JUDGES[row["number"]], measure=_MEASURES.get(row["number"]))
    for row in read_toml(Path(__file__).with_name("claims.toml"))["claims"]
}


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict."""

    claim: Claim
    verdict: Verdict
    parts: list[Part]


def experiments_of(claim: Claim, quick: bool) -> list[Experiment]:
    """The experiments that a claim is judged by."""
    return [_MADE[name](quick) if name in _MADE else shipped(name, quick=quick) for name in claim.experiments]


def chosen(numbers: Sequence[str] | None) -> list[Claim]:
    """Claims by their numbers; all of them if none is named."""
    for number in numbers or ():
        if number.upper() not in LEDGER:
            raise ParameterError(f"claim {number!r}: must be one of {', '.join(LEDGER)}")
    return [LEDGER[number.upper()] for number in numbers] if numbers else list(LEDGER.values())


def judge(claim: Claim, results: Results) -> Judged:
    """A claim's parts and verdict, from results."""
    parts = claim.parts(results)
    return Judged(claim, verdict(parts), parts)


def run_claims(claims: Sequence[Claim], laboratory: Laboratory, quick: bool) -> list[Judged]:
    """Run what claims need, all experiments' jobs together, then the measurements one by one; and judge them."""
    experiments = {one.name: one for claim in claims for one in experiments_of(claim, quick)}
    frames = laboratory.run(list(experiments.values()))
    if len(frames) < len(experiments):
        part, parts = laboratory.shard
        raise LabError(
            f"part {part + 1} of {parts} is finished and kept in {laboratory.folder}; when all parts are, give the "
            "same command without --shard for the verdicts"
        )
    judged = []
    for claim in claims:
        names = [one.name for one in experiments_of(claim, quick)]
        by_name = {name: Result(experiments[name], frames[name]) for name in names}
        judged.append(judge(claim, Results(by_name, _measured(claim, laboratory, quick))))
    return judged


def _measured(claim: Claim, laboratory: Laboratory, quick: bool) -> dict[str, Any]:
    """What a claim about time measures; kept, so that a run that goes on does not measure again."""
    if claim.measure is None:
        return {}
    store = Store(laboratory.folder)
    source = hashlib.sha256(Path(inspect.getfile(claim.measure)).read_bytes()).hexdigest()[:20]
    path = store.folder / f"{claim.number}-{'quick' if quick else 'full'}-{__version__}-{source}.json"
    if not path.exists():
        store.put(path, json.dumps(claim.measure(quick), indent=1).encode())
    found: dict[str, Any] = json.loads(path.read_text())
    return found
