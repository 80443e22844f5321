"""What can be said of any search, whatever its problem: what it recommends, and its own estimate."""

from __future__ import annotations

from .recording import Recording


def recommendation(recording: Recording) -> tuple[str, list[str]]:
    """A verdict and its sentences."""
    end = recording.moments[-1]
    if end.recommended is None:
        return f"{recording.label} recommends nothing yet", []
    name = recording.search.root.action_name(end.recommended)
    return f"{recording.label} recommends {name}", [f"Its own estimate of the root is {end.value:.4g}."]
