"""Showing a search in a browser: ``bt.watch``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Union

from ..errors import ParameterError
from ..search.search import Search
from .labels import title_of
from .page import Watched
from .recording import record

__all__ = ["Watched", "watch"]


def watch(searches: Union[Search, Iterable[Search]], trials: int | None = None) -> Watched:
    """Show one search or several side by side: as they are now, or while each runs.

    Args:
        searches: a search, or searches of the same problem.
        trials: how many each runs, with about 60 moments noted on the way; None looks at the trees as they are.

    Returns:
        A page that a notebook shows, and that ``.save("search.html")`` writes to a file.

    Example:
        >>> import boltree as bt
        >>> chain = bt.problems.DChain(10)
        >>> searches = [bt.Search(chain, a, seed=0, growth="trial") for a in (bt.UCT(), bt.DENTS())]
        >>> page = bt.watch(searches, trials=1000)
        >>> page.save("search.html")  # doctest: +SKIP
    """
    if not isinstance(searches, (Search, Iterable)):
        raise ParameterError(f"searches={searches!r}: must be a bt.Search, or searches of the same problem")
    chosen = [searches] if isinstance(searches, Search) else list(searches)
    for one in chosen:
        if isinstance(one, Search):
            one.problem.refuse_boxes("bt.watch")
    recordings = record(chosen, trials)
    return Watched(recordings, title_of([one.label for one in recordings], chosen[0].problem.display_name()))
