"""A painter notes at each moment of a search what a picture needs; this one, for problems without a scene, nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from ..search.search import Search

P = TypeVar("P", bound="Painter")

LINE = 40
"""The most steps of the recommended line that are shown."""


class Painter:
    """Looks at one search while it runs, and puts what was noted on the page."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.steps = LINE

    @property
    def wants_glances(self) -> bool:
        """Whether it wants to `glance` after every few trials."""
        return False

    def glance(self) -> None:
        """Look quickly, between two moments."""

    def note(self) -> None:
        """Note what is drawn at this moment."""

    @classmethod
    def page(cls: type[P], painters: Sequence[P]) -> tuple[dict[str, Any] | None, list[Any]]:
        """The scene that all searches share, and what is drawn in it for each search."""
        return None, [None for _ in painters]
