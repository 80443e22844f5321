"""What a claim is: parts that hold or do not, and the verdict that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from .results import Results

Verdict = Literal["holds", "differs", "undecided", "does not hold"]


@dataclass(frozen=True)
class Part:
    """One thing a claim says: its criterion, whether it was met, and what was seen.

    Args:
        criterion: what must be seen.
        holds: whether it is; None where the run does not tell.
        seen: what was seen, in words.
        numbers: the same for programs.
        replaced: for a criterion that turned out to misread the paper: why. It is judged and shown as before, but does
            not count.
    """

    criterion: str
    holds: bool | None
    seen: str
    numbers: Mapping[str, Any]
    replaced: str = ""

    def replaced_because(self, reason: str) -> Part:
        """The same criterion, no longer counted."""
        return replace(self, replaced=reason)


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
        before: the verdict by the criteria that were replaced, if any were.
    """

    number: str
    says: str
    source: str
    experiments: Sequence[str]
    parts: Callable[[Results], list[Part]]
    measure: Callable[[bool], dict[str, Any]] | None = None
    note: str = ""
    before: str = ""


def counted(parts: Sequence[Part]) -> list[Part]:
    """The parts that decide."""
    return [part for part in parts if not part.replaced]


def verdict(parts: Sequence[Part]) -> Verdict:
    """Every part holds: it holds. Some fail: what was seen differs from the claim. None is met: it does not hold.

    Where no part fails and some do not tell, it is undecided.
    """
    held = [part.holds for part in counted(parts)]
    if all(held):
        return "holds"
    if False not in held:
        return "undecided"
    return "differs" if True in held else "does not hold"
