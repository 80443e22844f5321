"""How ``search.watch()`` reaches the viewer, which imports searches and therefore cannot be imported by them.

``boltree/__init__.py`` calls `use_viewer` with a function that imports the viewer when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, Union

from .facts import SearchFacts


class Page(Protocol):
    """A page that shows searches; `bt.Watched` is one, and says what each member means."""

    title: str
    html: str
    recordings: Sequence[Any]

    def save(self, path: Union[str, Path]) -> Path:
        """Write the page to a file."""

    def _repr_html_(self) -> str: ...


Viewer = Callable[[Any, Union[int, None]], Page]
"""Shows a `Search` as it is now, or while it runs a number of trials more."""

_viewer: Viewer | None = None


def use_viewer(viewer: Viewer) -> None:
    """Let `page_of` show searches by this function."""
    global _viewer
    _viewer = viewer


def page_of(search: SearchFacts, trials: int | None) -> Page:
    """The page of a search, made by the viewer that is in use."""
    assert _viewer is not None, "boltree/__init__.py names one"
    return _viewer(search, trials)
