"""What a claim is: parts that hold or do not, and the verdict that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .results import Results

Verdict = Literal["holds", "differs", "does not hold"]


@dataclass(frozen=True)
class Part:
    """One thing a claim says: its criterion, whether it was met, and what was seen."""

    criterion: str
    holds: bool
    seen: str
    numbers: Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Args:
        number: in the ledger, such as ``"C4"``.
        says: the claim.
        source: where the paper says it.
        experiments: the names of the experiments it is judged by.
        parts: from their results to the parts of the claim. Criteria are constants of the code: they do not depend on
            what is seen.
        measure: for a claim about time: what to measure, alone on the machine (given whether to be quick).
        note: what a reader of the verdict should know.
    """

    number: str
    says: str
    source: str
    experiments: Sequence[str]
    parts: Callable[[Results], list[Part]]
    measure: Callable[[bool], dict[str, Any]] | None = None
    note: str = ""


def verdict(parts: Sequence[Part]) -> Verdict:
    """Every part holds: it holds. None: it does not. Some: what was seen differs from the claim."""
    held = sum(part.holds for part in parts)
    if held == len(parts):
        return "holds"
    return "differs" if held else "does not hold"
