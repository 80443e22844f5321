"""What is proven of a search and how sure the rest is, in words; every page with bounds says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..messages import counted
from ..tree.proof_text import PROVEN, WITHIN
from .recording import Recording
from .verdict import recommendation

INTRO = (
    "Bounds say what a state or an action is worth at least and at most, surely, whatever trials have seen so far. "
    "Where they meet, the value is proven to be exact."
)


def with_proofs(said: dict[str, Any] | None, recordings: Sequence[Recording]) -> dict[str, Any] | None:
    """A story, or the lack of one, and what is proven by those of its searches that prove."""
    if not any(recording.search.proofs for recording in recordings):
        return said
    if said is None:
        verdicts = [(recording.label, *recommendation(recording)) for recording in recordings]
        searches = [{"label": label, "verdict": verdict, "sentences": all} for label, verdict, all in verdicts]
        said = {"intro": "", "searches": searches}
    searches = [
        one | {"sentences": [*one["sentences"], *proof_sentences(recording)]}
        for one, recording in zip(said["searches"], recordings, strict=True)
    ]
    return {"intro": f"{said['intro']} {INTRO}".strip(), "searches": searches}


def proof_sentences(recording: Recording) -> list[str]:
    """How sure the root's value is; nothing of a search without proofs."""
    if not recording.search.proofs:
        return []
    end = recording.moments[-1]
    if end.bounds == PROVEN:
        return [f"The root's value, {end.value:.4g}, is proven, after {counted(end.trials, 'trial')}."]
    known = f"it is {WITHIN} {end.bounds}" if end.bounds else "no bounds of it are known"
    return [f"After {counted(end.trials, 'trial')} the root's value is not proven yet; {known}."]
